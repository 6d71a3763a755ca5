#include "modules/cube/dram/access_queue.h"

#include <algorithm>
#include <utility>

namespace kb::dram {
namespace {

// Bytes of a burst within a unit of 32 B.
struct Range {
  std::uint64_t begin, end;
  bool covers(const Range& other) const { return begin <= other.begin && end >= other.end; }
};

Range range_in(const Burst& burst, std::uint64_t unit) {
  return {std::max(burst.address, unit * kAccessBytes),
          std::min(burst.address + burst.bytes, (unit + 1) * kAccessBytes)};
}

bool overlaps(const Entry& a, const Entry& b) {
  return a.burst.pc == b.burst.pc && a.burst.first_unit() <= b.burst.last_unit() &&
         b.burst.first_unit() <= a.burst.last_unit();
}

Index take(std::vector<Index>& free) {
  const Index index = free.back();
  free.pop_back();
  return index;
}

}  // namespace

AccessQueue::AccessQueue(std::shared_ptr<const AddressMap> map, const Standard& standard)
    : map_(std::move(map)),
      banks_per_pc_(static_cast<std::uint32_t>(standard.geometry.banks_per_pc())),
      banks_(standard) {
  for (auto& buckets : buckets_) buckets.resize(kBuckets);
}

Index AccessQueue::new_entry() {
  if (free_entries_.empty()) {
    free_entries_.push_back(static_cast<Index>(entries_.size()));
    entries_.emplace_back();
  }
  return take(free_entries_);
}

Hazards& AccessQueue::hazards(Index entry) {
  if (entry >= hazards_.size()) hazards_.resize(std::size_t{entry} + 1);
  return hazards_[entry];
}

void AccessQueue::forget(Index entry) {
  free_entries_.push_back(entry);
}

Index AccessQueue::enter(const Burst& burst, std::uint64_t age, Half edge) {
  const Index index = new_entry();
  Entry& entry = entries_[index];
  entry.burst = burst;
  entry.age = age;
  entry.entered = entry.column = edge;
  entry.left = static_cast<std::uint8_t>(burst.last_unit() - burst.first_unit() + 1);
  entry.forwards = entry.eligible = 0;
  entry.started = entry.answered = entry.holds_others = entry.is_forwarded = false;
  entry.waited = 0;
  sources_.clear();
  entered_banks_.clear();
  if (may_collide(entry) && collides(entry)) {
    add_colliding_jobs(index);
  } else {
    add_jobs(index);
  }
  Entry& made = entries_[index];
  made.queued = made.from_banks = made.left > 0;
  if (made.queued) append(index);
  return index;
}

void AccessQueue::append(Index index) {
  Entry& entry = entries_[index];
  entry.prev = newest_;
  entry.next = kNone;
  (newest_ == kNone ? oldest_ : entries_[newest_].next) = index;
  newest_ = index;
  if (entry.burst.direction == kRead) {
    entry.reads_prev = reads_newest_;
    entry.reads_next = kNone;
    (reads_newest_ == kNone ? reads_oldest_ : entries_[reads_newest_].reads_next) = index;
    reads_newest_ = index;
  }
  ++used_[entry.burst.direction];
  count(entry, 1);
}

void AccessQueue::leave(Index index) {
  Entry& entry = entries_[index];
  entry.queued = false;
  (entry.prev == kNone ? oldest_ : entries_[entry.prev].next) = entry.next;
  (entry.next == kNone ? newest_ : entries_[entry.next].prev) = entry.prev;
  --used_[entry.burst.direction];
  count(entry, -1);
  if (!entry.holds_others) return;
  std::vector<Index>& dependents = hazards(index).dependents;
  left_.insert(left_.end(), dependents.begin(), dependents.end());
  dependents.clear();
}

void AccessQueue::start(Index index) {
  Entry& entry = entries_[index];
  entry.started = true;
  eligible_started_ += entry.eligible;
  (entry.reads_prev == kNone ? reads_oldest_ : entries_[entry.reads_prev].reads_next) = entry.reads_next;
  (entry.reads_next == kNone ? reads_newest_ : entries_[entry.reads_next].reads_prev) = entry.reads_prev;
}

void AccessQueue::count(const Entry& entry, int more) {
  auto& buckets = buckets_[entry.burst.direction];
  for (std::uint64_t block = entry.burst.first_unit() >> 3; block <= entry.burst.last_unit() >> 3; ++block) {
    std::uint16_t& bucket_count = buckets[bucket(entry.burst.pc, block << 3)];
    bucket_count = static_cast<std::uint16_t>(bucket_count + more);
  }
}

// False when no older entry overlaps for sure.
bool AccessQueue::may_collide(const Entry& entry) const {
  if (used_[kWrite] == 0 && (entry.burst.direction == kRead || used_[kRead] == 0)) return false;
  for (std::uint64_t block = entry.burst.first_unit() >> 3; block <= entry.burst.last_unit() >> 3; ++block) {
    const std::size_t b = bucket(entry.burst.pc, block << 3);
    if (buckets_[kWrite][b] != 0 || (entry.burst.direction == kWrite && buckets_[kRead][b] != 0)) return true;
  }
  return false;
}

bool AccessQueue::collides(const Entry& entry) const {
  for (Index i = oldest_; i != kNone; i = entries_[i].next) {
    const Entry& older = entries_[i];
    if ((older.burst.direction == kWrite || entry.burst.direction == kWrite) && overlaps(older, entry)) return true;
  }
  return false;
}

Index AccessQueue::new_job(Index entry, std::uint32_t access) {
  if (free_jobs_.empty()) {
    free_jobs_.push_back(static_cast<Index>(jobs_.size()));
    jobs_.emplace_back();
  }
  const Index index = take(free_jobs_);
  const Entry& owner = entries_[entry];
  const AddressMap::Place place = map_->place(owner.burst.first_unit() + access);
  Job& job = jobs_[index];
  job.key = owner.age * 8 + access;
  job.entry = entry;
  job.row = place.row;
  job.bank = static_cast<std::uint8_t>(owner.burst.pc * banks_per_pc_ + place.bank);
  job.released = kLongAgo;
  job.blockers = 0;
  job.accesses = static_cast<std::uint8_t>(1u << access);
  return index;
}

void AccessQueue::add_jobs(Index index) {
  std::array<Index, 8> made{};
  std::size_t jobs = 0;
  const std::uint32_t accesses = entries_[index].left, run = map_->run();
  const std::uint64_t first = entries_[index].burst.first_unit();
  for (std::uint32_t i = 0; i < accesses;) {
    const Index job = new_job(index, i);
    const auto in_run = static_cast<std::uint32_t>((first + i) & (run - 1));
    const std::uint32_t end = std::min(accesses, i + run - in_run);
    const auto bits = static_cast<std::uint8_t>((1u << end) - (1u << i));
    i = end;
    std::size_t same = 0;
    while (same < jobs && (jobs_[made[same]].bank != jobs_[job].bank || jobs_[made[same]].row != jobs_[job].row))
      ++same;
    if (same < jobs) {
      jobs_[made[same]].accesses = static_cast<std::uint8_t>(jobs_[made[same]].accesses | bits);
      free_jobs_.push_back(job);
    } else {
      jobs_[job].accesses = bits;
      made[jobs++] = job;
    }
  }
  for (std::size_t i = 0; i < jobs; ++i) insert(made[i]);
}

// The youngest older write of the unit, when it has all bytes that a read asks for there.
Index AccessQueue::forwarding_source(const Entry& entry, std::uint64_t unit) const {
  if (entry.burst.direction == kWrite) return kNone;
  for (Index i = newest_; i != kNone; i = entries_[i].prev) {
    const Entry& older = entries_[i];
    const bool same =
        older.burst.pc == entry.burst.pc && older.burst.first_unit() <= unit && unit <= older.burst.last_unit();
    if (!same || older.burst.direction == kRead) continue;
    return range_in(older.burst, unit).covers(range_in(entry.burst, unit)) ? i : kNone;
  }
  return kNone;
}

void AccessQueue::add_colliding_jobs(Index index) {
  const std::uint64_t first = entries_[index].burst.first_unit();
  const std::uint32_t accesses = entries_[index].left;
  for (std::uint32_t access = 0; access < accesses; ++access) {
    const Index source = forwarding_source(entries_[index], first + access);
    if (source != kNone) {
      if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) sources_.push_back(source);
      --entries_[index].left;
      continue;
    }
    const Index job = new_job(index, access);
    for (Index i = oldest_; i != kNone; i = entries_[i].next) {
      Entry& older = entries_[i];
      const bool both_read = older.burst.direction == kRead && entries_[index].burst.direction == kRead;
      const bool same = overlaps(older, entries_[index]) && older.burst.first_unit() <= first + access &&
                        first + access <= older.burst.last_unit();
      if (both_read || !same) continue;
      hazards(i).dependents.push_back(job);
      older.holds_others = true;
      ++jobs_[job].blockers;
    }
    if (jobs_[job].blockers == 0) insert(job);
  }
}

