#include "sim/study/why/code_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/base/names.h"
#include "platform/contract/completion.h"
#include "platform/contract/share_words.h"
#include "platform/topology/graph.h"
#include "sim/analysis/findings/findings.h"
#include "sim/analysis/findings/time_union.h"

namespace kb::why {
namespace {

constexpr std::size_t kSharers = 2;  // PEs for each memory, from which on a copy for every PE is a change of the code
constexpr double kMoreWork = 1.25;   // of the median
constexpr std::size_t kPesToCompare = 4;  // fewer have no median
constexpr std::size_t kMostLatePes = 64;

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

// The launch with the most PEs that read a tensor from the fewest memories.
struct Shared {
  std::size_t readers = 0, memories = 0;
};

// How many PEs read a tensor, and from how many memories. A transfer's place names the tensor.
std::map<std::string, Shared> shared_tensors(const sim::RunRecord& record) {
  std::map<std::string, Shared> tensors;
  for (const sim::LaunchRecord& launch : record.launches) {
    std::map<std::string, Shared> now;
    for (const sim::PlaceUseRecord& use : launch.transfers) {
      const sim::SourcePlace& place = record.places[use.place];
      if (use.role != record::Role::memory || place.tensor.empty()) continue;
      Shared& shared = now[place.tensor];
      shared.readers = launch.summary.pes;
      shared.memories = std::max<std::size_t>(shared.memories, use.blocks);
    }
    for (const auto& [tensor, shared] : now) {
      Shared& most = tensors[tensor];
      if (shared.readers * std::max<std::size_t>(most.memories, 1) > most.readers * shared.memories) most = shared;
    }
  }
  return tensors;
}

using Uses = std::map<std::string, CodeUse>;

void add(Uses& uses, CodeUse::Kind kind, const std::string& name, const std::string& text, TimeFs time) {
  accumulate(uses.try_emplace(name, CodeUse{kind, name, text, 0_fs}).first->second.time, time);
}

void keep_longest(const Uses& uses, TimeFs kernels, std::vector<CodeUse>& kept) {
  std::vector<CodeUse> sorted;
  for (const auto& [name, use] : uses) {
    if (use.time.fs() * 100 >= kernels.fs()) sorted.push_back(use);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const CodeUse& a, const CodeUse& b) { return a.time > b.time; });
  kept.insert(kept.end(), sorted.begin(), sorted.end());
}

// Calls, and tensors that at least kSharers PEs read from each memory that has them.
void add_calls(const sim::RunRecord& record, std::vector<CodeUse>& kept) {
  const std::map<std::string, Shared> shared = shared_tensors(record);
  Uses calls, tensors;
  TimeFs kernels = 0_fs;
  for (const sim::LaunchRecord& launch : record.launches) {
    for (const sim::LineTimeRecord& one : launch.lines) {
      accumulate(kernels, one.last);
      const sim::SourcePlace& call = call_of(record, one);
      if (!waits(one.share) || one.last == 0_fs || call.line == 0 || call.call == "barrier") continue;
      const std::string what = call.text() + (call.tensor.empty() ? "" : " " + call.tensor);
      add(calls, CodeUse::Kind::no_wait, call.position(), what, one.last);
      const auto found = shared.find(call.tensor);
      if (found == shared.end() || call.call.find("store") != std::string::npos) continue;
      const auto [readers, memories] = found->second;
      if (readers < kSharers * memories) continue;
      const std::string text = fmt::format("{}, which {} PEs read from {} {}", call.tensor, readers, memories,
                                           memories == 1 ? "memory" : "memories");
      add(tensors, CodeUse::Kind::copies, call.tensor, text, one.last);
    }
  }
  keep_longest(calls, kernels, kept);
  keep_longest(tensors, kernels, kept);
}

// What a PE does: bytes of its PE_DMA in the run, and the time of its engines in a launch.
struct Work {
  const contract::PeResult* pe = nullptr;
  double bytes = 0, compute = 0;
  double times_median = 0;  // the larger ratio of the two
};

double bytes_of(const sim::BlockRecord& dma) {
  double bytes = 0;
  for (const sim::StatisticRecord& one : dma.statistics) {
    if (one.name == "read_bytes" || one.name == "write_bytes") bytes += static_cast<double>(one.value);
  }
  return bytes;
}

template <typename Member>
double median_of(const std::vector<Work>& all, Member member) {
  std::vector<double> values;
  for (const Work& one : all) values.push_back(one.*member);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Work> work_of(const sim::RunRecord& record, const sim::LaunchRecord& launch) {
  std::map<std::string, double> bytes;
  for (const sim::BlockRecord& block : record.blocks) {
    if (block.kind == topology::node_kind_name(topology::NodeKind::pe_dma)) bytes[block.node] = bytes_of(block);
  }
  std::vector<Work> all;
  for (const contract::PeResult& pe : launch.pes) {
    all.push_back({&pe, bytes[pe_name(pe.pe) + ".pe_dma"], static_cast<double>(pe.compute.fs()), 0});
  }
  if (all.empty()) return all;
  const double middle_bytes = median_of(all, &Work::bytes), middle_compute = median_of(all, &Work::compute);
  for (Work& one : all) {
    if (middle_bytes > 0) one.times_median = one.bytes / middle_bytes;
    if (middle_compute > 0) one.times_median = std::max(one.times_median, one.compute / middle_compute);
  }
  return all;
}

// A pattern for PEs that have one number in all cubes of the launch; empty when there is none.
std::string pattern_of(const std::vector<Work>& pes, const sim::LaunchRecord& launch) {
  const PeId number = pes.front().pe->pe.pe;
  const auto has_number = [number](const contract::PeResult& pe) { return pe.pe.pe == number; };
  const bool all = std::all_of(pes.begin(), pes.end(), [&](const Work& one) { return has_number(*one.pe); });
  const auto count = static_cast<std::size_t>(std::count_if(launch.pes.begin(), launch.pes.end(), has_number));
  return pes.size() > 1 && all && count == pes.size() ? fmt::format("sip*.cube*.pe{}", number.value) : "";
}

// PEs of the longest launch that have clearly more to do than the median, when they are few.
void add_work(const sim::RunRecord& record, const sim::LaunchRecord& launch, std::vector<CodeUse>& kept) {
  if (launch.pes.size() < kPesToCompare) return;
  std::vector<Work> late = work_of(record, launch);
  late.erase(std::remove_if(late.begin(), late.end(), [](const Work& one) { return one.times_median < kMoreWork; }),
             late.end());
  if (late.empty() || late.size() * 4 > launch.pes.size() || late.size() > kMostLatePes) return;
  CodeUse use{CodeUse::Kind::work, "", "", 0_fs};
  double most = 0;
  for (const Work& one : late) most = std::max(most, one.times_median);
  if (const std::string pattern = pattern_of(late, launch); !pattern.empty()) {
    use.name = fmt::format("{}:{:.2f}", pattern, 1 / most);
  } else {
    for (const Work& one : late) {
      use.name += fmt::format("{}{}:{:.2f}", use.name.empty() ? "" : ",", pe_name(one.pe->pe), 1 / one.times_median);
    }
  }
  use.time = launch.summary.exec_max;
  use.text = fmt::format("{}{}, {} {:.1f} times as much to do as others,", pe_name(late.front().pe->pe),
                         late.size() == 1 ? "" : fmt::format(" and {} more PEs", late.size() - 1),
                         late.size() == 1 ? "which has" : "which have", most);
  kept.push_back(std::move(use));
}

// Time in which no PE ran a kernel, when there is enough of it: the host did something else, or its copies were in the
// way of the launches.
void add_host(const sim::RunRecord& record, std::vector<CodeUse>& kept) {
  sim::TimeUnion running;
  TimeFs begin = kNever, end = 0_fs;
  for (const sim::LaunchRecord& launch : record.launches) {
    begin = std::min(begin, launch.submitted);
    end = std::max(end, launch.completed);
    if (launch.start != kNever) running.add(launch.start, launch.start + launch.summary.exec_max);
  }
  const TimeFs idle = end - begin - running.time();
  if (idle.fs() * 10 >= (end - begin).fs()) kept.push_back({CodeUse::Kind::host_copies, "", "the host", idle});
}

}  // namespace

std::vector<CodeUse> code_use(const sim::RunRecord& record) {
  std::vector<CodeUse> uses;
  add_calls(record, uses);
  if (const sim::LaunchRecord* const longest = sim::longest_launch(record.launches)) add_work(record, *longest, uses);
  if (!record.launches.empty()) add_host(record, uses);
  return uses;
}

}  // namespace kb::why
