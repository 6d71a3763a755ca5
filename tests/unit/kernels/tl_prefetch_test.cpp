// Prefetches and what happens to them between their call and the load: no load gives what was there before a write.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "kernels/tl/recording_pe.h"
#include "kernels/tl/tl.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/tensor_layout.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using contract::Command;
using contract::CommandKind;
using testing::ElementsAre;
using testing::IsEmpty;
using tl::Context;
using tl::Future;
using tl::TensorHandle;

// Counts commands; its memory is mapped by `map`.
struct MappedPe final : contract::IPe {
  contract::PeInfo info_ = tl::RecordingPe::default_info();
  std::vector<Command> executed, submitted;
  std::vector<Ticket> waits, abandoned;
  std::function<std::uint64_t(std::uint64_t)> map = [](std::uint64_t pa) { return pa; };

  const contract::PeInfo& info() const override { return info_; }
  void execute(const Command& command) override { executed.push_back(command); }
  Ticket submit(const Command& command) override {
    submitted.push_back(command);
    return submitted.size();
  }
  void wait(Ticket ticket, account::PlaceId) override { waits.push_back(ticket); }
  void abandon(Ticket ticket) override { abandoned.push_back(ticket); }
  std::vector<Extent> physical(const std::vector<Extent>& extents) const override {
    std::vector<Extent> out;
    for (const Extent& extent : extents) out.push_back({map(extent.pa), extent.nbytes});
    return out;
  }
  void write_scratch(std::uint64_t, Dtype, std::vector<std::byte>) override {}
  std::vector<std::byte> read(const std::vector<Extent>& extents) override {
    return std::vector<std::byte>(total_bytes(extents));
  }
};

using Write = std::function<void()>;

// A tile of 16 x 16 in a matrix of 64 columns, and another one of the same size behind it.
struct TlPrefetch : ::testing::Test {
  MappedPe pe;
  Context tl{pe, "demo"};
  LayoutPtr a = whole("a", Dtype::f16, {64, 64}, 0x100000), b = whole("b", Dtype::f16, {64, 64}, 0x200000);
  tl::Ptr x{*a}, y{*b};

  // Whether the load after the write takes the prefetch.
  bool kept(const Write& write) {
    tl.wait();  // a write under way would drop it, too
    pe.abandoned.clear();
    tl.prefetch(x, {16, 16}, Dtype::f16, 64);
    const contract::IPe::Ticket ticket = pe.submitted.size();
    write();
    const auto loads = [&] {
      return std::count_if(pe.executed.begin(), pe.executed.end(),
                           [](const Command& command) { return command.kind == CommandKind::dma_read; });
    };
    const auto before = loads();
    tl.load(x, {16, 16}, Dtype::f16, 64);
    const bool taken = loads() == before;
    // It was given up once, or never.
    EXPECT_EQ(std::count(pe.abandoned.begin(), pe.abandoned.end(), ticket), taken ? 0 : 1);
    return taken;
  }
};

TEST_F(TlPrefetch, EveryOwnWriteToItsBytesDropsIt) {
  const std::vector<std::int64_t> rows{5, 2};
  const std::vector<bool> mask{false, true, false, true};
  const std::pair<const char*, Write> writes[] = {
      {"store", [&] { tl.store(x + 70, tl.zeros({4})); }},
      {"strided store",
       [&] {
         tl.store(x + 8, tl.zeros({2, 8}), 64);
       }},
      {"masked store", [&] { tl.store(x, tl.zeros({4}), mask); }},
      {"scatter",
       [&] {
         tl.scatter(x, rows, tl.zeros({2, 64}));
       }},
      {"addition", [&] { tl.atomic_add(x + 64, tl.zeros({4})); }},
      {"addition by rows",
       [&] {
         tl.atomic_add(x, rows, tl.zeros({2, 64}));
       }},
      {"store of another type", [&] { tl.store(x.as(Dtype::i8) + 31, tl.zeros({1}, Dtype::i8)); }},
      {"async store", [&] { tl.store_async(x, tl.zeros({4})); }},
      {"async masked store", [&] { tl.store_async(x, tl.zeros({4}), mask); }},
      {"async scatter",
       [&] {
         tl.scatter_async(x, rows, tl.zeros({2, 64}));
       }},
      {"async addition", [&] { tl.atomic_add_async(x, tl.zeros({4})); }},
      {"async addition by rows",
       [&] {
         tl.atomic_add_async(x, rows, tl.zeros({2, 64}));
       }},
      {"composite product",
       [&] {
         tl.composite(tl.ref(y, {16, 16}), tl.ref(y, {16, 64}), x);
       }},
      {"composite",
       [&] {
         tl.composite(MathOp::relu, tl.ref(y, {16, 64}), x);
       }},
      {"receive into it", [&] { tl.recv_into("E", x, {4}); }},
      {"async receive into it", [&] { tl.recv_async("E", x, {4}); }},
  };
  for (const auto& [name, write] : writes) EXPECT_FALSE(kept(write)) << name;
}

TEST_F(TlPrefetch, WhatOtherPesMayHaveWrittenDropsIt) {
  const std::pair<const char*, Write> meetings[] = {
      {"barrier", [&] { tl.barrier(); }},
      {"recv", [&] { tl.recv("E", {4}); }},
      {"recv_any", [&] { tl.recv_any({4}); }},
      {"recv_into", [&] { tl.recv_into("E", tl.zeros({4})); }},
      {"recv_no_consume", [&] { tl.recv_no_consume("E", {4}); }},
      {"recv_async", [&] { tl.recv_async("E", {4}); }},
      {"wait", [&] { tl.wait(); }},
  };
  for (const auto& [name, meet] : meetings) EXPECT_FALSE(kept(meet)) << name;
}

