#include "sw/workloads/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "platform/contract/completion.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

// When the last PE of a launch has begun and ended.
std::pair<TimeFs, TimeFs> last_of(const Runtime& rt, LaunchHandle launch) {
  std::pair<TimeFs, TimeFs> last{0_fs, 0_fs};
  for (const contract::Completion& completion : rt.completions(launch)) {
    for (const contract::PeResult& pe : completion.pes) {
      last.first = std::max(last.first, pe.start);
      last.second = std::max(last.second, pe.start + pe.exec);
    }
  }
  return last;
}

WorkloadResult run_noop(Runtime& rt, const Params& params) {
  WorkloadResult result;
  LaunchOptions options;
  options.queued = params.text("queued") == "yes";
  std::vector<LaunchHandle> launches;
  TimeFs before_ended = 0_fs;
  const auto next = [&] { launches.push_back(rt.launch("noop", {{"cycles", params.integer("cycles")}}, options)); };
  while (options.queued && static_cast<std::int64_t>(launches.size()) < params.integer("launches")) next();
  for (std::int64_t i = 0; i < params.integer("launches"); ++i) {
    if (!options.queued) next();
    const LaunchHandle launch = launches[static_cast<std::size_t>(i)];
    const LaunchMetrics metrics = rt.wait(launch);
    const std::string name = fmt::format("launch {}", i);
    const auto [begun, ended] = last_of(rt, launch);
    if (i > 0) {
      result.figures.push_back({name + " gap", fs_to_ns(begun - before_ended), "ns",
                                "from the end of the last PE in the launch before to the start of the last PE"});
    }
    before_ended = ended;
    result.figures.push_back({name + " submission to start", fs_to_ns(metrics.start - metrics.submitted), "ns",
                              "until the first PE enters the kernel"});
    add_launch_figures(result, metrics, name);
    if (i == 0) add_pe_count(result, metrics.pes);
  }
  return result;
}

WorkloadResult run_stream(Runtime& rt, const Params& params) {
  const std::int64_t calls = params.integer("calls");
  const std::int64_t elements = params.integer("elements");
  const Dtype dtype = params.dtype("dtype");
  DPPolicy single;
  single.num_cubes = single.num_pes = 1;
  const Tensor data = rt.empty({params.integer("blocks"), elements}, dtype, single, "data");
  const HostArray contents = plain_contents(contents_of(params), data.shape(), dtype, rt.seed());
  data.copy_(contents);
  LaunchOptions options;
  options.cubes = {0};
  options.pes = {0};
  const LaunchMetrics metrics = rt.wait(rt.launch(
      "stream", {{"data", data}, {"calls", calls}, {"elements", elements}, {"ahead", params.integer("ahead")}},
      options));
  const HostArray after = data.to_host();

  WorkloadResult result;
  add_launch_figures(result, metrics);
  result.figures.push_back({"per call", fs_to_ns(metrics.exec_max) / static_cast<double>(calls), "ns",
                            "critical path over the number of calls"});
  add_rate(result, "memory traffic",
           static_cast<double>(calls) * static_cast<double>(elements) * static_cast<double>(item_size(dtype)),
           metrics.exec_max, "GB/s", "bytes that the kernel moves over the critical path");
  verify_exact(rt, result, "data", after, contents);
  return result;
}

}  // namespace

Workload noop_workload() {
  Workload workload{"noop",
                    "launch latency: an empty kernel on all PEs of a SIP",
                    {
                        Parameter::integer("launches", 1, "launches one after the other").at_most(100'000),
                        Parameter::choice("queued", "no", {"no", "yes"},
                                          "yes: the device itself begins a launch when the one before has ended; no: "
                                          "the host waits for each"),
                        Parameter::integer("cycles", 0, "PE_CPU cycles that the kernel spends", 0, "cycles"),
                    },
                    run_noop};
  workload.verifies = false;
  return workload;
}

Workload stream_workload() {
  return {"stream",
          "small loads and stores by turns on one PE, verified",
          {
              Parameter::integer("calls", 1000, "loads and stores together").at_most(1'000'000'000),
              Parameter::integer("elements", 32, "size of each", 1, "elements"),
              Parameter::integer("blocks", 16, "different places that are visited in turn"),
              Parameter::integer("ahead", 0, "loads that run before their stores; 0: every call blocks", 0),
              dtype_parameter(),
              data_parameter(),
          },
          run_stream};
}

}  // namespace kb::sw
