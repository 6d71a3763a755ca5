#include "modules/cube/dram/legality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <map>
#include <sstream>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::dram {
namespace {

constexpr std::int64_t kBefore = INT64_MIN / 4;
const std::vector<std::string> kNames = {"ACT", "PRE", "RD", "RDA", "WR", "WRA", "REFB", "REFA"};

struct Line {
  std::uint64_t number = 0;
  std::int64_t time = 0;
  std::uint32_t channel = 0, bank = 0, row = 0;
  std::string command;
};

struct Header {
  std::int64_t tck = 0;
  std::map<std::string, std::int64_t> geometry, timing;
};

// The latest times of commands at one part of the channel. `read` and `write` include those with auto-precharge.
struct Latest {
  std::int64_t act = kBefore, pre = kBefore, read = kBefore, write = kBefore, refresh = kBefore;
  std::int64_t read_closing = kBefore, write_closing = kBefore;
};
struct BankLog : Latest {
  bool open = false;
  std::uint32_t row = 0;
};
struct PcLog : Latest {
  std::int64_t refresh_all = kBefore;
  std::array<std::int64_t, 4> acts = {kBefore, kBefore, kBefore, kBefore};  // the oldest first
};

class ChannelLog {
 public:
  ChannelLog(const Header& header, LegalityReport& report, std::size_t max_messages, const std::string& name)
      : h_(header),
        report_(report),
        max_messages_(max_messages),
        name_(name),
        groups_(part("bank_groups")),
        banks_(part("banks")),
        sids_(part("sids")) {
    const std::size_t pcs = static_cast<std::size_t>(part("pcs")), sids = pcs * static_cast<std::size_t>(sids_);
    pc_.resize(pcs);
    sid_.resize(sids);
    group_.resize(sids * static_cast<std::size_t>(groups_));
    bank_.resize(group_.size() * static_cast<std::size_t>(banks_));
    half_rate_ = h_.timing.at("PPD") > 0;  // HBM3 and later: row commands at half ticks
  }

  std::size_t banks() const { return bank_.size(); }

  void take(const Line& line) {
    line_ = &line;
    group_index_ = line.bank / static_cast<std::uint32_t>(banks_);
    sid_index_ = group_index_ / static_cast<std::uint32_t>(groups_);
    pc_index_ = sid_index_ / static_cast<std::uint32_t>(sids_);
    const bool column = line.command == "RD" || line.command == "RDA" || line.command == "WR" || line.command == "WRA";
    bus(column);
    if (column) {
      column_command(line.command[0] == 'R', line.command.size() == 3);
    } else if (line.command == "ACT") {
      act();
    } else if (line.command == "PRE") {
      pre();
    } else {
      refresh(line.command == "REFA");
    }
  }

 private:
  std::int64_t part(const char* key) const { return h_.geometry.at(key); }
  std::int64_t t(const char* key) const { return h_.timing.at(key); }

  void violation(const std::string& text) {
    ++report_.violations;
    if (report_.messages.size() >= max_messages_) return;
    report_.messages.push_back(fmt::format("{}:{}: {} of bank {} at {} fs: {}", name_, line_->number, line_->command,
                                           line_->bank, line_->time, text));
  }
  // At least `ticks` since `before`; what is violated is called `rule`.
  void since(std::int64_t before, std::int64_t ticks, const char* rule) {
    if (before == kBefore || line_->time - before >= ticks * h_.tck) return;
    violation(
        fmt::format("{} needs {} ticks, has {}", rule, ticks, static_cast<double>(line_->time - before) / h_.tck));
  }

  // Row commands hold their bus for 2 ticks (ACT) or 1, in HBM3 and later for 1.5 and 0.5; a column command for one.
  void bus(bool column) {
    const std::int64_t raster = !column && half_rate_ ? h_.tck / 2 : h_.tck;
    if (line_->time % raster != 0) violation("is not at a clock edge");
    std::int64_t& free = column ? column_free_ : row_free_;
    if (line_->time < free) violation(column ? "the column bus is busy" : "the row bus is busy");
    const bool act = line_->command == "ACT";
    const std::int64_t halves = column ? 2 : half_rate_ ? (act ? 3 : 1) : (act ? 4 : 2);
    free = line_->time + halves * h_.tck / 2;
  }

