// The kernel that docs/guides/kernels.md teaches compiles, computes, and is the one printed there.
#include "tests/unit/kernels/guide_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "platform/contract/kernel_arguments.h"
#include "tests/support/source_file.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/guide_async_kernel.h"
#include "tests/unit/kernels/guide_fused_kernel.h"
#include "tests/unit/kernels/guide_int4_kernel.h"
#include "tests/unit/kernels/guide_paged_kernel.h"
#include "tests/unit/kernels/guide_struct_kernel.h"

namespace kb::tests {
namespace {

using test::source_file;

TEST(KernelGuide, KernelComputes) {
  Device device;
  const LayoutPtr x = row_wise("x", Dtype::f32, {4, 3000}, 0x10000000, 2);
  const LayoutPtr y = row_wise("y", Dtype::f32, {4, 3000}, 0x20000000, 2);
  const auto vx = data::random_small_integers(1, 12000);
  const auto vy = data::random_small_integers(2, 12000);
  device.write(*x, vx);
  device.write(*y, vy);
  device.run(axpy_kernel(), {{"x", as_arg(x)}, {"y", as_arg(y)}, {"alpha", 0.5}}, 2);
  std::vector<double> expected;
  for (std::size_t i = 0; i < vx.size(); ++i) expected.push_back(0.5 * vx[i] + vy[i]);
  EXPECT_EQ(device.read(*y), expected);
}

TEST(KernelGuide, FusedKernelComputes) {
  Device device;
  const LayoutPtr x = whole("x", Dtype::f16, {2, 3}, 0x10000000), w = whole("w", Dtype::f16, {3, 2}, 0x20000000);
  const LayoutPtr bias = whole("bias", Dtype::f16, {1, 2}, 0x30000000);
  const LayoutPtr y = whole("y", Dtype::f16, {2, 2}, 0x40000000);
  device.write(*x, {1, 2, 3, -1, -2, -3});
  device.write(*w, {1, 0, 0, 1, 1, 1});
  device.write(*bias, {10, -1});
  device.run(linear_relu_kernel(), {{"x", as_arg(x)}, {"w", as_arg(w)}, {"bias", as_arg(bias)}, {"y", as_arg(y)}});
  EXPECT_EQ(device.read(*y), (std::vector<double>{14, 4, 6, 0}));
}

TEST(KernelGuide, KernelWithTwoBuffersComputes) {
  Device device;
  const LayoutPtr x = whole("x", Dtype::f32, {3, 1, 2}, 0x10000000), out = whole("out", Dtype::f32, {1, 2}, 0x20000000);
  device.write(*x, {1, 2, 3, 4, 5, 6});
  device.run(sum_of_squares_kernel(), {{"x", as_arg(x)}, {"out", as_arg(out)}});
  EXPECT_EQ(device.read(*out), (std::vector<double>{35, 56}));
}

TEST(KernelGuide, KernelWithInt4WeightsComputes) {
  constexpr std::int64_t kM = 3, kK = 8, kN = 6, kGroup = 4;
  Device device;
  const LayoutPtr x = whole("x", Dtype::f16, {kM, kK}, 0x10000000);
  const LayoutPtr w = whole("w", Dtype::i8, {kK, kN / 2}, 0x20000000);
  const LayoutPtr scale = whole("scale", Dtype::f32, {kK / kGroup, kN}, 0x30000000);
  const LayoutPtr y = whole("y", Dtype::f32, {kM, kN}, 0x40000000);
  std::vector<double> vx, vw, bytes, factors, expected;
  for (std::int64_t i = 0; i < kM * kK; ++i) vx.push_back(static_cast<double>(i % 5) - 2);
  for (std::int64_t i = 0; i < kK * kN; ++i) vw.push_back(static_cast<double>(i * 7 % 16) - 8);
  for (std::int64_t i = 0; i < kK / kGroup * kN; ++i) factors.push_back(std::ldexp(1.0, static_cast<int>(i % 4) - 2));
  for (std::size_t i = 0; i < vw.size(); i += 2) {
    const int low = static_cast<int>(vw[i]) & 15, high = static_cast<int>(vw[i + 1]) & 15;
    bytes.push_back(static_cast<signed char>(low | high << 4));
  }
  for (std::int64_t row = 0; row < kM; ++row) {
    for (std::int64_t column = 0; column < kN; ++column) {
      double sum = 0;
      for (std::int64_t i = 0; i < kK; ++i) {
        sum += vx[static_cast<std::size_t>(row * kK + i)] * vw[static_cast<std::size_t>(i * kN + column)] *
               factors[static_cast<std::size_t>(i / kGroup * kN + column)];
      }
      expected.push_back(sum);
    }
  }
  device.write(*x, vx);
  device.write(*w, bytes);
  device.write(*scale, factors);
  device.run(int4_matmul_kernel(),
             {{"x", as_arg(x)}, {"w", as_arg(w)}, {"scale", as_arg(scale)}, {"y", as_arg(y)}, {"group", kGroup}});
  EXPECT_EQ(device.read(*y), expected);
}

TEST(KernelGuide, KernelWithAStructComputes) {
  Device device;
  const LayoutPtr src = whole("src", Dtype::f32, {3, 2}, 0x10000000),
                  dst = whole("dst", Dtype::f32, {3, 2}, 0x20000000);
  device.write(*src, {1, 2, 3, 4, 5, 6});
  device.write(*dst, {0, 0, 0, 0, 0, 0});
  device.run(scale_rows_kernel(), {{"src", as_arg(src)},
                                   {"dst", as_arg(dst)},
                                   {"rows", std::int64_t{2}},
                                   {"first", std::int64_t{1}},
                                   {"shift", 1.0},
                                   {"scale", 10.0}});
  EXPECT_EQ(device.read(*dst), (std::vector<double>{0, 0, 31, 41, 51, 61}));
}

// Two requests on a PE each; the pages of the second one are 2 and 0, so that no key is like its query but one.
TEST(KernelGuide, PagedAttentionComputes) {
  Device device;
  const LayoutPtr q = row_wise("q", Dtype::f16, {2, 2}, 0x10000000, 2),
                  out = row_wise("out", Dtype::f16, {2, 2}, 0x20000000, 2);
  const LayoutPtr keys = whole("keys", Dtype::f16, {3, 4}, 0x30000000),
                  values = whole("values", Dtype::f16, {3, 4}, 0x40000000);
  const LayoutPtr table = whole("table", Dtype::i32, {2, 2}, 0x50000000);
  device.write(*q, {0, 0, 100, 0});
  device.write(*keys, {100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  device.write(*values, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  device.write(*table, {1, 2, 2, 0});
  device.run(paged_attention_kernel(),
             {{"q", as_arg(q)},
              {"keys", as_arg(keys)},
              {"values", as_arg(values)},
              {"table", as_arg(table)},
              {"out", as_arg(out)}},
             2);
  EXPECT_EQ(device.read(*out), (std::vector<double>{8, 9, 1, 2}))
      << "the mean of pages 1 and 2; the first token of page 0";
}

TEST(KernelGuide, PrintsTheErrorsOfArguments) {
  const std::string guide = source_file("docs/guides/kernels.md");
  const contract::KernelArg x = as_arg(whole("x", Dtype::f32, {2, 8}, 0x10000000));
  const std::vector<std::vector<contract::NamedArg>> mistakes{{{"x", x}, {"y", x}, {"alhpa", 0.5}},
                                                              {{"x", x}, {"y", x}},
                                                              {{"x", x}, {"x", x}, {"alpha", 0.5}},
                                                              {{"x", x}, {"y", x}, {"alpha", x}}};
  for (const std::vector<contract::NamedArg>& args : mistakes) {
    std::string message;
    tl::RecordingPe pe;
    try {
      axpy_kernel().run(pe, args);
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_NE(message, "");
    EXPECT_NE(guide.find("\n" + message + "\n"), std::string::npos) << message;
  }
}

TEST(KernelGuide, KernelCanBeRecorded) {
  const contract::KernelArg x = as_arg(whole("x", Dtype::f32, {2, 8}, 0x10000000));
  const contract::KernelArg y = as_arg(whole("y", Dtype::f32, {2, 8}, 0x20000000));
  // guide: begin
  kb::tl::RecordingPe pe;
  axpy_kernel().run(pe, {{"x", x}, {"y", y}, {"alpha", 0.5}});
  pe.command_names();  // {"dma_read", "dma_read", "math.mul", "math.add", "dma_write"}
  // guide: end
  EXPECT_EQ(pe.command_names(),
            (std::vector<std::string>{"dma_read", "dma_read", "math.mul", "math.add", "dma_write"}));
}

// The lines between the marks of a source file, without `indent` leading spaces.
std::string marked_code(const std::string& path, std::size_t indent) {
  std::istringstream lines(source_file(path));
  const std::string margin(indent, ' ');
  std::string code;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == margin + "// guide: end") return code;
    if (inside) code += (line.empty() ? line : line.substr(indent)) + "\n";
    inside = inside || line == margin + "// guide: begin";
  }
  return "no marks in " + path;
}

TEST(KernelGuide, PrintsTheCompiledCode) {
  const std::string guide = source_file("docs/guides/kernels.md");
  for (const std::string& code :
       {marked_code("tests/unit/kernels/guide_kernel.h", 0), marked_code("tests/unit/kernels/guide_fused_kernel.h", 0),
        marked_code("tests/unit/kernels/guide_struct_kernel.h", 0),
        marked_code("tests/unit/kernels/guide_async_kernel.h", 0),
        marked_code("tests/unit/kernels/guide_int4_kernel.h", 0),
        marked_code("tests/unit/kernels/guide_paged_kernel.h", 0),
        marked_code("tests/unit/kernels/guide_kernel_test.cpp", 2)}) {
    EXPECT_NE(guide.find("```cpp\n" + code + "```"), std::string::npos) << code;
  }
}

TEST(KernelGuide, ListsEveryBuiltInKernel) {
  const std::string guide = source_file("docs/guides/kernels.md");
  for (const std::string& name : kernels::KernelCatalog().names()) {
    EXPECT_NE(guide.find("| `" + name + "` |"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace kb::tests
