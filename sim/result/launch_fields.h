// The members of result.json for a launch, and for all launches of a kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

#include "platform/contract/share_words.h"
#include "sim/result/field_table.h"
#include "sim/result/launch_parts.h"
#include "sim/result/result.h"

namespace kb::result {

template <typename Self, typename Visit>
void visit_joules(Self& self, Visit& visit) {
  visit("fj", self.value, "femtojoules");
  visit("low_fj", self.low, "with the lower ends of all ranges");
  visit("high_fj", self.high, "with the upper ends of all ranges");
}

template <>
struct Fields<Joules> {
  static constexpr auto kName = "joules", kMeaning = "an energy and its range";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit_joules(self, visit);
  }
};

template <>
struct Fields<Range> {
  static constexpr auto kName = "range", kMeaning = "least and largest of the PEs, ns";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("min", self.min, "shortest");
    visit("max", self.max, "longest: the critical path");
  }
};

template <typename Self, typename Visit>
void visit_parts(Self& self, Visit& visit) {
  for (const std::size_t i : sim::launch_part_indices()) {
    const DisplayText& word = sim::launch_part(i);
    const std::string name = std::string(word.name) + "_ns";
    if (!sim::is_plugin_part(i)) {
      visit(name, self.time[i], word.sentence);
      continue;
    }
    std::optional<TimeFs> time;
    if (self.time[i] != 0_fs) time = self.time[i];
    visit.may(name, time, word.sentence);
    if constexpr (!std::is_const_v<Self>) self.time[i] = time.value_or(0_fs);
  }
}

template <>
struct Fields<PartTimes> {
  static constexpr auto kName = "parts", kMeaning = "parts of launches from submission to completion";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit_parts(self, visit);
  }
};

template <>
struct Fields<ResourceTimes> {
  static constexpr auto kName = "busy", kMeaning = "how long each resource of the PE was in use during the kernel";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    for (std::size_t i = 0; i < contract::kPeResources; ++i) {
      const DisplayText& word = word_of(static_cast<contract::PeResource>(i));
      visit(std::string(word.name) + "_ns", self.time[i], word.sentence);
    }
  }
};

template <>
struct Fields<Breakdown> {
  static constexpr auto kName = "breakdown",
                        kMeaning = "parts of submission to completion at the PE that ended last; they add up to it";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("pe", self.pe, "the PE that ended last");
    visit_parts(self.parts, visit);
    visit("busy", self.busy, "use of the PE's resources");
    visit.known_word(
        "limiter", self.limiter, sim::limiter_names,
        "the resource that was in use for at least half of the kernel, or else the largest part of its time");
    visit("limiter_text", self.limiter_text, "the same as a phrase, with its share of the kernel's time");
  }
};

template <>
struct Fields<PeTimes> {
  static constexpr auto kName = "pe", kMeaning = "one PE in a launch";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("cube", self.cube, "cube id in the SIP");
    visit("pe", self.pe, "PE in the cube");
    visit("start_ns", self.start, "kernel body entered");
    visit("exec_ns", self.exec, "time in the kernel body");
    visit("dma_ns", self.dma, "service time of DMA channels, summed over operations");
    visit("compute_ns", self.compute, "service time of the engines");
    visit("late_ns", self.late, "after the common start stamp");
  }
};

template <>
struct Fields<Use> {
  static constexpr auto kName = "use", kMeaning = "use of a resource during a launch";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("busy_ns", self.busy, "time in use");
    visit("wait_ns", self.wait, "of everything that waited for it, together");
    visit("bytes", self.bytes, "moved");
  }
};

