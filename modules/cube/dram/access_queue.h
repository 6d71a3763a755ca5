// The queued accesses of a channel, by bank, with hazards between equal addresses (C-DRAM-3 .. C-DRAM-5).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "modules/cube/dram/bank_state.h"
#include "platform/dram/address_map.h"

namespace kb::dram {

inline constexpr std::uint32_t kNone = ~0u;
enum Direction : std::uint8_t { kRead, kWrite };

// Data of at most 8 units of 32 B in one pseudo-channel: a flit of a write, or what a flit of a read asks for.
struct Burst {
  TimeFs arrival = 0_fs;
  std::uint64_t address = 0;  // in its pseudo-channel
  std::uint32_t bytes = 0;
  std::uint8_t pc = 0;
  Direction direction = kRead;
  std::uint64_t transaction = 0;
  std::uint64_t place = 0;  // whose time it is; not looked at
  std::uint64_t tag = 0;    // the caller's; not looked at

  std::uint64_t first_unit() const { return address / kAccessBytes; }
  std::uint64_t last_unit() const { return (address + bytes - 1) / kAccessBytes; }
};

// Accesses of one burst to one row, which are served in order.
struct Job {
  std::uint64_t key = 0;  // age of the next access: (entry, index)
  std::uint32_t entry = 0, row = 0, bank = 0;
  std::uint32_t next = kNone, prev = kNone;  // in its bank, by age
  Half released = kLongAgo;                  // end of the hazard
  std::uint16_t blockers = 0;                // older entries that it waits for
  std::uint8_t accesses = 0;                 // by bit
};

// In lines of the cache: what a column command looks at; what the queue looks at; waits; hazards, which are rare.
struct alignas(64) Entry {
  Burst burst;
  Half column = 0;            // latest column command; `entered` before the first
  std::uint16_t waited = 0;   // causes that `waits` has, by bit
  std::uint8_t left = 0;      // accesses without a column command
  std::uint8_t eligible = 0;  // those that no hazard holds
  std::uint8_t forwards = 0;  // writes whose acknowledgement it waits for
  bool started = false;       // a read that has its response entry
  bool holds_others = false;  // there are dependents or readers
  bool queued = false;

  Half entered = 0, schedulable = 0;
  std::uint64_t age = 0;
  std::uint32_t next = kNone, prev = kNone;              // queued entries by age
  std::uint32_t reads_next = kNone, reads_prev = kNone;  // reads without a response entry, by age
  bool from_banks = false, answered = false;
  TimeFs forwarded = 0_fs;  // earliest completion by forwarding; 0 without

  std::array<Half, kCauses> waits{};
  std::vector<std::uint32_t> dependents;  // jobs that wait for this entry
  std::vector<std::uint32_t> readers;     // entries that are answered from this write

  void add_wait(Cause cause, Half span) {
    if (span <= 0) return;
    const auto bit = static_cast<std::uint16_t>(1u << index(cause));
    Half& wait = waits[index(cause)];
    wait = (waited & bit) != 0 ? wait + span : span;
    waited = static_cast<std::uint16_t>(waited | bit);
  }
};

// The oldest access of a bank that goes to its open row.
struct Hit {
  std::uint64_t key = 0;  // of the job
  std::uint32_t bank = 0, job = kNone;
};

class AccessQueue {
 public:
  static constexpr std::uint32_t kClosed = ~0u;

  AccessQueue(std::shared_ptr<const AddressMap> map, const Geometry& geometry);

  // Forwards nothing to reads whose writes are acknowledged before they are committed; the caller asks `sources`.
  std::uint32_t enter(const Burst& burst, std::uint64_t age, Half schedulable, Half edge);
  // Writes that the entry of the last enter() is answered from.
  const std::vector<std::uint32_t>& sources() const { return sources_; }
  // The next access of the job has its column command; returns true when the entry leaves the queue.
  bool issue(std::uint32_t job);
  void open_row(std::uint32_t bank, std::uint32_t row);
  void close_row(std::uint32_t bank);
  // Releases what waited for entries that have left before this edge.
  void release(Half edge);
  bool has_to_release() const { return !left_.empty(); }
  void forget(std::uint32_t entry);  // answered and not queued
  void start(std::uint32_t entry);   // a read has its response entry

