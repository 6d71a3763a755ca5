#include "modules/cube/dram/channel.h"

#include <fmt/format.h>

#include "platform/base/error.h"

namespace kb::dram {

void check(const ChannelConfig& config) {
  check(config.standard);
  check_refresh(config.standard, config.refresh, config.postpone);
  const auto refuse = [](const std::string& text) { throw Error::configuration(text); };
  const auto range = [&](const char* key, int value, int least, int most) {
    if (value < least || value > most) refuse(fmt::format("{}: {} has to be {} to {}", key, value, least, most));
  };
  range("read_entries", config.read_entries, 1, 1024);
  range("write_entries", config.write_entries, 1, 1024);
  range("high", config.high, 1, config.write_entries);
  range("low", config.low, 0, config.high - 1);
  range("response_entries", config.response_entries, 1, 4096);
  range("row_hit_cap", config.row_hit_cap, 1, 1'000'000);
  if (config.pages == PagePolicy::timeout) range("timeout", config.timeout_ticks, 1, 1'000'000);
  if (config.frontend < 0_fs || config.backend < 0_fs) refuse("frontend_ns and backend_ns cannot be negative");
}

namespace {

const ChannelConfig& checked(const ChannelConfig& config) {
  check(config);
  return config;
}

// The command holds the row bus, and ACT ends `rfc` after its end at the earliest.
Half refresh_length(const ChannelConfig& config) {
  const Standard& standard = config.standard;
  const bool one = config.refresh != RefreshMode::all_bank;
  return 2 * Half{one ? standard.timing.rfcpb : standard.timing.rfc} +
         standard.length(one ? Command::ref_bank : Command::ref_all) - standard.length(Command::act);
}

}  // namespace

Channel::Channel(const ChannelConfig& config)
    : config_(std::make_shared<const ChannelConfig>(checked(config))),
      half_(config.standard.tck / 2),
      step_(config.standard.pre_step),
      on_bus_(2 * Half{config.standard.timing.bl}),
      bytes_per_pc_(config.standard.geometry.bytes_per_pc()),
      row_hit_cap_(static_cast<std::uint32_t>(config.row_hit_cap)),
      map_(std::make_shared<const AddressMap>(config.map, config.hash, config.standard.geometry)),
      queue_(map_, config.standard),
      refresh_(config.standard, config.refresh, config.postpone),
      refreshes_for_(refresh_length(config)),
      used_(config.pages == PagePolicy::timeout ? queue_.banks().size() : 0),
      banks_per_pc_(static_cast<std::uint32_t>(config.standard.geometry.banks_per_pc())),
      responses_(config.response_entries) {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    levels_[i].least = static_cast<int>(i) + 1;
    levels_[i].below_since = responses_ < levels_[i].least ? 0 : kNoEdge;
  }
}

Half Channel::edge_at_or_after(TimeFs time) const {
  return periods(time, half_);
}

void Channel::push(const Burst& burst) {
  const std::uint64_t end = burst.address % kAccessBytes + burst.bytes;
  const bool fits = burst.address + burst.bytes <= bytes_per_pc_;
  if (burst.bytes == 0 || end > 8 * kAccessBytes || burst.pc >= kPcs || !fits) {
    throw Error::model(fmt::format("a burst of {} bytes at {:#x} of pseudo-channel {} does not fit the memory",
                                   burst.bytes, burst.address, burst.pc));
  }
  const Half edge = first_edge_of(burst);
  if (edge <= horizon_ || (!front_.empty() && burst.arrival < front_.back().burst.arrival)) {
    throw Error::model("a burst reaches the memory after the time for which it has decided");
  }
  front_.push_back({burst, edge});
  queue_.prefetch(burst.pc * banks_per_pc_ + map_->place(burst.first_unit()).bank);
  next_ = std::min(next_, edge);
}

void Channel::release_response(TimeFs time) {
  const Half edge = edge_at_or_after(time + config_->frontend);
  releases_.push_back(edge);
  if (responses_ < 2) next_ = std::min(next_, edge);
}