  void column_command(bool read, bool closing) {
    BankLog& bank = bank_[line_->bank];
    Latest &group = group_[group_index_], &sid = sid_[sid_index_], &pc = pc_[pc_index_];
    if (!bank.open) violation("the bank is closed");
    if (bank.open && bank.row != line_->row) violation(fmt::format("the bank has row {}", bank.row));
    const auto same = [read](const Latest& at) { return read ? at.read : at.write; };
    since(same(pc), t("BL"), "BL");
    since(same(sid), t("CCDS"), "tCCDS");
    since(same(group), t("CCDL"), "tCCDL");
    since(bank.act, t(read ? "RCDRD" : "RCDWR"), read ? "tRCDRD" : "tRCDWR");
    if (read) {
      since(pc.write, t("CWL") + t("BL") + t("WTRS"), "CWL + BL + tWTRS");
      since(group.write, t("CWL") + t("BL") + t("WTRL"), "CWL + BL + tWTRL");
      for (std::size_t s = 0; s < sid_.size(); ++s) {
        if (s != sid_index_ && s / static_cast<std::size_t>(sids_) == pc_index_)
          since(sid_[s].read, t("CCDR"), "tCCDR");
      }
    } else {
      since(pc.read, t("RTW"), "tRTW");
    }
    for (Latest* at : {static_cast<Latest*>(&bank), &group, &sid, &pc}) (read ? at->read : at->write) = line_->time;
    if (!closing) return;
    bank.open = false;
    for (Latest* at : {static_cast<Latest*>(&bank), &pc}) (read ? at->read_closing : at->write_closing) = line_->time;
  }

  void closed(const Latest& at) {
    since(at.pre, t("RP"), "tRP");
    since(at.read_closing, t("RTP") + t("RP"), "tRTP + tRP");
    since(at.write_closing, t("CWL") + t("BL") + t("WR") + t("RP"), "CWL + BL + tWR + tRP");
  }

  void act() {
    BankLog& bank = bank_[line_->bank];
    PcLog& pc = pc_[pc_index_];
    if (bank.open) violation("the bank is open");
    closed(bank);
    since(bank.act, t("RC"), "tRC");
    since(bank.refresh, t("RFCPB"), "tRFCPB");
    since(group_[group_index_].act, t("RRDL"), "tRRDL");
    since(group_[group_index_].refresh, t("RRDL"), "tRRDL after REFB");
    since(pc.act, t("RRDS"), "tRRDS");
    since(pc.acts.front(), t("FAW"), "tFAW");
    since(pc.refresh, t("RREFD"), "tRREFD");
    since(pc.refresh_all, t("RFC"), "tRFC");
    for (Latest* at : {static_cast<Latest*>(&bank), &group_[group_index_], static_cast<Latest*>(&pc)})
      at->act = line_->time;
    std::rotate(pc.acts.begin(), pc.acts.begin() + 1, pc.acts.end());
    pc.acts.back() = line_->time;
    bank.open = true;
    bank.row = line_->row;
  }

  void pre() {
    BankLog& bank = bank_[line_->bank];
    PcLog& pc = pc_[pc_index_];
    if (!bank.open) violation("the bank is closed");
    since(bank.act, t("RAS"), "tRAS");
    since(bank.read, t("RTP"), "tRTP");
    since(bank.write, t("CWL") + t("BL") + t("WR"), "CWL + BL + tWR");
    since(pc.pre, t("PPD"), "tPPD");
    since(pc.refresh_all, t("RFC"), "tRFC");
    bank.pre = pc.pre = line_->time;
    bank.open = false;
  }

  void refresh(bool all) {
    PcLog& pc = pc_[pc_index_];
    const std::size_t count = static_cast<std::size_t>(sids_ * groups_ * banks_);
    const std::size_t first = all ? pc_index_ * count : line_->bank;
    for (std::size_t b = first; b < first + (all ? count : 1); ++b) {
      if (bank_[b].open) violation(fmt::format("bank {} is open", b));
    }
    const Latest& at = all ? static_cast<const Latest&>(pc) : bank_[line_->bank];
    closed(at);
    since(at.act, t("RC"), "tRC");
    since(pc.refresh_all, t("RFC"), "tRFC");
    if (all) {
      pc.refresh_all = line_->time;
      return;
    }
    since(pc.refresh, t("RREFD"), "tRREFD");
    since(bank_[line_->bank].refresh, t("RFCPB"), "tRFCPB");
    since(pc.act, t("RRDS"), "tRRDS");
    since(group_[group_index_].act, t("RRDL"), "tRRDL");
    bank_[line_->bank].refresh = group_[group_index_].refresh = pc.refresh = line_->time;
  }

