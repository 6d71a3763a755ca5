#include "platform/topology/ccl_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "platform/base/nearest.h"
#include "platform/topology/ccl_built_in.h"
#include "platform/topology/ccl_sections.h"
#include "platform/topology/input_file.h"
#include "platform/topology/sha256.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {
namespace {

constexpr double kMaxSlots = 65536;
constexpr double kMaxSlotBytes = 1 << 30;
constexpr double kMaxRanks = 4096;       // PEs of the largest machine
constexpr std::uint64_t kSlotStep = 16;  // every element type and the smallest memory alignment divide it
constexpr double kMaxCreditBytes = 1 << 20;

// The last entry is a deprecated name of `formula`.
const std::vector<std::string>& slot_access_names() {
  static const std::vector<std::string> names{"formula", "fabric", "annotated"};
  return names;
}

template <typename Enum>
Enum choose(MapReader& section, const char* key, Enum fallback, const std::vector<std::string>& names) {
  return static_cast<Enum>(section.choice(key, static_cast<std::size_t>(fallback), names));
}

template <typename Whole>
Whole count(MapReader& section, const char* key, Whole fallback, double low, double high) {
  return static_cast<Whole>(section.whole(key, static_cast<std::int64_t>(fallback), at_least(low, high)));
}

// Overlays `config` with one section.
void read_section(MapReader& section, CclConfig& config) {
  config.buffer_kind = choose(section, "buffer_kind", config.buffer_kind, names_of<QueueMemory>());
  config.backpressure = choose(section, "backpressure", config.backpressure, names_of<Backpressure>());
  config.n_slots = count(section, "n_slots", config.n_slots, 1, kMaxSlots);
  config.slot_size = count(section, "slot_size", config.slot_size, 0, kMaxSlotBytes);
  config.vc_chunk_size = count(section, "vc_chunk_size", config.vc_chunk_size, 1, kMaxSlotBytes);
  config.ipcq_credit_size_bytes =
      count(section, "ipcq_credit_size_bytes", config.ipcq_credit_size_bytes, 1, kMaxCreditBytes);
  config.ipcq_poll = ns_to_fs(section.real("ipcq_poll_ns", fs_to_ns(config.ipcq_poll), positive(1e6)));
  config.credit = choose(section, "credit", config.credit, names_of<QueueTransport>());
  config.slot_access =
      section.choice("slot_access", static_cast<std::size_t>(config.slot_access), slot_access_names()) == 1
          ? QueueTransport::fabric
          : QueueTransport::annotated;
  config.wiring = choose(section, "wiring", config.wiring, wiring_names());
  config.intra_cube = choose(section, "intra_cube", config.intra_cube, intra_cube_names());
  config.topology = choose(section, "topology", config.topology, rank_topology_names());
  config.w = count(section, "w", config.w, 0, kMaxRanks);
  config.h = count(section, "h", config.h, 0, kMaxRanks);
  config.world_size = count(section, "world_size", config.world_size, 0, kMaxRanks);
  config.tiles = choose(section, "tiles", config.tiles, tile_set_names());
  config.candidates = section.choices("candidates", &config.candidates, candidate_names());
  config.n_elem = count<std::int64_t>(section, "n_elem", config.n_elem, 1, kMaxSlotBytes);
}

constexpr const char* kKeys[] = {"buffer_kind",
                                 "backpressure",
                                 "n_slots",
                                 "slot_size",
                                 "vc_chunk_size",
                                 "credit",
                                 "slot_access",
                                 "wiring",
                                 "intra_cube",
                                 "ipcq_credit_size_bytes",
                                 "topology",
                                 "w",
                                 "h",
                                 "world_size",
                                 "ipcq_poll_ns",
                                 "tiles",
                                 "candidates",
                                 "n_elem"};

// Links in the entry replace all others.
void read_links(MapReader& entry, CclConfig& config) {
  config.links = read_ccl_links(entry);
  if (!entry.has("links") || entry.context().is_bad(entry.path("links"))) return;
  if (!config.links_only()) {
    entry.report("links", "links are for kernels of one's own, an algorithm brings its wiring",
                 "write 'module: none' beside them, or leave them out");
  }
  for (const char* const key : {"wiring", "topology", "intra_cube"}) {
    if (entry.has(key)) entry.report(key, "'links' lists all links of this entry", "leave it out, or the links");
  }
  config.wiring = WiringPreset::intercube_multisip;
  config.topology = RankTopology::none;
  config.intra_cube = IntraCube::none;
}

// Derives wiring and topology from each other, and checks rules over several keys.
void settle(CclConfig& config, CclSections sections) {
  const bool generated = config.topology != RankTopology::none;
  if (!sections.given("wiring")) {
    config.wiring = generated ? WiringPreset::flat : WiringPreset::intercube_multisip;
  } else if (config.wiring != WiringPreset::flat && generated) {
    const std::string wiring = wiring_names()[static_cast<std::size_t>(config.wiring)];
    sections.report({"topology", "wiring"},
                    fmt::format("wiring '{}' decides the neighbours by itself, topology '{}' has no part in it", wiring,
                                rank_topology_names()[static_cast<std::size_t>(config.topology)]),
                    "write 'wiring: flat', or leave the topology out");
  }
  if (config.wiring == WiringPreset::flat && !sections.given("topology")) config.topology = RankTopology::ring_1d;
  if ((config.w > 0) != (config.h > 0)) {
    sections.report({config.w > 0 ? "w" : "h"}, "only one of w and h is given",
                    "give both, with w * h equal to the number of ranks");
  }
  if (config.slot_size % kSlotStep != 0) {
    sections.warn("slot_size",
                  fmt::format("slots of {} B do not all begin at a multiple of {} B", config.slot_size, kSlotStep),
                  fmt::format("write {}", (config.slot_size / kSlotStep + 1) * kSlotStep));
  }
  if (config.topology == RankTopology::mesh_2d) {
    sections.warn("topology", "'mesh_2d' is the old name of 'torus_2d'", "write 'torus_2d' or 'mesh_2d_no_wrap'");
  }
  if (is_two_dimensional(config.topology) && config.w * config.h != 0 && config.world_size != 0 &&
      config.w * config.h != config.world_size) {
    sections.report(
        {"w", "h", "world_size"},
        fmt::format("a grid of {} x {} ranks does not hold {} ranks", config.w, config.h, config.world_size),
        "w * h must equal world_size");
  }
}

CclConfig read_entry(MapReader& entry, const std::string& name, CclConfig config, const CclOptions& options) {
  ReadContext& context = entry.context();
  config.algorithm = name;
  config.module = entry.text("module", name);
  if (!options.modules.empty() && !config.links_only() && !context.is_bad(entry.path("module")) &&
      std::find(options.modules.begin(), options.modules.end(), config.module) == options.modules.end()) {
    entry.report("module", fmt::format("there is no algorithm implementation '{}'", config.module),
                 suggest(config.module, options.modules) +
                     "; one of a plug-in needs --plugin FILE, and 'none' is links without an all-reduce");
  }
  read_section(entry, config);
  if (entry.has("root_cube")) {
    entry.whole("root_cube", std::nullopt, at_least(0, kMaxRanks));
    context.warn_rule({entry.path("root_cube")}, "this key is not read: the root is computed from the cube mesh",
                      "remove it");
  }
  read_links(entry, config);
  entry.done();
  settle(config, CclSections(context, name));
  return config;
}

// The chosen entry with its values and positions.
CclConfig finished(CclConfig config, ReadContext& context) {
  const CclSections sections(context, config.algorithm);
  for (const char* key : kKeys) {
    config.values[key] = sections.value(key);
    config.places[key] = sections.place(key);
  }
  config.values["wiring"].value =
      !config.links.empty() ? "links" : wiring_names()[static_cast<std::size_t>(config.wiring)];
  config.values["topology"].value = rank_topology_names()[static_cast<std::size_t>(config.topology)];
  const bool chosen =
      context.given("defaults.algorithm") && context.config()["defaults.algorithm"].value == config.algorithm;
  config.values["algorithm"] = {config.algorithm, chosen ? context.config()["defaults.algorithm"].origin : "default"};
  config.values["module"] = context.config()["algorithms." + config.algorithm + ".module"];
  config.places["algorithm"] = context.place({"defaults.algorithm"});
  config.places["module"] = context.place({"algorithms." + config.algorithm + ".module"});
  return config;
}

std::vector<Diagnostic> without_repeats(const std::vector<Diagnostic>& all) {
  std::vector<Diagnostic> out;
  std::set<std::string> seen;
  for (const Diagnostic& one : all) {
    if (seen.insert(one.text()).second) out.push_back(one);
  }
  return out;
}

yaml::ValuePtr parse_top(const std::string& text, const std::string& name, ReadContext& context,
                         const CclOptions& options, std::string& built_in) {
  yaml::ValuePtr root = yaml::parse(text, name, context.diagnostics());
  if (!root) throw_if_any(context.problems());
  if (root->kind != yaml::Kind::map && root->kind != yaml::Kind::null) {
    throw_if_any({{name, std::max(1, root->mark.line), std::max(1, root->mark.column), "",
                   fmt::format("a collective configuration is a mapping at its top level, this is {}",
                               yaml::kind_text(root->kind)),
                   "start with 'defaults:'"}});
  }
  const std::size_t in_file = context.diagnostics().size();
  built_in = add_built_in_entry(root, options.algorithm);
  for (const auto& [key, value] : options.overrides) yaml::apply_override(root, key, value, context.diagnostics());
  if (context.diagnostics().size() > in_file) throw_if_any(context.problems());
  return root;
}

}  // namespace

