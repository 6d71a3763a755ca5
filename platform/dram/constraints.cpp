#include "platform/dram/constraints.h"

namespace kb::dram {
namespace {

const std::vector<Command> kAct = {Command::act}, kPre = {Command::pre};
const std::vector<Command> kReadOpen = {Command::rd}, kWriteOpen = {Command::wr};
const std::vector<Command> kReadClosing = {Command::rda}, kWriteClosing = {Command::wra};
const std::vector<Command> kReads = {Command::rd, Command::rda}, kWrites = {Command::wr, Command::wra};
const std::vector<Command> kRefBank = {Command::ref_bank}, kRefAll = {Command::ref_all};

void append(std::vector<Constraint>& to, std::vector<Constraint> more) {
  for (Constraint& constraint : more) {
    if (constraint.ticks > 0) to.push_back(std::move(constraint));
  }
}

// Column commands: data bus, bank groups, SIDs, turnaround.
std::vector<Constraint> of_columns(const Timing& t) {
  const int write_data = t.cwl + t.bl;
  return {
      {Scope::pc, kReads, kReads, t.bl, Cause::column_bus},
      {Scope::pc, kWrites, kWrites, t.bl, Cause::column_bus},
      {Scope::pc, kReads, kWrites, t.rtw, Cause::turnaround},
      {Scope::pc, kWrites, kReads, write_data + t.wtrs, Cause::turnaround},
      {Scope::sid, kReads, kReads, t.ccds, Cause::column_bus},
      {Scope::sid, kWrites, kWrites, t.ccds, Cause::column_bus},
      {Scope::sid, kReads, kReads, t.ccdr, Cause::column_bus, 1, true},
      {Scope::bank_group, kReads, kReads, t.ccdl, Cause::bank_group},
      {Scope::bank_group, kWrites, kWrites, t.ccdl, Cause::bank_group},
      {Scope::bank_group, kWrites, kReads, write_data + t.wtrl, Cause::turnaround},
  };
}

std::vector<Constraint> of_rows(const Timing& t) {
  const int write_data = t.cwl + t.bl;
  return {
      {Scope::pc, kAct, kAct, t.rrds, Cause::activation},
      {Scope::pc, kAct, kAct, t.faw, Cause::activation, 4},
      {Scope::pc, kPre, kPre, t.ppd, Cause::row_bus},
      {Scope::bank_group, kAct, kAct, t.rrdl, Cause::activation},
      {Scope::bank, kAct, kAct, t.rc, Cause::row},
      {Scope::bank, kAct, kReads, t.rcdrd, Cause::row},
      {Scope::bank, kAct, kWrites, t.rcdwr, Cause::row},
      {Scope::bank, kAct, kPre, t.ras, Cause::row},
      {Scope::bank, kPre, kAct, t.rp, Cause::row},
      {Scope::bank, kReadOpen, kPre, t.rtp, Cause::row},
      {Scope::bank, kWriteOpen, kPre, write_data + t.wr, Cause::row},
      {Scope::bank, kReadClosing, kAct, t.rtp + t.rp, Cause::row},
      {Scope::bank, kWriteClosing, kAct, write_data + t.wr + t.rp, Cause::row},
  };
}

std::vector<Constraint> of_refresh(const Timing& t) {
  const int write_data = t.cwl + t.bl;
  std::vector<Constraint> all = {
      {Scope::pc, kRefBank, kRefBank, t.rrefd, Cause::refresh},
      {Scope::pc, kRefBank, kAct, t.rrefd, Cause::refresh},
      {Scope::pc, kAct, kRefBank, t.rrds, Cause::refresh},
      {Scope::bank_group, kAct, kRefBank, t.rrdl, Cause::refresh},
      {Scope::bank_group, kRefBank, kAct, t.rrdl, Cause::refresh},
      {Scope::bank, {Command::ref_bank}, {Command::act, Command::ref_bank}, t.rfcpb, Cause::refresh},
      {Scope::pc, kRefAll, {Command::act, Command::pre, Command::ref_bank, Command::ref_all}, t.rfc, Cause::refresh},
  };
  // A refresh of one bank waits for that bank, a refresh of all banks for each bank of the pseudo-channel.
  for (const auto& [scope, refresh] : {std::pair{Scope::bank, kRefBank}, std::pair{Scope::pc, kRefAll}}) {
    all.push_back({scope, kAct, refresh, t.rc, Cause::refresh});
    all.push_back({scope, kPre, refresh, t.rp, Cause::refresh});
    all.push_back({scope, kReadClosing, refresh, t.rtp + t.rp, Cause::refresh});
    all.push_back({scope, kWriteClosing, refresh, write_data + t.wr + t.rp, Cause::refresh});
  }
  return all;
}

}  // namespace

std::vector<Constraint> constraints_of(const Timing& timing) {
  std::vector<Constraint> all;
  append(all, of_columns(timing));
  append(all, of_rows(timing));
  append(all, of_refresh(timing));
  return all;
}

}  // namespace kb::dram
