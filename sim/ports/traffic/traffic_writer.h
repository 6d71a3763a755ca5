#pragma once

#include <vector>

#include "platform/observe/text_sink.h"
#include "platform/topology/graph.h"
#include "sim/ports/traffic/traffic.h"

namespace kb::sim {

// Writes the results in row order as JSON {schema, flit_bytes, rows:[...]}; an integer id is written as a number.
void render_traffic_json(const topology::Graph& graph, const std::vector<TrafficResult>& results,
                         const observe::TextSink& sink);
// Writes the results as tab-separated values with a header line; node ids of a path are separated by '>'.
void render_traffic_tsv(const topology::Graph& graph, const std::vector<TrafficResult>& results,
                        const observe::TextSink& sink);

}  // namespace kb::sim
