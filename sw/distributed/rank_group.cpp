#include "sw/distributed/rank_group.h"

#include <utility>

namespace kb::sw {

struct RankGroup::State {
  struct Rank {
    std::unique_ptr<contract::ISignal> signal;
    std::size_t open = 0;  // number of requests that it waits for
    bool parked = false;
    bool rendezvous = false;  // waits for other ranks instead of requests
    bool missed = false;      // its rendezvous can no longer take place
  };
  RankMode mode = RankMode::lockstep;
  std::vector<Rank> ranks;
  std::size_t live = 0;  // number of unfinished ranks
  std::size_t parked = 0;
  std::size_t open = 0;  // number of requests that parked ranks wait for
  std::size_t rendezvous = 0;
  bool aborted = false;

  void resume(Rank& rank) {
    if (!rank.parked) return;
    rank.parked = false;
    --parked;
    rank.signal->notify_all();
  }
  void resume_all() {  // in rank order
    for (Rank& rank : ranks) resume(rank);
  }
  void release(Rank& rank, bool missed) {
    if (!rank.rendezvous) return;
    rank.rendezvous = false;
    rank.missed = missed;
    --rendezvous;
    rank.signal->notify_all();
  }
  void miss_rendezvous() {
    for (Rank& rank : ranks) release(rank, true);
  }
  // A lockstep round ends when every live rank waits and all awaited requests are done. Ranks in a rendezvous wait for
  // others; they are notified when no rank is left that could arrive.
  void end_round_if_over() {
    if (mode == RankMode::lockstep && parked > 0 && parked + rendezvous == live && open == 0) resume_all();
    if (rendezvous > 0 && rendezvous == live) miss_rendezvous();
  }
  void on_request_done(std::size_t index) {
    if (aborted) return;
    Rank& rank = ranks[index];
    --open;
    --rank.open;
    if (mode == RankMode::independent && rank.open == 0) resume(rank);
    end_round_if_over();
  }
};

RankGroup::RankGroup(contract::IHost& host, int nprocs, RankMode mode)
    : host_(host), state_(std::make_shared<State>()) {
  state_->mode = mode;
  state_->live = static_cast<std::size_t>(nprocs);
  state_->ranks.resize(state_->live);
  for (State::Rank& rank : state_->ranks) rank.signal = host.make_signal();
}

RankGroup::~RankGroup() {
  state_->aborted = true;
}

void RankGroup::wait_until_done(const std::vector<contract::RequestId>& requests, const std::string& reason) {
  check_aborted();
  const auto index = static_cast<std::size_t>(host_.current_worker());
  State::Rank& rank = state_->ranks[index];
  rank.parked = true;
  rank.open = requests.size();
  ++state_->parked;
  state_->open += requests.size();
  for (const contract::RequestId request : requests) {
    host_.on_done(request, [state = state_, index] { state->on_request_done(index); });
  }
  while (rank.parked) rank.signal->wait(reason);
  check_aborted();
}

bool RankGroup::meet(const std::string& reason) {
  check_aborted();
  State::Rank& rank = state_->ranks[static_cast<std::size_t>(host_.current_worker())];
  rank.rendezvous = true;
  ++state_->rendezvous;
  state_->end_round_if_over();
  while (rank.rendezvous) rank.signal->wait(reason);
  check_aborted();
  return !rank.missed;
}

void RankGroup::end_rendezvous(const std::vector<int>& ranks) {
  for (const int rank : ranks) state_->release(state_->ranks[static_cast<std::size_t>(rank)], false);
}

void RankGroup::check_aborted() const {
  if (state_->aborted) throw RankAborted{};
}

void RankGroup::finish() {
  --state_->live;
  if (!state_->aborted) state_->end_round_if_over();
}

void RankGroup::abort() {
  state_->aborted = true;
  state_->resume_all();
  state_->miss_rendezvous();
}

}  // namespace kb::sw