TEST_F(TlPrefetch, NothingElseDropsIt) {
  const std::pair<const char*, Write> calls[] = {
      {"store behind it", [&] { tl.store(x + (15 * 64 + 16), tl.zeros({4})); }},
      {"store between its rows", [&] { tl.store(x + 16, tl.zeros({48})); }},
      {"store of the column beside it",
       [&] {
         tl.store(x + 16, tl.zeros({16, 1}), 64);
       }},
      {"store to another tensor",
       [&] {
         tl.store(y, tl.zeros({16, 64}));
       }},
      {"scatter to other rows",
       [&] {
         tl.scatter(x, std::vector<std::int64_t>{16, 63}, tl.zeros({2, 64}));
       }},
      {"mask without its elements",
       [&] {
         tl.store(x + 15, tl.zeros({2}), std::vector<bool>{false, true});
       }},
      {"composite into scratch",
       [&] {
         tl.composite(MathOp::relu, tl.ref(y, {16, 64}), tl.empty({16, 64}));
       }},
      {"load of it", [&] { tl.load(x, {4}); }},
      {"send of it", [&] { tl.send("E", x, {4}); }},
      {"computing", [&] { tl.exp(tl.zeros({4})); }},
      {"cycles", [&] { tl.cycles(10); }},
      {"wait for one", [&] { tl.wait(tl.load_async(x + 64, {4})); }},
      {"wait for any", [&] { tl.wait_any({tl.load_async(x + 64, {4})}); }},
  };
  for (const auto& [name, call] : calls) EXPECT_TRUE(kept(call)) << name;
}

TEST_F(TlPrefetch, OneByteIsEnough) {
  const auto store = [&](std::int64_t element, std::int64_t count) {
    return [=] { tl.store(x + element, tl.zeros({count})); };
  };
  EXPECT_FALSE(kept(store(15 * 64 + 15, 1)));  // its last element
  EXPECT_TRUE(kept(store(15 * 64 + 16, 1)));
  EXPECT_FALSE(kept(store(48, 17)));  // up to the first element of the second row
  EXPECT_TRUE(kept(store(48, 16)));
}

// Two tensors over the same memory, as virtual and logical addresses allow.
TEST_F(TlPrefetch, BytesAreComparedByPhysicalAddresses) {
  auto virtual_a = std::make_shared<contract::TensorLayout>(*a),
       virtual_b = std::make_shared<contract::TensorLayout>(*b);
  virtual_a->va_base = std::uint64_t{1} << 62 | 0x1000;
  virtual_b->va_base = std::uint64_t{1} << 62 | 0x9000'0000;
  x = tl::Ptr(*virtual_a);
  const tl::Ptr other(*virtual_b);
  const Write store = [&] { tl.store(other + 64, tl.zeros({4})); };
  EXPECT_TRUE(kept(store));
  pe.map = [&](std::uint64_t address) {  // the second one lies over the first one
    return address >= *virtual_b->va_base ? address - *virtual_b->va_base + *virtual_a->va_base : address;
  };
  EXPECT_FALSE(kept(store));
}

// The write may come after what the prefetch reads, although it was called before.
TEST_F(TlPrefetch, AWriteUnderWayIsNotOvertaken) {
  const Future store = tl.store_async(x + 64, tl.zeros({4}));
  tl.prefetch(x, {16, 16});
  EXPECT_THAT(pe.abandoned, ElementsAre(2));
  tl.wait(store);
  tl.load(x, {16, 16});
  EXPECT_EQ(pe.executed.size(), 1u);
  tl.prefetch(x, {16, 16});  // the store has ended
  tl.load(x, {16, 16});
  EXPECT_EQ(pe.executed.size(), 1u);
  tl.composite(MathOp::relu, tl.ref(y, {16, 64}), x);
  tl.prefetch(x, {16, 16});
  tl.load(x, {16, 16});
  EXPECT_EQ(pe.executed.size(), 2u);
}

TEST_F(TlPrefetch, OnlyWhatIsWrittenIsDropped) {
  tl.prefetch(x, {16, 64});
  tl.prefetch(x + 16 * 64, {16, 64});
  tl.prefetch(x, {8, 64});
  tl.store(x + 10 * 64, tl.zeros({64}));
  EXPECT_THAT(pe.abandoned, ElementsAre(1));
  pe.executed.clear();
  tl.load(x + 16 * 64, {16, 64});
  tl.load(x, {8, 64});
  EXPECT_THAT(pe.executed, IsEmpty());
  tl.load(x, {16, 64});
  EXPECT_EQ(pe.executed.size(), 1u);
}

// Nobody else can wait for a prefetch that was dropped or whose scope has ended.
TEST_F(TlPrefetch, ItsScratchIsUsedAgainWhenItHasEnded) {
  for (int i = 0; i < 2; ++i) {
    const tl::Scratch scope(tl);
    tl.prefetch(x, {16, 16});
    tl.store(x, tl.zeros({16}));
    EXPECT_EQ(pe.waits.size(), static_cast<std::size_t>(i));
    tl.load(x, {16, 16});
  }
  EXPECT_THAT(pe.waits, ElementsAre(1));  // when the second one takes its room
  EXPECT_THAT(pe.abandoned, testing::Contains(1));
  const tl::Scratch scope(tl);
  tl.zeros({16});
  EXPECT_THAT(pe.waits, ElementsAre(1, 2));
}

TEST_F(TlPrefetch, WhatIsNeverLoadedIsGivenUp) {
  tl.prefetch(x, {16});
  tl.finish();
  EXPECT_THAT(pe.abandoned, ElementsAre(1));
}

}  // namespace
}  // namespace kb::tests
