// Contents by the order in which a memory takes requests to the same bytes: data are applied when an operation ends
// (decision 0002), so that a read must not end before a write that came first, also when it is answered from the queue,
// and writes of the same bytes end in the order in which they came.
#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/data/data_engine.h"
#include "tests/block/cube/hbm_memory.h"

namespace kb::test {
namespace {

using payload::Op;
using payload::Transaction;
using testing::IsEmpty;

constexpr int kRequests = 200;
constexpr std::uint64_t kBursts = 4, kFound = 1 << 20;  // kFound: where reads of the data engines go
constexpr std::uint64_t kPitch = 8 * 256;               // to the next burst of a pseudo-channel

// Requests within one burst each, all to few bursts of two pseudo-channels of a channel.
struct Request {
  Transaction* transaction = nullptr;
  std::uint64_t first = 0, bytes = 0;
  int number = 0;          // of a write; its bytes have this value
  std::vector<int> least;  // by byte: the latest write that had come

  bool is_write() const { return transaction->op == Op::write; }
  // Where the data engines have what it wrote or read.
  std::vector<Extent> result() const { return {{is_write() ? first : kFound + transaction->id * 256, bytes}}; }
};

class ContentsOfHbm : public testing::TestWithParam<std::tuple<std::string, unsigned>> {
 protected:
  static Shape shape(const std::string& kind, std::mt19937& random) {
    Shape shape;
    shape.banked = kind != "plain";
    if (!shape.banked) return shape;
    shape.banks = {{"preset", std::string(random() % 2 == 0 ? "hbm3_6400" : "hbm2_vega")},
                   {"write_ack", kind},
                   {"write_entries", std::int64_t{random() % 2 == 0 ? 4 : 32}},
                   {"high", std::int64_t{4}},
                   {"low", std::int64_t{1}},
                   {"drain", std::string(random() % 4 == 0 ? "oldest" : "watermark")}};
    return shape;
  }
  void send(Memory& memory, std::mt19937& random) {
    TimeFs at = ns(10);
    for (int i = 0; i < kRequests; ++i) {
      const std::uint64_t burst = random() % kBursts, from = random() % 250;
      const std::uint64_t bytes = 1 + random() % (random() % 2 == 0 ? 40 : 256 - from) % (256 - from);
      const std::uint64_t first = burst / 2 * kPitch + burst % 2 * 256 + from;
      at += (1 + static_cast<std::int64_t>(random() % 12)) * ns(0.5);
      Transaction& t = random() % 2 == 0 ? memory.write(bytes, first, at, 0_fs) : memory.read(bytes, first, at);
      requests_[t.id] = {&t, first, bytes, 0, {}};
    }
  }
  Request& request(const Arrival& arrival) { return requests_.at(arrival.transaction); }

  // In the order in which requests come: numbers of writes, and what a read has to find.
  void come(Request& r) {
    if (r.is_write()) r.number = ++writes_;
    for (std::uint64_t byte = r.first; byte < r.first + r.bytes; ++byte) {
      if (r.is_write()) came_[byte] = r.number;
      r.least.push_back(came_[byte]);
    }
  }
  // In the order in which they end.
  void end(const Request& r) {
    for (std::uint64_t byte = r.first; byte < r.first + r.bytes; ++byte) {
      if (r.is_write()) {
        ASSERT_LT(ended_[byte], r.number) << "writes of byte " << byte << " end out of order";
        ended_[byte] = r.number;
      } else {
        ASSERT_GE(ended_[byte], r.least[byte - r.first]) << "a read misses a write of byte " << byte;
      }
    }
  }
  std::vector<std::byte> bytes_now(const Request& r) {
    std::vector<std::byte> out;
    for (std::uint64_t byte = r.first; byte < r.first + r.bytes; ++byte) {
      out.push_back(static_cast<std::byte>(ended_[byte]));
    }
    return out;
  }

  static void clear(data::DataEngine& engine) {
    data::OpRecord all;
    all.op = data::WriteOp{data::WriteName::host_write,
                           {{0, 2 * kPitch}},
                           {},
                           std::make_shared<const std::vector<std::byte>>(2 * kPitch),
                           0};
    engine.complete(std::move(all));
  }
  static data::OpRecord record(const Request& r) {
    data::OpRecord out;
    if (r.is_write()) {
      auto bytes = std::make_shared<const std::vector<std::byte>>(r.bytes, static_cast<std::byte>(r.number));
      out.op = data::WriteOp{data::WriteName::host_write, {{r.first, r.bytes}}, {}, bytes, 0};
    } else {
      out.op = data::CopyOp{data::CopyName::dma_read, {{r.first, r.bytes}}, r.result()};
    }
    return out;
  }

  std::map<std::uint64_t, Request> requests_;
  std::map<std::uint64_t, int> came_, ended_;  // by byte: the latest write that has come, that has ended
  int writes_ = 0;
};

TEST_P(ContentsOfHbm, AReadFindsTheWritesThatCameBeforeIt_CDRAM5) {
  std::mt19937 random(std::get<1>(GetParam()));
  Memory memory(shape(std::get<0>(GetParam()), random));
  send(memory, random);
  ASSERT_THAT(memory.fixture.run(), IsEmpty());
  for (const Arrival& arrival : memory.fixture.checker().arrivals(memory.router, memory.hbm)) come(request(arrival));
  data::MemoryStore replayed, computed;
  data::DataEngine replay(contract::DataMode::replay, replayed), eager(contract::DataMode::eager, computed);
  clear(replay);
  clear(eager);
  std::size_t ended = 0;
  for (const Arrival& arrival : memory.fixture.checker().arrivals(memory.hbm, memory.router)) {
    const Request& r = request(arrival);
    ASSERT_NO_FATAL_FAILURE(end(r));
    replay.complete(record(r));
    eager.complete(record(r));
    ASSERT_EQ(eager.read(r.result()), bytes_now(r));
    ASSERT_EQ(replay.read(r.result()), bytes_now(r));
    ++ended;
  }
  EXPECT_EQ(ended, requests_.size());
  EXPECT_EQ(ended_, came_);
}

INSTANTIATE_TEST_SUITE_P(Acknowledgements, ContentsOfHbm,
                         testing::Combine(testing::Values<std::string>("plain", "committed", "accepted"),
                                          testing::Range(0u, 8u)));

}  // namespace
}  // namespace kb::test
