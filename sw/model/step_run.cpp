#include "sw/model/step_run.h"

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "sw/distributed/spawn.h"

namespace kb::sw {
namespace {

HostArray numbers_of(const ProgramTensor& tensor) {
  return HostArray::from_doubles(tensor.shape, tensor.dtype, tensor.numbers);
}

}  // namespace

StepTensors::StepTensors(Runtime& runtime, const Program& program)
    : runtime_(runtime), program_(program), arena_(runtime.arena(program.slice_bytes)) {}

const Tensor& StepTensors::tensor(std::size_t index) {
  const auto known = tensors_.find(index);
  if (known != tensors_.end()) return known->second;
  const ProgramTensor& one = program_.tensors[index];
  Tensor made = one.memory == MemoryKind::tcm
                    ? runtime_.empty(one.shape, one.dtype, spread_policy(one.spread), one.name, one.memory)
                    : runtime_.empty_in(arena_, one.offset, one.shape, one.dtype, spread_policy(one.spread), one.name);
  if (!one.numbers.empty()) made.copy_(numbers_of(one));
  return tensors_.emplace(index, std::move(made)).first->second;
}

Args StepTensors::args(const ProgramLaunch& launch, std::int64_t rank) {
  Args args;
  for (const ProgramArg& arg : launch.args) {
    if (const auto* ref = std::get_if<TensorRef>(&arg.value)) {
      args.emplace_back(arg.name, tensor(ref->index));
    } else if (const auto* multiple = std::get_if<RankMultiple>(&arg.value)) {
      args.emplace_back(arg.name, rank * multiple->step);
    } else if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) {
      args.emplace_back(arg.name, *integer);
    } else if (const auto* real = std::get_if<double>(&arg.value)) {
      args.emplace_back(arg.name, *real);
    } else {
      args.emplace_back(arg.name, std::get<std::string>(arg.value));
    }
  }
  return args;
}

const Tensor& StepTensors::summed(const ProgramLaunch& launch) {
  return tensor(std::get<TensorRef>(launch.args.at(0).value).index);
}

void StepTensors::clear() {
  tensors_.clear();
  runtime_.wait_all();  // sends the messages that end their mappings
  runtime_.wait_all();
}

LaunchOptions everywhere(const contract::MachineInfo& machine) {
  LaunchOptions options;
  options.cubes.emplace();
  for (int cube = 0; cube < machine.cubes_per_sip; ++cube) options.cubes->push_back(cube);
  return options;
}

LaunchSpan span_of(const Runtime& runtime, LaunchHandle launch) {
  const LaunchMetrics metrics = runtime.metrics(launch);
  return {metrics.start, time_sum(metrics.start, metrics.exec_max), metrics.late_pes > 0, runtime.requests(launch)};
}

std::vector<std::vector<LaunchSpan>> run_step(Runtime& runtime, ProcessGroup* group, const Program& program) {
  // IO_CPU and the M_CPUs deliver a launch in less than this.
  constexpr std::int64_t kCyclesPerLaunch = 400, kFirstCycles = 2000;
  std::vector<std::vector<LaunchSpan>> spans(static_cast<std::size_t>(program.ranks));
  const auto work = [&](int rank) {
    StepTensors tensors(runtime, program);
    for (const ProgramLaunch& launch : program.launches) {
      launch.is_sum() ? static_cast<void>(tensors.summed(launch)) : static_cast<void>(tensors.args(launch, rank));
    }
    runtime.wait_all();
    if (group != nullptr) group->barrier();
    LaunchOptions options = everywhere(runtime.machine());
    const std::int64_t cycles = kFirstCycles + kCyclesPerLaunch * static_cast<std::int64_t>(program.launches.size());
    PreparedLaunch gate = runtime.prepare("noop", {{"cycles", cycles}}, options);
    runtime.submit(gate);
    options.queued = true;
    std::vector<LaunchHandle> handles;
    for (const ProgramLaunch& launch : program.launches) {
      options.label = launch.name;
      handles.push_back(launch.is_sum() ? group->start_all_reduce_ranks(tensors.summed(launch))
                                        : runtime.launch(launch.kernel, tensors.args(launch, rank), options));
    }
    runtime.wait_all();
    for (const LaunchHandle handle : handles) {
      spans[static_cast<std::size_t>(rank)].push_back(span_of(runtime, handle));
    }
  };
  if (group == nullptr) {
    work(0);
  } else {
    spawn(runtime, static_cast<int>(program.ranks), [&](int rank) {
      runtime.set_device(rank);
      work(rank);
    });
  }
  return spans;
}

std::vector<LaunchSpan> run_launches(Runtime& runtime, const Program& program,
                                     const std::vector<LaunchOnRank>& wanted) {
  StepTensors tensors(runtime, program);
  LaunchOptions options = everywhere(runtime.machine());
  std::vector<LaunchSpan> spans;
  for (const LaunchOnRank& one : wanted) {
    const ProgramLaunch& launch = program.launches[one.launch];
    options.label = launch.name;
    const Args args = tensors.args(launch, one.rank);
    runtime.wait_all();
    const LaunchHandle handle = runtime.launch(launch.kernel, args, options);
    runtime.wait_all();
    spans.push_back(span_of(runtime, handle));
    tensors.clear();
  }
  return spans;
}

std::vector<LaunchSpan> run_sum(Runtime& runtime, ProcessGroup& group, const Program& program, std::size_t launch,
                                const std::vector<TimeFs>& offsets) {
  std::vector<LaunchSpan> spans(offsets.size());
  spawn(runtime, static_cast<int>(offsets.size()), [&](int rank) {
    runtime.set_device(rank);
    const auto number = static_cast<std::size_t>(rank);
    StepTensors tensors(runtime, program);
    const Tensor tensor = tensors.summed(program.launches[launch]);
    runtime.wait_all();
    group.barrier();
    CollectiveOptions options;
    options.delay = offsets[number];
    const LaunchHandle handle = group.start_all_reduce_ranks(tensor, "sum", options);
    runtime.wait_all();
    spans[number] = span_of(runtime, handle);
  });
  return spans;
}

TimeFs launch_gap(Runtime& runtime) {
  LaunchOptions options = everywhere(runtime.machine());
  options.queued = true;
  const LaunchHandle before = runtime.launch("noop", {{"cycles", 1000}}, options);
  const LaunchHandle behind = runtime.launch("noop", {{"cycles", 0}}, options);
  runtime.wait_all();
  return span_of(runtime, behind).start - span_of(runtime, before).end;
}

TimeFs host_turn(Runtime& runtime, const Program& program) {
  const LaunchOptions options = everywhere(runtime.machine());
  StepTensors tensors(runtime, program);
  const Tensor best = tensors.tensor(program.best), logit = tensors.tensor(program.best_logit);
  const Tensor ids = tensors.tensor(program.ids);
  runtime.wait_all();
  const LaunchHandle before = runtime.launch("noop", {{"cycles", 1000}}, options);
  runtime.wait(before);
  static_cast<void>(best.to_host());
  static_cast<void>(logit.to_host());
  ids.copy_(numbers_of(program.tensors[program.ids]));
  runtime.wait_all();
  const LaunchHandle behind = runtime.launch("noop", {{"cycles", 0}}, options);
  runtime.wait_all();
  return span_of(runtime, behind).start - span_of(runtime, before).end;
}

}  // namespace kb::sw
