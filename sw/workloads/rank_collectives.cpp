#include "sw/workloads/rank_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "sw/distributed/process_group.h"
#include "sw/workloads/ccl_support.h"
#include "sw/workloads/ranks.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

constexpr int kCombined = -1;

// Expected block of a rank's result: a block of one rank's input, or the combination of that block over all ranks.
struct CollectivePiece {
  int rank = kCombined;
  int block = 0;
};

struct Setting {  // one run
  int ranks = 1;
  int root = 0, target = 0;  // target of send_recv; its source is the root
  std::string op = "sum";
  CollectiveOptions options;
};

struct Collective {
  std::string name, description;
  bool many_in = false, many_out = false;  // a tile has one block per rank
  bool in_place = false;
  bool root = false, op = false, target = false;
  bool blocks = false;  // can choose between whole tiles and blocks
  // Returns no value when the rank gets no result.
  std::function<std::optional<CollectivePiece>(const Setting&, int rank, int block)> expected;
  std::function<LaunchMetrics(Communicator&, const Setting&, const Tensor& out, const Tensor& in)> call;
};

using Blocks = std::vector<std::vector<double>>;  // by rank: all tiles, cube by cube

data::Bounded combination(const Blocks& inputs, std::size_t at, const std::string& op, Dtype dtype) {
  Reduction reduction(op, dtype);
  for (const std::vector<double>& input : inputs) reduction.add(input[at]);
  return reduction.result();
}

struct CollectiveSizes {
  std::size_t cubes, block, in_blocks, out_blocks;
};

std::optional<data::BoundedMatrix> expected_result(const Collective& collective, const Setting& setting,
                                                   const CollectiveSizes& sizes, const Blocks& inputs, int rank,
                                                   Dtype dtype) {
  data::BoundedMatrix out{sizes.cubes, sizes.out_blocks * sizes.block, {}, {}};
  for (std::size_t cube = 0; cube < sizes.cubes; ++cube) {
    for (std::size_t b = 0; b < sizes.out_blocks; ++b) {
      const auto piece = collective.expected(setting, rank, static_cast<int>(b));
      if (!piece) return std::nullopt;
      const std::size_t first = (cube * sizes.in_blocks + static_cast<std::size_t>(piece->block)) * sizes.block;
      for (std::size_t i = first; i < first + sizes.block; ++i) {
        const data::Bounded value = piece->rank == kCombined
                                        ? combination(inputs, i, setting.op, dtype)
                                        : data::Bounded{inputs[static_cast<std::size_t>(piece->rank)][i], 0};
        out.values.push_back(value.value);
        out.errors.push_back(value.error);
      }
    }
  }
  return out;
}

struct CollectiveResult {
  HostArray in, out;
  LaunchMetrics metrics;
};

// Parses "0,2/1,3", the ranks of each group. SCHEMA_ERROR for another format.
std::vector<std::vector<int>> parse_groups(const std::string& text) {
  std::vector<std::vector<int>> groups(1);
  std::string number;
  for (const char c : text + "/") {
    if (c >= '0' && c <= '9' && number.size() < 6) {
      number += c;
      continue;
    }
    if ((c != ',' && c != '/') || number.empty()) {
      throw Error::program("SCHEMA_ERROR", fmt::format("groups '{}' are not understood; write the ranks of each group "
                                                       "with commas, and groups with '/' between them: 0,2/1,3",
                                                       text));
    }
    groups.back().push_back(std::stoi(number));
    number.clear();
    if (c == '/') groups.emplace_back();
  }
  groups.pop_back();
  return groups;
}

std::vector<Communicator*> make_groups(ProcessGroup& world, const std::string& text) {
  if (text.empty()) return {&world};
  std::vector<Communicator*> groups;
  for (const std::vector<int>& ranks : parse_groups(text)) groups.push_back(&world.new_group(ranks));
  return groups;
}

struct Sizing {  // sizes of one rank's tensors
  Shape in, out;
  Dtype dtype = Dtype::f16;
  DPPolicy tiles;
};

CollectiveResult run_in(const Collective& collective, Communicator& group, Runtime& rt, const Setting& setting,
                        const Sizing& sizing, Contents contents, std::uint64_t seed) {
  CollectiveResult result;
  result.in = rt.computes_data() ? tile_contents(contents, sizing.in, sizing.dtype, setting.op, seed)
                                 : HostArray::unknown(sizing.in, sizing.dtype);
  const int rank = rt.rank();
  const Tensor in = rt.empty(sizing.in, sizing.dtype, sizing.tiles, fmt::format("in{}", rank));
  in.copy_(result.in);
  const Tensor out =
      collective.in_place ? in : rt.zeros(sizing.out, sizing.dtype, sizing.tiles, fmt::format("out{}", rank));
  result.metrics = collective.call(group, setting, out, in);
  result.out = out.to_host();
  return result;
}