void Channel::advance(TimeFs now) {
  answers_.clear();
  freed_.clear();
  for (auto& runs : data_) runs.clear();
  const Half horizon = (now + config_->frontend) / half_;
  if (horizon <= horizon_) return;
  pass_idle_time(horizon);
  for (next_ = next_event(); next_ <= horizon; next_ = next_event()) {
    step(next_);
    issue_columns(horizon);
    pass_idle_time(horizon);
  }
  horizon_ = horizon;
  from_ = std::max(from_, aligned(horizon + 1));
}

TimeFs Channel::next_wake() const {
  if ((queue_.empty() && front_.empty()) || next_ >= kNoEdge) return kNever;
  return time_of(std::max(next_, horizon_ + 1));
}

bool Channel::changes_at_next_edge() const {
  return queue_.has_to_release() || wanted_mode() != mode_ || refresh_.has_to(!queue_.empty()) != refreshing_;
}

// Edge from which the first burst in front can have an entry; kNoEdge while there is no free one.
Half Channel::next_entry() const {
  if (front_.empty() || queue_.entries(front_.front().burst.direction) >= most_of(front_.front().burst.direction)) {
    return kNoEdge;
  }
  return front_.front().edge;
}

Half Channel::next_event() {
  if (changes_at_next_edge()) return from_;
  if (!column_.known) choose_column();
  if (!row_.known) choose_row();
  Half next = std::min(std::min(column_.at, row_.at), std::min(refresh_.next_due(), next_entry()));
  if (responses_ < 2 && !releases_.empty()) next = std::min(next, aligned(releases_.front()));
  return std::max(next, from_);
}

void Channel::step(Half edge) {
  from_ = edge;
  if (!releases_.empty() && releases_.front() <= edge) take_responses(edge);
  if (queue_.has_to_release()) {
    queue_.release(edge);
    if (queue_.released_any()) forget_choices();
  }
  refresh_.pass(edge);
  if (!front_.empty() && front_.front().edge <= edge) enter(edge);
  if (const Direction wanted = wanted_mode(); wanted != mode_) {
    mode_ = wanted;
    mode_since_ = edge;
    forget_choices();
  }
  if (const bool has_to = refresh_.has_to(!queue_.empty()); has_to != refreshing_) {
    refreshing_ = has_to;
    forget_choices();
  }
  if (!column_.known) choose_column();
  if (column_.at == edge) issue_column();
  if (!row_.known) choose_row();
  if (row_.at == edge) issue_row();
  from_ = edge + step_;
}

// Column commands up to the next edge at which anything else can happen.
void Channel::issue_columns(Half horizon) {
  if (responses_ < 2 || changes_at_next_edge()) return;
  if (!row_.known) choose_row();
  Half until = std::min(std::min(horizon + 1, row_.at), std::min(refresh_.next_due(), next_entry()));
  while (true) {
    if (!column_.known) choose_column();
    if (column_.at >= until) return;
    const Half edge = from_ = column_.at;
    if (!releases_.empty() && releases_.front() <= edge) take_responses(edge);
    const bool left = issue_column();
    if (!row_.known) choose_row();
    if (row_.at == edge) issue_row();  // the column command may have made it possible
    from_ = edge + step_;
    if (responses_ < 2) return;
    if ((left && !front_.empty()) || ((left || queue_.eligible(mode_) == 0) && changes_at_next_edge())) return;
    if (!row_.known) choose_row();
    until = std::min(until, row_.at);
  }
}

// A level that rises is below up to the edge before.
void Channel::take_responses(Half edge) {
  for (; !releases_.empty() && releases_.front() <= edge; releases_.pop_front()) {
    const Half usable = aligned(releases_.front());
    ++responses_;
    for (Level& level : levels_) {
      if (responses_ != level.least) continue;
      if (usable - step_ >= level.below_since) level.last_below = usable - step_;
      level.below_since = kNoEdge;
    }
    if (responses_ <= 2) forget_choices();
  }
}

void Channel::enter(Half edge) {
  while (!front_.empty() && front_.front().edge <= edge) {
    const Arrived& arrived = front_.front();
    const Direction direction = arrived.burst.direction;
    if (queue_.entries(direction) >= most_of(direction)) return;
    const bool alone = queue_.oldest_unstarted() == kNone;
    const Index entry = queue_.enter(arrived.burst, age_++, edge);
    front_.pop_front();
    if (alone && queue_.oldest_unstarted() != kNone) {
      oldest_read_since_ = edge;
      starved_before_oldest_ = kLongAgo;  // the entry is as old as that
    }
    offer_entered(direction);
    answer_from_writes(entry, edge);
  }
}

