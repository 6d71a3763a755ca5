#include "modules/command/barrier_gate.h"

#include <fmt/format.h>

#include <utility>

namespace kb::modules {

bool BarrierGate::arrive(payload::Transaction& arrival, const payload::BarrierMsg& message, std::size_t members,
                         std::string name, TimeFs now) {
  Meeting& meeting = meetings_[message.request];
  if (meeting.waiting.empty()) {
    meeting.scope = message.scope;
    meeting.since = now;
    meeting.members = members;
  }
  const bool same = meeting.scope == message.scope;
  meeting.waiting.push_back(&arrival);
  meeting.names.push_back(std::move(name));
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
                meeting.names.front(), contract::barrier_scope_name(meeting.scope), meeting.names.back(),
                contract::barrier_scope_name(message.scope))});
    return false;
  }
  return meeting.waiting.size() == meeting.members;
}

void BarrierGate::answer(std::uint64_t request, const payload::Status& status) {
  const auto found = meetings_.find(request);
  if (found == meetings_.end()) return;
  const Meeting meeting = std::move(found->second);
  meetings_.erase(found);
  if (status.ok) ++opened_;
  for (payload::Transaction* const waiting : meeting.waiting) {
    waiting->status = status;
    respond_(*waiting);
  }
}

void BarrierGate::ended(std::uint64_t request, const std::string& place, bool all) {
  if (all) {
    ended_.erase(request);
    return;
  }
  const std::string& first = ended_.emplace(request, place).first->second;
  const auto meeting = meetings_.find(request);
  if (meeting != meetings_.end()) answer(request, ended_before(first, meeting->second.scope));
}

payload::Status BarrierGate::ended_before(const std::string& place, contract::BarrierScope scope) {
  return {false, "BARRIER_ERROR",
          fmt::format("the kernel on {} has ended without coming to this barrier; all PEs of a launch in a {} have to",
                      place, contract::barrier_scope_name(scope))};
}

void BarrierGate::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (const auto& [request, meeting] : meetings_) {
    const std::size_t missing = meeting.members - meeting.waiting.size();
    std::string what = "the other cubes of the SIP";  // IO_CPU says which
    if (missing > 0) {
      std::string names;
      for (const std::string& name : meeting.names) names += (names.empty() ? "" : ", ") + name;
      what = fmt::format("{} of {} {}; there are {}", missing, meeting.members, noun_, names);
    }
    waits.push_back({fmt::format("{}: barrier of launch #{}", node_, request), std::move(what), meeting.since});
    waits.back().launch = request;
  }
}

}  // namespace kb::modules
