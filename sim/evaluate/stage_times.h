// What the operation log of a run says about one PE: per pipeline stage and per engine how often, how long, and how
// much of the time (E-22 .. E-26).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/base/units.h"
#include "platform/data/op_log_reader.h"

namespace kb::evaluate {

// Intervals that are added in order of their start.
class IntervalSum {
 public:
  void add(TimeFs start, TimeFs end);

  std::uint64_t count() const { return count_; }
  TimeFs occupancy() const { return sum_; }  // sum of the durations
  TimeFs wall() const { return union_; }     // length of the union
  TimeFs first() const { return first_; }    // 0 without intervals
  TimeFs last() const { return last_; }
  TimeFs window() const { return last_ - first_; }

 private:
  std::uint64_t count_ = 0;
  TimeFs sum_ = 0_fs;
  TimeFs union_ = 0_fs;
  TimeFs first_ = 0_fs;
  TimeFs last_ = 0_fs;
};

struct StageTimes {
  std::map<std::string, IntervalSum> stages;   // "DMA_READ", ...: records that are a stage of a tile
  std::map<std::string, IntervalSum> engines;  // "pe_dma", ...: all records of the PE's engines
  IntervalSum pe;                              // of all engine records: its window is E-23's PE window
  IntervalSum composite;                       // of the stage records: E-23's composite window
};

// `visit_all` hands on each record in order of start; `pe` is "sip0.cube0.pe0". Records of blocks that are not engines
// (the scheduler's summary of a whole composite) do not count.
using VisitRecords = std::function<void(const std::function<void(const data::LoggedOp&)>&)>;
StageTimes stage_times(const VisitRecords& visit_all, const std::string& pe);

}  // namespace kb::evaluate
