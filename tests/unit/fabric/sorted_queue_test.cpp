#include "modules/fabric/sorted_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace kb::modules {
namespace {

struct Item {
  int key = 0;
  int number = 0;
};
struct ByKey {
  int operator()(const Item& item) const { return item.key; }
};
using Queue = SortedQueue<Item, ByKey>;

// Short and long queues, equal keys, insertions at both ends, removal from the middle.
TEST(SortedQueue, EqualsAMultimap) {
  std::mt19937 random(5);
  const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  for (const int range : {10, 3000, 1'000'000}) {
    Queue queue;
    std::multimap<int, int> expected;
    for (int step = 0; step < 20'000; ++step) {
      const bool grows = step / 4000 % 2 == 0;
      if (expected.empty() || pick(10) < (grows ? 8 : 2)) {
        const Item item{pick(range), step};
        queue.insert(item);
        expected.emplace(item.key, item.number);
      } else if (pick(10) == 0) {
        const Item item{expected.begin()->first - 1, step};
        queue.insert_from_front(item);
        expected.emplace(item.key, item.number);
      } else if (pick(50) == 0) {
        auto victim = expected.begin();
        std::advance(victim, pick(static_cast<int>(expected.size())));
        const auto visit = [&](const Item& item) {
          return item.number == victim->second ? Visit::erase_and_stop : Visit::go_on;
        };
        if (pick(2) == 0) {
          queue.visit_backwards(visit);
        } else {
          queue.visit_backwards_below(victim->first + 1 + pick(2), visit);
        }
        expected.erase(victim);
      } else {
        ASSERT_EQ(queue.front().number, expected.begin()->second);
        queue.pop_front();
        expected.erase(expected.begin());
      }
      ASSERT_EQ(queue.size(), expected.size());
      ASSERT_GE(queue.near_size(), std::min(expected.size(), Queue::kLeastNear));
    }
    auto next = expected.begin();
    queue.for_each([&](const Item& item) { EXPECT_EQ(item.number, next++->second); });
  }
}

// However deep the queue: some elements from the limit on, not all that lie behind it.
TEST(SortedQueue, WhatLiesBehindALimitCostsNothing) {
  constexpr int kDeep = 200'000;
  static int keys_read;
  struct CountedKey {
    int operator()(const Item& item) const {
      ++keys_read;
      return item.key;
    }
  };
  using Counted = SortedQueue<Item, CountedKey>;
  Counted queue;
  for (int i = 0; i < kDeep; ++i) queue.insert({i, i});
  for (const int limit : {1, 100, 400, 1000, 100'000, kDeep}) {
    keys_read = 0;
    std::vector<int> seen;
    queue.visit_backwards_below(limit, [&](const Item& item) {
      seen.push_back(item.number);
      return seen.size() == 3 ? Visit::stop : Visit::go_on;
    });
    ASSERT_EQ(seen.front(), limit - 1);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(std::min(limit, 3)));
    EXPECT_LE(keys_read, 24) << "limit " << limit;
  }
}

}  // namespace
}  // namespace kb::modules
