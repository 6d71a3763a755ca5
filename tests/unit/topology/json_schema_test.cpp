// The JSON Schema of topology files knows what the reader knows (H-111).
#include "platform/topology/json_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/topology/key_texts.h"
#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using nlohmann::json;

// The schema of a dotted key; null when there is none.
const json& schema_of(const json& schema, const std::string& path) {
  static const json none;
  const json* at = &schema;
  const auto enter = [&](const char* list, const std::string& step) {
    const auto found = at->find(list);
    const bool is_there = found != at->end() && (step.empty() || found->contains(step));
    at = !is_there ? &none : step.empty() ? &*found : &(*found)[step];
  };
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    std::string step = path.substr(from, dot - from);
    const std::size_t bracket = step.find('[');
    step.resize(std::min(bracket, step.size()));
    enter("properties", step);
    if (bracket != std::string::npos) enter("items", "");
    from = dot + 1;
  }
  return *at;
}

TEST(JsonSchema, HasEveryKeyThatIsReadWithItsMeaning) {
  const json schema = json::parse(topology_json_schema());
  std::size_t defaults = 0;
  const LoadedTopology machine = minimal();
  for (const auto& [path, value] : machine.config) {
    const json& key = schema_of(schema, path);
    ASSERT_FALSE(key.is_null()) << path;
    EXPECT_NE(key.value("description", ""), "") << path << ": add a sentence to key_texts.cpp";
    if (value.origin == "default" && key.contains("default")) ++defaults;
  }
  EXPECT_GT(defaults, 100u);
}

TEST(JsonSchema, NoSentenceIsLeftOfAKeyThatIsGone) {
  const json schema = json::parse(topology_json_schema());
  for (const auto& [path, text] : key_texts()) {
    EXPECT_FALSE(schema_of(schema, path).is_null()) << path;
    EXPECT_LT(text.size(), 150u) << path;
  }
}

TEST(JsonSchema, DefaultsThatFollowFromOtherKeysAreNone) {
  const json schema = json::parse(topology_json_schema());
  for (const char* const path :
       {"cube.memory_map.hbm_pseudo_channels", "cube.links.hbm_to_router_bw_gbs", "sip.io_chiplets[0].n_connections",
        "sip.io_chiplets[0].id", "sip.io_chiplets[0].shoreline", "cube.components.hbm_ctrl.attrs.num_pcs",
        "cube.pe_template.components.pe_tcm.attrs.size_mb", "cube.components.hbm_ctrl.attrs.access_bytes"}) {
    EXPECT_FALSE(schema_of(schema, path).contains("default")) << path;
  }
  EXPECT_EQ(schema_of(schema, "cube.links.router_link_bw_gbs")["default"], 256);
  EXPECT_EQ(schema_of(schema, "cube.links.router_link_bw_gbs")["minimum"], 0.001);
  EXPECT_EQ(schema_of(schema, "system.sips")["required"], json({"count"}));
}

}  // namespace
}  // namespace kb::topology