  const Header& h_;
  LegalityReport& report_;
  std::size_t max_messages_;
  const std::string& name_;
  std::int64_t groups_, banks_, sids_;
  bool half_rate_ = false;
  std::vector<BankLog> bank_;
  std::vector<Latest> group_, sid_;
  std::vector<PcLog> pc_;
  std::int64_t row_free_ = kBefore, column_free_ = kBefore;
  const Line* line_ = nullptr;
  std::size_t group_index_ = 0, sid_index_ = 0, pc_index_ = 0;
};

class TraceReader {
 public:
  TraceReader(std::istream& from, const std::string& name) : from_(from), name_(name) {}

  // Reads the lines that begin with '#'; the first line of commands stays in text().
  Header header() {
    if (!next() || text_ != "# kernbench dram-trace 1")
      refuse("is no trace of memory commands", "begins with '# kernbench dram-trace 1'");
    Header header;
    while (next() && text_.rfind("# ", 0) == 0) {
      std::istringstream words(text_.substr(2));
      std::string kind;
      words >> kind;
      if (kind == "tck_fs") words >> header.tck;
      if (kind != "geometry" && kind != "timing") continue;
      auto& values = kind == "geometry" ? header.geometry : header.timing;
      std::int64_t value = 0;
      for (std::string key; words >> key >> value;) values[key] = value;
    }
    check(header);
    return header;
  }
  bool has_line() const { return has_line_; }
  bool next() {
    has_line_ = static_cast<bool>(std::getline(from_, text_));
    number_ += has_line_ ? 1 : 0;
    return has_line_;
  }
  Line line() const {
    Line line;
    line.number = number_;
    std::istringstream words(text_);
    std::uint64_t transaction = 0;
    if (!(words >> line.time >> line.channel >> line.command >> line.bank >> line.row >> transaction)) {
      refuse("'" + text_ + "' is no command", "write time_fs, channel, command, bank, row, transaction");
    }
    if (std::find(kNames.begin(), kNames.end(), line.command) == kNames.end()) {
      refuse("unknown command '" + line.command + "'", suggest(line.command, kNames));
    }
    return line;
  }
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    throw Error(std::vector<Diagnostic>{{name_, static_cast<int>(number_), 0, "", problem, remedy}});
  }

 private:
  void check(const Header& header) const {
    if (header.tck <= 0) refuse("the header has no tck_fs", "write the trace with kernbench");
    for (const char* key : {"pcs", "sids", "bank_groups", "banks"}) {
      const auto found = header.geometry.find(key);
      if (found == header.geometry.end() || found->second < 1 || found->second > 64) {
        refuse(fmt::format("the header's geometry has no valid '{}'", key), "1 to 64");
      }
    }
    for (const char* key :
         {"BL",   "CL",  "CWL", "RCDRD", "RCDWR", "RP",   "RAS", "RC",  "CCDS", "CCDL",  "CCDR", "RRDS",
          "RRDL", "FAW", "RTP", "WR",    "WTRS",  "WTRL", "RTW", "PPD", "RFC",  "RFCPB", "RREFD"}) {
      if (header.timing.count(key) == 0)
        refuse(fmt::format("the header's timing has no '{}'", key), "write the trace with kernbench");
    }
  }

  std::istream& from_;
  std::string name_;
  std::string text_;
  std::uint64_t number_ = 0;
  bool has_line_ = false;
};

}  // namespace

LegalityReport check_legality(std::istream& from, const std::string& name, std::size_t max_messages) {
  TraceReader reader(from, name);
  const Header header = reader.header();
  LegalityReport report;
  std::map<std::uint32_t, ChannelLog> channels;
  for (; reader.has_line(); reader.next()) {
    const Line line = reader.line();
    const auto found = channels.try_emplace(line.channel, header, report, max_messages, name).first;
    if (line.bank >= found->second.banks()) {
      reader.refuse(fmt::format("bank {} does not exist", line.bank),
                    fmt::format("0 to {}", found->second.banks() - 1));
    }
    found->second.take(line);
    ++report.commands;
  }
  return report;
}

}  // namespace kb::dram
