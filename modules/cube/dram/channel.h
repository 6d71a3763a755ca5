// One channel of a memory with banks: two pseudo-channels with one row and one column command bus (C-DRAM-0 ..
// C-DRAM-13).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/cube/dram/access_queue.h"
#include "modules/cube/dram/bank_state.h"
#include "modules/cube/dram/fifo.h"
#include "modules/cube/dram/refresh.h"
#include "platform/dram/address_map.h"
#include "platform/dram/commands.h"
#include "platform/dram/policies.h"
#include "platform/dram/standards.h"

namespace kb::dram {

struct ChannelConfig {
  Standard standard;
  std::string map;  // "" for the default
  BankHash hash = BankHash::none;
  PagePolicy pages = PagePolicy::open;
  int timeout_ticks = 0;
  RefreshMode refresh = RefreshMode::per_bank;
  int postpone = 0;  // intervals of tREFI
  Drain drain = Drain::watermark;
  int read_entries = 64, write_entries = 32;  // bursts
  int high = 26, low = 6;
  TimeFs frontend = 8_ns, backend = 6_ns;
  int response_entries = 96;
  int row_hit_cap = 16;
  WriteAck write_ack = WriteAck::committed;
};
// Configuration Error for values that cannot be.
void check(const ChannelConfig& config);

// When the data of a read are ready for the return edge, or a write is acknowledged, and where the time went:
// ready = arrival + service + sum of waits.
struct Answer {
  Burst burst;
  TimeFs entered = 0_fs;
  TimeFs ready = 0_fs;
  TimeFs service = 0_fs;
  bool holds_response = false;  // a read that is not answered from queued writes alone: see release_response()
  std::array<TimeFs, kCauses> waits{};
};

// An entry of the queue that is free from this time on.
struct FreedEntry {
  TimeFs time = 0_fs;
  Direction direction = kRead;
};

// Accesses of one place that the data bus of a pseudo-channel carries without a gap, each for BL.
struct DataRun {
  std::uint64_t place = 0;
  Half begin = 0, end = 0;
  std::uint32_t accesses = 0;
};

struct ChannelStatistics {
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;  // of column commands; a conflict closed another row
  std::uint64_t acts = 0, refreshes = 0, turnarounds = 0;
};

// Decides at advance(now) every clock edge up to now + frontend: what can be scheduled there has arrived by now. The
// caller takes turns: push() what has arrived and release_response() up to now, advance(now), then answers() and
// freed(). Between two calls of advance() lie at most frontend and the latency of a read while response entries are in
// use.
// A copy has state of its own and shares what the configuration says.
class Channel {
 public:
  explicit Channel(const ChannelConfig& config);  // checks it

  void push(const Burst& burst);       // in order of arrival
  void release_response(TimeFs time);  // the return edge has taken a flit that holds one; in order of time
  void advance(TimeFs now);
  const std::vector<Answer>& answers() const { return answers_; }  // of the latest advance()
  const std::vector<FreedEntry>& freed() const { return freed_; }
  // Fetch into the cache what the next calls look at. Thousands of channels take turns, and one has left the cache when
  // it is called again.
  void prefetch() const {
    const char* const begin = reinterpret_cast<const char*>(this);
    for (std::size_t i = 0; i < sizeof(Channel); i += 64) __builtin_prefetch(begin + i, 1);
  }
  void prefetch_hits() const {
    for (const Hit& hit : queue_.hits_by_age(mode_)) queue_.prefetch(hit);
  }
  // Time by which advance() has to be called again; kNever when nothing is queued, or all of it
  // waits for response entries.
  TimeFs next_wake() const;

  const ChannelStatistics& statistics() const { return statistics_; }
  const AddressMap& map() const { return *map_; }
  TimeFs time_of(Half edge) const { return edge * half_; }
  void trace_to(CommandSink* sink) { sink_ = sink; }
  // Use of the data bus, in order of time; of the latest advance(), when it is collected.
  void collect_data() { collects_data_ = true; }
  const std::vector<DataRun>& data(std::size_t pc) const { return data_[pc]; }
  // Counts activations by the place of the burst for which the row is opened.
  void count_activations_in(std::map<std::uint64_t, std::uint64_t>* by_place) { activations_ = by_place; }

 private:
  struct Choice {
    Half at = kNoEdge;
    std::uint32_t bank = 0;
    Index job = kNone;
    std::uint64_t key = ~0ull;
    Limit limit;  // of a column command, by the constraints
    Command command = Command::rd;
    bool known = false;

    void offer(const Choice& other) {
      if (other.at < at || (other.at == at && other.key < key)) *this = other;
    }
  };
  // Since when at least so many response entries are free.
  struct Level {
    int least = 1;
    Half below_since = 0;
    Half last_below = kLongAgo;  // latest edge at which there were fewer, before the present span

    Half last_below_before(Half edge, Half step) const { return edge - step >= below_since ? edge - step : last_below; }
  };

