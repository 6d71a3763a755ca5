// The way of data through the machine, from the topology that a run has beside its results.
#include "sim/analysis/recorded/operation_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "platform/topology/topology.h"

namespace kb::analysis {
namespace {

using ::testing::ElementsAre;

std::string spec_of(const std::string& config) {
  const auto topology = topology::load(std::string(KB_SOURCE_DIR) + "/configs/" + config);
  return nlohmann::json::parse(topology::render_json(topology)).at("spec").dump();
}

TEST(OperationRoutes, BetweenADmaEngineAndItsSlice) {
  const OperationRoutes routes(spec_of("one_pe.yaml"));
  const auto reads = routes.with_memory("sip0.cube0.pe0.pe_dma", 0x2000000000, true);
  ASSERT_EQ(reads.size(), 3u);
  EXPECT_EQ(reads.front(), "sip0.cube0.hbm_ctrl.pe0") << "data of a read comes from the memory";
  EXPECT_EQ(reads.back(), "sip0.cube0.pe0.pe_dma");
  const auto writes = routes.with_memory("sip0.cube0.pe0.pe_dma", 0x2000000000, false);
  EXPECT_THAT(writes, ElementsAre(reads[2], reads[1], reads[0]));
  EXPECT_EQ(routes.with_memory("sip0.io0.pcie_ep", 0x2000000000, false).front(), "sip0.io0.pcie_ep");
}

TEST(OperationRoutes, AMessageCrossesCubes) {
  const OperationRoutes routes(spec_of("reference.yaml"));
  const auto route = routes.between_pes("sip0.cube0.pe0", "sip0.cube1.pe0");
  EXPECT_EQ(route.front(), "sip0.cube0.pe0.pe_dma");
  EXPECT_EQ(route.back(), "sip0.cube1.pe0.pe_dma");
  EXPECT_THAT(route, ::testing::Contains(::testing::StartsWith("sip0.cube1.ucie-W")));
}

TEST(OperationRoutes, WhatIsNotThere) {
  const OperationRoutes routes(spec_of("one_pe.yaml"));
  EXPECT_THROW(routes.with_memory("sip9.cube0.pe0.pe_dma", 0x2000000000, true), Error);
  EXPECT_THROW(routes.with_memory("sip0.cube0.pe0.pe_cpu", 0x2000000000, true), Error);
  EXPECT_THROW(routes.with_memory("sip0.cube0.pe0.pe_dma", 0x7000000000000, true), Error);
  EXPECT_THROW(OperationRoutes("{}"), Error);
}

}  // namespace
}  // namespace kb::analysis
