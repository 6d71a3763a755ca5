#include "tests/robustness/input_attack.h"

#include <algorithm>
#include <cstdlib>

#include "tests/robustness/byte_mutator.h"
#include "tests/robustness/csv_mutator.h"
#include "tests/robustness/option_mutator.h"
#include "tests/robustness/small_evaluation.h"
#include "tests/robustness/values.h"

namespace kb::robustness {
namespace {

struct Draft {
  Options options;
  AttackCase attack;
};

// Most changes alone are refused at once; what is accepted goes deeper.
std::size_t few(Random& random) {
  const std::vector<std::size_t> counts = {0, 0, 0, 1, 1, 1, 1, 2, 2, 3};
  return random.pick(counts);
}

std::string machine_text(const Seeds& seeds, Tree tree, Random& random) {
  for (std::size_t n = few(random); n > 0; --n) mutate(tree, seeds.machine_words, random);
  std::string text = write_yaml(tree, random.chance(20));
  const bool bytes = random.chance(10);
  return bytes ? damage(text, write_yaml(seeds.ccl, false), random) : text;
}

std::string ccl_text(const Seeds& seeds, Random& random) {
  Tree tree = seeds.ccl;
  for (std::size_t n = few(random); n > 0; --n) mutate(tree, seeds.ccl_words, random);
  const std::string text = write_yaml(tree, random.chance(20));
  return random.chance(15) ? damage(text, seeds.mesh, random) : text;
}

void add_topology(Draft& draft, const Seeds& seeds, Random& random, unsigned percent) {
  if (!random.chance(percent)) {
    draft.attack.files["m.yaml"] = small_machine();
  } else {
    draft.attack.files["m.yaml"] = machine_text(seeds, random.pick(seeds.small_machines), random);
  }
  draft.options.groups.push_back({"--topology", "m.yaml"});
}

void add_machine_set(Draft& draft, const Seeds& seeds, Random& random) {
  const std::string value = random.chance(70) ? edge_number(random) : odd_text(random);
  draft.options.groups.push_back({"--set", random.pick(seeds.keys) + "=" + value});
}

// Sizes that keep a good run short.
const WorkloadSeed& short_workload(const Seeds& seeds, Random& random) {
  while (true) {
    const WorkloadSeed& workload = random.pick(seeds.workloads);
    if (workload.name != "gpt3-qkv") return workload;
  }
}

// Sizes and counts that a program has to accept and that would keep it busy for minutes are not defects.
bool long_work(const WorkloadSeed::Parameter& parameter, const std::string& value) {
  static const std::vector<std::string> kRepetitions = {"tensors", "launches", "calls"};
  const double number = std::strtod(value.c_str(), nullptr);
  const bool repeats = std::find(kRepetitions.begin(), kRepetitions.end(), parameter.name) != kRepetitions.end();
  return parameter.type == "int" && number > 2000 && (repeats || number < 1e12);
}

void add_parameter(Draft& draft, const WorkloadSeed& workload, Random& random) {
  if (workload.parameters.empty()) return;
  const WorkloadSeed::Parameter& parameter = random.pick(workload.parameters);
  std::string value = parameter.value;
  const std::size_t kind = random.below(10);
  if (!parameter.choices.empty() && kind < 6) {
    value = random.pick(parameter.choices);
  } else if (kind < 4) {
    value = near_number(value, random);
  } else if (kind < 8) {
    value = edge_number(random);
  } else if (kind == 8) {
    value = odd_text(random);
  } else {
    value = typo(value, random);
  }
  if (long_work(parameter, value)) value = "1025";
  if (random.chance(10)) {
    draft.attack.environment[parameter.environment] = value;
  } else {
    draft.options.groups.push_back({"--set", parameter.name + "=" + value});
  }
}

Draft run_draft(const Seeds& seeds, Random& random) {
  Draft draft;
  draft.options.command = "run";
  auto& groups = draft.options.groups;
  const WorkloadSeed& workload = short_workload(seeds, random);
  add_topology(draft, seeds, random, 60);
  groups.push_back({"--bench", workload.name});
  // Its default size, with a head of another length and data that is verified, may keep a PE busy for ten seconds.
  if (workload.name == "rotary-embedding") groups.push_back({"--set", "tokens=512"});
  // A copy of its default size in every PE of the default machine is 0.4 GB of contents, which the rule does not know.
  if (workload.name == "va-offset-verify") groups.push_back({"--set", "elements_per_pe=500"});
  for (std::size_t n = random.below(3); n > 0; --n) add_parameter(draft, workload, random);
  if (random.chance(15)) add_machine_set(draft, seeds, random);
  if (random.chance(30)) groups.push_back({"--verify-data"});
  if (random.chance(10)) groups.push_back({"--data", "eager"});
  if (random.chance(40)) groups.push_back({"--quiet"});
  if (random.chance(20)) groups.push_back({"--json"});
  if (random.chance(60)) groups.push_back({"--out", "o"});
  if (random.chance(10)) groups.push_back({"--oplog", random.chance(50) ? "ops.sqlite" : "ops.tsv"});
  if (random.chance(10)) groups.push_back({random.chance(50) ? "--vcd" : "--wave", "w.vcd"});
  if (random.chance(5)) groups.push_back({"--hops", "h.tsv"});
  if (random.chance(5)) groups.push_back({"--seed", edge_number(random)});
  if (random.chance(5)) groups.push_back({"--time-limit-ns", edge_number(random)});
  if (random.chance(5)) groups.push_back({"--device", random.chance(50) ? "sip:0" : odd_text(random)});
  if (random.chance(3)) groups.push_back({"--dump-config"});
  if (random.chance(3)) groups.push_back({"--strict"});
  const bool collective =
      workload.name.rfind("ccl-", 0) == 0 || workload.name.rfind("tp-", 0) == 0 || workload.name == "attention";
  if (collective && random.chance(60)) draft.attack.files["ccl.yaml"] = ccl_text(seeds, random);
  return draft;
}

Draft check_draft(const Seeds& seeds, Random& random) {
  Draft draft;
  draft.options.command = "check";
  if (random.chance(30)) {
    draft.attack.files["ccl.yaml"] = ccl_text(seeds, random);
    draft.options.groups.push_back({"ccl.yaml"});
    return draft;
  }
  const auto& machines = random.chance(60) ? seeds.small_machines : seeds.large_machines;
  draft.attack.files["m.yaml"] = machine_text(seeds, random.pick(machines), random);
  draft.options.groups.push_back({"m.yaml"});
  if (random.chance(20)) add_machine_set(draft, seeds, random);
  return draft;
}

Draft topology_draft(const Seeds& seeds, Random& random) {
  Draft draft;
  draft.options.command = "topology";
  Tree machine = random.pick(random.chance(70) ? seeds.small_machines : seeds.large_machines);
  if (random.chance(15)) {  // a layout of its own
    std::string mesh = seeds.mesh;
    Tree tree = parse_tree(mesh);
    for (std::size_t n = random.between(1, 3); n > 0; --n) mutate(tree, seeds.machine_words, random);
    mesh = write_yaml(tree, random.chance(50));
    draft.attack.files["mesh.yaml"] = random.chance(20) ? damage(mesh, seeds.mesh, random) : mesh;
    machine = parse_tree(small_machine());
    overlay(machine, parse_tree("cube: { mesh_file: mesh.yaml }"));
  }
  draft.attack.files["m.yaml"] = machine_text(seeds, machine, random);
  draft.options.groups.push_back({"m.yaml"});
  if (random.chance(50)) draft.options.groups.push_back({random.chance(60) ? "--json" : "--dot"});
  if (random.chance(10)) draft.options.groups.push_back({"--full"});
  if (random.chance(20)) draft.options.groups.push_back({"--emit-mesh", "mesh_out.yaml"});
  if (random.chance(40)) draft.options.groups.push_back({"--svg", "drawings"});
  if (random.chance(10)) draft.options.groups.push_back({"--views", "cube,pe"});
  return draft;
}

Draft traffic_draft(const Seeds& seeds, Random& random) {
  Draft draft;
  draft.options.command = "traffic";
  add_topology(draft, seeds, random, 30);
  if (random.chance(70)) {
    draft.attack.files["t.csv"] = traffic_file(random);
    draft.options.groups.push_back({"--trace", "t.csv"});
  } else {
    const std::string name = random.chance(50) ? "t.stl" : "t.rstl";
    draft.attack.files[name] = stl_file(random);
    draft.options.groups.push_back({"--trace", name});
    draft.options.groups.push_back({"--clock-mhz", random.chance(80) ? "1000" : edge_number(random)});
    if (random.chance(20)) draft.options.groups.push_back({"--base", "0x2000" + std::to_string(random.below(1000000))});
  }
  if (random.chance(40)) draft.options.groups.push_back({"--json"});
  if (random.chance(30)) draft.options.groups.push_back({"--out", "times.txt"});
  return draft;
}

Draft probe_draft(const Seeds& seeds, Random& random) {
  Draft draft;
  draft.options.command = random.chance(70) ? "probe" : "list";
  if (draft.options.command == "probe") {
    add_topology(draft, seeds, random, 70);
    if (random.chance(50))
      draft.options.groups.push_back({"--case", random.chance(70) ? "pe-local-hbm" : odd_text(random)});
  }
  if (random.chance(50)) draft.options.groups.push_back({"--json"});
  return draft;
}

// The value of a key, or its line, or bytes of a model file are damaged.
std::string model_text(const Seeds& seeds, Random& random) {
  std::string text = random.pick(seeds.models);
  for (std::size_t n = few(random); n > 0; --n) {
    const std::size_t colon = text.find(": ", random.below(text.size()));
    const std::size_t end = colon == std::string::npos ? colon : text.find_first_of(",\n", colon);
    if (end == std::string::npos || random.chance(20)) {
      text = damage(text, random.pick(seeds.models), random);
    } else if (random.chance(75)) {
      text.replace(colon + 2, end - colon - 2, random.chance(80) ? edge_number(random) : odd_text(random));
    } else {
      text.erase(text.rfind('\n', colon), end - text.rfind('\n', colon));
    }
    if (text.empty()) return text;
  }
  return text;
}

Draft model_draft(const Seeds& seeds, Random& random) {
  Draft draft;
  auto& groups = draft.options.groups;
  draft.options.command = "model";
  groups.push_back({"show"});
  groups.push_back({"m.json"});
  draft.attack.files["m.json"] = model_text(seeds, random);
  if (random.chance(40)) add_topology(draft, seeds, random, 50);
  for (const char* option : {"--tp", "--pp", "--dp", "--ep"}) {
    if (random.chance(25)) groups.push_back({option, random.chance(80) ? "2" : edge_number(random)});
  }
  if (random.chance(30)) groups.push_back({"--phase", random.chance(90) ? "prefill" : odd_text(random)});
  if (random.chance(30)) groups.push_back({"--batch", random.chance(60) ? "4x100,1x7" : edge_number(random)});
  if (random.chance(20)) groups.push_back({"--context", edge_number(random)});
  if (random.chance(20)) groups.push_back({"--weights", "m.json"});
  if (random.chance(40)) groups.push_back({"--json"});
  return draft;
}

// One of the files of a small evaluation is damaged, or what an earlier call left.
Draft evaluate_draft(const Seeds& seeds, Random& random) {
  Draft draft;
  auto& groups = draft.options.groups;
  const bool alone = random.chance(40);  // its sweep by itself
  draft.options.command = alone ? "sweep" : "evaluate";
  draft.attack.files = small_evaluation("e");
  const std::vector<std::string> damaged = {"e/evaluation.yaml", "e/s.yaml", "e/s.yaml", "e/tables.sql", "e/words.csv"};
  const std::string name = alone ? "e/s.yaml" : random.pick(damaged);
  std::string& text = draft.attack.files[name];
  if (name.find(".yaml") != std::string::npos && random.chance(85)) {
    Tree tree = parse_tree(text);
    Vocabulary words;
    words.add(tree);
    for (std::size_t n = random.between(1, 3); n > 0; --n) mutate(tree, words, random);
    text = write_yaml(tree, random.chance(20));
  } else {
    text = damage(text, seeds.mesh, random);
  }
  groups.push_back({alone ? "e/s.yaml" : "e"});
  if (alone) {
    if (random.chance(20)) groups.push_back({random.chance(50) ? "--dry-run" : "--collect"});
  } else {
    add_topology(draft, seeds, random, 20);
    if (random.chance(20)) groups.push_back({"--sweeps", random.chance(50) ? "runs" : odd_text(random)});
    if (random.chance(20)) {
      groups.push_back({"--fast"});
      draft.attack.files["o/e.sqlite"] = odd_text(random);
    }
  }
  groups.push_back({"--out", "o"});
  groups.push_back({"--jobs", random.chance(90) ? "1" : edge_number(random)});
  return draft;
}

Draft draft_of(const Seeds& seeds, Random& random) {
  const std::size_t kind = random.below(1000);
  if (kind < 400) return run_draft(seeds, random);
  if (kind < 600) return check_draft(seeds, random);
  if (kind < 750) return topology_draft(seeds, random);
  if (kind < 870) return traffic_draft(seeds, random);
  if (kind < 920) return probe_draft(seeds, random);
  if (kind < 960) return model_draft(seeds, random);
  return evaluate_draft(seeds, random);
}

}  // namespace

AttackCase input_case(const Seeds& seeds, std::uint64_t seed, std::uint64_t index) {
  Random random = Random::of_case(seed, "inputs", index);
  Draft draft = draft_of(seeds, random);
  const std::size_t changes = random.chance(75) ? 0 : random.between(1, 3);
  for (std::size_t i = 0; i < changes; ++i) mutate(draft.options, random);
  draft.attack.args = draft.options.words();
  return draft.attack;
}

}  // namespace kb::robustness
