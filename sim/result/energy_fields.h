// The members of `energy` in result.json.
#pragma once

#include "sim/result/energy.h"
#include "sim/result/field_table.h"
#include "sim/result/launch_fields.h"

namespace kb::result {

template <>
struct Fields<EnergyPart> {
  static constexpr auto kName = "energy_part",
                        kMeaning = "energy of a part of the machine; the parts add up to the total";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("name", self.name, "key of the part in `energy:` of a topology file, or implementation of a plug-in's block");
    visit("label", self.label, "in tables and pictures");
    visit_joules(self.energy, visit);
    visit("power_w", self.power_w, "mean over the run");
    visit.may("bins_fj", self.bins, "over time, in bins of bin_ns; they add up to fj; only with recorded activity");
  }
};

template <>
struct Fields<EnergyEvent> {
  static constexpr auto kName = "energy_event",
                        kMeaning = "count and coefficient of an event, or static power of a part";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("part", self.part, "its part");
    visit("name", self.name, "key in the part; static: power times the time of the run");
    visit("text", self.text, "what is counted");
    visit("count", self.count, "how often");
    visit("unit", self.unit, "of the count");
    visit("value", self.value, "coefficient in pJ, of static power in W");
    visit("low", self.low, "lower end of its range");
    visit("high", self.high, "upper end of its range");
    visit("per", self.per, "what the coefficient is for");
    visit("node", self.node, "process or generation; empty: not stated");
    visit("source", self.source, "where the value is from");
    visit.one_of("origin", self.origin, {"default", "given", "declared"},
                 "of the set, of the topology file or --set, of the declaration of a block");
    visit_joules(self.energy, visit);
  }
};

template <>
struct Fields<EnergyLine> {
  static constexpr auto kName = "energy_line",
                        kMeaning = "energy of what a line issued, over all launches of the kernel";
  static constexpr bool kOneLine = true;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("kernel", self.kernel, "its name");
    visit("at", self.line, "the line; empty: messages that distribute the launch");
    visit_joules(self.energy, visit);
    visit("parts_fj", self.parts, "by part; they add up to fj");
  }
};

template <>
struct Fields<Energy> {
  static constexpr auto kName = "energy", kMeaning = "what the run cost in joules; only with `energy:` in the topology";
  static constexpr bool kOneLine = false;
  template <typename Self, typename Visit>
  static void visit(Self& self, Visit& visit) {
    visit("defaults", self.defaults, "name of the set of coefficients");
    visit_joules(self.total, visit);
    visit("power_w", self.power_w, "mean over the run");
    visit("pj_per_flop", self.pj_per_flop, "over two for each useful multiply-accumulate; null: none");
    visit("pj_per_byte", self.pj_per_byte, "over the bytes that HBM read and wrote; null: none");
    visit("parts", self.parts, "in the order of the machine's parts");
    visit("events", self.events, "what was counted");
    visit("not_counted", self.not_counted, "phrases: what has no coefficient");
    visit.may("nobodys", self.nobodys,
              "of no launch: static power, refresh, copies of the host; only with recorded activity");
    visit.may("lines", self.lines, "the most expensive lines; only with recorded activity");
    visit.may("bin_ns", self.bin, "width of the bins over time; only with recorded activity");
  }
};

}  // namespace kb::result
