#include "platform/address/channel_stripe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace kb::address {

void PrintTo(const ChannelPart& part, std::ostream* out) {
  *out << "channel " << part.channel << " at " << part.offset << ", " << part.nbytes << " B";
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<ChannelPart> split(const ChannelStripe& stripe, std::uint64_t offset, std::uint64_t nbytes) {
  std::vector<ChannelPart> parts;
  stripe.split(offset, nbytes, parts);
  return parts;
}

// 4 KiB on 4, 8 and 16 channels.
TEST(ChannelStripe, AnAlignedAccessHasEqualPartsOnAllChannels) {
  for (const std::uint32_t channels : {4u, 8u, 16u}) {
    const std::vector<ChannelPart> parts = split({256, channels}, 0, 4096);
    ASSERT_EQ(parts.size(), channels);
    for (std::uint32_t i = 0; i < channels; ++i) {
      EXPECT_EQ(parts[i], (ChannelPart{i, std::uint64_t{i} * 256, 4096 / channels}));
    }
  }
}

TEST(ChannelStripe, PartsBeginWhereTheAccessBegins) {
  const ChannelStripe stripe(256, 4);
  EXPECT_THAT(split(stripe, 3 * 256 + 100, 512),
              ElementsAre(ChannelPart{3, 868, 156}, ChannelPart{0, 1024, 256}, ChannelPart{1, 1280, 100}));
  EXPECT_THAT(split(stripe, 100, 4 * 256),  // head and tail share a channel
              ElementsAre(ChannelPart{0, 100, 256}, ChannelPart{1, 256, 256}, ChannelPart{2, 512, 256},
                          ChannelPart{3, 768, 256}));
  EXPECT_THAT(split(stripe, 7, 1), ElementsAre(ChannelPart{0, 7, 1}));
  EXPECT_THAT(split(stripe, 7, 0), IsEmpty());
}

// bursts at a pitch of the channel count, of its square and of both.
TEST(ChannelStripe, AHashSpreadsPowerOfTwoPitches) {
  for (const std::uint64_t pitch : {8u, 64u, 512u}) {
    const ChannelStripe plain(256, 8), hashed(256, 8, ChannelHash::folded);
    std::set<std::uint32_t> of_plain, of_hashed;
    for (std::uint64_t i = 0; i < 8; ++i) {
      of_plain.insert(plain.channel_of_burst(i * pitch));
      of_hashed.insert(hashed.channel_of_burst(i * pitch));
    }
    EXPECT_EQ(of_plain.size(), 1u) << pitch;
    EXPECT_EQ(of_hashed.size(), 8u) << pitch;
  }
}

RC_GTEST_PROP(ChannelStripe, AnAlignedGroupHasOneBurstOnEachChannel, ()) {
  const auto channels = *rc::gen::element<std::uint32_t>(1, 2, 8, 64);
  const auto group = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 34);
  const ChannelStripe stripe(256, channels, ChannelHash::folded);
  std::set<std::uint32_t> seen;
  for (std::uint64_t i = 0; i < channels; ++i) {
    const std::uint64_t burst = group * channels + i;
    std::uint64_t digits = 0;
    for (std::uint64_t rest = burst; channels > 1 && rest > 0; rest /= channels) digits ^= rest % channels;
    RC_ASSERT(stripe.channel_of_burst(burst) == digits);
    seen.insert(stripe.channel_of_burst(burst));
  }
  RC_ASSERT(seen.size() == channels);
}

// The oracle looks at every byte.
RC_GTEST_PROP(ChannelStripe, EveryByteIsOnItsOneChannel, ()) {
  const auto channels = *rc::gen::element<std::uint32_t>(1, 4, 8, 16, 6);
  const bool folded = channels != 6 && *rc::gen::inRange(0, 2) == 1;
  const auto granule = *rc::gen::element<std::uint64_t>(1, 64, 256, 512);
  const ChannelStripe stripe(granule, channels, folded ? ChannelHash::folded : ChannelHash::none);
  const std::uint64_t offset = *rc::gen::inRange<std::uint64_t>(0, 40) * granule * *rc::gen::inRange(0, 2) +
                               *rc::gen::inRange<std::uint64_t>(0, 3 * granule);
  const std::uint64_t nbytes = *rc::gen::oneOf(
      rc::gen::inRange<std::uint64_t>(0, 4 * granule), rc::gen::inRange<std::uint64_t>(0, 5 * channels * granule + 1),
      rc::gen::map(rc::gen::inRange<std::uint64_t>(0, 40), [=](std::uint64_t n) { return n * granule; }));
  struct Seen {
    std::uint64_t first, count;
  };
  std::map<std::uint32_t, Seen> bytes;
  std::set<std::pair<std::uint32_t, std::uint64_t>> places;  // no two bytes on one byte of a channel
  for (std::uint64_t o = offset; o < offset + nbytes; ++o) {
    const std::uint64_t chunk = o / granule;
    const std::uint32_t channel = stripe.channel_of_burst(chunk);
    RC_ASSERT(places.insert({channel, chunk / channels * granule + o % granule}).second);
    ++bytes.insert({channel, {o, 0}}).first->second.count;
  }
  const std::vector<ChannelPart> parts = split(stripe, offset, nbytes);
  RC_ASSERT(parts.size() == bytes.size());
  for (const ChannelPart& part : parts) {
    RC_ASSERT(bytes.count(part.channel) == 1u);
    RC_ASSERT(part.offset == bytes.at(part.channel).first);
    RC_ASSERT(part.nbytes == bytes.at(part.channel).count);
    RC_ASSERT(stripe.channel_of(part.offset) == part.channel);
    bytes.erase(part.channel);
  }
  const auto in_order = [](const ChannelPart& a, const ChannelPart& b) { return a.offset < b.offset; };
  RC_ASSERT(std::is_sorted(parts.begin(), parts.end(), in_order));
}

}  // namespace
}  // namespace kb::address
