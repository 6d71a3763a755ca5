// Choice and issue of commands.
#include "modules/cube/dram/channel.h"

namespace kb::dram {
namespace {

// Classes of row commands at one edge, in front of the age.
constexpr std::uint64_t kOfAccess = 1ull << 62, kOfTimeout = 2ull << 62;
constexpr int kFewBanks = 6;  // with hits

}  // namespace

bool Channel::is_refreshing(std::uint32_t bank) const {
  if (!refreshing_) return false;
  const auto unit = static_cast<std::uint32_t>(refresh_.unit());
  return refresh_.mode() == RefreshMode::per_bank ? bank == unit : bank / banks_per_pc_ == unit;
}

// The open row has had its share, and the oldest access of the bank goes to another one.
bool Channel::is_capped(std::uint32_t bank) const {
  if (banks_[bank].hits < config_.row_hit_cap) return false;
  const std::uint32_t oldest = oldest_access(bank);
  return oldest != kNone && queue_.job(oldest).row != queue_.row(bank);
}

bool Channel::may_respond(const Job& job) const {
  return responses_ >= 2 || queue_.entry_at(job.entry).started ||
         (responses_ == 1 && queue_.oldest_unstarted() == job.entry);
}

// The oldest access of a bank in this mode. A read without a response entry is passed over while it can take none.
std::uint32_t Channel::oldest_access(std::uint32_t bank) const {
  std::uint32_t job = queue_.list(mode_, bank).head;
  if (!starved()) return job;
  while (job != kNone && !may_respond(queue_.job(job))) job = queue_.job(job).next;
  return job;
}

std::uint32_t Channel::oldest_hit(std::uint32_t bank) const {
  std::uint32_t job = queue_.list(mode_, bank).hit;
  if (!starved()) return job;
  while (job != kNone && !may_respond(queue_.job(job))) job = queue_.next_hit(bank, job);
  return job;
}

void Channel::choose_column() {
  column_ = {};
  column_.known = true;
  if (!starved() && queue_.hit_banks(mode_) > kFewBanks) {
    choose_column_by_age();
  } else {
    queue_.hits(mode_).each([&](std::uint32_t bank) { offer_column(bank); });
  }
}

// With many hits one of the oldest can be served at once as a rule, and no younger one is looked at.
void Channel::choose_column_by_age() {
  const Half earliest = to_rising(std::max(from_, column_free_));
  for (std::uint32_t i = queue_.oldest(); i != kNone && column_.at > earliest; i = queue_.entry_at(i).next) {
    const Entry& entry = queue_.entry_at(i);
    if (entry.burst.direction != mode_) continue;
    for (std::size_t slot = 0; slot < entry.job_count; ++slot) {
      const std::uint32_t job = entry.jobs[slot];
      if (job == kNone) continue;
      const std::uint32_t bank = queue_.job(job).bank;
      if (queue_.list(mode_, bank).hit == job) offer_column(bank);
    }
  }
}

void Channel::offer_column(std::uint32_t bank) {
  const Half earliest = to_rising(std::max(from_, column_free_));
  if (column_.at <= earliest && queue_.list(mode_, bank).hit_key > column_.key) return;
  const Command command = mode_ == kRead ? Command::rd : Command::wr;
  const Half ready = std::max(earliest, to_rising(times_.ready(command, bank)));
  if (ready > column_.at || is_refreshing(bank) || is_capped(bank)) return;
  const std::uint32_t job = oldest_hit(bank);
  if (job != kNone) column_.offer({ready, job, bank, queue_.job(job).key, command, true});
}

void Channel::choose_row() {
  row_ = {};
  row_.known = true;
  if (refreshing_) offer_refresh();
  queue_.waiting(mode_).each([&](std::uint32_t bank) { offer_access(bank); });
  if (config_.pages == PagePolicy::timeout) {
    queue_.open_banks().each([&](std::uint32_t bank) { offer_timeout(bank); });
  }
}

void Channel::offer_refresh() {
  const Half from = row_from();
  const auto unit = static_cast<std::uint32_t>(refresh_.unit());
  const bool one = refresh_.mode() == RefreshMode::per_bank;
  const std::uint32_t first = one ? unit : unit * banks_per_pc_, count = one ? 1 : banks_per_pc_;
  bool open = false;
  for (std::uint32_t bank = first; bank < first + count; ++bank) {
    if (queue_.row(bank) == AccessQueue::kClosed) continue;
    open = true;
    row_.offer({edge_of(Command::pre, bank, from), kNone, bank, bank, Command::pre, true});
  }
  if (open) return;
  const Command command = one ? Command::ref_bank : Command::ref_all;
  row_.offer({edge_of(command, first, from), kNone, first, 0, command, true});
}

void Channel::offer_access(std::uint32_t bank) {
  const Half from = row_from();
  if (row_.at <= from && kOfAccess + queue_.list(mode_, bank).head_key > row_.key) return;
  const bool open = queue_.row(bank) != AccessQueue::kClosed;
  if (open && oldest_hit(bank) != kNone && !is_capped(bank)) return;
  const Command command = open ? Command::pre : Command::act;
  const Half at = edge_of(command, bank, from);
  if (at > row_.at || is_refreshing(bank)) return;
  const std::uint32_t job = oldest_access(bank);
  if (job != kNone) row_.offer({at, job, bank, kOfAccess + queue_.job(job).key, command, true});
}

// After a change of this bank alone that cannot delay the choices of others.
void Channel::offer_again(std::uint32_t bank) {
  if (column_.known && queue_.list(mode_, bank).hit != kNone) offer_column(bank);
  if (row_.known && row_.bank == bank) row_.known = false;
  if (row_.known && queue_.list(mode_, bank).head != kNone) offer_access(bank);
}

void Channel::offer_timeout(std::uint32_t bank) {
  if (queue_.list(kRead, bank).hit != kNone || queue_.list(kWrite, bank).hit != kNone || is_refreshing(bank)) return;
  const Half idle = banks_[bank].used + Half{2} * config_.timeout_ticks;
  const Half at = aligned(std::max({row_from(), idle, times_.ready(Command::pre, bank)}));
  row_.offer({at, kNone, bank, kOfTimeout + bank, Command::pre, true});
}

void Channel::issue(Command command, std::uint32_t bank, Half edge, std::uint32_t row, std::uint64_t transaction) {
  times_.issue(command, bank, edge);
  if (sink_ != nullptr) sink_->on_command({edge, command, bank, row, transaction});
}

void Channel::classify(Bank& bank) {
  if (bank.hits > 0) {
    ++statistics_.row_hits;
  } else if (bank.conflict) {
    ++statistics_.row_conflicts;
  } else {
    ++statistics_.row_misses;
  }
  ++bank.hits;
}

void Channel::issue_column() {
  const Half edge = column_.at;
  const std::uint32_t bank_index = column_.bank, job_index = column_.job;
  const Job& job = queue_.job(job_index);
  const std::uint32_t entry = job.entry, row = job.row;
  // An older hit may have been passed over, because it can take no response entry.
  const bool last_hit = (job.accesses & (job.accesses - 1)) == 0 && queue_.list(mode_, bank_index).hit == job_index &&
                        queue_.next_hit(bank_index, job_index) == kNone &&
                        queue_.list(mode_ == kRead ? kWrite : kRead, bank_index).hit == kNone;
  const bool closes = config_.pages == PagePolicy::closed && last_hit;
  Bank& bank = banks_[bank_index];
  account(queue_.entry(entry), bank_index, edge, limit_of(column_.command, job));
  classify(bank);
  bank.used = edge;
  int& last_direction = last_direction_[bank_index / banks_per_pc_];
  if (last_direction != mode_ && last_direction >= 0) ++statistics_.turnarounds;
  last_direction = mode_;
  const Command command =
      mode_ == kRead ? (closes ? Command::rda : Command::rd) : (closes ? Command::wra : Command::wr);
  issue(command, bank_index, edge, row, queue_.entry(entry).burst.transaction);
  if (data_ != nullptr) {
    const Timing& t = config_.standard.timing;
    data_->on_data(queue_.entry(entry).burst, time_of(edge) + ticks(mode_ == kRead ? t.cl : t.cwl));
  }
  column_free_ = edge + 2;
  column_.known = false;
  if (mode_ == kRead && !queue_.entry(entry).started) take_response_entry(entry, edge);
  if (closes) {
    queue_.close_row(bank_index);
    bank.closed = {edge, {edge, Cause::row}};
    bank.conflict = false;
  }
  if (queue_.issue(job_index)) leave(entry, edge);
  // Only a bank that has no hits left, or has had its share of them, can become one for the row bus.
  const bool hits_left = oldest_hit(bank_index) != kNone && bank.hits < config_.row_hit_cap;
  if (config_.pages == PagePolicy::timeout) row_.known = false;
  if (row_.known && !hits_left && queue_.list(mode_, bank_index).head != kNone) offer_access(bank_index);
}

void Channel::take_response_entry(std::uint32_t entry, Half edge) {
  const bool oldest = queue_.oldest_unstarted() == entry;
  queue_.start(entry);
  for (Level& level : levels_) {
    if (responses_ == level.least) level.below_since = edge + step_;
  }
  --responses_;
  if (responses_ < 2) row_.known = false;
  if (!oldest) return;
  oldest_read_since_ = edge + step_;
  starved_before_oldest_ = levels_[1].last_below_before(oldest_read_since_, step_);
}

void Channel::issue_row() {
  const Half edge = row_.at;
  const std::uint32_t bank_index = row_.bank;
  const Command command = row_.command;
  Bank& bank = banks_[bank_index];
  row_free_ = edge + config_.standard.length(command);
  if (command == Command::ref_bank || command == Command::ref_all) {
    issue_refresh();
  } else if (command == Command::act) {
    const Job& job = queue_.job(row_.job);
    bank.opened = {edge, limit_of(command, job)};
    bank.hits = 0;
    bank.used = edge;
    on_time_ = 0;
    ++statistics_.acts;
    if (activations_ != nullptr) ++(*activations_)[queue_.entry(job.entry).burst.place];
    issue(command, bank_index, edge, job.row, queue_.entry(job.entry).burst.transaction);
    queue_.open_row(bank_index, job.row);
  } else {
    const bool for_access = row_.job != kNone;
    bank.conflict = for_access;
    bank.closed = {edge, {edge, is_refreshing(bank_index) ? Cause::refresh : Cause::row}};
    if (for_access) bank.closed.limit = limit_of(command, queue_.job(row_.job));
    issue(command, bank_index, edge, 0, for_access ? queue_.entry(queue_.job(row_.job).entry).burst.transaction : 0);
    queue_.close_row(bank_index);
  }
  row_.known = false;
  if (command == Command::act && column_.known) offer_column(bank_index);
  if (command == Command::pre && column_.bank == bank_index) column_.known = false;
}

void Channel::issue_refresh() {
  on_time_ = refresh_.is_on_time(row_.at) ? on_time_ + 1 : 0;
  issue(row_.command, row_.bank, row_.at, 0, 0);
  const Timing& t = config_.standard.timing;
  const bool one = row_.command == Command::ref_bank;
  const Half length = 2 * Half{one ? t.rfcpb : t.rfc} + config_.standard.length(row_.command);
  for (std::uint32_t bank = row_.bank; bank < row_.bank + (one ? 1 : banks_per_pc_); ++bank) {
    banks_[bank].refresh_begin = row_.at;
    banks_[bank].refresh_end = to_rising(row_.at + length - config_.standard.length(Command::act));
  }
  refresh_.finish();
  ++statistics_.refreshes;
  refreshing_ = refresh_.has_to(!queue_.empty());
  column_.known = false;  // the banks take accesses again
}

}  // namespace kb::dram