void AccessQueue::release(Half edge) {
  released_any_ = false;
  for (const Index job : left_) {
    if (--jobs_[job].blockers > 0) continue;
    jobs_[job].released = edge;
    insert(job);
    released_any_ = true;
  }
  left_.clear();
}

void AccessQueue::set_hit(Direction side, std::uint32_t bank, Index job) {
  Index& hit = banks_[bank].hit[side];
  if (hit == job) return;
  std::vector<Hit>& order = hits_by_age_[side];
  if (hit != kNone) {
    auto old = order.begin();
    while (old->bank != bank) ++old;
    order.erase(old);
  }
  hit = job;
  if (job == kNone) {
    hits_[side].erase(bank);
    return;
  }
  hits_[side].insert(bank);
  const std::uint64_t key = jobs_[job].key;
  auto place = order.end();
  while (place != order.begin() && (place - 1)->key > key) --place;
  order.insert(place, {key, 0, job, jobs_[job].entry, static_cast<std::uint8_t>(bank)});
}

// The oldest hit of the bank goes on to its next access.
void AccessQueue::make_hit_younger(Direction side, std::uint32_t bank, std::uint64_t key) {
  auto hit = hits_by_age_[side].begin();
  while (hit->bank != bank) ++hit;
  hit->key = key;
  for (; hit + 1 != hits_by_age_[side].end() && (hit + 1)->key < key; ++hit) std::swap(*hit, *(hit + 1));
}

