// Choice and issue of commands.
#include "modules/cube/dram/channel.h"

namespace kb::dram {
namespace {

// Classes of row commands at one edge, in front of the age.
constexpr std::uint64_t kOfAccess = 1ull << 62, kOfTimeout = 2ull << 62;

}  // namespace

bool Channel::is_of_refresh(std::uint32_t bank) const {
  const auto unit = static_cast<std::uint32_t>(refresh_.unit());
  return refresh_.mode() == RefreshMode::per_bank ? bank == unit : bank / banks_per_pc_ == unit;
}

bool Channel::waits_for_another_row(std::uint32_t bank) const {
  const Index oldest = oldest_access(bank);
  return oldest != kNone && queue_.job(oldest).row != queue_.row(bank);
}

bool Channel::may_respond(const Job& job) const {
  return responses_ >= 2 || queue_.entry_at(job.entry).started ||
         (responses_ == 1 && queue_.oldest_unstarted() == job.entry);
}

// The oldest access of a bank in this mode. A read without a response entry is passed over while it can take none.
Index Channel::oldest_access(std::uint32_t bank) const {
  Index job = queue_.head(mode_, bank);
  if (!starved()) return job;
  while (job != kNone && !may_respond(queue_.job(job))) job = queue_.job(job).next;
  return job;
}

Index Channel::oldest_hit_with_response(std::uint32_t bank) const {
  Index job = queue_.hit(mode_, bank);
  while (job != kNone && !may_respond(queue_.job(job))) job = queue_.next_hit(bank, job);
  return job;
}

// The oldest hit that can be served at once, else the one that can be served first. What the constraints say of a hit
// is asked again only when it matters, because its time can only become later.
void Channel::choose_column() {
  column_.at = kNoEdge;
  column_.key = ~0ull;
  column_.known = true;
  column_.command = mode_ == kRead ? Command::rd : Command::wr;
  if (starved()) {
    queue_.hits(mode_).each([&](std::uint32_t bank) { offer_column(bank); });
    return;
  }
  const Half in_pcs = std::min(banks().ready_in_pc(column_.command, 0), banks().ready_in_pc(column_.command, 1));
  const Half earliest = to_rising(std::max(std::max(from_, column_free_), in_pcs));
  std::vector<Hit>& hits = queue_.hits_by_age(mode_);
  for (Hit& hit : hits) {
    if (hit.ready <= earliest && look_at(hit, earliest)) return;
  }
  for (Hit& hit : hits) {
    if (hit.ready > earliest && hit.ready <= column_.at) look_at(hit, earliest);
  }
}

// Chooses the hit when it comes before the one chosen; returns true when it can be served at `earliest`.
bool Channel::look_at(Hit& hit, Half earliest) {
  const Limit limit = banks().limit(column_.command, hit.bank);
  hit.ready = to_rising(limit.time());
  const Half at = std::max(earliest, hit.ready);
  if (at > column_.at || (at == column_.at && hit.key > column_.key)) return false;
  if (is_refreshing(hit.bank) || is_capped(hit.bank)) return false;
  column_.at = at;
  column_.key = hit.key;
  column_.limit = limit;
  column_.bank = hit.bank;
  column_.job = hit.job;
  return at == earliest;
}

void Channel::offer_column(std::uint32_t bank) {
  const Limit limit = banks().limit(column_.command, bank);
  const Half ready = std::max(to_rising(std::max(from_, column_free_)), to_rising(limit.time()));
  if (ready > column_.at || is_refreshing(bank) || is_capped(bank)) return;
  const Index job = oldest_hit(bank);
  if (job != kNone) column_.offer({ready, bank, job, queue_.job(job).key, limit, column_.command, true});
}

// Banks with hits come only when these have had their share, or may take no response entry.
void Channel::choose_row() {
  row_ = {};
  row_.known = true;
  if (refreshing_) offer_refresh();
  const BankSet& waiting = queue_.waiting(mode_);
  const BankSet banks = starved() ? waiting : waiting.without(queue_.hits(mode_).without(at_cap_));
  banks.each([&](std::uint32_t bank) { offer_access(bank); });
  if (config_->pages == PagePolicy::timeout) {
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
    if (queue_.row(bank) == Bank::kClosed) continue;
    open = true;
    row_.offer({edge_of(Command::pre, bank, from), bank, kNone, bank, {}, Command::pre, true});
  }
  if (open) return;
  const Command command = one ? Command::ref_bank : Command::ref_all;
  row_.offer({edge_of(command, first, from), first, kNone, 0, {}, command, true});
}

void Channel::offer_access(std::uint32_t bank) {
  const Half from = row_from();
  if (row_.at <= from && kOfAccess + queue_.job(queue_.head(mode_, bank)).key > row_.key) return;
  const bool open = queue_.row(bank) != Bank::kClosed;
  if (open && oldest_hit(bank) != kNone && !is_capped(bank)) return;
  const Command command = open ? Command::pre : Command::act;
  const Half at = edge_of(command, bank, from);
  if (at > row_.at || is_refreshing(bank)) return;
  const Index job = oldest_access(bank);
  if (job != kNone) row_.offer({at, bank, job, kOfAccess + queue_.job(job).key, {}, command, true});
}

// After a change of this bank alone that cannot delay the choices of others.
void Channel::offer_again(std::uint32_t bank) {
  if (column_.known && queue_.hit(mode_, bank) != kNone) offer_column(bank);
  if (row_.known && row_.bank == bank) row_.known = false;
  if (row_.known && queue_.head(mode_, bank) != kNone) offer_access(bank);
}

void Channel::offer_timeout(std::uint32_t bank) {
  if (queue_.hit(kRead, bank) != kNone || queue_.hit(kWrite, bank) != kNone || is_refreshing(bank)) return;
  const Half idle = used_[bank] + Half{2} * config_->timeout_ticks;
  const Half at = aligned(std::max({row_from(), idle, banks().ready(Command::pre, bank)}));
  row_.offer({at, bank, kNone, kOfTimeout + bank, {}, Command::pre, true});
}

void Channel::issue(Command command, std::uint32_t bank, Half edge, std::uint32_t row, std::uint64_t transaction) {
  banks().issue(command, bank, edge);
  if (sink_ != nullptr) sink_->on_command({edge, command, bank, row, transaction});
}

// Joins the run before, if there is no gap.
void Channel::collect(const Burst& burst, Half begin) {
  std::vector<DataRun>& runs = data_[burst.pc];
  if (!runs.empty() && runs.back().end == begin && runs.back().place == burst.place) {
    runs.back().end += on_bus_;
    ++runs.back().accesses;
  } else {
    runs.push_back({burst.place, begin, begin + on_bus_, 1});
  }
}

void Channel::close(Bank& bank, Half edge, const Limit& limit) {
  bank.closed_at = banks().keep(edge);
  bank.closed_limit = banks().keep(limit);
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

// An older hit may have been passed over, because it can take no response entry.
bool Channel::is_last_hit(Index index) const {
  const Job& job = queue_.job(index);
  return (job.accesses & (job.accesses - 1)) == 0 && queue_.hit(mode_, job.bank) == index &&
         queue_.next_hit(job.bank, index) == kNone && queue_.hit(mode_ == kRead ? kWrite : kRead, job.bank) == kNone;
}

bool Channel::issue_column() {
  const Half edge = column_.at;
  const std::uint32_t bank_index = column_.bank;
  const Index job_index = column_.job;
  const Job& job = queue_.job(job_index);
  const Index entry_index = job.entry;
  Entry& entry = queue_.entry(entry_index);
  const bool closes = config_->pages == PagePolicy::closed && is_last_hit(job_index);
  Bank& bank = banks()[bank_index];
  account(entry, job, edge);
  classify(bank);
  if (!used_.empty()) used_[bank_index] = edge;
  if (bank.hits >= row_hit_cap_) at_cap_.insert(bank_index);
  int& last_direction = last_direction_[entry.burst.pc];
  if (last_direction != mode_ && last_direction >= 0) ++statistics_.turnarounds;
  last_direction = mode_;
  const Command command =
      mode_ == kRead ? (closes ? Command::rda : Command::rd) : (closes ? Command::wra : Command::wr);
  issue(command, bank_index, edge, job.row, entry.burst.transaction);
  if (collects_data_) {
    const Timing& t = config_->standard.timing;
    collect(entry.burst, edge + 2 * Half{mode_ == kRead ? t.cl : t.cwl});
  }
  column_free_ = edge + 2;
  column_.known = false;
  if (mode_ == kRead && !entry.started) take_response_entry(entry_index, edge);
  if (closes) {
    queue_.close_row(bank_index);
    close(bank, edge, {edge, Cause::row});
    bank.conflict = false;
  }
  const bool left = queue_.issue(job_index);
  if (left) leave(entry_index, edge);
  if (config_->pages == PagePolicy::timeout) row_.known = false;
  // Only a bank that has no hits left, or has had its share of them, can become one for the row bus.
  if (row_.known && (bank.hits >= row_hit_cap_ || oldest_hit(bank_index) == kNone) &&
      queue_.head(mode_, bank_index) != kNone) {
    offer_access(bank_index);
  }
  return left;
}

void Channel::take_response_entry(Index entry, Half edge) {
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
  Bank& bank = banks()[bank_index];
  row_free_ = edge + config_->standard.length(command);
  if (command == Command::ref_bank || command == Command::ref_all) {
    issue_refresh();
  } else if (command == Command::act) {
    const Job& job = queue_.job(row_.job);
    const Limit limit = limit_of(command, job);
    bank.hits = 0;
    if (!used_.empty()) used_[bank_index] = edge;
    at_cap_.erase(bank_index);
    on_time_ = 0;
    ++statistics_.acts;
    if (activations_ != nullptr) ++(*activations_)[queue_.entry(job.entry).burst.place];
    issue(command, bank_index, edge, job.row, queue_.entry(job.entry).burst.transaction);
    bank.opened_at = banks().keep(edge);
    bank.opened_limit = banks().keep(limit);
    queue_.open_row(bank_index, job.row);
  } else {
    const bool for_access = row_.job != kNone;
    bank.conflict = for_access;
    Limit limit(edge, is_refreshing(bank_index) ? Cause::refresh : Cause::row);
    if (for_access) limit = limit_of(command, queue_.job(row_.job));
    issue(command, bank_index, edge, 0, for_access ? queue_.entry(queue_.job(row_.job).entry).burst.transaction : 0);
    close(bank, edge, limit);
    queue_.close_row(bank_index);
  }
  row_.known = false;
  if (command == Command::act && column_.known) offer_column(bank_index);
  if (command == Command::pre && column_.bank == bank_index) column_.known = false;
}

void Channel::issue_refresh() {
  on_time_ = refresh_.is_on_time(row_.at) ? on_time_ + 1 : 0;
  issue(row_.command, row_.bank, row_.at, 0, 0);
  const bool one = row_.command == Command::ref_bank;
  for (std::uint32_t bank = row_.bank; bank < row_.bank + (one ? 1 : banks_per_pc_); ++bank) {
    banks()[bank].refresh_begin = banks().keep(row_.at);
  }
  refresh_.finish();
  ++statistics_.refreshes;
  refreshing_ = refresh_.has_to(!queue_.empty());
  column_.known = false;  // the banks take accesses again
}

}  // namespace kb::dram