Diagnostic CclConfig::problem_at(const std::string& key, const std::string& message, const std::string& remedy) const {
  const auto found = places.find(key);
  Diagnostic problem = found != places.end() ? found->second : Diagnostic{file, 0, 0, key, "", ""};
  problem.message = message;
  problem.remedy = remedy;
  return problem;
}

CclConfig load_ccl_text(const std::string& text, const std::string& name, const CclOptions& options) {
  ReadContext context(name);
  std::string built_in;  // the chosen entry, when the file does not have it
  const yaml::ValuePtr root = parse_top(text, name, context, options, built_in);
  MapReader top(context, root);
  CclConfig base;
  base.file = name;
  base.sha256 = sha256_hex(text);
  MapReader defaults = top.map("defaults");
  const std::string wanted = defaults.text("algorithm", kDefaultAlgorithm);
  read_section(defaults, base);
  defaults.done();

  MapReader entries = top.map("algorithms");
  base.algorithms = entries.keys();
  const std::string chosen = options.algorithm.empty() ? wanted : options.algorithm;
  CclConfig result = base;
  bool found = false;
  for (const std::string& algorithm : base.algorithms) {
    MapReader entry = entries.map(algorithm);
    const CclConfig config = read_entry(entry, algorithm, base, options);
    if (algorithm == built_in) check_built_in_entry(algorithm, base, config, context);
    if (algorithm != chosen) continue;
    result = config;
    found = true;
  }
  entries.done();
  top.done();
  context.finish_unknown();
  if (!found && !context.is_bad("algorithms")) {
    const std::string message =
        fmt::format("there is no algorithm '{}' in the section 'algorithms', and none is built in", chosen);
    const std::string remedy = suggest(chosen, with_built_in(base.algorithms));
    if (options.algorithm.empty()) {
      context.report_rule({"defaults.algorithm"}, message, remedy);
    } else {
      context.diagnostics().push_back({name, 0, 0, "algorithm", message, remedy});
    }
  }
  throw_if_any(without_repeats(context.problems()));
  result = finished(std::move(result), context);
  result.warnings = without_repeats(context.warnings());
  return result;
}

CclConfig load_ccl(const CclOptions& options) {
  std::error_code none;
  if (options.file.empty() && !std::filesystem::exists(kCclFile, none)) {
    CclConfig config = load_ccl_text(kBuiltInCcl, "", options);
    config.sha256.clear();
    return config;
  }
  const std::string file = options.file.empty() ? kCclFile : options.file;
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text =
      read_file(file, "check the path; one with every key is configs/ccl.yaml", problems);
  throw_if_any(problems);
  return load_ccl_text(*text, file, options);
}

bool is_ccl_file(const std::string& file) {
  std::vector<Diagnostic> ignored;
  const std::optional<std::string> text = read_file(file, "", ignored);
  const yaml::ValuePtr root = text ? yaml::parse(*text, file, ignored) : nullptr;
  return root && root->kind == yaml::Kind::map && root->find("system") == nullptr &&
         (root->find("defaults") != nullptr || root->find("algorithms") != nullptr);
}

}  // namespace kb::topology