// New accesses can only become better choices, but for a bank that was to be closed and has got a hit.
void Channel::offer_entered(Direction direction) {
  if (direction != mode_ || starved() || config_->pages == PagePolicy::timeout) {
    if (starved() || config_->pages == PagePolicy::timeout) forget_choices();
    return;
  }
  for (const std::uint32_t bank : queue_.entered_banks()) offer_again(bank);
}

void Channel::answer_from_writes(Index index, Half edge) {
  Entry& entry = queue_.entry(index);
  if (entry.burst.direction == kWrite) {
    if (config_->write_ack == WriteAck::accepted) answer_if_known(index);
    return;
  }
  if (queue_.sources().empty()) return;
  entry.is_forwarded = true;
  queue_.hazards(index).forwarded = time_of(edge) + config_->frontend;
  if (config_->write_ack == WriteAck::committed) {
    for (const Index source : queue_.sources()) {
      queue_.hazards(source).readers.push_back(index);
      queue_.entry(source).holds_others = true;
      ++entry.forwards;
    }
  }
  if (entry.queued) return;
  freed_.push_back({time_of(edge), kRead});
  answer_if_known(index);
}

// Accesses of reads that have a response entry or can take one.
int Channel::servable_reads() const {
  if (responses_ >= 2) return queue_.eligible(kRead);
  const Index oldest = queue_.oldest_unstarted();
  const bool one_more = responses_ == 1 && oldest != kNone;
  return queue_.eligible_started() + (one_more ? queue_.entry_at(oldest).eligible : 0);
}

Direction Channel::wanted_mode() const {
  if (config_->drain == Drain::oldest) {
    return queue_.empty() ? mode_ : queue_.entry_at(queue_.oldest()).burst.direction;
  }
  const int reads = servable_reads(), writes = queue_.eligible(kWrite);
  if (mode_ == kRead) {
    return writes > 0 && (queue_.entries(kWrite) >= config_->high || reads == 0) ? kWrite : kRead;
  }
  return writes == 0 || (queue_.entries(kWrite) <= config_->low && reads > 0) ? kRead : kWrite;
}

// Without work only refresh goes on.
void Channel::pass_idle_time(Half horizon) {
  if (!queue_.empty() || changes_at_next_edge() || refresh_.open() != 0) return;
  const Half end = front_.empty() ? horizon : std::min(horizon, front_.front().edge - 1);
  refresh_idle_banks(end, refresh_.units() - on_time_);
  if (on_time_ < refresh_.units()) return;
  skip_idle_rounds(end);
  refresh_idle_banks(end, refresh_.units());
}

// Refreshes of closed banks that are issued when they are due.
void Channel::refresh_idle_banks(Half end, int most) {
  if (config_->refresh != RefreshMode::per_bank || config_->pages == PagePolicy::timeout || responses_ < 2) return;
  for (; most > 0; --most) {
    const Half due = refresh_.next_due();
    const auto bank = static_cast<std::uint32_t>(refresh_.unit());
    const bool closed = queue_.row(bank) == Bank::kClosed;
    if (due > end || due < from_ || !closed || edge_of(Command::ref_bank, bank, row_free_) > due) return;
    refresh_.pass(due);
    row_.at = due;
    row_.bank = bank;
    row_.command = Command::ref_bank;
    row_free_ = due + config_->standard.length(Command::ref_bank);
    issue_refresh();
    row_.known = false;
    from_ = due + step_;
  }
}

// Without work refresh repeats itself after tREFI. When all units have been refreshed on time, all banks have been
// closed since, and no constraint is older than a round.
void Channel::skip_idle_rounds(Half end) {
  if (config_->refresh == RefreshMode::none || sink_ != nullptr) return;
  const std::int64_t rounds = (end - from_) / refresh_.round();
  if (rounds <= 0) return;
  const Half span = rounds * refresh_.round();
  refresh_.skip_rounds(rounds);
  banks().shift(span);
  for (Half& used : used_) used += span;
  statistics_.refreshes += static_cast<std::uint64_t>(rounds * refresh_.units());
  from_ += span;
  row_free_ += span;
  forget_choices();
}

}  // namespace kb::dram
