// Tables of the block pages say what the code does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "platform/base/engine_rates.h"
#include "platform/base/op_types.h"
#include "tests/meta/source_tree.h"

namespace kb::meta {
namespace {

std::string row_with(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(start, 0) == 0) return line;
  }
  return "";
}

TEST(DocumentedTables, PassesOfOperations) {  // P-41
  const std::string page = read("docs/blocks/pe_math.md");
  const std::string passes = page.substr(page.find("## Passes"));
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    const std::string name = fmt::format("`{}`", math_op_name(op));
    std::istringstream lines(passes);
    std::string row;
    for (std::string line; row.empty() && std::getline(lines, line);) {
      const std::size_t cell = line.find(" | ");
      if (line.rfind("| `", 0) == 0 && line.substr(0, cell).find(name) != std::string::npos) row = line;
    }
    const std::vector<MathOp>& parts = math_passes(op);
    EXPECT_NE(row.find(fmt::format("| {} |", parts.size())), std::string::npos) << name << ": " << row;
    if (parts.size() == 1) continue;
    std::string list;
    for (const MathOp part : parts) list += fmt::format("{}`{}`", list.empty() ? "" : ", ", math_op_name(part));
    EXPECT_NE(row.find(list), std::string::npos) << name << " is " << list;
  }
}

TEST(DocumentedTables, RatesOfDtypes) {  // P-40, P-41
  for (const auto& [page, unit] :
       {std::pair("docs/blocks/pe_gemm.md", RateUnit::macs), std::pair("docs/blocks/pe_math.md", RateUnit::elements)}) {
    std::string names = "| dtype |", rates = "| rate |";
    for (const char* name : {"f16", "bf16", "f32", "i8", "i16", "i32", "i64"}) {
      const double ratio = rate_ratio(unit, *parse_dtype(name));
      names += fmt::format(" {} |", name);
      rates += ratio >= 1.0 ? fmt::format(" {} |", ratio) : fmt::format(" 1/{} |", 1.0 / ratio);
    }
    const std::string text = read(page);
    EXPECT_EQ(row_with(text, "| dtype |"), names) << page;
    EXPECT_EQ(row_with(text, "| rate |"), rates) << page;
  }
}

}  // namespace
}  // namespace kb::meta
