#include "sw/tensor/tensor.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "platform/contract/data_mode.h"
#include "platform/contract/tensor_layout.h"
#include "platform/ops/op_types.h"
#include "sw/runtime/runtime.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::any_kernel;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

DPPolicy policy(Split cube, Split pe) {
  DPPolicy p;
  p.cube = cube;
  p.pe = pe;
  return p;
}

HostArray counting(const Shape& shape, Dtype dtype) {
  std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 100);
  return HostArray::from_doubles(shape, dtype, values);
}

class TensorTest : public ::testing::Test {
 protected:
  FakeHost host;
  Runtime rt{host, &any_kernel};
};

TEST_F(TensorTest, CopyAndReadBackForEveryPlacementAndDtype) {  // H-29, K-40
  for (const Split cube : {Split::replicate, Split::column_wise, Split::row_wise}) {
    for (const Split pe : {Split::replicate, Split::column_wise, Split::row_wise}) {
      for (const std::string& name : dtype_names()) {
        const HostArray array = counting({16, 24}, *parse_dtype(name));
        const Tensor t = rt.empty(array.shape(), array.dtype(), policy(cube, pe));
        t.copy_(array);
        EXPECT_EQ(t.to_host().bytes(), array.bytes()) << name;
        EXPECT_EQ(t.data().bytes(), array.bytes());
      }
    }
  }
}

TEST_F(TensorTest, WritesGoToEveryReplicaReadsComeFromTheFirst) {
  const HostArray array = counting({2, 8}, Dtype::f32);
  const Tensor t = rt.empty({2, 8}, Dtype::f32, policy(Split::replicate, Split::row_wise), "w");
  t.copy_(array);
  ASSERT_EQ(host.writes.size(), 8u);  // 4 cubes x 2 PEs
  EXPECT_EQ(host.writes[0].buffer, host.writes[7].buffer);
  EXPECT_EQ(host.writes[3].buffer_offset, 32u);
  EXPECT_EQ(host.writes[3].owner, (PeCoord{SipId(0), CubeId(1), PeId(1)}));
  t.to_host();
  ASSERT_EQ(host.reads.size(), 2u);  // each half once
  EXPECT_EQ(host.reads[0].owner, (PeCoord{SipId(0), CubeId(0), PeId(0)}));
  EXPECT_EQ(host.reads[1].owner, (PeCoord{SipId(0), CubeId(0), PeId(1)}));
  for (const contract::Shard& shard : t.layout().shards) {
    const auto at = array.bytes().begin() + static_cast<std::ptrdiff_t>(shard.offset_bytes);
    EXPECT_EQ(host.peek(shard.pa, shard.nbytes), std::vector<std::byte>(at, at + 32));
  }
}

TEST_F(TensorTest, ZerosAndFullWritePatterns) {  // H-29, K-41
  const Tensor z = rt.zeros({4, 4}, Dtype::f16);
  EXPECT_EQ(host.writes[0].pattern.value, 0u);
  EXPECT_EQ(host.writes[0].buffer, nullptr);
  const Tensor f = rt.full({4, 4}, 1.5, Dtype::bf16);
  EXPECT_EQ(host.writes.back().pattern.width, 2);
  EXPECT_EQ(host.writes.back().pattern.value, encode_element(Dtype::bf16, 1.5));
  EXPECT_EQ(f.to_host().to_doubles(), std::vector<double>(16, 1.5));
  EXPECT_EQ(z.to_host().to_doubles(), std::vector<double>(16, 0.0));
  const Tensor i = rt.full({1, 3}, -7, Dtype::i64);
  EXPECT_EQ(i.to_host().to_integers(), (std::vector<std::int64_t>{-7, -7, -7}));
  error_of([&] { rt.full({4, 4}, 300, Dtype::i8); }, "VALUE_ERROR");
}

TEST_F(TensorTest, EmptyOnlyPlaces) {
  const Tensor t = rt.empty({4, 4}, Dtype::f16, policy(Split::row_wise, Split::column_wise), "x");
  EXPECT_TRUE(host.log.empty());
  EXPECT_EQ(t.layout().shard_shape, (Shape{1, 2}));
  EXPECT_EQ(t.layout().nbytes, 32u);
  EXPECT_EQ(t.name(), "x");
  EXPECT_EQ(t.layout().shards.size(), 8u);
}

