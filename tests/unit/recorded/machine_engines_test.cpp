// The engines of a recorded machine: rows out of its file, of a plug-in, too, that nobody has loaded.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/contract/time_shares.h"
#include "sim/analysis/recorded/machine.h"

namespace kb::analysis {
namespace {

using Json = nlohmann::ordered_json;

TEST(MachineEngines, AreTheBuiltInOnesWhereTheFileHasNone) {
  const Machine machine(Json::parse(R"({"nodes": [], "spec": {"cube": {"pe_template": {"components": {
                            "pe_gemm": {"attrs": {"mac_per_ns": 4096}},
                            "pe_math": {"attrs": {"elements_per_ns": {"f16": 256}}}}}}}})"),
                        "old.json");
  ASSERT_EQ(machine.engines().size(), 2u);
  EXPECT_EQ(machine.engines()[0].node, "pe_gemm");
  EXPECT_EQ(machine.macs_per_ns(), "4096");
  EXPECT_EQ(machine.elements_per_ns(), R"({"f16":256})");
  EXPECT_EQ(machine.engines()[0].operations_per_unit, 2.0);
}

TEST(MachineEngines, OfPlugInsHaveTheirRateAndTheirWords) {
  const Machine machine(Json::parse(R"({"nodes": [], "engines": [
        {"name": "gemm", "node": "pe_gemm", "roof": {"rate": "mac_per_ns", "unit": "MAC", "operations_per_unit": 2}},
        {"name": "sorter", "node": "pe_sorter", "stage": "SORTER", "label": "sorts", "sentence": "PE_SORTER computes.",
         "phrase": "sorted", "colour": "#112233",
         "roof": {"rate": "elements_per_ns", "unit": "element", "operations_per_unit": 1}}],
        "spec": {"cube": {"pe_template": {"components": {"pe_sorter": {"attrs": {"elements_per_ns": 8}}}}}}})"),
                        "new.json");
  ASSERT_EQ(machine.engines().size(), 2u);
  EXPECT_EQ(machine.engines()[1].rate, "8");
  EXPECT_EQ(machine.engines()[1].colour, "#112233");
  // A time of its launches is then a time like others.
  const DisplayText& word = contract::word_of(contract::share_index(engine::engine_id("sorter")));
  EXPECT_EQ(word.phrase, "sorted");
  EXPECT_EQ(word.colour, "#112233");
}

}  // namespace
}  // namespace kb::analysis
