#include "modules/command/barrier_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kb::modules {

bool BarrierCollector::arrive(payload::Transaction* arrival, const payload::BarrierMsg& message, std::size_t members,
                              std::string name, TimeFs now) {
  Rendezvous& rendezvous = rendezvous_[message.request];
  if (rendezvous.names.empty()) {
    rendezvous.scope = message.scope;
    rendezvous.since = now;
    rendezvous.members = members;
  }
  rendezvous.reached = std::max(rendezvous.reached, message.reached);
  const bool same = rendezvous.scope == message.scope;
  if (arrival != nullptr) rendezvous.waiting.push_back(arrival);
  rendezvous.names.push_back(std::move(name));
  if (const auto ended = ended_.find(message.request); ended != ended_.end()) {
    answer(message.request, ended_before(ended->second, message.scope));
    return false;
  }
  if (!same) {
    answer(message.request,
           {false, "BARRIER_ERROR",
            fmt::format(
                "{} waits at a barrier of its {}, {} comes to one of its {}: all PEs of a launch have to come to the "
                "same barriers",
                rendezvous.names.front(), contract::barrier_scope_name(rendezvous.scope), rendezvous.names.back(),
                contract::barrier_scope_name(message.scope))});
    return false;
  }
  return rendezvous.names.size() == rendezvous.members;
}

TimeFs BarrierCollector::reached(std::uint64_t request) const {
  const auto found = rendezvous_.find(request);
  return found == rendezvous_.end() ? 0_fs : found->second.reached;
}

void BarrierCollector::answer(std::uint64_t request, const payload::Status& status,
                              const std::shared_ptr<const payload::Message>& reply) {
  const auto found = rendezvous_.find(request);
  if (found == rendezvous_.end()) return;
  const Rendezvous rendezvous = std::move(found->second);
  rendezvous_.erase(found);
  if (status.ok) ++opened_;
  for (payload::Transaction* const waiting : rendezvous.waiting) {
    waiting->status = status;
    waiting->reply = reply;
    respond_(*waiting);
  }
}

void BarrierCollector::ended(std::uint64_t request, const std::string& place, bool all) {
  if (all) {
    ended_.erase(request);
    return;
  }
  const std::string& first = ended_.emplace(request, place).first->second;
  const auto rendezvous = rendezvous_.find(request);
  if (rendezvous != rendezvous_.end()) answer(request, ended_before(first, rendezvous->second.scope));
}

payload::Status BarrierCollector::ended_before(const std::string& place, contract::BarrierScope scope) {
  return {false, "BARRIER_ERROR",
          fmt::format("the kernel on {} has ended without coming to this barrier; all PEs of a launch in a {} have "
                      "to come to it",
                      place, contract::barrier_scope_name(scope))};
}

void BarrierCollector::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (const auto& [request, rendezvous] : rendezvous_) {
    const std::size_t missing = rendezvous.members - rendezvous.names.size();
    std::string what = "the other cubes of the SIP";  // IO_CPU reports which ones
    if (missing > 0) {
      std::string names;
      for (const std::string& name : rendezvous.names) names += (names.empty() ? "" : ", ") + name;
      what = fmt::format("{} of {} {}; there are {}", missing, rendezvous.members, noun_, names);
    }
    waits.push_back({fmt::format("{}: barrier of launch #{}", node_, request), std::move(what), rendezvous.since});
    waits.back().launch = request;
  }
}

}  // namespace kb::modules