TEST_F(TensorTest, ElementsAndSlices) {
  const HostArray array = counting({8, 8}, Dtype::i32);
  const Tensor t = rt.empty({8, 8}, Dtype::i32, policy(Split::row_wise, Split::column_wise), "t");  // shards of 2 x 4
  t.copy_(array);
  EXPECT_EQ(t.get(3, 5), 29.0);
  EXPECT_EQ(t.get({2, 4}, {4, 8}).to_integers(), (std::vector<std::int64_t>{20, 21, 22, 23, 28, 29, 30, 31}));
  EXPECT_EQ(t.get({2, 4}, {5, 7}).to_integers(), (std::vector<std::int64_t>{21, 22, 29, 30}));

  t.set(3, 5, -1);
  t.set({6, 8}, {0, 2}, 9);  // scalar broadcast
  t.set({0, 1}, {0, 4}, HostArray::from_doubles({1, 4}, Dtype::i32, {5, 6, 7, 8}));
  std::vector<std::int64_t> want = array.to_integers();
  want[3 * 8 + 5] = -1;
  want[6 * 8] = want[6 * 8 + 1] = want[7 * 8] = want[7 * 8 + 1] = 9;
  for (std::size_t i = 0; i < 4; ++i) want[i] = static_cast<std::int64_t>(5 + i);
  EXPECT_EQ(t.to_host().to_integers(), want);
}

TEST_F(TensorTest, SliceWritesReachEveryReplica) {
  const Tensor t = rt.zeros({4, 4}, Dtype::i8, policy(Split::replicate, Split::row_wise));
  t.set({2, 4}, Slice::all(), 3);
  for (const contract::Shard& shard : t.layout().shards) {
    if (shard.offset_bytes == 0) continue;
    t.to_host();  // lets the writes land
    EXPECT_EQ(host.peek(shard.pa, 8), std::vector<std::byte>(8, std::byte{3}));
  }
}

TEST_F(TensorTest, SliceErrorsNameTheSlice) {
  const Tensor t = rt.zeros({8, 8}, Dtype::f16, policy(Split::row_wise, Split::replicate), "t");
  EXPECT_EQ(error_of(
                [&] {
                  t.get({1, 3}, Slice::all());
                },
                "SHAPE_ERROR"),
            "slice [1:3, 0:8] of tensor 't' crosses shards of shape (2, 8); use to_host");
  EXPECT_THAT(error_of([&] { t.set({1, 3}, Slice::all(), 0.0); }, "SHAPE_ERROR"), HasSubstr("use copy_"));
  EXPECT_EQ(error_of([&] { t.get(8, 0); }, "SHAPE_ERROR"),
            "slice [8:9, 0:1] is empty or outside of tensor 't' of shape (8, 8)");
  static_cast<void>(error_of([&] { t.get(INT64_MAX, 0); }, "SHAPE_ERROR"));
  EXPECT_THAT(error_of([&] { t.get({2, 2}, Slice::all()); }, "SHAPE_ERROR"), HasSubstr("is empty"));
  error_of([&] { t.set({0, 1}, {0, 2}, HostArray({2, 1}, Dtype::f16)); }, "SHAPE_ERROR");
}

TEST_F(TensorTest, CopyChecksShapeAndDtype) {
  const Tensor t = rt.empty({2, 4}, Dtype::f16, {}, "t");
  EXPECT_EQ(error_of(
                [&] {
                  t.copy_(HostArray({4, 2}, Dtype::f16));
                },
                "SHAPE_ERROR"),
            "copying into tensor 't': its shape is (2, 4), the source's is (4, 2)");
  EXPECT_THAT(error_of(
                  [&] {
                    t.copy_(HostArray({2, 4}, Dtype::f32));
                  },
                  "DTYPE_ERROR"),
              HasSubstr("holds f16, the source f32"));
}

TEST_F(TensorTest, CopyFromTensors) {
  const HostArray array = counting({4, 8}, Dtype::f16);
  const Tensor staged = rt.from_host(array, "staged");
  EXPECT_FALSE(staged.deployed());
  EXPECT_TRUE(host.log.empty());
  const Tensor a = rt.empty({4, 8}, Dtype::f16, policy(Split::row_wise, Split::replicate));
  const Tensor b = rt.empty({4, 8}, Dtype::f16, policy(Split::column_wise, Split::column_wise));
  a.copy_(staged);
  b.copy_(a);  // another placement
  EXPECT_EQ(b.to_host().bytes(), array.bytes());
  EXPECT_EQ(staged.to_host().bytes(), array.bytes());
  EXPECT_THAT(error_of([&] { staged.layout(); }, "TENSOR_ERROR"), HasSubstr("staging tensor"));
  EXPECT_THAT(error_of([&] { staged.copy_(array); }, "TENSOR_ERROR"), HasSubstr("staging tensor"));
}

TEST_F(TensorTest, EmptyHandleIsAnError) {
  const Tensor t;
  EXPECT_FALSE(t.valid());
  error_of([&] { t.to_host(); }, "TENSOR_ERROR");
  error_of([&] { t.shape(); }, "TENSOR_ERROR");
}

