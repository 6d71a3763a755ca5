#include "sim/study/why/ladder.h"

#include <algorithm>
#include <set>

namespace kb::why {
namespace {

// An oddity, or work for nothing, that gains so much of the best is the cause: it is a fault, and no design.
constexpr double kOdd = 0.5;
// A change of the kernel that gains so much of the best comes first: it is in the reader's hand.
constexpr double kCode = 0.5;
constexpr double kSameCode = 0.8;   // one call or tensor, of what all of them gain
constexpr double kSame = 0.95;      // a member that gains so much of what its kind gains is the cause
constexpr double kOfPath = 0.6;     // a kind, of what its path gains
constexpr double kOfMachine = 0.3;  // a path, of what all wires gain
constexpr double kRests = 0.005;    // a relief that gains less is asked again at the end only
constexpr double kDiffers = 0.01;
constexpr std::size_t kPaired = 5;

struct Candidate {
  Relief relief;
  Point point;
  TimeFs time = kNever;  // kNever: the run fails
};

double share(TimeFs part, TimeFs whole) {
  return whole > 0_fs ? static_cast<double>(part.fs()) / static_cast<double>(whole.fs()) : 0.0;
}

class Climb {
 public:
  Climb(IMeasurer& measurer, const Measure& base, const ReliefSource& reliefs, const LadderOptions& options)
      : measurer_(measurer), reliefs_(reliefs), options_(options), now_(base) {
    ladder_.base = base.time;
    ladder_.limiter = base.limiter;
    ladder_.unknown_accesses = base.unknown_accesses;
  }

  Ladder run(const std::vector<Remedy>& remedies) {
    try {
      go(remedies);
    } catch (const OutOfBudget&) {
      ladder_.cut = ladder_.out_of_budget = true;
    }
    ladder_.bound = now_.bound;
    ladder_.bound_name = now_.bound_name;
    return std::move(ladder_);
  }

 private:
  struct OutOfBudget {};

  void go(const std::vector<Remedy>& remedies) {
    while (ladder_.steps.size() < options_.steps) {
      const std::optional<Candidate> best = next();
      if (!best) break;
      take(*best);
    }
    ladder_.cut = ladder_.steps.size() == options_.steps;
    choose_again();
    try_remedies(remedies);
  }

  std::vector<Measure> measure(const std::vector<Request>& requests) {
    ladder_.points += requests.size();
    std::vector<Measure> measures = measurer_.measure(requests);
    for (const Measure& one : measures) {
      if (one.code == kOutOfBudget) throw OutOfBudget();
      ladder_.failed += one.ok ? 0 : 1;
    }
    return measures;
  }

  Point with(const Relief& relief) const {
    Point point = point_;
    for (const Change& change : relief.changes) {
      if (std::find(point.changes.begin(), point.changes.end(), change) == point.changes.end()) {
        point.changes.push_back(change);
      }
    }
    return point;
  }

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> found;
    for (Relief& relief : reliefs_(now_)) {
      if (applied_.count(relief.id) != 0) continue;
      Point point = with(relief);
      if (point.changes.size() == point_.changes.size()) continue;
      found.push_back({std::move(relief), std::move(point)});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate& a, const Candidate& b) { return a.relief.used > b.relief.used; });
    return found;
  }

