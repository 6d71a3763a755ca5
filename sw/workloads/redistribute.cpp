#include "sw/workloads/redistribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "sw/distributed/dtensor.h"
#include "sw/distributed/dtensor_steps.h"
#include "sw/workloads/ccl_support.h"
#include "sw/workloads/ranks.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

Error not_understood(const std::string& what, const std::string& text, const std::string& how) {
  return Error::program("SCHEMA_ERROR", fmt::format("{} '{}' is not understood; {}", what, text, how));
}

// Parses "2x3"; "" is a single axis of all ranks.
std::vector<MeshAxis> parse_mesh(const std::string& text, int ranks) {
  if (text.empty()) return {{"axis0", ranks}};
  std::vector<MeshAxis> axes;
  for (const std::string& piece : split(text, 'x')) {
    if (piece.empty() || piece.size() > 4 || piece.find_first_not_of("0123456789") != std::string::npos) {
      throw not_understood("mesh", text, "write the sizes of its axes: 2x3");
    }
    axes.push_back({fmt::format("axis{}", axes.size()), std::stoi(piece)});
  }
  return axes;
}

// Parses "S0,P".
Placements parse_placements(const std::string& text, const std::string& op) {
  Placements placements;
  for (const std::string& piece : split(text, ',')) {
    if (piece == "R") {
      placements.push_back(Placement::replicate());
    } else if (piece == "P") {
      placements.push_back(Placement::partial(op));
    } else if (piece == "S0" || piece == "S1") {
      placements.push_back(Placement::shard(piece == "S0" ? 0 : 1));
    } else {
      throw not_understood("placements", text, "write one of S0, S1, R, P for each axis of the mesh: S0,R");
    }
  }
  return placements;
}

struct RedistributeProblem {
  Shape shape;
  Dtype dtype = Dtype::f16;
  std::string op;
  std::vector<MeshAxis> axes;
  Placements from, to;
  int cubes = 1;
  std::uint64_t seed = 1;
  Contents contents = Contents::integers;
};

int coordinate(const RedistributeProblem& problem, int rank, std::size_t axis) {
  for (std::size_t inner = problem.axes.size(); --inner > axis;) rank /= problem.axes[inner].size;
  return rank % problem.axes[axis].size;
}

bool is_partial(const Placement& placement) {
  return placement.kind == Placement::Kind::partial;
}

// Index of the contribution of which a rank has a part: there is one for each set of coordinates on the partial axes.
int contribution_of(const RedistributeProblem& problem, int rank) {
  int index = 0;
  for (std::size_t axis = 0; axis < problem.axes.size(); ++axis) {
    if (is_partial(problem.from[axis])) index = index * problem.axes[axis].size + coordinate(problem, rank, axis);
  }
  return index;
}

int contributions(const RedistributeProblem& problem) {
  int count = 1;
  for (std::size_t axis = 0; axis < problem.axes.size(); ++axis) {
    if (is_partial(problem.from[axis])) count *= problem.axes[axis].size;
  }
  return count;
}

// For averages, values are multiples of the number of contributions, so that the order of divisions does not matter.
HostArray contribution(const RedistributeProblem& problem, int index) {
  const std::uint64_t seed = problem.seed + static_cast<std::uint64_t>(index);
  if (problem.contents == Contents::real || problem.op != "avg") {
    return tile_contents(problem.contents, problem.shape, problem.dtype, problem.op, seed);
  }
  std::vector<double> values = whole_numbers(problem.shape, problem.dtype, seed, 1).to_doubles();
  for (double& value : values) value *= contributions(problem);
  return HostArray::from_doubles(problem.shape, problem.dtype, values);
}