// K-38, H-60: each entry of the closed list waits for pending work; metadata does not.
TEST_F(TensorTest, HostReadsAreBarriersAndTheListIsClosed) {
  const std::map<HostRead, std::function<void(const Tensor&, const Tensor&)>> reads{
      {HostRead::to_host, [](const Tensor& t, const Tensor&) { t.to_host(); }},
      {HostRead::data, [](const Tensor& t, const Tensor&) { t.data(); }},
      {HostRead::element, [](const Tensor& t, const Tensor&) { t.get(0, 0); }},
      {HostRead::slice, [](const Tensor& t, const Tensor&) { t.get(Slice::one(0), Slice::all()); }},
      {HostRead::print, [](const Tensor& t, const Tensor&) { std::ostringstream() << t; }},
      {HostRead::copy_source, [](const Tensor& t, const Tensor& other) { other.copy_(t); }},
  };
  ASSERT_EQ(reads.size(), static_cast<std::size_t>(kHostReads));
  const Tensor t = rt.zeros({4, 4}, Dtype::f16, {}, "t");
  const Tensor other = rt.empty({4, 4}, Dtype::f16);
  rt.wait_all();
  for (const auto& [read, call] : reads) {
    SCOPED_TRACE(host_read_name(read));
    const LaunchHandle launch = rt.launch("k", {{"a", t}});
    const TimeFs before = host.now();
    EXPECT_EQ(t.shape(), (Shape{4, 4}));
    EXPECT_EQ(t.dtype(), Dtype::f16);
    EXPECT_EQ(t.layout().shards.size(), 8u);
    EXPECT_EQ(host.now(), before);  // metadata does not wait
    call(t, other);
    EXPECT_EQ(host.now() - before, host.times.launch + host.times.read);
    EXPECT_EQ(rt.metrics(launch).completed, before + host.times.launch);
    rt.wait_all();
  }
}

TEST_F(TensorTest, CopyDoesNotWaitForTheTarget) {  // H-61, K-39
  const Tensor t = rt.zeros({4, 4}, Dtype::f16);
  rt.wait_all();
  rt.launch("k", {{"a", t}});
  const TimeFs before = host.now();
  t.copy_(HostArray({4, 4}, Dtype::f16));
  EXPECT_EQ(host.now(), before);
}

TEST(TensorWithoutData, ReadsArePlaceholdersOfZeros) {
  FakeHost host(FakeHost::small_machine(), contract::DataMode::off);
  Runtime rt(host, &any_kernel);
  const Tensor t = rt.full({2, 2}, 5.0, Dtype::f32, {}, "t");
  const HostArray read = t.to_host();
  EXPECT_TRUE(read.placeholder());
  EXPECT_EQ(read.to_doubles(), std::vector<double>(4, 0.0));
  EXPECT_EQ(t.to_string(), "tensor 't' f32 (2, 2) placeholder (the run computes no data)");
  EXPECT_EQ(host.reads.size(), 2u);  // the transfer takes place all the same
}

TEST(HostArray, Contents) {
  const HostArray a = HostArray::random_integers({5, 7}, Dtype::f16, 3);
  EXPECT_EQ(a.bytes(), HostArray::random_integers({5, 7}, Dtype::f16, 3).bytes());
  EXPECT_NE(a.bytes(), HostArray::random_integers({5, 7}, Dtype::f16, 4).bytes());
  for (const double v : a.to_doubles()) {
    EXPECT_EQ(v, static_cast<double>(static_cast<int>(v)));
    EXPECT_LE(std::abs(v), 8.0);
  }
  for (const double v : HostArray::random({5, 7}, Dtype::f32, 3).to_doubles()) EXPECT_LT(std::abs(v), 1.0 + 1e-12);
  EXPECT_EQ(HostArray::full({2, 2}, Dtype::i16, 3).to_integers(), (std::vector<std::int64_t>{3, 3, 3, 3}));
  EXPECT_EQ(HostArray::from_doubles({1, 2}, Dtype::f32, {1.25, -2}).to_string(), "f32 (1, 2)\n        1.25         -2");
  EXPECT_EQ(HostArray({1, 2}, Dtype::i8).at(0, 1), 0.0);
  error_of([] { HostArray({1, 2}, Dtype::i8).at(0, 2); }, "SHAPE_ERROR");
  error_of([] { HostArray({2, 0}, Dtype::i8); }, "SHAPE_ERROR");
  EXPECT_EQ(error_of(
                [] {
                  HostArray::from_doubles({2, 2}, Dtype::f16, {1});
                },
                "SHAPE_ERROR"),
            "an array of shape (2, 2) has 4 elements, but 1 were given");
}

TEST(HostArrays, LargerThanTheMemoryOfTheComputerAreRefusedByShape) {
  const Shape shape{INT64_C(1) << 40, 1 << 16};
  for (const auto& make : std::vector<std::function<void()>>{[&] { HostArray(shape, Dtype::i8); },
                                                             [&] { HostArray::random(shape, Dtype::i8, 1); },
                                                             [&] { HostArray::full(shape, Dtype::i8, 1); }}) {
    EXPECT_THAT(testing::error_of(make, "OUT_OF_MEMORY"),
                ::testing::HasSubstr("a i8 array of shape (1099511627776, 65536) needs "));
  }
  HostArray::unknown(shape, Dtype::i8);  // takes no memory
}

}  // namespace
}  // namespace kb::sw
