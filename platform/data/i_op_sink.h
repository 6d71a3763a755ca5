// Interface of the logs that store finished operations.
#pragma once

#include <cstdint>

#include "platform/data/op_record.h"

namespace kb::data {

class IOpSink {
 public:
  virtual ~IOpSink() = default;
  // `sequence` counts from 0 in completion order, without gaps.
  virtual void record(std::uint64_t sequence, const OpRecord& record) = 0;
  // Completes the log; no call of record() follows.
  virtual void finish() = 0;
};

}  // namespace kb::data
