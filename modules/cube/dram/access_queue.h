// The queued accesses of a channel, by bank, with hazards between equal addresses (C-DRAM-3 .. C-DRAM-5).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "modules/cube/dram/bank_state.h"
#include "platform/dram/address_map.h"

namespace kb::dram {

enum Direction : std::uint8_t { kRead, kWrite };

// Data of at most 8 units of 32 B in one pseudo-channel: a flit of a write, or what a flit of a read asks for.
struct Burst {
  TimeFs arrival = 0_fs;
  std::uint64_t address = 0;  // in its pseudo-channel
  std::uint32_t bytes = 0;
  std::uint8_t pc = 0;
  Direction direction = kRead;
  std::uint32_t place = 0;  // whose time it is; not looked at
  std::uint32_t tag = 0;    // the caller's; not looked at
  std::uint64_t transaction = 0;

  std::uint64_t first_unit() const { return address / kAccessBytes; }
  std::uint64_t last_unit() const { return (address + bytes - 1) / kAccessBytes; }
};

// Accesses of one burst to one row, which are served in order.
struct Job {
  std::uint64_t key = 0;     // age of the next access: (entry, index)
  Half released = kLongAgo;  // end of the hazard
  std::uint32_t row = 0;
  Index entry = kNone;
  Index next = kNone, prev = kNone;  // in its bank, by age
  std::uint16_t blockers = 0;        // older entries that it waits for
  std::uint8_t bank = 0;
  std::uint8_t accesses = 0;  // by bit
};
static_assert(sizeof(Job) == 32);

// The first line of the cache is what a column command looks at.
struct alignas(64) Entry {
  Burst burst;
  Half column = 0;            // latest column command; `entered` before the first
  std::uint16_t waited = 0;   // causes that `waits` has, by bit
  std::uint8_t left = 0;      // accesses without a column command
  std::uint8_t eligible = 0;  // those that no hazard holds
  std::uint8_t forwards = 0;  // writes whose acknowledgement it waits for
  bool queued : 1, started : 1, from_banks : 1, answered : 1;
  bool holds_others : 1, is_forwarded : 1;       // there is more in Hazards
  Index next = kNone, prev = kNone;              // queued entries by age
  Index reads_next = kNone, reads_prev = kNone;  // reads without a response entry, by age

  std::uint64_t age = 0;
  Half entered = 0;
  std::array<std::uint32_t, kCauses> waits{};

  Entry()
      : queued(false), started(false), from_banks(false), answered(false), holds_others(false), is_forwarded(false) {}

  void add_wait(Cause cause, Half span) {
    if (span <= 0) return;
    const auto bit = static_cast<std::uint16_t>(1u << index(cause));
    std::uint32_t& wait = waits[index(cause)];
    wait = static_cast<std::uint32_t>((waited & bit) != 0 ? wait + span : span);
    waited = static_cast<std::uint16_t>(waited | bit);
  }
};

static_assert(sizeof(Entry) == 128);

// What few entries have.
struct Hazards {
  std::vector<Index> dependents;  // jobs that wait for this entry
  std::vector<Index> readers;     // entries that are answered from this write
  TimeFs forwarded = 0_fs;        // earliest completion by forwarding
};

// The oldest access of a bank that goes to its open row.
struct Hit {
  std::uint64_t key = 0;  // of the job
  Half ready = 0;         // the constraints do not allow it before
  Index job = kNone, entry = kNone;
  std::uint8_t bank = 0;
};

class AccessQueue {
 public:
  AccessQueue(std::shared_ptr<const AddressMap> map, const Standard& standard);

  // Forwards nothing to reads whose writes are acknowledged before they are committed; the caller asks `sources`.
  Index enter(const Burst& burst, std::uint64_t age, Half edge);
  // Writes that the entry of the last enter() is answered from.
  const std::vector<Index>& sources() const { return sources_; }
  // The next access of the job has its column command; returns true when the entry leaves the queue.
  bool issue(Index job);
  void open_row(std::uint32_t bank, std::uint32_t row);
  void close_row(std::uint32_t bank);
  // Releases what waited for entries that have left before this edge.
  void release(Half edge);
  bool has_to_release() const { return !left_.empty(); }
  void forget(Index entry);  // answered and not queued
  void start(Index entry);   // a read has its response entry

