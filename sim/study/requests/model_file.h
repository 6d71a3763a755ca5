// The model and the cluster of a serving run, from the files that other tools have for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sw/profile/collectives.h"
#include "sw/profile/served_model.h"

namespace kb::requests {

// config.json of a Hugging Face model. Configuration Error with file, key and remedy for a missing key, a value out of
// range, a model_type without known layers, and keys that serving cannot obey.
profile::ServedModel read_model(const std::string& file);

// The one instance of a cluster file of LLMServingSim.
struct Cluster {
  std::string hardware;
  profile::Ranks ranks;  // ep is 0 where the file does not say
  profile::RankLinks links;
  std::int64_t memory_bytes = 0;  // that may be used, per rank
};

// Configuration Error for several instances, pipelines, and prefill and decode on different devices.
Cluster read_cluster(const std::string& file);

// Blocks of keys and values that fit the memory of a rank beside the weights (M-69). Configuration Error when the
// weights alone do not fit.
std::int64_t blocks_that_fit(const Cluster& cluster, const profile::ServedModel& model, profile::Ranks ranks,
                             std::int64_t block_size);

}  // namespace kb::requests