// Verifies the results of one group by member.
void verify_group(const Collective& collective, Runtime& rt, WorkloadResult& result, const Setting& setting,
                  const CollectiveSizes& sizes, const std::vector<CollectiveResult>& members,
                  const std::vector<std::string>& names) {
  if (!can_verify(rt, result)) return;
  Blocks inputs;
  for (const CollectiveResult& member : members) inputs.push_back(member.in.to_doubles());
  for (int member = 0; member < setting.ranks; ++member) {
    const CollectiveResult& its = members[static_cast<std::size_t>(member)];
    const auto expected = expected_result(collective, setting, sizes, inputs, member, its.in.dtype());
    if (!expected) continue;
    result.verification.push_back(reduced_row(names[static_cast<std::size_t>(member)], its.out, *expected));
  }
}

Setting setting_of(const Collective& collective, const Params& params, int ranks) {
  Setting setting;
  setting.ranks = ranks;
  if (collective.root) setting.root = static_cast<int>(params.integer(collective.target ? "source" : "root"));
  if (collective.target) {
    const std::int64_t target = params.integer("target");
    setting.target = target < 0 ? ranks - 1 : static_cast<int>(target);
  }
  if (collective.op) setting.op = params.text("op");
  if (collective.blocks) {
    const std::string blocks = params.text("blocks");
    if (blocks != "auto") setting.options.by_blocks = blocks == "yes";
  }
  setting.options.chunk_elements = params.integer("chunk");
  const std::string links = params.text("exchange");
  if (links != "auto") setting.options.direct = links == "direct";
  return setting;
}

// Common properties of all ranks' tensors.
struct CollectiveProblem {
  std::int64_t block = 0, cubes = 0;
  Dtype dtype = Dtype::f16;
  DPPolicy tiles;

  double block_bytes() const { return static_cast<double>(block) * static_cast<double>(item_size(dtype)); }
  Sizing sizing(const Collective& collective, const Communicator& group) const {
    const auto blocks = [&](bool many) { return Shape{cubes, many ? block * group.size() : block}; };
    return {blocks(collective.many_in), blocks(collective.many_out), dtype, tiles};
  }
};

CollectiveProblem collective_of(const Params& params, const Runtime& rt, const ProcessGroup& world) {
  CollectiveProblem problem;
  const std::int64_t asked = params.integer("n_elem");
  problem.block = asked > 0 ? asked : world.config().n_elem;
  problem.dtype = params.dtype("dtype");
  problem.tiles.cube = Split::row_wise;
  problem.tiles.num_pes = 1;
  if (params.text("cubes") == "one") problem.tiles.num_cubes = 1;
  problem.cubes = problem.tiles.num_cubes.value_or(rt.spec().cubes_per_sip);
  return problem;
}

void add_figures(const Collective& collective, const CollectiveProblem& problem,
                 const std::vector<std::vector<CollectiveResult>>& results, WorkloadResult& result) {
  TimeFs slowest = 0_fs;
  std::size_t pes = 0;
  for (const auto& members : results) {
    for (const CollectiveResult& member : members) {
      slowest = std::max(slowest, member.metrics.exec_max);
      pes += member.metrics.pes;
    }
  }
  result.figures.push_back({collective.name, fs_to_ns(slowest), "ns", "the longest time of a PE in the kernel"});
  result.figures.push_back({"block", problem.block_bytes(), "B", "per cube and rank"});
  add_rate(result, "block bandwidth", problem.block_bytes(), slowest, "GB/s", "bytes of a block over that time");
  add_pe_count(result, pes);
}

std::vector<std::string> names_of(const Communicator& group) {
  std::vector<std::string> names;
  for (const int rank : group.ranks()) {
    names.push_back(group.name().empty() ? fmt::format("rank{}", rank) : fmt::format("{} rank{}", group.name(), rank));
  }
  return names;
}

