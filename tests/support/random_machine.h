// Random small machines and random traffic for property tests. They depend only on the generator's state.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/ports/traffic/traffic.h"

namespace kb::test {

std::string random_machine_yaml(std::mt19937& random);
topology::LoadedTopology random_machine(std::mt19937& random);

// Rows within a short window, so that most of them overlap; sizes from 1 B to 64 KiB with odd remainders.
std::vector<sim::TraceRow> random_rows(std::mt19937& random, const topology::Graph& graph, int count);

}  // namespace kb::test