  // The loop (channel.cpp).
  Half edge_at_or_after(TimeFs time) const;
  Half first_edge_of(const Burst& burst) const { return aligned(edge_at_or_after(burst.arrival + config_->frontend)); }
  Banks& banks() { return queue_.banks(); }
  const Banks& banks() const { return queue_.banks(); }
  Half aligned(Half edge) const { return (edge + step_ - 1) & ~(step_ - 1); }
  static Half to_rising(Half edge) { return (edge + 1) & ~Half{1}; }
  // First edge from `from` on at which the constraints allow the command.
  Half edge_of(Command command, std::uint32_t bank, Half from) const {
    const Half at = std::max(from, queue_.banks().ready(command, bank));
    return command == Command::pre ? aligned(at) : to_rising(at);
  }
  int most_of(Direction direction) const { return direction == kRead ? config_->read_entries : config_->write_entries; }
  Half next_entry() const;
  Half next_event();
  bool changes_at_next_edge() const;
  void step(Half edge);
  void issue_columns(Half horizon);
  void take_responses(Half edge);
  void enter(Half edge);
  void offer_entered(Direction direction);
  void answer_from_writes(Index entry, Half edge);
  int servable_reads() const;
  Direction wanted_mode() const;
  void pass_idle_time(Half horizon);
  void refresh_idle_banks(Half end, int most);
  void skip_idle_rounds(Half end);

  // Choices and commands (channel_commands.cpp).
  bool is_refreshing(std::uint32_t bank) const { return refreshing_ && is_of_refresh(bank); }
  bool is_of_refresh(std::uint32_t bank) const;
  // The open row has had its share, and the oldest access of the bank goes to another one.
  bool is_capped(std::uint32_t bank) const { return at_cap_.contains(bank) && waits_for_another_row(bank); }
  bool waits_for_another_row(std::uint32_t bank) const;
  bool may_respond(const Job& job) const;
  void choose_column();
  bool look_at(Hit& hit, Half earliest);
  void offer_column(std::uint32_t bank);
  bool starved() const { return mode_ == kRead && responses_ < 2; }
  Index oldest_access(std::uint32_t bank) const;
  Index oldest_hit(std::uint32_t bank) const {
    return starved() ? oldest_hit_with_response(bank) : queue_.hit(mode_, bank);
  }
  Index oldest_hit_with_response(std::uint32_t bank) const;
  void choose_row();
  void offer_refresh();
  void offer_access(std::uint32_t bank);
  void offer_again(std::uint32_t bank);
  void offer_timeout(std::uint32_t bank);
  Half row_from() const { return std::max(from_, row_free_); }
  bool is_last_hit(Index job) const;
  bool issue_column();  // returns true when an entry leaves
  void issue_row();
  void issue_refresh();
  void classify(Bank& bank);
  void close(Bank& bank, Half edge, const Limit& limit);
  void take_response_entry(Index entry, Half edge);
  void issue(Command command, std::uint32_t bank, Half edge, std::uint32_t row, std::uint64_t transaction);
  void collect(const Burst& burst, Half begin);
  void forget_choices() { column_.known = row_.known = false; }

  // Waits and answers (channel_answers.cpp).
  Limit limit_of(Command command, const Job& job) const;
  Half response_since(const Job& job) const;
  void account(Entry& entry, const Job& job, Half edge);
  void account_since_closed(Entry& entry, const Bank& bank) const;
  static void account_span(Entry& entry, Half end, const Limit& last, Cause bus) {
    if (end <= entry.column) return;
    const Half satisfied = std::clamp(last.time(), entry.column, end);
    entry.add_wait(last.cause(), satisfied - entry.column);
    entry.add_wait(bus, end - satisfied);
    entry.column = end;
  }
  void leave(Index entry, Half edge);
  void answer_if_known(Index entry);
  Answer answer_read(Index index) const;
  Answer answer_write(const Entry& entry) const;
  Answer begin_answer(const Entry& entry) const;
  TimeFs ticks(int count) const { return 2 * count * half_; }

  std::shared_ptr<const ChannelConfig> config_;
  TimeFs half_;
  Half step_, on_bus_;  // on_bus_: of one access
  std::uint64_t bytes_per_pc_;
  std::uint32_t row_hit_cap_;
  std::shared_ptr<const AddressMap> map_;
  AccessQueue queue_;
  RefreshSchedule refresh_;
  Half refreshes_for_;      // from the begin of a refresh until ACT may follow, before the edge of that
  std::vector<Half> used_;  // latest column command or ACT of each bank, for pages: timeout
  std::uint32_t banks_per_pc_;

  struct Arrived {
    Burst burst;
    Half edge = 0;  // from which it can be scheduled
  };
  Fifo<Arrived> front_;  // has no entry yet
  Fifo<Half> releases_;  // edges at which response entries become usable
  std::uint64_t age_ = 0;
  Half horizon_ = -1;  // edges up to here are decided
  Half from_ = 0;      // edges before here have been looked at
  Half next_ = 0;      // edge of the next event
  Half column_free_ = 0, row_free_ = 0;
  Direction mode_ = kRead;
  Half mode_since_ = 0;
  bool refreshing_ = false;  // the next refresh goes before accesses of its banks
  Choice column_, row_;
  int responses_;
  std::array<Level, 2> levels_;
  Half oldest_read_since_ = 0, starved_before_oldest_ = kLongAgo;
  std::array<int, kPcs> last_direction_{-1, -1};
  BankSet at_cap_;   // banks whose row has had its share of hits
  int on_time_ = 0;  // refreshes in a row that were issued when they were due

  std::vector<Answer> answers_;
  std::vector<FreedEntry> freed_;
  ChannelStatistics statistics_;
  CommandSink* sink_ = nullptr;
  bool collects_data_ = false;
  std::array<std::vector<DataRun>, kPcs> data_;
  std::map<std::uint64_t, std::uint64_t>* activations_ = nullptr;
};

}  // namespace kb::dram
