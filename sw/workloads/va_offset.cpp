#include "sw/workloads/va_offset.h"

#include <fmt/format.h>

#include <cstring>

#include "sw/workloads/contents.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

constexpr Dtype kTableDtype = Dtype::i32;
constexpr std::int64_t kSmall = 32;  // 128 B per PE: many shards on one page

struct Case {
  const char* source;  // distribution of the source
  Split cube, pe;
};

std::int64_t pe_count(const Runtime& rt) {
  return std::int64_t{rt.spec().cubes_per_sip} * rt.spec().pes_per_cube;
}

DPPolicy spread(Split cube, Split pe) {
  DPPolicy policy;
  policy.cube = cube;
  policy.pe = pe;
  return policy;
}

// All tensors are split by rows, so that shard order is row-major.
void rotate_once(Runtime& rt, WorkloadResult& result, const Case& source, std::int64_t elements, Contents kind,
                 std::uint64_t seed) {
  const Dtype dtype = kind == Contents::real ? Dtype::f32 : kTableDtype;  // two dtypes of equal size
  const Shape shape{pe_count(rt), elements};
  const std::string name = fmt::format("{}, {} B per PE", source.source, elements * std::int64_t{4});
  const Tensor src = rt.empty(shape, dtype, spread(source.cube, source.pe), "source, " + name);
  const Tensor dst = rt.empty(shape, dtype, spread(Split::row_wise, Split::row_wise), name);
  const HostArray contents = plain_contents(kind, shape, dtype, seed);
  src.copy_(contents);
  // Both shifts begin next to a shard boundary; reads extend into the next PE, writes beyond the next cube.
  const std::int64_t read_shift = elements + elements / 2 + 1;
  const std::int64_t write_shift = -(std::int64_t{rt.spec().pes_per_cube} * elements + elements / 2);
  LaunchOptions options;
  options.label = name;
  const LaunchMetrics metrics = rt.wait(rt.launch(
      "rotate", {{"src", src}, {"dst", dst}, {"read_shift", read_shift}, {"write_shift", write_shift}}, options));
  add_launch_figures(result, metrics, name);
  verify_exact(rt, result, name, dst.to_host(), rotated(contents, read_shift, write_shift));
}

std::string addresses_note(const contract::MachineInfo& machine) {
  switch (machine.address_model) {
    case AddressModel::va:
      return fmt::format("tensors had virtual addresses, on pages of {} B", machine.page_size);
    case AddressModel::la:
      return "tensors had logical addresses (cube.memory_map.address_model: la)";
    case AddressModel::pa:
      break;
  }
  return "tensors had physical addresses (cube.memory_map.address_model: pa)";
}

WorkloadResult run_va_offset(Runtime& rt, const Params& params) {
  WorkloadResult result;
  std::uint64_t seed = rt.seed();
  for (const std::int64_t elements : {kSmall, params.integer("elements_per_pe")}) {
    for (const Case& source : {Case{"sharded source", Split::row_wise, Split::row_wise},
                               Case{"a copy per cube", Split::replicate, Split::row_wise},
                               Case{"a copy per PE", Split::replicate, Split::replicate}}) {
      rotate_once(rt, result, source, elements, contents_of(params), seed++);
    }
  }
  result.notes.push_back(addresses_note(rt.spec()));
  return result;
}

WorkloadResult run_map_tensors(Runtime& rt, const Params& params) {
  const std::int64_t count = params.integer("tensors");
  const Shape shape{pe_count(rt), params.integer("elements_per_pe")};
  const bool sharded = params.text("placement") == "sharded";
  const DPPolicy policy = sharded ? spread(Split::row_wise, Split::row_wise) : DPPolicy{};
  const TimeFs start = rt.now();
  std::vector<Tensor> tensors;
  for (std::int64_t i = 0; i < count; ++i) {
    tensors.push_back(rt.empty(shape, kTableDtype, policy));
  }
  rt.wait_all();
  WorkloadResult result;
  result.figures.push_back({"mapped after", fs_to_ns(rt.now() - start), "ns", "until every PE sees every tensor"});
  const std::uint64_t before = rt.requests_submitted();
  tensors.clear();
  rt.wait_all();  // waits for the unmap requests
  result.figures.push_back({"requests to take them back", static_cast<double>(rt.requests_submitted() - before), "1",
                            "unmap messages, one per tensor under virtual memory"});
  LaunchOptions options;
  options.cubes = {0};
  options.pes = {0};
  rt.wait(rt.launch("noop", {}, options));
  if (rt.spec().address_model == AddressModel::pa)
    result.notes.push_back("tensors had physical addresses: there was nothing to map");
  return result;
}

}  // namespace

HostArray rotated(const HostArray& in, std::int64_t read_shift, std::int64_t write_shift) {
  const std::int64_t total = element_count(in.shape());
  const auto item = static_cast<std::int64_t>(item_size(in.dtype()));
  const auto wrapped = [&](std::int64_t x) { return ((x % total + total) % total) * item; };
  std::vector<std::byte> bytes(in.bytes().size());
  for (std::int64_t x = 0; x < total; ++x) {
    std::memcpy(bytes.data() + wrapped(x + write_shift), in.bytes().data() + wrapped(x + read_shift),
                static_cast<std::size_t>(item));
  }
  return HostArray(in.shape(), in.dtype(), std::move(bytes));
}

Workload va_offset_workload() {
  return {"va-offset-verify",
          "kernels read and write across shards, PEs and cubes at odd offsets, verified",
          {Parameter::integer("elements_per_pe", 5000, "elements of a shard in the second half of the cases", 2,
                              "elements"),
           data_parameter()},
          run_va_offset};
}

Workload map_tensors_workload() {
  Workload workload{
      "map-tensors",
      "tensors on every PE of one SIP are mapped and taken back; then one PE runs an empty kernel",
      {Parameter::integer("tensors", 100, "number of tensors").at_most(100'000),
       Parameter::integer("elements_per_pe", 1024, "elements of each shard", 1, "elements"),
       Parameter::choice("placement", "sharded", {"sharded", "replicated"}, "over all PEs, or a copy per PE")},
      run_map_tensors};
  workload.verifies = false;
  return workload;
}

}  // namespace kb::sw
