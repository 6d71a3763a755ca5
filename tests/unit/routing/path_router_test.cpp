#include "platform/routing/path_router.h"

#include <gtest/gtest.h>

#include "tests/unit/routing/machines.h"

namespace kb {
namespace {
TEST(PathRouter, X) {
  auto g = test::reference_like(2, 4, 4);
  routing::PathRouter r(g);
  for (auto& n : test::names(g, r.find_path(test::node(g, "sip0.cube0.pe0.pe_dma"), test::node(g, "sip0.cube0.hbm_ctrl.pe2")).nodes)) std::cout << n << "\n";
  for (auto& n : test::names(g, r.find_path(test::node(g, "sip0.cube0.pe0.pe_dma"), test::node(g, "sip1.cube15.hbm_ctrl.pe7")).nodes)) std::cout << n << "\n";
  for (auto& n : test::names(g, r.find_path(test::node(g, "sip0.cube0.pe0.pe_dma"), test::node(g, "sip0.cube1.hbm_ctrl.pe2")).nodes)) std::cout << n << "\n";
  for (auto& n : test::names(g, r.find_path(test::node(g, "sip0.cube5.pe2.pe_dma"), test::node(g, "sip0.cube9.hbm_ctrl.pe2")).nodes)) std::cout << n << "\n";
}
}  // namespace
}  // namespace kb