  void run_all(std::vector<Candidate>& candidates) {
    std::vector<Request> requests;
    for (const Candidate& one : candidates) requests.push_back({one.point, false});
    const std::vector<Measure> measures = measure(requests);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (measures[i].ok) candidates[i].time = measures[i].time;
    }
  }

  TimeFs saved(const Candidate& one) const { return one.time < now_.time ? now_.time - one.time : 0_fs; }
  bool is_enough(const Candidate& one) const { return share(saved(one), now_.time) >= options_.least_gain; }

  const Candidate* best_of(const std::vector<Candidate>& list, Scope from, Scope to) const {
    const Candidate* best = nullptr;
    for (const Candidate& one : list) {
      if (one.relief.scope < from || one.relief.scope > to || !is_enough(one)) continue;
      if (best == nullptr || saved(one) > saved(*best)) best = &one;
    }
    return best;
  }

  // From the most particular to the most general: a broader relief has to gain clearly more.
  const Candidate* choose(const std::vector<Candidate>& list) const {
    const Candidate* chosen = nullptr;
    const auto broader = [&](Scope from, Scope to, double part) {
      const Candidate* const other = best_of(list, from, to);
      if (other == nullptr) return;
      if (chosen == nullptr || share(saved(*chosen), saved(*other)) < part) chosen = other;
    };
    broader(Scope::member, Scope::member, kSame);
    broader(Scope::kind, Scope::kind, kSame);
    broader(Scope::path, Scope::path, kOfPath);
    broader(Scope::machine, Scope::machine, kOfMachine);
    const Candidate* code = best_of(list, Scope::code, Scope::code);
    const Candidate* const codes = best_of(list, Scope::codes, Scope::codes);
    if (codes != nullptr && (code == nullptr || share(saved(*code), saved(*codes)) < kSameCode)) code = codes;
    if (code != nullptr && (chosen == nullptr || share(saved(*code), saved(*chosen)) >= kCode)) chosen = code;
    const Candidate* const waste = best_of(list, Scope::waste, Scope::waste);
    if (waste != nullptr && (chosen == nullptr || share(saved(*waste), saved(*chosen)) >= kOdd)) chosen = waste;
    const Candidate* odd = best_of(list, Scope::odd_one, Scope::odd_one);
    const Candidate* const odd_ones = best_of(list, Scope::odd_ones, Scope::odd_ones);
    if (odd_ones != nullptr && (odd == nullptr || share(saved(*odd), saved(*odd_ones)) < kSame)) odd = odd_ones;
    return odd != nullptr && (chosen == nullptr || share(saved(*odd), saved(*chosen)) >= kOdd) ? odd : chosen;
  }

  std::optional<Candidate> next() {
    std::vector<Candidate> active, resting;
    for (Candidate& one : candidates()) {
      (rests_.count(one.relief.id) != 0 ? resting : active).push_back(std::move(one));
    }
    run_all(active);
    if (const Candidate* const best = choose(active)) return remember(active, *best);
    run_all(resting);
    active.insert(active.end(), resting.begin(), resting.end());
    if (const Candidate* const best = choose(active)) return remember(active, *best);
    return pair_of(active);
  }

  Candidate remember(const std::vector<Candidate>& list, const Candidate& best) {
    for (const Candidate& one : list) {
      if (share(saved(one), now_.time) < kRests) rests_.insert(one.relief.id);
      if (!ladder_.steps.empty() || !is_enough(one) || one.relief.id == best.relief.id) continue;
      ladder_.others.push_back({one.relief.text, one.time, one.point});
    }
    sort_by_time(ladder_.others);
    return best;
  }

  // Two causes of the same length hide each other.
  std::optional<Candidate> pair_of(std::vector<Candidate> list) {
    std::stable_sort(list.begin(), list.end(),
                     [&](const Candidate& a, const Candidate& b) { return saved(a) > saved(b); });
    if (list.size() > kPaired) list.resize(kPaired);
    std::vector<Candidate> pairs;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        Relief both{list[i].relief.id + " + " + list[j].relief.id, list[i].relief.text + "; " + list[j].relief.text,
                    Scope::kind, 0_fs, list[i].relief.changes};
        both.changes.insert(both.changes.end(), list[j].relief.changes.begin(), list[j].relief.changes.end());
        Point point = with(both);
        pairs.push_back({std::move(both), std::move(point)});
      }
    }
    run_all(pairs);
    const Candidate* const best = choose(pairs);
    return best == nullptr ? std::nullopt : std::optional<Candidate>(*best);
  }

  void take(const Candidate& best) {
    const TimeFs before = now_.time;
    point_ = best.point;
    applied_.insert(best.relief.id);
    now_ = measure({{point_, true}}).front();
    ladder_.steps.push_back({best.relief.id, best.relief.text, before, now_.time, point_, now_.limiter, std::nullopt});
  }

  // The same changes where routes and algorithms are chosen again.
  void choose_again() {
    std::vector<Request> requests;
    for (const Step& step : ladder_.steps) requests.push_back({{step.point.changes, false}, false});
    const std::vector<Measure> measures = measure(requests);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      Step& step = ladder_.steps[i];
      const TimeFs apart = measures[i].time > step.time ? measures[i].time - step.time : step.time - measures[i].time;
      if (measures[i].ok && share(apart, step.time) > kDiffers) step.chosen_again = measures[i].time;
    }
  }

  void try_remedies(const std::vector<Remedy>& remedies) {
    std::vector<Request> requests;
    for (const Remedy& remedy : remedies) requests.push_back({remedy.point, false});
    const std::vector<Measure> measures = measure(requests);
    for (std::size_t i = 0; i < remedies.size(); ++i) {
      if (!measures[i].ok || measures[i].time >= ladder_.base) continue;
      if (share(ladder_.base - measures[i].time, ladder_.base) < options_.least_gain) continue;
      ladder_.remedies.push_back({remedies[i].text, measures[i].time, remedies[i].point});
    }
    sort_by_time(ladder_.remedies);
    keep_best_values();
  }

  // One value of each parameter.
  void keep_best_values() {
    std::set<std::string> changed;
    const auto is_worse = [&](const Trial& trial) { return !changed.insert(trial.point.changes.front().what).second; };
    std::vector<Trial> best;
    for (Trial& trial : ladder_.remedies) {
      if (!is_worse(trial)) best.push_back(std::move(trial));
    }
    ladder_.remedies = std::move(best);
  }

  static void sort_by_time(std::vector<Trial>& trials) {
    std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.time < b.time; });
  }

  IMeasurer& measurer_;
  const ReliefSource& reliefs_;
  const LadderOptions& options_;
  Measure now_;
  Point point_;
  std::set<std::string> applied_, rests_;
  Ladder ladder_;
};

}  // namespace

Ladder climb(IMeasurer& measurer, const Measure& base, const ReliefSource& reliefs, const std::vector<Remedy>& remedies,
             const LadderOptions& options) {
  return Climb(measurer, base, reliefs, options).run(remedies);
}

}  // namespace kb::why
