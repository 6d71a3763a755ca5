#include "modules/fabric/sorted_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

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
        queue.visit_backwards([&](const Item& item) {
          return item.number == victim->second ? Queue::Visit::erase_and_stop : Queue::Visit::go_on;
        });
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

}  // namespace
}  // namespace kb::modules