WorkloadResult run_collective(const Collective& collective, Runtime& rt, const Params& params) {
  ProcessGroup world(rt, ccl_options(params));
  const std::vector<Communicator*> groups = make_groups(world, params.text("groups"));
  const CollectiveProblem problem = collective_of(params, rt, world);
  std::vector<std::vector<CollectiveResult>> results;  // by group and member
  for (const Communicator* group : groups) results.emplace_back(static_cast<std::size_t>(group->size()));
  on_every_sip(rt, "ccl-" + collective.name, [&](int rank, int ranks) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      Communicator& group = *groups[g];
      if (!group.has(rank)) continue;
      results[g][static_cast<std::size_t>(group.rank())] = run_in(
          collective, group, rt, setting_of(collective, params, group.size()), problem.sizing(collective, group),
          contents_of(params), rt.seed() + g * static_cast<std::uint64_t>(ranks) + static_cast<std::uint64_t>(rank));
    }
    return 0;
  });

  WorkloadResult result;
  add_figures(collective, problem, results, result);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Communicator& group = *groups[g];
    const Sizing its = problem.sizing(collective, group);
    const CollectiveSizes sizes{static_cast<std::size_t>(problem.cubes), static_cast<std::size_t>(problem.block),
                                static_cast<std::size_t>(its.in[1] / problem.block),
                                static_cast<std::size_t>(its.out[1] / problem.block)};
    const Setting setting = setting_of(collective, params, group.size());
    verify_group(collective, rt, result, setting, sizes, results[g], names_of(group));
  }
  return result;
}

Workload workload_of(const Collective& collective) {
  std::vector<Parameter> parameters{
      Parameter::integer("n_elem", 0, "elements of a block, per cube and rank; 0: as configured (n_elem)", 0,
                         "elements"),
      dtype_parameter(),
      data_parameter(),
      Parameter::choice("cubes", "all", {"all", "one"}, "a tile on every cube, or on cube 0 of each SIP only"),
      Parameter::integer("chunk", 0, "elements per message; 0: chosen by formula", 0, "elements").tuning({"0"}),
      Parameter::choice("exchange", "auto", {"auto", "direct", "path"},
                        "blocks go straight to their rank, or along the path of the SIPs; auto: straight where rings "
                        "between every two ranks fit")
          .tuning(),
      Parameter::text("groups", "", "ranks of each group that does it, in order: 0,2/1,3; empty: all ranks together"),
  };
  if (collective.target) {
    parameters.push_back(
        Parameter::integer("source", 0, "rank of the group that sends", 0).at_most(Parameter::kMaxUnits));
    parameters.push_back(Parameter::integer("target", -1, "rank of the group that receives; -1: the last one", -1)
                             .at_most(Parameter::kMaxUnits));
  } else if (collective.root) {
    parameters.push_back(
        Parameter::integer("root", 0, "rank of the group that the others work with", 0).at_most(Parameter::kMaxUnits));
  }
  if (collective.op) {
    parameters.push_back(Parameter::choice("op", "sum", {"sum", "max", "min", "avg"}, "how the tiles are combined"));
  }
  if (collective.blocks) {
    parameters.push_back(
        Parameter::choice("blocks", "auto", {"auto", "yes", "no"},
                          "each rank combines a block that all get; auto: where it is faster by formula")
            .tuning());
  }
  for (Parameter& parameter : ccl_parameters()) parameters.push_back(std::move(parameter));
  return {"ccl-" + collective.name, collective.description, std::move(parameters),
          [collective](Runtime& rt, const Params& params) { return run_collective(collective, rt, params); }, "CCL"};
}

Collective named(const std::string& name, const std::string& description) {
  Collective collective;
  collective.name = name;
  collective.description = description + ", tile by tile, verified";
  return collective;
}

std::optional<CollectivePiece> only(bool here, CollectivePiece piece) {
  return here ? std::optional<CollectivePiece>(piece) : std::nullopt;
}

// Collectives that change one tensor in place.
std::vector<Collective> in_place_collectives() {
  Collective broadcast = named("broadcast", "every rank gets the tensor of one");
  broadcast.root = true;
  broadcast.expected = [](const Setting& s, int, int) { return CollectivePiece{s.root, 0}; };
  broadcast.call = [](Communicator& g, const Setting& s, const Tensor& t, const Tensor&) {
    return g.broadcast(t, s.root, s.options);
  };
  Collective reduce = named("reduce", "one rank gets the combination of all tensors");
  reduce.root = reduce.op = true;
  reduce.expected = [](const Setting& s, int rank, int) {
    return CollectivePiece{rank == s.root ? kCombined : rank, 0};
  };
  reduce.call = [](Communicator& g, const Setting& s, const Tensor& t, const Tensor&) {
    return g.reduce(t, s.root, s.op, s.options);
  };
  Collective all_reduce = named("allreduce-ranks", "every rank gets the combination of all tensors");
  all_reduce.op = all_reduce.blocks = true;
  all_reduce.expected = [](const Setting&, int, int) { return CollectivePiece{}; };
  all_reduce.call = [](Communicator& g, const Setting& s, const Tensor& t, const Tensor&) {
    return g.all_reduce_ranks(t, s.op, s.options);
  };
  Collective send_recv = named("send-recv", "one rank gets the tensor of another");
  send_recv.root = send_recv.target = true;
  send_recv.expected = [](const Setting& s, int rank, int) {
    return CollectivePiece{rank == s.target ? s.root : rank, 0};
  };
  send_recv.call = [](Communicator& g, const Setting& s, const Tensor& t, const Tensor&) {
    return g.send_recv(t, s.root, s.target, s.options);
  };
  std::vector<Collective> all{broadcast, reduce, all_reduce, send_recv};
  for (Collective& collective : all) collective.in_place = true;
  return all;
}

