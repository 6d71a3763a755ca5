#include "tests/robustness/csv_mutator.h"

#include <algorithm>
#include <vector>

#include "tests/robustness/byte_mutator.h"
#include "tests/robustness/values.h"

namespace kb::robustness {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kColumns = 6;

Row good_row(std::size_t id, Random& random) {
  const std::vector<std::string> ops = {"pe_read", "pe_write", "host_read", "host_write"};
  const std::string op = random.pick(ops);
  return {std::to_string(id),
          std::to_string(random.below(2000)),
          op,
          op[0] == 'p' ? "sip0.cube0.pe0" : "host",
          "0x20000" + std::to_string(random.between(10000, 99999)),
          std::to_string(random.between(1, 70000))};
}

void change_cell(Row& row, Random& random) {
  if (row.empty()) return;
  std::string& cell = row[random.below(row.size())];
  switch (random.below(6)) {
    case 0:
      cell = edge_number(random);
      break;
    case 1:
      cell = odd_text(random);
      break;
    case 2:
      cell = near_number(cell, random);
      break;
    case 3:
      cell = typo(cell, random);
      break;
    case 4:
      cell = "\"" + cell + "\"";
      break;
    default:
      cell = " " + cell + "\r";
  }
}

void change_rows(std::vector<Row>& rows, Random& random) {
  Row& row = rows[random.below(rows.size())];
  switch (random.below(9)) {
    case 0:
      row.pop_back();
      break;
    case 1:
      row.push_back(odd_text(random));
      break;
    case 2:
      rows.push_back(row);
      break;
    case 3:
      std::swap(row, rows[random.below(rows.size())]);
      break;
    case 4:
      row.assign(random.between(1, 2000), "1");
      break;
    default:
      change_cell(row, random);
  }
}

std::string joined(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + row[i];
    text += "\n";
  }
  return text;
}

}  // namespace

std::string traffic_file(Random& random) {
  std::vector<Row> rows = {{"id", "issue_ns", "op", "src", "dst", "bytes"}};
  for (std::size_t n = random.between(1, 12); n > 0; --n) rows.push_back(good_row(rows.size(), random));
  for (std::size_t n = random.below(4); n > 0 && rows[0].size() == kColumns; --n) change_rows(rows, random);
  const std::string text = joined(rows);
  return random.chance(20) ? damage(text, text, random) : text;
}

std::string stl_file(Random& random) {
  std::string text;
  for (std::size_t n = random.between(1, 12), cycle = 0; n > 0; --n) {
    std::vector<std::string> words = {
        std::to_string(cycle += random.below(40)) + ":", "(" + std::to_string(random.between(1, 600)) + ")",
        random.chance(50) ? "read" : "write", "0x" + std::to_string(random.below(1000000))};
    if (random.chance(50)) words.erase(words.begin() + 1);
    if (random.chance(20)) change_cell(words, random);
    for (const std::string& word : words) text += word + (random.chance(10) ? "\t" : " ");
    text += "\n";
  }
  return random.chance(20) ? damage(text, text, random) : text;
}

}  // namespace kb::robustness