  Entry& entry(Index index) { return entries_[index]; }
  const Entry& entry_at(Index index) const { return entries_[index]; }
  Hazards& hazards(Index entry);
  TimeFs forwarded(Index entry) const { return hazards_[entry].forwarded; }
  const Job& job(Index index) const { return jobs_[index]; }
  Banks& banks() { return banks_; }
  const Banks& banks() const { return banks_; }
  Index head(Direction direction, std::uint32_t bank) const { return banks_[bank].head[direction]; }
  Index hit(Direction direction, std::uint32_t bank) const { return banks_[bank].hit[direction]; }
  std::uint32_t row(std::uint32_t bank) const { return banks_[bank].row; }
  const BankSet& waiting(Direction direction) const { return waiting_[direction]; }  // banks with accesses
  const BankSet& hits(Direction direction) const { return hits_[direction]; }        // banks with hits
  std::vector<Hit>& hits_by_age(Direction direction) { return hits_by_age_[direction]; }
  const std::vector<Hit>& hits_by_age(Direction direction) const { return hits_by_age_[direction]; }
  const BankSet& open_banks() const { return open_; }
  // The oldest access of the list behind `job` that goes to the open row.
  Index next_hit(std::uint32_t bank, Index job) const;

  // Fetches into the cache what commands of the bank, or of a hit, look at.
  void prefetch(std::uint32_t bank) const { __builtin_prefetch(&banks_[bank], 1); }
  void prefetch(const Hit& hit) const {
    const Entry* const entry = &entries_[hit.entry];
    __builtin_prefetch(entry, 1);
    __builtin_prefetch(&entry->age, 1);
    __builtin_prefetch(&jobs_[hit.job], 1);
    prefetch(hit.bank);
  }

  int entries(Direction direction) const { return used_[direction]; }
  int eligible(Direction direction) const { return eligible_[direction]; }  // accesses that no hazard holds
  int eligible_started() const { return eligible_started_; }                // of reads that have a response entry
  bool empty() const { return oldest_ == kNone; }
  Index oldest() const { return oldest_; }
  Index oldest_unstarted() const { return reads_oldest_; }
  // Banks that the latest enter() has added accesses to.
  const std::vector<std::uint32_t>& entered_banks() const { return entered_banks_; }
  bool released_any() const { return released_any_; }  // in the latest release()

 private:
  static constexpr std::size_t kBuckets = 128;

  std::size_t bucket(std::uint8_t pc, std::uint64_t unit) const {
    return static_cast<std::size_t>((unit >> 3) * 2 + pc) * 0x9e3779b97f4a7c15ull >> 57;
  }
  void count(const Entry& entry, int more);
  bool may_collide(const Entry& entry) const;
  bool collides(const Entry& entry) const;
  Index new_entry();
  Index new_job(Index entry, std::uint32_t access);
  void add_jobs(Index entry);
  void add_colliding_jobs(Index entry);
  Index forwarding_source(const Entry& entry, std::uint64_t unit) const;
  void insert(Index job);
  void remove(Index job);
  void set_hit(Direction direction, std::uint32_t bank, Index job);
  void make_hit_younger(Direction direction, std::uint32_t bank, std::uint64_t key);
  void append(Index entry);
  void leave(Index entry);
  Direction direction_of(const Job& job) const { return entries_[job.entry].burst.direction; }

  std::shared_ptr<const AddressMap> map_;
  std::uint32_t banks_per_pc_;
  Banks banks_;
  std::vector<Entry> entries_;
  std::vector<Job> jobs_;
  std::vector<Hazards> hazards_;  // by entry, as far as there were any
  std::vector<Index> free_entries_, free_jobs_, sources_, left_;
  std::vector<std::uint32_t> entered_banks_;
  std::array<BankSet, 2> waiting_, hits_;
  std::array<std::vector<Hit>, 2> hits_by_age_;
  BankSet open_;
  std::array<int, 2> used_{}, eligible_{};
  Index oldest_ = kNone, newest_ = kNone, reads_oldest_ = kNone, reads_newest_ = kNone;
  std::array<std::vector<std::uint16_t>, 2> buckets_;  // entries by address and direction
  int eligible_started_ = 0;
  bool released_any_ = false;
};

}  // namespace kb::dram
