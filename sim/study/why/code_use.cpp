#include "sim/study/why/code_use.h"

#include <algorithm>
#include <map>

#include "platform/contract/share_words.h"

namespace kb::why {
namespace {

// Computing and scalar work is no waiting.
bool waits(std::uint32_t share) {
  return share >= engine::kMaxEngines && share != contract::share_index(contract::TimeShare::scalar);
}

bool begins_with(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

// The place whose call a kernel need not wait for: of a receive its own, otherwise what held the thread.
const sim::SourcePlace& call_of(const sim::RunRecord& record, const sim::LineTimeRecord& one) {
  const sim::SourcePlace& line = record.places[one.line];
  return begins_with(line.call, "recv") ? line : record.places[one.held_by];
}

void add(std::map<std::string, CodeUse>& uses, bool copies, const std::string& name, const std::string& text,
         TimeFs time) {
  CodeUse& use = uses.try_emplace(name, CodeUse{copies, name, text, 0_fs}).first->second;
  accumulate(use.time, time);
}

void keep_longest(const std::map<std::string, CodeUse>& uses, TimeFs kernels, std::vector<CodeUse>& kept) {
  std::vector<CodeUse> sorted;
  for (const auto& [name, use] : uses) {
    if (use.time.fs() * 100 >= kernels.fs()) sorted.push_back(use);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const CodeUse& a, const CodeUse& b) { return a.time > b.time; });
  kept.insert(kept.end(), sorted.begin(), sorted.end());
}

}  // namespace

std::vector<CodeUse> code_use(const sim::RunRecord& record) {
  std::map<std::string, CodeUse> calls, tensors;
  TimeFs kernels = 0_fs;
  for (const sim::LaunchRecord& launch : record.launches) {
    for (const sim::LineTimeRecord& one : launch.lines) {
      accumulate(kernels, one.last);
      const sim::SourcePlace& call = call_of(record, one);
      if (!waits(one.share) || one.last == 0_fs || call.line == 0 || call.call == "barrier") continue;
      const std::string what = call.text() + (call.tensor.empty() ? "" : " " + call.tensor);
      add(calls, false, call.position(), what, one.last);
      if (!call.tensor.empty() && call.call.find("store") == std::string::npos) {
        add(tensors, true, call.tensor, call.tensor, one.last);
      }
    }
  }
  std::vector<CodeUse> uses;
  keep_longest(calls, kernels, uses);
  keep_longest(tensors, kernels, uses);
  return uses;
}

}  // namespace kb::why
