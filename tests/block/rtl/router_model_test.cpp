// The RTL of the router alone, on its pins.
#include "modules/rtl/router_model.h"

#include <gmock/gmock.h>

#include <vector>

namespace kb::test {
namespace {

using modules::IRouterModel;
using modules::RouterRunner;
using modules::RtlFlit;
using testing::ElementsAre;

struct Pins {
  explicit Pins(std::uint8_t fifo_depth) : router(modules::router_model(), true) {
    in.fifo_depth = fifo_depth;
    in.out_ready = 0xff;
    router.reset(fifo_depth);
  }
  void offer(std::uint32_t port, std::uint32_t out_port, std::uint64_t tag) {
    in.in_valid = static_cast<std::uint8_t>(in.in_valid | (1u << port));
    in.in_flit[port] = RtlFlit::pack(true, true, out_port, tag);
  }
  const IRouterModel::Outputs& clock() { return router.clock(in); }

  RouterRunner router;
  IRouterModel::Inputs in;
};

TEST(RouterModel, AFlitStandsAtItsOutputBehindTheSecondEdge) {
  Pins pins(4);
  pins.offer(1, 6, 42);
  EXPECT_EQ(pins.clock().taken, 0x02);
  pins.in.in_valid = 0;
  const IRouterModel::Outputs& out = pins.clock();
  EXPECT_EQ(out.out_valid, 0x40);
  EXPECT_EQ(out.out_flit[6], RtlFlit::pack(true, true, 6, 42));
  EXPECT_TRUE(out.busy);
  EXPECT_EQ(pins.clock().out_valid, 0);
  EXPECT_FALSE(pins.clock().busy);
}

TEST(RouterModel, AQueueTakesWhatItHasRoomFor) {
  for (const std::uint8_t depth : {1, 3, 16}) {
    Pins pins(depth);
    pins.in.out_ready = 0;
    int taken = 0;
    for (std::uint64_t i = 1; i <= 30; ++i) {
      pins.offer(0, 2, i);
      taken += pins.clock().taken;
    }
    EXPECT_EQ(taken, depth + 1);  // one stands at the output
  }
}

TEST(RouterModel, WhatIsNotReadyStays) {
  Pins pins(4);
  pins.in.out_ready = 0;
  pins.offer(0, 2, 7);
  pins.clock();
  pins.in.in_valid = 0;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(RtlFlit::tag(pins.clock().out_flit[2]), 7u);
  pins.in.out_ready = 0xff;
  EXPECT_EQ(pins.clock().out_valid, 0);
}

TEST(RouterModel, InputsTakeTurns) {
  Pins pins(4);
  std::vector<std::uint64_t> order;
  for (int i = 0; i < 8; ++i) {
    for (const std::uint32_t port : {0u, 3u, 7u}) pins.offer(port, 5, port + 1);
    const IRouterModel::Outputs& out = pins.clock();
    if (out.out_valid != 0) order.push_back(RtlFlit::tag(out.out_flit[5]) - 1);
  }
  EXPECT_THAT(order, ElementsAre(0, 3, 7, 0, 3, 7, 0));
}

TEST(RouterModel, OutputsDoNotDisturbEachOther) {
  Pins pins(4);
  for (std::uint32_t port = 0; port < IRouterModel::kPorts; ++port) pins.offer(port, 7 - port, port + 1);
  EXPECT_EQ(pins.clock().taken, 0xff);
  pins.in.in_valid = 0;
  const IRouterModel::Outputs& out = pins.clock();
  EXPECT_EQ(out.out_valid, 0xff);
  for (std::uint32_t port = 0; port < IRouterModel::kPorts; ++port)
    EXPECT_EQ(RtlFlit::tag(out.out_flit[port]), 8u - port);
}

}  // namespace
}  // namespace kb::test
