// Classes of addresses beside the channels of every byte.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "platform/address/channel_stripe.h"
#include "sim/study/step/launch_key.h"

namespace kb::step {
namespace {

// Channels of all bursts of a tensor in all slices of a cube.
std::vector<std::uint32_t> channels(std::uint64_t offset, std::uint64_t bytes, const model::ArenaGeometry& geometry) {
  const address::ChannelStripe stripe(geometry.burst_bytes, geometry.channels, geometry.hash);
  std::vector<std::uint32_t> all;
  for (std::int64_t pe = 0; pe < geometry.pes_per_cube; ++pe) {
    for (std::uint64_t at = 0; at < bytes; at += geometry.burst_bytes) {
      all.push_back(stripe.channel_of(static_cast<std::uint64_t>(pe) * geometry.slice_bytes + offset + at));
    }
  }
  return all;
}

model::ArenaGeometry geometry(address::ChannelHash hash, std::uint64_t slice_bytes) {
  model::ArenaGeometry made;
  made.pes = made.pes_per_cube = 4;
  made.slice_bytes = slice_bytes;
  made.hash = hash;
  return made;
}

// M-93
RC_GTEST_PROP(AddressClass, TensorsOfOneClassMeetTheChannelsAlike, ()) {
  const auto hash = *rc::gen::element(address::ChannelHash::none, address::ChannelHash::folded);
  const std::uint64_t slice = *rc::gen::element<std::uint64_t>(1 << 20, 3 << 18);
  const model::ArenaGeometry where = geometry(hash, slice);
  const std::uint64_t bytes = where.period() * *rc::gen::inRange<std::uint64_t>(1, 20);
  const auto offset = [&] { return where.period() * *rc::gen::inRange<std::uint64_t>(0, 300); };
  const std::uint64_t a = offset(), b = offset();
  RC_PRE(address_class(a, bytes, where) == address_class(b, bytes, where));
  RC_ASSERT(channels(a, bytes, where) == channels(b, bytes, where));
}

TEST(AddressClass, WithoutAHashItIsTheOffsetInAPeriod_M93) {
  const model::ArenaGeometry where = geometry(address::ChannelHash::none, 1 << 20);
  EXPECT_EQ(address_class(0, 4096, where), address_class(2048, 4096, where));
  EXPECT_NE(address_class(0, 4096, where), address_class(256, 4096, where));
}

TEST(AddressClass, WithAHashEqualChannelsAreEnoughWhereNothingCarries_M93) {
  const model::ArenaGeometry where = geometry(address::ChannelHash::folded, 1 << 20);
  // 8 x 8 bursts of 256 bytes on, the next digit of the burst's number changes the channel.
  EXPECT_NE(address_class(0, 2048, where), address_class(1 << 14, 2048, where));
  EXPECT_EQ(address_class(0, 2048, where), address_class((1 << 14) + (1 << 17), 2048, where));
}

TEST(AddressClass, SlicesOfAnotherSizeMakeEveryOffsetAClass_M93) {
  const model::ArenaGeometry where = geometry(address::ChannelHash::folded, 3 << 10);
  EXPECT_NE(address_class(0, 4096, where), address_class(4096, 4096, where));
}

}  // namespace
}  // namespace kb::step
