// A step of a tiny model on a small machine.
#pragma once

#include <string>

#include "platform/model/arena.h"
#include "platform/model/graph.h"
#include "platform/topology/topology.h"
#include "sw/model/lowering.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::step {

struct SmallStep {
  SmallStep(const std::string& family, const std::string& phase, std::int64_t tp, const std::string& sequences = "1",
            const std::string& machine_name = "one_sip")
      : machine(topology::load(std::string(KB_CONFIG_DIR) + "/" + machine_name + ".yaml")),
        spec(model::tiny_model(family)),
        plan{tp, 1, 1, 1} {
    model::BatchChoice choice;
    choice.phase = phase == "decode" ? model::Phase::decode : model::Phase::prefill;
    choice.sequences = sequences;
    choice.context = phase == "decode" ? 40 : 0;
    choice.tokens = 8;
    batch = model::make_batch(choice);
    graph = model::build_graph(spec, plan, batch, Dtype::bf16, 0);
    const model::ArenaGeometry geometry = model::arena_geometry(machine.graph.spec);
    program = sw::lower({spec, graph, plan, batch, geometry, 1 << 16});
  }

  topology::LoadedTopology machine;
  model::ModelSpec spec;
  model::ParallelPlan plan;
  model::Batch batch;
  model::Graph graph;
  sw::Program program;
};

}  // namespace kb::step
