// A place that finished operations are written to.
#pragma once

#include <cstdint>

#include "platform/data/op_record.h"

namespace kb::data {

class IOpSink {
 public:
  virtual ~IOpSink() = default;
  // `sequence` counts from 0 in completion order without gaps.
  virtual void record(std::uint64_t sequence, const OpRecord& record) = 0;
  // The contents are complete when this returns; nothing is recorded afterwards.
  virtual void finish() = 0;
};

}  // namespace kb::data