template <>
struct Fields<Launch> {
  static constexpr auto kName = "launch", kMeaning = "one launch on one SIP";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("id", self.id, "request id");
    visit("kernel", self.kernel, "its name");
    visit("label", self.label, "what the workload calls the launch (LaunchOptions::label); empty: nothing");
    visit("sip", self.sip, "SIP");
    visit("ordinal", self.ordinal, "launches of this kernel on this SIP before it");
    visit("ok", self.ok, "it succeeded");
    visit("error", self.error, "null, or what went wrong");
    visit("submit_ns", self.submit, "submitted by the host");
    visit("start_ns", self.start, "the first PE enters the kernel; null: no PE did");
    visit("completed_ns", self.completed, "the host has every answer; null: it never did");
    visit("pe_exec_ns", self.exec, "time in the kernel body over the PEs");
    visit("dma_ns", self.dma, "largest DMA service time of a PE");
    visit("compute_ns", self.compute, "largest service time of a PE's engines");
    visit("macs", self.macs, "multiply-accumulates for which the MAC arrays were occupied");
    visit("useful_macs", self.useful_macs, "multiply-accumulates of elements that exist");
    visit("late_pes", self.late_pes, "PEs that got the launch after the common start stamp");
    visit("max_late_ns", self.max_late, "how late");
    visit("breakdown", self.breakdown, "null when no PE ran");
    visit.may("per_pe", self.per_pe, "each PE, of the first 256 launches; only with --details");
    visit.may("blocks", self.blocks,
              "use of resources from submission to completion, by block and resource; only with --details");
    visit.may("energy", self.energy, "of what the launch issued; only with `energy:` in the topology");
  }
};

template <>
struct Fields<Kernel> {
  static constexpr auto kName = "kernel", kMeaning = "all launches of one kernel together";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("kernel", self.kernel, "its name");
    visit("launches", self.launches, "how many");
    visit("failed", self.failed, "launches that did not succeed");
    visit("time_ns", self.time, "sum from submission to completion");
    visit("longest_ns", self.longest, "the longest launch");
    visit("exec_ns", self.exec, "sum of the critical paths: the longest time of a PE in the kernel body");
    visit("macs", self.macs, "sum over launches");
    visit("useful_macs", self.useful_macs, "sum over launches");
    visit("parts", self.parts, "sums over launches; they add up to time_ns of the launches that ran");
    visit("busy", self.busy, "sums over launches");
    visit.may("energy", self.energy, "sum over launches; only with `energy:` in the topology");
  }
};

template <>
struct Fields<Line> {
  static constexpr auto kName = "line", kMeaning = "a call in a line of a kernel's source";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("file", self.file, "as the compiler knows it; empty: no line, for example the end of a kernel");
    visit("line", self.line, "from 1; 0: no line");
    visit("call", self.call, "of tl, e.g. load");
    visit("range", self.range, "names of the ranges around it (tl.range), outermost first; empty: none");
    visit("tensor", self.tensor, "what it transfers; empty: no tensor in memory");
  }
};

template <>
struct Fields<LineTime> {
  static constexpr auto kName = "line_time",
                        kMeaning = "time of a kernel's thread at a line, over all launches of the kernel";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("kernel", self.kernel, "its name");
    visit("at", self.line, "where the thread stood");
    visit("held_by", self.held_by, "the call whose end the thread waited for; null: the line's own");
    visit("time_ns", self.time, "on the PE that ended last; the lines of a kernel add up to its critical paths");
    visit("all_pes_ns", self.all_pes, "over all PEs");
    visit("shares", self.shares, "division of time_ns by what the PE did, ns");
  }
};

template <>
struct Fields<LineUse> {
  static constexpr auto kName = "line_use", kMeaning = "use of all resources of a role";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("busy_ns", self.busy, "time in use");
    visit("wait_ns", self.wait, "of everything that waited, together");
    visit("bytes", self.bytes, "moved, at each of them");
    visit("most_at", self.most_at, "the resource with the longest wait; null: there was no wait");
    visit("most_wait_ns", self.most_wait, "the wait there");
  }
};

template <>
struct Fields<Transfer> {
  static constexpr auto kName = "transfer",
                        kMeaning = "what the transfers and commands of a line did, over all launches of the kernel";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("kernel", self.kernel, "its name");
    visit("at", self.line, "the line that issued them; empty: messages that distribute the launch");
    visit("bytes", self.bytes, "that DMA channels moved");
    visit("uses", self.uses, "by role of the resources: wire, memory, dma ...");
  }
};

}  // namespace kb::result
