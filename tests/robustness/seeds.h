// Valid inputs, which attacks mutate.
#pragma once

#include <string>
#include <vector>

#include "tests/robustness/tree_mutator.h"
#include "tests/robustness/trial.h"

namespace kb::robustness {

struct WorkloadSeed {
  struct Parameter {
    std::string name, type, value, environment;
    std::vector<std::string> choices;
  };
  std::string name;
  std::vector<Parameter> parameters;
};

struct Seeds {
  std::vector<Tree> small_machines;  // a few PEs: a run takes some 20 ms
  std::vector<Tree> large_machines;  // only checked, not run
  std::vector<std::string> keys;     // dotted names of the topology
  Vocabulary machine_words;
  Tree ccl;
  Vocabulary ccl_words;
  std::vector<WorkloadSeed> workloads;
  std::vector<std::string> models;  // language models, a key on each line
  std::string mesh;                 // output of topology --emit-mesh
};

// Runs the program to get them. Throws std::runtime_error when that fails.
Seeds load_seeds(const Setup& setup);
std::string small_machine();  // topology file of one PE

}  // namespace kb::robustness
