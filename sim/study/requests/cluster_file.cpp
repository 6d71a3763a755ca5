#include <fmt/format.h>

#include <cmath>

#include "platform/base/error.h"
#include "sim/study/files/json_file.h"
#include "sim/study/requests/json_members.h"
#include "sim/study/requests/model_file.h"

namespace kb::requests {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

}  // namespace

Cluster read_cluster(const std::string& file) {
  const nlohmann::ordered_json json =
      files::read_json(file, files::kMaxReferenceBytes, "give a cluster file of LLMServingSim");
  const JsonMembers top(file, "", json);
  if (!top.has("nodes") && top.has("model_type")) {
    top.fail("nodes", "this is the config.json of a model", "give a cluster file; --model takes this file");
  }
  const JsonMembers instance =
      top.only("nodes", "one node with one instance is served").only("instances", "one instance is served");
  Cluster cluster;
  cluster.hardware = instance.text_or("hardware", "");
  cluster.ranks.tp = instance.whole_or("tp_size", 1, instance.whole_or("num_npus", 1, 1));
  cluster.ranks.ep = instance.whole_or("ep_size", 0, 0);
  if (instance.whole_or("pp_size", 1, 1) > 1) {
    instance.fail("pp_size", "pipelines of several ranks are not served", "write 1");
  }
  if (instance.has("pd_type")) {
    instance.fail("pd_type", "prefill and decode on different devices are not served", "write null");
  }
  const JsonMembers memory = instance.object("npu_mem");
  cluster.links.latency_ns = top.real("link_latency");
  cluster.links.link_gib_s = top.real("link_bw");
  cluster.links.memory_gb_s = memory.real("mem_bw");
  cluster.memory_bytes =
      static_cast<std::int64_t>(std::floor(memory.real("mem_size") * kGib * memory.real_or("mem_util", 0.9)));
  return cluster;
}

std::int64_t blocks_that_fit(const Cluster& cluster, const profile::ServedModel& model, profile::Ranks ranks,
                             std::int64_t block_size) {
  const std::int64_t weights = profile::weight_bytes(model, ranks);
  const std::int64_t block = block_size * profile::kv_bytes_per_token(model, ranks);
  const std::int64_t blocks = (cluster.memory_bytes - weights) / block;
  if (cluster.memory_bytes > weights && blocks > 0) return blocks;
  throw Error::configuration(
      fmt::format("the weights of a rank, {:.1f} GiB, leave no block of {:.1f} MiB in {:.1f} GiB of memory (mem_size x "
                  "mem_util of the cluster file); use more ranks (--tp) or give --blocks",
                  static_cast<double>(weights) / kGib, static_cast<double>(block) / kGib * 1024.0,
                  static_cast<double>(cluster.memory_bytes) / kGib));
}

}  // namespace kb::requests
