// What is kept of a kernel's reads of memory that was never written (P-77).
#include <gtest/gtest.h>

#include <memory>

#include "platform/data/data_engine.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

OpRecord load_of(std::uint64_t pa, std::uint32_t place, const char* kernel = "sum") {
  OpRecord op = test::record(CopyOp{CopyName::dma_read, {{pa, 2}}, {{64, 2}}}, 1, 0_fs, 0_fs, NodeId(3));
  op.kernel = kernel;
  op.call = "load";
  op.call_index = 5;
  op.place = {place};
  op.at = contract::SourceLine::here("sum.cpp", 7);
  return op;
}

TEST(UnwrittenReads, TheFirstOfEachPlaceIsKept) {
  for (DataMode mode : {DataMode::replay, DataMode::eager}) {
    MemoryStore memory;
    DataEngine::Options options;
    options.pe_name = [](NodeId node) { return "pe" + std::to_string(node.value); };
    DataEngine engine(mode, memory, options);
    engine.complete(test::record(
        WriteOp{WriteName::host_write, {{0, 4}}, {}, std::make_shared<const std::vector<std::byte>>(4), 0}));
    engine.complete(load_of(0, 1));
    engine.complete(load_of(3, 1));
    engine.complete(load_of(8, 1));  // at the same place
    engine.read({{128, 4}});         // by the host
    engine.complete(load_of(2, 2));
    engine.complete(load_of(9, 3, ""));  // by no kernel
    engine.complete(load_of(9, 3));
    engine.sync();
    const std::vector<DataEngine::Unwritten>& reads = engine.unwritten();
    ASSERT_EQ(reads.size(), 2u);
    EXPECT_EQ(reads[0].pa, 4u);
    EXPECT_EQ(reads[0].kernel, "sum");
    EXPECT_EQ(reads[0].call, "tl.load #5 at sum.cpp:7");
    EXPECT_EQ(reads[0].pe, "pe3");
    EXPECT_EQ(reads[1].pa, 9u);
    EXPECT_EQ(reads[1].place, account::PlaceId{3});
  }
}

}  // namespace
}  // namespace kb::data
