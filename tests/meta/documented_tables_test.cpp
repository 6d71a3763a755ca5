// Tables of block pages say what the code does, those of the validation what was measured.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "platform/ops/engine_rates.h"
#include "platform/ops/op_types.h"
#include "platform/params/field_text.h"
#include "platform/params/hbm_banked_params.h"
#include "platform/topology/component_rules.h"
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
    for (std::size_t first = 0, next = 0; first < parts.size(); first = next) {
      while (next < parts.size() && parts[next] == parts[first]) ++next;
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", math_op_name(parts[first]));
      if (next - first > 1) list += fmt::format(" x {}", next - first);
    }
    EXPECT_NE(row.find(list), std::string::npos) << name << " is " << list;
  }
}

TEST(DocumentedTables, RatesOfDtypes) {  // P-40, P-41
  for (const auto& [page, unit] :
       {std::pair("docs/blocks/pe_gemm.md", RateUnit::macs), std::pair("docs/blocks/pe_math.md", RateUnit::elements)}) {
    std::string names = "| dtype |", rates = "| rate |";
    for (const char* name : {"f16", "bf16", "f32", "i8", "i16", "i32", "i64", "e4m3", "e5m2"}) {
      const double ratio = rate_ratio(unit, *parse_dtype(name));
      names += fmt::format(" {} |", name);
      rates += ratio >= 1.0 ? fmt::format(" {} |", ratio) : fmt::format(" 1/{} |", 1.0 / ratio);
    }
    const std::string text = read(page);
    EXPECT_EQ(row_with(text, "| dtype |"), names) << page;
    EXPECT_EQ(row_with(text, "| rate |"), rates) << page;
  }
}

// The table between the comment `begin` and the next end is this one. With KB_UPDATE_DOCS set in the environment the
// page is written anew.
void expect_table(const std::string& page, const std::string& begin, const std::string& wanted) {
  const std::string first = fmt::format("<!-- {} -->\n", begin), end = "<!-- end -->\n";
  std::string text = read(page);
  const std::size_t from = text.find(first);
  ASSERT_NE(from, std::string::npos) << page << " has no table: " << first;
  const std::size_t table = from + first.size(), behind = text.find(end, table);
  ASSERT_NE(behind, std::string::npos) << page;
  if (std::getenv("KB_UPDATE_DOCS") != nullptr) {
    std::ofstream(std::string(KB_SOURCE_DIR) + "/" + page) << text.replace(table, behind - table, wanted);
    return;
  }
  EXPECT_EQ(text.substr(table, behind - table), wanted) << page << ": run meta_test with KB_UPDATE_DOCS=1";
}

TEST(DocumentedTables, ParametersOfBlocks) {  // T-27
  using topology::NodeKind;
  for (const NodeKind kind :
       {NodeKind::hbm_ctrl, NodeKind::sram, NodeKind::m_cpu, NodeKind::io_cpu, NodeKind::pcie_ep, NodeKind::ucie,
        NodeKind::pe_cpu, NodeKind::pe_scheduler, NodeKind::pe_dma, NodeKind::pe_fetch_store, NodeKind::pe_gemm,
        NodeKind::pe_math, NodeKind::pe_tcm, NodeKind::pe_mmu, NodeKind::pe_ipcq, NodeKind::pe_engine}) {
    const std::string name(topology::node_kind_name(kind));
    const std::string page = fmt::format("docs/blocks/{}.md", kind == NodeKind::ucie ? "forwarding_node" : name);
    expect_table(page, "parameters of " + name, params::markdown_table(topology::kind_rule(kind).fields));
  }
  expect_table("docs/blocks/hbm_banked.md", std::string("parameters of ") + params::kHbmBanked,
               params::markdown_table(params::HbmBankedParams::fields()));
}

// Rows of cmake/minimum_versions.txt.
struct MinimumVersion {
  std::string name, version, package, use;
};

std::vector<MinimumVersion> minimum_versions() {
  std::vector<MinimumVersion> rows;
  std::istringstream lines(read("cmake/minimum_versions.txt"));
  for (std::string line; std::getline(lines, line);) {
    MinimumVersion row;
    std::istringstream cells(line);
    if (line.rfind('#', 0) == 0 || !(cells >> row.name >> row.version >> row.package >> std::ws)) continue;
    std::getline(cells, row.use);
    rows.push_back(row);
  }
  return rows;
}

TEST(DocumentedTables, MinimumVersions) {
  std::string table = "| Needed | oldest version | Debian package | for |\n|---|---|---|---|\n";
  for (const MinimumVersion& row : minimum_versions()) {
    const std::string version = row.version == "-" ? "any" : row.version;
    table += fmt::format("| {} | {} | `{}` | {} |\n", row.name, version, row.package, row.use);
  }
  expect_table("docs/guides/getting-started.md", "minimum versions", table);
}

TEST(DocumentedTables, MinimumVersionsAreInstalledAndLookedFor) {
  const std::string packages = "\n" + read("cmake/packages.txt") + read("cmake/packages_ci.txt");
  const std::string cmake = read("cmake/KbDependencies.cmake") + read("cmake/KbRtl.cmake");
  ASSERT_GT(minimum_versions().size(), 20u);
  for (const MinimumVersion& row : minimum_versions()) {
    EXPECT_NE(packages.find("\n" + row.package + "\n"), std::string::npos) << row.package;
    const bool checked = cmake.find("kb_check_version(" + row.name + " ") != std::string::npos ||
                         cmake.find("kb_find_package(" + row.name) != std::string::npos ||
                         cmake.find(" " + row.name + ")") != std::string::npos;
    EXPECT_TRUE(checked) << row.name;
    if (row.name != "CMake") continue;
    EXPECT_EQ(read("CMakeLists.txt").rfind("cmake_minimum_required(VERSION " + row.version + ")", 0), 0u);
    for (const std::string& file : files_below("examples", {"CMakeLists.txt"})) {
      EXPECT_EQ(read(file).rfind("cmake_minimum_required(VERSION " + row.version + ")", 0), 0u) << file;
    }
  }
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::string rounded(const std::string& number) {
  const double value = std::stod(number);
  return value < 10'000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

// Pages of the validation beside its reference results, section by section (E-101).
TEST(DocumentedTables, Validation) {
  std::istringstream lines(read("evaluations/validation/reference/validation.csv"));
  std::string line;
  std::getline(lines, line);
  ASSERT_EQ(line, "section,scenario,parameter,parameter_value,quantity,value,unit,source,beside,low,high,verdict");
  std::map<std::string, std::string> tables;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    ASSERT_EQ(cells.size(), 12u) << line;
    std::string& table = tables[cells[0]];
    if (table.empty()) table = "| Case | figure | kernbench | beside | band | verdict |\n|---|---|---|---|---|---|\n";
    const double parameter = std::stod(cells[3]);
    table +=
        fmt::format("| {}, {} {} | {} [{}] | {} | {} | {} .. {} | {} |\n", cells[1], cells[2],
                    parameter < 1000 ? fmt::format("{:.3g}", parameter) : fmt::format("{:.0f}", parameter), cells[4],
                    cells[6], rounded(cells[5]), rounded(cells[8]), rounded(cells[9]), rounded(cells[10]), cells[11]);
  }
  EXPECT_EQ(tables.size(), 8u);
  for (const auto& [section, table] : tables) {
    expect_table(fmt::format("docs/validation/{}.md", section), "figures of " + section, table);
  }
}

}  // namespace
}  // namespace kb::meta
