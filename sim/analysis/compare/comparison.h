// Comparison of two runs: different settings, and the causes of the time difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/result/energy.h"

namespace kb::sim {

// A setting that differs; a value is empty when that run does not have the setting.
struct SettingDifference {
  std::string name;  // "m of the workload", or a key of the topology
  std::string before, after;
};

// A quantity with its values in both runs.
struct Change {
  std::string name;
  std::string unit;
  double before = 0, after = 0;
  double difference() const { return after - before; }
};

// A statistic of the blocks of one kind that changed. The values are sums over all blocks of the kind; those of a
// longest time ("max_wait") are the longest of any block.
struct ChangeCause {
  std::string kind;       // "router"
  std::string statistic;  // "to_router.busy"
  std::string unit;
  std::uint64_t count = 0;  // blocks of the kind that were used
  double before = 0, after = 0;
  std::string most;                        // the block with the largest value
  double most_before = 0, most_after = 0;  // the largest value of any block
  double difference() const { return after - before; }
};

// Launches of one kernel on one SIP, matched in order.
struct LaunchPair {
  std::string kernel;
  std::string label;  // label in the second run
  std::int64_t sip = 0;
  std::int64_t before_id = 0, after_id = 0;
  double before_ns = 0, after_ns = 0;  // time from submission to completion
  std::string before_limiter, after_limiter;
};

// A call in a line of a kernel whose time or waits changed.
struct LineChange {
  struct Side {
    std::uint64_t line = 0;  // 0: this run does not have the call
    double ns = 0;           // on the PEs that ended last
    double wait_ns = 0;      // sum over everything that its transfers and commands waited for
  };
  std::string kernel, file, call, tensor, range;
  Side before, after;
  bool has_moved() const { return before.line != 0 && after.line != 0 && before.line != after.line; }
};

// A coefficient of an event that both runs counted, or the static power of a part, and that differs.
struct CoefficientDifference {
  struct Side {
    double value = 0, low = 0, high = 0;  // in `unit`
  };
  std::string name;                   // "hbm.bit"
  std::string unit;                   // "pJ per bit", "W"
  std::optional<Side> before, after;  // no value: that run does not have the coefficient
};

// Energy of a part of the machine.
struct EnergyChange {
  std::string name, label;
  result::Joules before, after;
};

// Energy of what a line of a kernel issued. A line number of 0 stands for messages that distribute launches.
struct EnergyLineChange {
  struct Side {
    std::uint64_t line = 0;
    result::Joules energy;
  };
  std::string kernel, file, call, tensor, range;
  std::optional<Side> before, after;  // no value: this run does not have the call
};

// Joules of two runs, of which at least one has some.
struct EnergyComparison {
  std::vector<std::string> notes;               // sentences: why joules are missing, or need care
  std::string before_defaults, after_defaults;  // names of the sets of coefficients; empty: a run without joules
  std::vector<CoefficientDifference> coefficients;
  bool in_both = false;  // without it there is nothing below
  EnergyChange total;
  // Range of the difference of the totals when both runs have the same coefficients: each is taken at the end of its
  // range that makes the difference least or largest. In fJ.
  std::optional<double> least, largest;
  std::vector<EnergyChange> parts;      // those of A, then what only B has; they add up to the total
  std::optional<EnergyChange> nobodys;  // static power, refresh and copies of the host; with recorded activity in both
  std::vector<EnergyLineChange> lines;  // that changed, the largest change first
};

struct Comparison {
  std::string before, after;          // names of the result files
  std::vector<std::string> failures;  // failed runs with their reason; their times do not cover the whole work
  std::vector<SettingDifference> settings;
  std::vector<LaunchPair> launches;
  bool listed_only = false;        // a run has more launches than its file lists, and only listed ones are paired
  std::vector<std::string> alone;  // launches without a counterpart in the other run
  Change total;                    // sum over all pairs, submission to completion
  std::vector<Change> parts;       // division of that time (`breakdown`); the differences add up to that of `total`
  std::vector<Change> busy;        // busy times of resources of the last-ending PEs
  std::vector<Change> kernels;     // sums over all launches of a kernel
  std::vector<Change> figures;
  std::vector<Change> blocks;       // sums over all blocks of a kind ("router to_router.busy"), largest change first
  std::vector<LineChange> lines;    // largest change first, of the longest lines of each run
  std::vector<Change> ranges;       // times of ranges of kernels ("gemm: layer 3"), largest change first
  std::vector<ChangeCause> causes;  // the same changes with the block that has the largest value
  std::optional<EnergyComparison> energy;  // no value: neither run has joules
};

// The arguments are folders with a result.json, or result files. Configuration Error that names the file when it does
// not exist, is not JSON, is not a result, or has another schema.
Comparison compare_results(const std::string& before, const std::string& after);

// Text with at most `rows` launches and blocks.
std::string render_comparison(const Comparison& comparison, std::size_t rows);
// JSON with all launches and blocks.
std::string render_comparison_json(const Comparison& comparison);

}  // namespace kb::sim
