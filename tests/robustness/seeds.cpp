#include "tests/robustness/seeds.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/robustness/file_text.h"

namespace kb::robustness {
namespace {

using Json = nlohmann::json;

Trial good_run(const Setup& setup, const std::string& name, const AttackCase& attack) {
  Trial trial = carry_out(setup, attack, setup.work + "/seed_" + name);
  if (trial.end.code == 0 && trial.end.signal == 0) return trial;
  throw std::runtime_error(command_line(attack, setup.program) + " has to succeed but says: " + trial.err);
}

void dotted(const Tree& tree, const std::string& prefix, std::vector<std::string>& keys) {
  for (const auto& [key, value] : tree.keys) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.kind == Tree::Kind::map) {
      dotted(value, name, keys);
    } else {
      keys.push_back(name);
    }
  }
}

std::vector<WorkloadSeed> workloads_of(const Setup& setup) {
  AttackCase list;
  list.args = {"list", "--json"};
  std::vector<WorkloadSeed> workloads;
  const Json known = Json::parse(good_run(setup, "list", list).out);
  for (const Json& workload : known.at("benches")) {
    WorkloadSeed seed{workload.at("name"), {}};
    for (const Json& p : workload.at("parameters")) {
      seed.parameters.push_back({p.at("name"), p.at("type"), p.at("default"), p.at("environment"), p.at("choices")});
    }
    workloads.push_back(seed);
  }
  return workloads;
}

Tree sized(const Tree& base, const std::string& change) {
  Tree tree = base;
  overlay(tree, parse_tree(change));
  return tree;
}

}  // namespace

std::string small_machine() {
  return "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 } }\n"
         "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n";
}

Seeds load_seeds(const Setup& setup) {
  Seeds seeds;
  const Tree reference = parse_tree(read_text(setup.configs + "/reference.yaml"));
  const Tree one_pe = parse_tree(small_machine());
  // Its second PHY is on a cube that a mesh of one cube does not have.
  const std::string port = "[{ cube: { xy: [0, 0] }, cube_side: N, phy: P0, distance_mm: 2.0 }]";
  Tree whole = sized(reference, small_machine());
  if (Tree* chiplets = whole.find("sip")->find("io_chiplets")) {
    for (Tree& chiplet : chiplets->items) overlay(chiplet, parse_tree("cube_ports: " + port));
  }
  seeds.small_machines = {whole,
                          one_pe,
                          sized(one_pe, "system: { sips: { count: 2 } }"),
                          sized(one_pe, "cube: { pe_layout: { pe_per_corner: 2 } }"),
                          sized(one_pe, "sip: { cube_mesh: { w: 2 } }"),
                          sized(one_pe, "cube: { memory_map: { address_model: la, hbm_mapping_mode: one_to_one } }")};
  seeds.large_machines = {reference};
  for (const char* name : {"one_cube", "one_sip", "six_sips_torus", "large"}) {
    seeds.large_machines.push_back(parse_tree(read_text(setup.configs + "/" + name + ".yaml")));
  }
  for (const Tree& tree : seeds.large_machines) seeds.machine_words.add(tree);
  dotted(reference, "", seeds.keys);
  seeds.ccl = parse_tree(read_text(setup.configs + "/ccl.yaml"));
  seeds.ccl_words.add(seeds.ccl);
  seeds.workloads = workloads_of(setup);

  for (const char* model : {"llama-3.1-8b", "qwen3-30b-a3b", "mistral-7b", "deepseek-v3"}) {
    seeds.models.push_back(read_text(setup.configs + "/../models/" + model + ".json"));
  }
  AttackCase emit;
  emit.files["m.yaml"] = small_machine();
  emit.args = {"topology", "m.yaml", "--emit-mesh", "mesh.yaml"};
  seeds.mesh = read_text(good_run(setup, "mesh", emit).folder + "/mesh.yaml");
  return seeds;
}

}  // namespace kb::robustness