std::vector<Collective> block_collectives() {
  Collective all_gather = named("all-gather", "every rank gets the tensors of all");
  all_gather.many_out = true;
  all_gather.expected = [](const Setting&, int, int block) { return CollectivePiece{block, 0}; };
  all_gather.call = [](Communicator& g, const Setting& s, const Tensor& out, const Tensor& in) {
    return g.all_gather(out, in, s.options);
  };
  Collective gather = named("gather", "one rank gets the tensors of all");
  gather.many_out = gather.root = true;
  gather.expected = [](const Setting& s, int rank, int block) { return only(rank == s.root, {block, 0}); };
  gather.call = [](Communicator& g, const Setting& s, const Tensor& out, const Tensor& in) {
    return g.gather(out, in, s.root, s.options);
  };
  Collective reduce_scatter = named("reduce-scatter", "every rank gets its block of the combination of all tensors");
  reduce_scatter.many_in = reduce_scatter.op = true;
  reduce_scatter.expected = [](const Setting&, int rank, int) { return CollectivePiece{kCombined, rank}; };
  reduce_scatter.call = [](Communicator& g, const Setting& s, const Tensor& out, const Tensor& in) {
    return g.reduce_scatter(out, in, s.op, s.options);
  };
  Collective scatter = named("scatter", "every rank gets its block of the tensor of one");
  scatter.many_in = scatter.root = true;
  scatter.expected = [](const Setting& s, int rank, int) { return CollectivePiece{s.root, rank}; };
  scatter.call = [](Communicator& g, const Setting& s, const Tensor& out, const Tensor& in) {
    return g.scatter(out, in, s.root, s.options);
  };
  Collective all_to_all = named("all-to-all", "every rank gets a block of the tensor of every rank");
  all_to_all.many_in = all_to_all.many_out = true;
  all_to_all.expected = [](const Setting&, int rank, int block) { return CollectivePiece{block, rank}; };
  all_to_all.call = [](Communicator& g, const Setting& s, const Tensor& out, const Tensor& in) {
    return g.all_to_all(out, in, s.options);
  };
  return {all_gather, gather, reduce_scatter, scatter, all_to_all};
}

}  // namespace

std::optional<data::BoundedMatrix> collective_result(const std::string& name, const CollectiveCase& given,
                                                     const std::vector<HostArray>& inputs, int rank) {
  std::vector<Collective> all = in_place_collectives();
  for (const Collective& collective : block_collectives()) all.push_back(collective);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Collective& c) { return c.name == name; });
  if (found == all.end()) throw Error::model("no collective '" + name + "'");
  Setting setting;
  setting.ranks = static_cast<int>(inputs.size());
  setting.root = given.root;
  setting.target = given.target;
  setting.op = given.op;
  Blocks blocks;
  for (const HostArray& input : inputs) blocks.push_back(input.to_doubles());
  const auto cubes = static_cast<std::size_t>(inputs.front().shape()[0]);
  const auto in_blocks = found->many_in ? inputs.size() : 1, out_blocks = found->many_out ? inputs.size() : 1;
  const auto block = static_cast<std::size_t>(inputs.front().shape()[1]) / in_blocks;
  return expected_result(*found, setting, {cubes, block, in_blocks, out_blocks}, blocks, rank, inputs.front().dtype());
}

std::vector<Workload> rank_collective_workloads() {
  std::vector<Workload> workloads;
  for (const Collective& collective : in_place_collectives()) workloads.push_back(workload_of(collective));
  for (const Collective& collective : block_collectives()) workloads.push_back(workload_of(collective));
  return workloads;
}

}  // namespace kb::sw
