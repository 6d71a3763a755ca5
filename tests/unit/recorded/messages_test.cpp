// Sends, copies and receives become messages.
#include "sim/analysis/recorded/messages.h"

#include <gtest/gtest.h>

#include <utility>

namespace kb::analysis {
namespace {

using data::MessageStep;
using Kind = MessageStep::Kind;

MessageStep step(Kind kind, std::int64_t component, std::int64_t start, std::int64_t end, std::string source,
                 std::string destination, std::int64_t sequence) {
  return {kind, component, start, end, std::move(source), std::move(destination), sequence, 64, "E"};
}

TEST(Messages, StepsOfOneMessageAreFoundByAddressAndNumber) {
  // Two messages through one slot, the second sent before the first is received.
  const std::vector<Message> messages = match_messages({
      step(Kind::receive, 2, 0, 35, "slot", "m", 0),
      step(Kind::send, 1, 10, 10, "tcm", "wire", 0),
      step(Kind::send, 1, 20, 20, "tcm", "wire", 1),
      step(Kind::copy, 2, 29, 30, "wire", "slot", 0),
      step(Kind::copy, 2, 39, 40, "wire", "slot", 1),
      step(Kind::receive, 2, 50, 51, "slot", "m", 1),
  });
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].sender, 1);
  EXPECT_EQ(messages[0].receiver, 2);
  EXPECT_EQ(messages[0].sent_fs, 10);
  EXPECT_EQ(messages[0].arrived_fs, 30);
  EXPECT_EQ(messages[0].awaited_fs, 0) << "the receiver was there first";
  EXPECT_EQ(messages[0].received_fs, 35);
  EXPECT_EQ(messages[1].sent_fs, 20);
  EXPECT_EQ(messages[1].arrived_fs, 40);
  EXPECT_EQ(messages[1].awaited_fs, 50) << "it lay in the slot";
  EXPECT_EQ(messages[1].bytes, 64);
  EXPECT_EQ(messages[1].direction, "E");
}

TEST(Messages, ANumberThatIsUsedAgainIsTakenInOrder) {
  const std::vector<Message> messages = match_messages({
      step(Kind::send, 1, 10, 10, "tcm", "wire", 0),
      step(Kind::send, 1, 20, 20, "tcm", "wire", 0),
      step(Kind::copy, 2, 29, 30, "wire", "slot", 0),
      step(Kind::copy, 2, 39, 40, "wire", "slot", 0),
  });
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].arrived_fs, 30);
  EXPECT_EQ(messages[1].arrived_fs, 40);
}

TEST(Messages, WhatIsCutOffStaysOpen) {
  const std::vector<Message> messages = match_messages({
      step(Kind::copy, 2, 1, 2, "wire", "slot", 7),
      step(Kind::send, 1, 5, 5, "tcm", "wire", 8),
  });
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].sender, -1);
  EXPECT_EQ(messages[0].arrived_fs, 2);
  EXPECT_EQ(messages[1].sender, 1);
  EXPECT_EQ(messages[1].arrived_fs, -1);
  EXPECT_EQ(messages[1].received_fs, -1);
}

}  // namespace
}  // namespace kb::analysis