void AccessQueue::insert(Index index) {
  Job& job = jobs_[index];
  const Direction side = direction_of(job);
  Bank& bank = banks_[job.bank];
  Index after = bank.tail[side];
  while (after != kNone && jobs_[after].key > job.key) after = jobs_[after].prev;
  job.prev = after;
  job.next = after == kNone ? bank.head[side] : jobs_[after].next;
  (job.next == kNone ? bank.tail[side] : jobs_[job.next].prev) = index;
  (after == kNone ? bank.head[side] : jobs_[after].next) = index;
  waiting_[side].insert(job.bank);
  entered_banks_.push_back(job.bank);
  const int accesses = __builtin_popcount(job.accesses);
  Entry& entry = entries_[job.entry];
  entry.eligible = static_cast<std::uint8_t>(entry.eligible + accesses);
  eligible_[side] += accesses;
  if (entry.started) eligible_started_ += accesses;
  const Index hit = bank.hit[side];
  if (bank.row == job.row && (hit == kNone || jobs_[hit].key > job.key)) set_hit(side, job.bank, index);
}

void AccessQueue::remove(Index index) {
  const Job& job = jobs_[index];
  const Direction side = direction_of(job);
  Bank& bank = banks_[job.bank];
  if (bank.hit[side] == index) set_hit(side, job.bank, next_hit(job.bank, index));
  (job.prev == kNone ? bank.head[side] : jobs_[job.prev].next) = job.next;
  (job.next == kNone ? bank.tail[side] : jobs_[job.next].prev) = job.prev;
  if (bank.head[side] == kNone) waiting_[side].erase(job.bank);
  free_jobs_.push_back(index);
}

Index AccessQueue::next_hit(std::uint32_t bank, Index job) const {
  Index next = jobs_[job].next;
  while (next != kNone && jobs_[next].row != banks_[bank].row) next = jobs_[next].next;
  return next;
}

bool AccessQueue::issue(Index index) {
  Job& job = jobs_[index];
  const Index owner = job.entry;
  Entry& entry = entries_[owner];
  const Direction side = entry.burst.direction;
  --eligible_[side];
  --entry.eligible;
  if (entry.started) --eligible_started_;
  job.accesses = static_cast<std::uint8_t>(job.accesses & (job.accesses - 1));
  if (job.accesses == 0) {
    remove(index);
  } else {
    job.key = entry.age * 8 + static_cast<std::uint64_t>(__builtin_ctz(job.accesses));
    if (banks_[job.bank].hit[side] == index) make_hit_younger(side, job.bank, job.key);
  }
  if (--entry.left > 0) return false;
  leave(owner);
  return true;
}

void AccessQueue::open_row(std::uint32_t bank, std::uint32_t row) {
  banks_[bank].row = row;
  open_.insert(bank);
  for (const Direction side : {kRead, kWrite}) {
    Index job = banks_[bank].head[side];
    while (job != kNone && jobs_[job].row != row) job = jobs_[job].next;
    set_hit(side, bank, job);
  }
}

void AccessQueue::close_row(std::uint32_t bank) {
  banks_[bank].row = Bank::kClosed;
  open_.erase(bank);
  for (const Direction side : {kRead, kWrite}) set_hit(side, bank, kNone);
}

}  // namespace kb::dram
