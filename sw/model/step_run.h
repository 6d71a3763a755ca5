// Launches of a step on the machine: all of them one after the other, or single ones from a quiet machine.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "sw/distributed/process_group.h"
#include "sw/model/program.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// What one launch took on one SIP.
struct LaunchSpan {
  TimeFs start = 0_fs, end = 0_fs;                 // of the first kernel, of the last; absolute
  bool late = false;                               // a PE got it after its start stamp
  std::vector<contract::RequestId> requests = {};  // its numbers at the host
};

// The tensors of a program on the caller's current device. Each is made when it is first used.
class StepTensors {
 public:
  // Reserves the program's bytes in all slices; the program must outlive this object.
  StepTensors(Runtime& runtime, const Program& program);
  // In an arena with room for the program; contents of tensors at the same places persist.
  StepTensors(Runtime& runtime, const Program& program, std::shared_ptr<const Arena> arena)
      : runtime_(runtime), program_(program), arena_(std::move(arena)) {}

  const Tensor& tensor(std::size_t index);
  // Arguments of a launch on the SIP with this number among those of tensor parallelism.
  Args args(const ProgramLaunch& launch, std::int64_t rank);
  const Tensor& summed(const ProgramLaunch& launch);  // of a sum
  // Frees all tensors; waits until the machine is quiet.
  void clear();

 private:
  Runtime& runtime_;
  const Program& program_;
  std::shared_ptr<const Arena> arena_;
  std::map<std::size_t, Tensor> tensors_;
};

LaunchOptions everywhere(const contract::MachineInfo& machine);
LaunchSpan span_of(const Runtime& runtime, LaunchHandle launch);

// Runs all launches of the program on every rank of the group, each queued behind the one before. The first begins when
// all have been delivered, as in a graph of launches that was captured before. The result is by rank and launch.
std::vector<std::vector<LaunchSpan>> run_step(Runtime& runtime, ProcessGroup* group, const Program& program);

// Runs single launches on one SIP, each from a quiet machine.
struct LaunchOnRank {
  std::size_t launch = 0;
  std::int64_t rank = 0;
};
std::vector<LaunchSpan> run_launches(Runtime& runtime, const Program& program, const std::vector<LaunchOnRank>& wanted);

// Runs a sum over all ranks from a quiet machine; rank r begins `offsets[r]` after the first. Spans by rank.
std::vector<LaunchSpan> run_sum(Runtime& runtime, ProcessGroup& group, const Program& program, std::size_t launch,
                                const std::vector<TimeFs>& offsets);

// From the end of the last PE of a queued launch on all PEs to the start of the next (H-49a).
TimeFs launch_gap(Runtime& runtime);

// The host's part between two steps: from the end of the last PE until the kernels of the next step begin, after the
// host has been answered, has read the best token of each sequence and has written them as new tokens.
TimeFs host_turn(Runtime& runtime, const Program& program);

}  // namespace kb::sw
