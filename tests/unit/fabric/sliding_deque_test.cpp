#include "modules/fabric/sliding_deque.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <vector>

namespace kb::modules {
namespace {

// Replays operations on a SlidingDeque and on std::deque; more than `most` are popped.
void compare(const std::vector<std::uint32_t>& operations, std::size_t most) {
  SlidingDeque<std::uint32_t> queue;
  std::deque<std::uint32_t> oracle;
  for (const std::uint32_t operation : operations) {
    const std::uint32_t value = operation >> 8;
    const std::size_t position = oracle.empty() ? 0 : value % oracle.size();
    switch (operation % 8) {
      case 0:
        queue.push_front(value);
        oracle.push_front(value);
        break;
      case 1:
        queue.insert(position, value);
        oracle.insert(oracle.begin() + static_cast<std::ptrdiff_t>(position), value);
        break;
      case 2:
        if (oracle.empty()) break;
        queue.erase(position);
        oracle.erase(oracle.begin() + static_cast<std::ptrdiff_t>(position));
        break;
      case 3:
        if (oracle.empty()) break;
        queue.pop_back();
        oracle.pop_back();
        break;
      case 4:
        if (oracle.empty()) break;
        queue.push_back(queue[position]);  // an element of its own
        oracle.push_back(oracle[position]);
        break;
      default:
        queue.push_back() = value;
        oracle.push_back(value);
        break;
    }
    while (oracle.size() > most) {
      RC_ASSERT(queue.front() == oracle.front());
      queue.pop_front();
      oracle.pop_front();
    }
    RC_ASSERT(queue.size() == oracle.size());
    RC_ASSERT(queue.empty() == oracle.empty());
    for (std::size_t i = 0; i < oracle.size(); ++i) RC_ASSERT(queue[i] == oracle[i]);
    if (!oracle.empty()) RC_ASSERT(queue.back() == oracle.back());
  }
}

RC_GTEST_PROP(SlidingDeque, HoldsWhatADequeHolds, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(0, 400);
  const auto operations = *rc::gen::container<std::vector<std::uint32_t>>(length, rc::gen::arbitrary<std::uint32_t>());
  compare(operations, *rc::gen::element<std::size_t>(1, 3, 20, 400));
}

TEST(SlidingDeque, AShortQueueKeepsToTheSameMemory) {
  SlidingDeque<int> queue;
  for (int i = 0; i < 100; ++i) queue.push_back(i);
  for (int i = 0; i < 98; ++i) queue.pop_front();
  const int* lowest = nullptr;
  const int* highest = nullptr;
  for (int i = 0; i < 1000; ++i) {  // once around, it has settled
    const int* const place = &(queue.push_back() = i);
    queue.pop_front();
    if (i < 100) continue;
    lowest = lowest == nullptr ? place : std::min(lowest, place);
    highest = std::max(highest, place);
  }
  EXPECT_LT(highest - lowest, 16);
}

}  // namespace
}  // namespace kb::modules