  Entry& entry(std::uint32_t index) { return entries_[index]; }
  const Entry& entry_at(std::uint32_t index) const { return entries_[index]; }
  const Job& job(std::uint32_t index) const { return jobs_[index]; }
  // Oldest access of a bank, its age, and the oldest one whose row is open; kNone without one.
  std::uint32_t head(Direction direction, std::uint32_t bank) const { return banks_[bank].head[direction]; }
  std::uint64_t head_key(Direction direction, std::uint32_t bank) const { return banks_[bank].head_key[direction]; }
  std::uint32_t hit(Direction direction, std::uint32_t bank) const { return banks_[bank].hit[direction]; }
  const BankSet& waiting(Direction direction) const { return waiting_[direction]; }  // banks with accesses
  const BankSet& hits(Direction direction) const { return hits_[direction]; }        // banks with hits
  const std::vector<Hit>& hits_by_age(Direction direction) const { return hits_by_age_[direction]; }
  std::uint32_t row(std::uint32_t bank) const { return banks_[bank].row; }
  const BankSet& open_banks() const { return open_; }
  // The oldest access of the list behind `job` that goes to the open row.
  std::uint32_t next_hit(std::uint32_t bank, std::uint32_t job) const;

  int entries(Direction direction) const { return used_[direction]; }
  int eligible(Direction direction) const { return eligible_[direction]; }  // accesses that no hazard holds
  int eligible_started() const { return eligible_started_; }                // of reads that have a response entry
  bool empty() const { return oldest_ == kNone; }
  std::uint32_t oldest() const { return oldest_; }
  std::uint32_t oldest_unstarted() const { return reads_oldest_; }
  // Banks that the latest enter() has added accesses to.
  const std::vector<std::uint32_t>& entered_banks() const { return entered_banks_; }
  bool released_any() const { return released_any_; }  // in the latest release()

 private:
  struct alignas(64) BankLists {  // by direction, in one line of the cache
    std::array<std::uint64_t, 2> head_key{};
    std::array<std::uint32_t, 2> head{kNone, kNone}, tail{kNone, kNone}, hit{kNone, kNone};
    std::uint32_t row = kClosed;
  };
  static constexpr std::size_t kBuckets = 256;

  std::size_t bucket(std::uint8_t pc, std::uint64_t unit) const {
    return static_cast<std::size_t>((unit >> 3) * 2 + pc) * 0x9e3779b97f4a7c15ull >> 56;
  }
  void count(const Entry& entry, int more);
  bool may_collide(const Entry& entry) const;
  std::uint32_t new_entry();
  bool collides(const Entry& entry) const;
  std::uint32_t new_job(std::uint32_t entry, std::uint32_t access);
  void add_jobs(std::uint32_t entry);
  void add_colliding_jobs(std::uint32_t entry);
  std::uint32_t forwarding_source(const Entry& entry, std::uint64_t unit) const;
  void insert(std::uint32_t job);
  void remove(std::uint32_t job);
  void set_hit(Direction direction, std::uint32_t bank, std::uint32_t job);
  void make_hit_younger(Direction direction, std::uint32_t bank, std::uint64_t key);
  void append(std::uint32_t entry);
  void leave(std::uint32_t entry);
  Direction direction_of(const Job& job) const { return entries_[job.entry].burst.direction; }

  std::shared_ptr<const AddressMap> map_;
  std::uint32_t banks_per_pc_;
  std::vector<Entry> entries_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_entries_, free_jobs_, sources_, left_, entered_banks_;
  std::vector<BankLists> banks_;
  std::array<BankSet, 2> waiting_, hits_;
  std::array<std::vector<Hit>, 2> hits_by_age_;
  BankSet open_;
  std::array<int, 2> used_{}, eligible_{};
  std::uint32_t oldest_ = kNone, newest_ = kNone, reads_oldest_ = kNone, reads_newest_ = kNone;
  std::array<std::array<std::uint16_t, kBuckets>, 2> buckets_{};  // entries by address and direction
  int eligible_started_ = 0;
  bool released_any_ = false;
};

}  // namespace kb::dram
