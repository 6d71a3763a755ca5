// Places of commands: the line, the call, the range and the tensor that they belong to.
#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/tl/recording_pe.h"
#include "kernels/tl/tl.h"
#include "platform/account/place.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/tensor_layout.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using contract::Command;
using testing::ElementsAre;
using tl::Context;
using tl::TensorHandle;

// Keeps the place of every command as text: "line call range tensor".
struct PlacedPe final : contract::IPe {
  contract::PeInfo info_ = tl::RecordingPe::default_info();
  account::PlaceTable places;
  std::vector<std::string> commands;
  std::vector<Command> submitted;
  std::vector<std::string> waits;
  std::size_t asked = 0;

  const contract::PeInfo& info() const override { return info_; }
  void execute(const Command& command) override { commands.push_back(text(command.place)); }
  Ticket submit(const Command& command) override {
    execute(command);
    submitted.push_back(command);
    return submitted.size();
  }
  void wait(Ticket, account::PlaceId at) override { waits.push_back(text(at)); }
  std::size_t wait_any(const std::vector<Ticket>&, account::PlaceId at) override {
    waits.push_back(text(at));
    return 0;
  }
  account::PlaceId place(const contract::SourceLine& line, const char* call, account::RangeId range,
                         const contract::TensorLayout* tensor) override {
    ++asked;
    EXPECT_NE(std::string(line.file()).find("tl_places_test.cpp"), std::string::npos) << line.file();
    account::Place place;
    place.line = static_cast<std::uint32_t>(line.line());
    place.call = places.name(call);
    place.range = range;
    if (tensor != nullptr) place.tensor = places.name(tensor->name);
    return places.intern(place);
  }
  account::RangeId range(account::RangeId outer, std::string_view name) override { return places.range(outer, name); }
  void write_scratch(std::uint64_t, Dtype, std::vector<std::byte>) override {}
  std::vector<std::byte> read(const std::vector<Extent>& extents) override {
    return std::vector<std::byte>(total_bytes(extents));
  }

  std::string text(account::PlaceId id) const {
    const account::Place& place = places[id];
    return std::to_string(place.line) + ' ' + places[place.call] + ' ' + places.path(place.range) + ' ' +
           places[place.tensor];
  }
};

std::string at(int line, const std::string& call, const std::string& range = "", const std::string& tensor = "") {
  return std::to_string(line) + ' ' + call + ' ' + range + ' ' + tensor;
}

struct TlPlaces : ::testing::Test {
  PlacedPe pe;
  Context tl{pe, "demo"};
  LayoutPtr a = whole("a", Dtype::f16, {64, 64}, 0x100000), b = whole("b", Dtype::f16, {64, 64}, 0x200000);
  tl::Ptr x{*a}, y{*b};
};

TEST_F(TlPlaces, EachCallHasItsLineAndATransferItsTensor) {
  // clang-format off
  const int first = __LINE__ + 1;
  const TensorHandle one = tl.load(x, {16, 16});
  const TensorHandle two = tl.load(y, {16, 16});
  tl.store(x, tl.dot(one, two, Dtype::f16));
  tl.wait(tl.load_async(y, {16, 16}));
  tl.barrier();
  tl.cycles(5);
  // clang-format on
  EXPECT_THAT(pe.commands, ElementsAre(at(first, "load", "", "a"), at(first + 1, "load", "", "b"), at(first + 2, "dot"),
                                       at(first + 2, "store", "", "a"), at(first + 3, "load_async", "", "b"),
                                       at(first + 4, "barrier"), at(first + 5, "cycles")));
  EXPECT_THAT(pe.waits, ElementsAre(at(first + 3, "wait")));
}

TEST_F(TlPlaces, OperatorsHaveTheLineOfTheirOperation) {
  TensorHandle value = tl.load(x, {16, 16});
  pe.commands.clear();
  // clang-format off
  const int first = __LINE__ + 1;
  TensorHandle sum = value + 1.0;
  sum = 2.0 * sum - value;
  sum = -sum;
  sum += value;
  sum /= 4.0;
  sum = tl.exp(sum);
  // clang-format on
  EXPECT_THAT(pe.commands,
              ElementsAre(at(first, "add"), at(first + 1, "mul"), at(first + 1, "sub"), at(first + 2, "neg"),
                          at(first + 3, "add"), at(first + 4, "div"), at(first + 5, "exp")));
}

// A helper that takes a SourceLine gives its callers the time.
TensorHandle square(Context& tl, const TensorHandle& value, tl::SourceLine at = tl::SourceLine::here()) {
  return tl.mul(value, value, at);
}

