// The engines of a recorded machine: rows out of its file, of a plug-in, too, that nobody has loaded.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/contract/share_words.h"
#include "sim/analysis/recorded/engine_work.h"
#include "sim/analysis/recorded/machine.h"

namespace kb::analysis {
namespace {

using OrderedJson = nlohmann::ordered_json;

TEST(MachineEngines, AreTheBuiltInOnesWhereTheFileHasNone) {
  const Machine machine(OrderedJson::parse(R"({"nodes": [], "spec": {"cube": {"pe_template": {"components": {
                            "pe_gemm": {"attrs": {"mac_per_ns": 4096}},
                            "pe_math": {"attrs": {"elements_per_ns": {"f16": 256}}}}}}}})"),
                        "old.json");
  ASSERT_EQ(machine.engines().size(), 2u);
  EXPECT_EQ(machine.engines()[0].node, "pe_gemm");
  EXPECT_EQ(machine.engines()[0].rate, "4096");
  EXPECT_EQ(machine.engines()[1].rate, R"({"f16":256})");
  EXPECT_EQ(machine.engines()[0].operations_per_unit, 2.0);
}

TEST(MachineEngines, OfPlugInsHaveTheirRateAndTheirWords) {
  const Machine machine(OrderedJson::parse(R"({"nodes": [], "engines": [
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

// Two PEs. A sorter sorts 8 elements per ns, which count as one operation each.
TEST(EngineWork, IsThatOfItsOperationsBesideThePeakOfAllPes) {
  const Machine machine(OrderedJson::parse(R"({"nodes": [], "engines": [
        {"name": "gemm", "node": "pe_gemm", "stage": "GEMM",
         "roof": {"rate": "mac_per_ns", "unit": "MAC", "operations_per_unit": 2}},
        {"name": "sorter", "node": "pe_sorter", "stage": "SORTER",
         "roof": {"rate": "elements_per_ns", "unit": "element", "operations_per_unit": 1}}],
        "spec": {"cube": {"pe_template": {"components": {
          "pe_gemm": {"attrs": {"mac_per_ns": {"f16": 4096, "fp8_e4m3": 8192}}},
          "pe_sorter": {"attrs": {"elements_per_ns": 8}}}}}}})"),
                        "new.json");
  const data::OpLogNames names{{},
                               {{0, "memory", "dma_read"},
                                {1, "gemm", "gemm_fp8_e4m3"},
                                {2, "unknown", "TileToken/GEMM"},
                                {3, "gemm", "composite_gemm"},
                                {4, "sorter", "sort"}}};
  const std::vector<data::OpWork> work = {{1, 1, 1, 100, 100, 0}, {2, 3, 1, 64, 27, 0}, {4, 1, 1, 0, 0, 40}};
  const std::vector<EngineWork> engines = engine_work(machine, work, names, 2);
  ASSERT_EQ(engines.size(), 2u);
  EXPECT_EQ(engines[0].name, "gemm");
  EXPECT_EQ(engines[0].operations, 2.0 * (100 + 27));
  EXPECT_EQ(engines[0].padded, 2.0 * (100 + 64));
  EXPECT_EQ(engines[0].peak, 2.0 * 8192 * 2) << "of the dtype of the products";
  EXPECT_EQ(engines[1].operations, 40.0);
  EXPECT_EQ(engines[1].peak, 8.0 * 2) << "one rate for all dtypes";
  EXPECT_EQ(engine_of(names.operations[3]), std::nullopt) << "the scheduler's, whose tiles count";
  EXPECT_EQ(engine_of(names.operations[0]), std::nullopt);
}

TEST(MachineCounts, AreWords) {
  const Machine machine(OrderedJson::parse(R"({"nodes": [
        {"id": "sip0.cube0.m_cpu", "kind": "m_cpu", "label": "m_cpu", "coord": {"sip": 0, "cube": 0}},
        {"id": "sip0.cube0.pe0.pe_cpu", "kind": "pe_cpu", "label": "pe_cpu", "coord": {"sip": 0, "cube": 0, "pe": 0}},
        {"id": "sip0.cube0.pe1.pe_cpu", "kind": "pe_cpu", "label": "pe_cpu", "coord": {"sip": 0, "cube": 0, "pe": 1}}]})"),
                        "machine.json");
  EXPECT_EQ(machine.counts(), (std::vector<std::pair<std::string, std::int64_t>>{{"cube", 1}, {"PEs", 2}}));
}

}  // namespace
}  // namespace kb::analysis