data::BoundedMatrix whole(const RedistributeProblem& problem) {
  std::vector<Reduction> elements(static_cast<std::size_t>(element_count(problem.shape)),
                                  Reduction(problem.op, problem.dtype));
  for (int index = 0; index < contributions(problem); ++index) {
    const std::vector<double> values = contribution(problem, index).to_doubles();
    for (std::size_t i = 0; i < values.size(); ++i) elements[i].add(values[i]);
  }
  const auto rows = static_cast<std::size_t>(problem.shape[0]);
  data::BoundedMatrix out = data::exact_matrix(rows, elements.size() / rows, std::vector<double>(elements.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) out.set(i, elements[i].result());
  return out;
}

// Rows or columns of `all` that a rank has; each axis takes its part of the remaining ones.
std::vector<std::int64_t> indices_of(const RedistributeProblem& problem, const Placements& placements, int rank,
                                     int dim, std::vector<std::int64_t> all) {
  for (std::size_t axis = 0; axis < problem.axes.size(); ++axis) {
    if (!placements[axis].is_shard(dim)) continue;
    const std::size_t size = all.size() / static_cast<std::size_t>(problem.axes[axis].size);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(size) * coordinate(problem, rank, axis);
    all = {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }
  return all;
}

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

// The part of `values` that a rank has, cube by cube.
data::BoundedMatrix part(const RedistributeProblem& problem, const Placements& placements, int rank,
                         const data::BoundedMatrix& values) {
  const std::int64_t rows = problem.shape[0] / problem.cubes;
  const auto cols = indices_of(problem, placements, rank, 1, numbers(0, problem.shape[1]));
  data::BoundedMatrix mine{0, cols.size(), {}, {}};
  for (int cube = 0; cube < problem.cubes; ++cube) {
    for (const std::int64_t row : indices_of(problem, placements, rank, 0, numbers(cube * rows, rows))) {
      for (const std::int64_t col : cols) {
        const data::Bounded value = values.at(static_cast<std::size_t>(row * problem.shape[1] + col));
        mine.values.push_back(value.value);
        mine.errors.push_back(value.error);
      }
      ++mine.rows;
    }
  }
  return mine;
}

struct RedistributeResult {
  HostArray local, full;
  TimeFs time = 0_fs;
};

DTensor begin(const RedistributeProblem& problem, DeviceMesh& mesh, Runtime& rt, int rank, bool from_device) {
  DTensorOptions options;
  options.cubes = problem.cubes;
  options.name = "x";
  DPPolicy policy;
  policy.cube = Split::row_wise;
  policy.num_cubes = problem.cubes;
  policy.num_pes = 1;
  const auto on_device = [&](const HostArray& values) {
    const Tensor tensor = rt.empty(values.shape(), values.dtype(), policy, fmt::format("x{}", rank));
    tensor.copy_(rt.computes_data() ? values : HostArray::unknown(values.shape(), values.dtype()));
    return tensor;
  };
  const HostArray mine = contribution(problem, contribution_of(problem, rank));
  if (std::any_of(problem.from.begin(), problem.from.end(), is_partial)) {
    const data::BoundedMatrix own = part(problem, problem.from, rank, exact_values(mine));
    const Shape shape{static_cast<std::int64_t>(own.rows), static_cast<std::int64_t>(own.cols)};
    return from_local(mesh, on_device(HostArray::from_doubles(shape, problem.dtype, own.values)), problem.from, "x");
  }
  if (!from_device) return distribute_tensor(mesh, mine, problem.from, options);
  return distribute_tensor(mesh, rank == 0 ? on_device(mine) : Tensor(), problem.shape, problem.dtype, problem.from,
                           options);
}

WorkloadResult run_redistribute(Runtime& rt, const Params& params) {
  ProcessGroup world(rt, ccl_options(params));
  RedistributeProblem problem;
  problem.shape = {params.integer("rows"), params.integer("cols")};
  problem.dtype = params.dtype("dtype");
  problem.op = params.text("op");
  problem.axes = parse_mesh(params.text("mesh"), world.world_size());
  problem.from = parse_placements(params.text("from"), problem.op);
  problem.to = parse_placements(params.text("to"), problem.op);
  problem.cubes = static_cast<int>(params.integer("cubes"));
  problem.seed = rt.seed();
  problem.contents = contents_of(params);
  DeviceMesh mesh(world, problem.axes);
  for (const Placements& placements : {problem.from, problem.to}) require_placements(mesh, placements, "redistribute");
  const auto ranks = on_every_sip(rt, "redistribute", [&](int rank, int) {
    const DTensor x = begin(problem, mesh, rt, rank, params.text("source") == "device");
    rt.wait_all();
    const TimeFs before = rt.now();
    const DTensor y = x.redistribute(problem.to);
    RedistributeResult result;
    result.time = rt.now() - before;
    result.local = y.local().to_host();
    result.full = y.full_tensor();
    return result;
  });

  WorkloadResult result;
  TimeFs slowest = 0_fs;
  for (const RedistributeResult& rank : ranks) slowest = std::max(slowest, rank.time);
  result.figures.push_back(
      {"redistribute", fs_to_ns(slowest), "ns", "from the call to its return, of the slowest rank"});
  if (!can_verify(rt, result)) return result;
  const data::BoundedMatrix expected = whole(problem);
  const bool partial = std::any_of(problem.to.begin(), problem.to.end(), is_partial);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    result.verification.push_back(reduced_row(fmt::format("rank{} full", rank), ranks[rank].full, expected));
    if (partial) continue;
    result.verification.push_back(reduced_row(fmt::format("rank{} local", rank), ranks[rank].local,
                                              part(problem, problem.to, static_cast<int>(rank), expected)));
  }
  return result;
}

}  // namespace

Workload redistribute_workload() {
  std::vector<Parameter> parameters{
      Parameter::integer("rows", 48, "of the whole tensor", 1),
      Parameter::integer("cols", 96, "of the whole tensor", 1),
      dtype_parameter(),
      data_parameter(),
      Parameter::text("mesh", "", "sizes of the mesh's axes: 2x3; empty: one axis of all SIPs"),
      Parameter::text("from", "S0", "placements before, one per axis: S0, S1 (shard), R (replicate), P (partial)"),
      Parameter::text("to", "S1", "placements afterwards"),
      Parameter::choice("op", "sum", {"sum", "max", "min", "avg"}, "of partials"),
      Parameter::integer("cubes", 1, "of each SIP that hold the tensor", 1).at_most(Parameter::kMaxUnits),
      Parameter::choice("source", "host", {"host", "device"}, "every host has the values, or SIP 0 has"),
  };
  for (Parameter& parameter : ccl_parameters()) parameters.push_back(std::move(parameter));
  return {"redistribute", "a distributed tensor changes its placements on a mesh of SIPs, verified",
          std::move(parameters), run_redistribute};
}

}  // namespace kb::sw