TEST_F(TlPlaces, AHelperPassesItsCallersLineOn) {
  const TensorHandle value = tl.load(x, {16, 16});
  pe.commands.clear();
  const int line = __LINE__ + 1;
  square(tl, value);
  EXPECT_THAT(pe.commands, ElementsAre(at(line, "mul")));
}

TEST_F(TlPlaces, OperandsOfACompositeAreTheirTensors) {
  const LayoutPtr bias = whole("bias", Dtype::f16, {16}, 0x300000),
                  rest = whole("rest", Dtype::f16, {16, 16}, 0x400000);
  const LayoutPtr c = whole("c", Dtype::f16, {16, 16}, 0x500000);
  tl::CompositeOptions options;
  options.epilogue = {tl::Epilogue::bias(tl.ref(tl::Ptr(*bias), {16})),
                      tl::Epilogue::math(MathOp::add, tl.ref(tl::Ptr(*rest), {16, 16}))};
  const int line = __LINE__ + 1;
  tl.wait(tl.composite(tl.ref(x, {16, 16}), tl.ref(y, {16, 16}), tl::Ptr(*c), options));
  ASSERT_EQ(pe.submitted.size(), 1u);
  const Command& command = pe.submitted[0];
  EXPECT_EQ(pe.text(command.place), at(line, "composite"));
  EXPECT_EQ(pe.text(command.operand_places[0]), at(line, "composite", "", "a"));
  EXPECT_EQ(pe.text(command.operand_places[1]), at(line, "composite", "", "b"));
  EXPECT_EQ(pe.text(command.operand_places[2]), at(line, "composite", "", "c"));
  ASSERT_EQ(command.epilogue_places.size(), 2u);
  EXPECT_EQ(pe.text(command.epilogue_places[0][0]), at(line, "composite", "", "bias"));
  EXPECT_EQ(pe.text(command.epilogue_places[1][0]), at(line, "composite", "", "rest"));
}

TEST_F(TlPlaces, APrefetchHasItsOwnLineAndTheLoadWaitsAtItsOwn) {
  const int line = __LINE__ + 1;
  tl.prefetch(x, {16, 16});
  tl.load(x, {16, 16});
  EXPECT_THAT(pe.commands, ElementsAre(at(line, "prefetch", "", "a")));
  EXPECT_THAT(pe.waits, ElementsAre(at(line + 1, "load")));
}

TEST_F(TlPlaces, RangesNestAndEndWithTheirScope) {
  const int line = __LINE__ + 2;
  for (int layer = 0; layer < 2; ++layer) {
    const auto outer = tl.range("layer " + std::to_string(layer));
    tl.cycles(1);
    const auto inner = tl.range("gather h");
    tl.cycles(1);
  }
  tl.cycles(1);
  EXPECT_THAT(pe.commands, ElementsAre(at(line + 1, "cycles", "layer 0"), at(line + 3, "cycles", "layer 0 / gather h"),
                                       at(line + 1, "cycles", "layer 1"), at(line + 3, "cycles", "layer 1 / gather h"),
                                       at(line + 5, "cycles")));
  EXPECT_EQ(pe.places.ranges(), 5u);
  EXPECT_NO_THROW(tl.finish());
}

TEST_F(TlPlaces, ThePeIsAskedOnceForAPlace) {
  for (int i = 0; i < 100; ++i) tl.load_into(tl.empty({1}), x);
  EXPECT_EQ(pe.asked, 1u);
}

TEST_F(TlPlaces, RangesThatAreNotClosedAreErrors) {
  std::optional<tl::Range> open;
  open.emplace(tl, "first layer");
  expect_program_error([&] { tl.finish(); }, "KERNEL_ERROR",
                       {"kernel demo", "tl.range(\"first layer\") is still open at the end", "local variable"});
  open.reset();
  EXPECT_NO_THROW(tl.finish());
  expect_program_error([&] { static_cast<void>(tl.range("")); }, "KERNEL_ERROR", {"tl.range needs a name"});
}

TEST_F(TlPlaces, RangesClosedInTheWrongOrderAreErrors) {
  std::optional<tl::Range> outer;
  outer.emplace(tl, "outer");
  const auto inner = tl.range("inner");
  outer.reset();
  expect_program_error([&] { tl.cycles(1); }, "KERNEL_ERROR",
                       {"a range was closed before tl.range(\"inner\"), which was opened inside it"});
}

}  // namespace
}  // namespace kb::tests
