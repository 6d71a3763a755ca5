#include "sw/distributed/algorithms.h"

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::sw {
namespace {

std::int64_t topology_kind(contract::SipTopology topology) {  // K-44
  switch (topology) {
    case contract::SipTopology::ring_1d:
      return 0;
    case contract::SipTopology::torus_2d:
      return 1;
    case contract::SipTopology::mesh_2d_no_wrap:
      return 2;
  }
  throw Error::model("a SIP topology has no kind");
}

std::vector<Arg> lrab_arguments(const AllReduceCall& call) {
  return {call.tensor,
          call.n_elem,
          call.cube_w,
          call.cube_h,
          call.world_size,
          call.rank,
          topology_kind(call.sip_topology),
          call.sip_w,
          call.sip_h,
          call.op,
          call.root_cube,
          call.chunk_elements};
}

}  // namespace

const std::vector<AllReduceAlgorithm>& all_reduce_algorithms() {
  static const std::vector<AllReduceAlgorithm> all{{"lrab_hierarchical_allreduce", "lrab_allreduce", lrab_arguments}};
  return all;
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const AllReduceAlgorithm& algorithm : all_reduce_algorithms()) names.push_back(algorithm.name);
  return names;
}

const AllReduceAlgorithm& find_all_reduce(const std::string& name) {
  for (const AllReduceAlgorithm& algorithm : all_reduce_algorithms()) {
    if (algorithm.name == name) return algorithm;
  }
  throw Error::configuration("there is no all-reduce algorithm '" + name + "'; " + suggest(name, algorithm_names()));
}

}  // namespace kb::sw
