#include "sim/run/driver/line_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/names.h"
#include "platform/contract/share_words.h"
#include "platform/observe/text_table.h"
#include "sim/analysis/findings/findings.h"
#include "sim/run/driver/text_report.h"

namespace kb::sim {
namespace {

using observe::TextTable;
using Align = TextTable::Align;

constexpr std::size_t kMaxLines = 8;

std::string percent(TimeFs part, TimeFs whole) {
  return observe::fixed(whole == 0_fs ? 0.0 : 100.0 * fs_to_ns(part) / fs_to_ns(whole), 1);
}

struct LineSum {
  TimeFs time = 0_fs;
  std::array<TimeFs, contract::kShares> shares{};
};

using LineKey = std::pair<std::uint32_t, std::uint32_t>;  // line, held_by

std::vector<std::pair<LineKey, LineSum>> longest_lines(const LaunchRecord& launch) {
  std::map<LineKey, LineSum> sums;
  for (const LineTimeRecord& one : launch.lines) {
    if (one.last == 0_fs) continue;
    LineSum& sum = sums[{one.line, one.held_by}];
    accumulate(sum.time, one.last);
    accumulate(sum.shares.at(one.share), one.last);
  }
  std::vector<std::pair<LineKey, LineSum>> lines(sums.begin(), sums.end());
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  return lines;
}

// The two longest shares: "DMA 83 %, MATH 12 %".
std::string shares_text(const LineSum& line) {
  std::vector<std::size_t> order = contract::share_indices();
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return line.shares[a] > line.shares[b]; });
  std::string text;
  for (std::size_t i = 0; i < 2 && line.shares[order[i]] > 0_fs; ++i) {
    text += (i > 0 ? ", " : "") + std::string(contract::word_of(order[i]).label) + " " +
            observe::fixed(100.0 * fs_to_ns(line.shares[order[i]]) / fs_to_ns(line.time), 0) + " %";
  }
  return text;
}

constexpr std::size_t kMaxSource = 44;

// The text of a line; "" when the source is not known.
std::string source_of(const RunRecord& run, std::uint32_t line) {
  const SourcePlace& place = run.places[line];
  for (const SourceFile& source : run.sources) {
    if (source.file != place.file) continue;
    const std::string text = source.line(place.line);
    return text.size() <= kMaxSource ? text : text.substr(0, kMaxSource - 3) + "...";
  }
  return "";
}

// A column of a table that is left out when all of its cells are empty.
struct Column {
  TextTable::Column head;
  std::vector<std::string> cells;
};

std::string render(const std::vector<Column>& columns) {
  std::vector<const Column*> shown;
  std::vector<TextTable::Column> heads;
  for (const Column& column : columns) {
    if (std::all_of(column.cells.begin(), column.cells.end(), [](const std::string& cell) { return cell.empty(); })) {
      continue;
    }
    shown.push_back(&column);
    heads.push_back(column.head);
  }
  TextTable table(std::move(heads));
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    std::vector<std::string> cells;
    for (const Column* column : shown) cells.push_back(column->cells[row]);
    table.add(std::move(cells));
  }
  return table.render("  ");
}

void add_row(std::vector<Column>& columns, std::vector<std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(std::move(cells[i]));
}

std::string line_text(const RunRecord& run, std::uint32_t line) {
  const std::string text = run.places[line].text();
  return text.empty() ? "(end of the kernel)" : text;
}

std::string held_text(const RunRecord& run, const LineKey& key) {
  if (key.first == key.second) return "";
  const SourcePlace& by = run.places[key.second];
  return by.text() + (by.tensor.empty() ? "" : " " + by.tensor);
}

struct TransferSum {
  std::uint64_t bytes = 0;
  std::array<TimeFs, record::kRoles> waits{};
  TimeFs wait = 0_fs, most_wait = 0_fs;
  std::uint32_t most = 0;
};

std::vector<std::pair<std::uint32_t, TransferSum>> longest_waits(const LaunchRecord& launch) {
  std::map<std::uint32_t, TransferSum> sums;
  for (const PlaceUseRecord& use : launch.transfers) {
    TransferSum& sum = sums[use.place];
    if (use.role == record::Role::dma) sum.bytes += use.sums.bytes;
    accumulate(sum.waits.at(static_cast<std::size_t>(use.role)), use.sums.wait);
    accumulate(sum.wait, use.sums.wait);
    if (use.most_wait <= sum.most_wait) continue;
    sum.most_wait = use.most_wait;
    sum.most = use.most;
  }
  std::vector<std::pair<std::uint32_t, TransferSum>> places;
  for (const auto& one : sums) {
    if (one.second.wait > 0_fs) places.push_back(one);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.second.wait > b.second.wait; });
  return places;
}

std::string more_text(std::size_t rows) {
  return rows <= kMaxLines ? "" : "  ... and " + std::to_string(rows - kMaxLines) + " more in the result file\n";
}

}  // namespace

std::string render_line_times(const RunRecord& run) {
  const LaunchRecord* const launch = longest_launch(run.launches);
  if (launch == nullptr) return "";
  const auto lines = longest_lines(*launch);
  if (lines.empty()) return "";
  std::vector<Column> columns{{{"line", Align::left}, {}},
                              {{"source", Align::left}, {}},
                              {{"tensor", Align::left}, {}},
                              {{"range", Align::left}, {}},
                              {{"ns", Align::right}, {}},
                              {{"%", Align::right}, {}},
                              {{"what the PE did", Align::left}, {}},
                              {{"held by", Align::left}, {}}};
  const LaunchRecord::LastEndingPe& pe = *launch->last_pe();
  for (std::size_t i = 0; i < lines.size() && i < kMaxLines; ++i) {
    const auto& [key, sum] = lines[i];
    const SourcePlace& place = run.places[key.first];
    add_row(columns, {line_text(run, key.first), source_of(run, key.first), place.tensor, place.range,
                      table_time(sum.time), percent(sum.time, pe.exec), shares_text(sum), held_text(run, key)});
  }
  return "\nWhere the kernel's time went, by line\n  launch " + std::to_string(launch->id) + " (" + launch->name() +
         ") at " + pe_name(pe.pe) + ", which ended last: " + table_time(pe.exec) + " ns in the kernel\n" +
         render(columns) + more_text(lines.size());
}

std::string render_line_transfers(const RunRecord& run) {
  const LaunchRecord* const launch = longest_launch(run.launches);
  if (launch == nullptr) return "";
  const auto places = longest_waits(*launch);
  if (places.empty()) return "";
  std::vector<Column> columns{{{"line", Align::left}, {}},
                              {{"tensor", Align::left}, {}},
                              {{"range", Align::left}, {}},
                              {{"bytes", Align::right}, {}}};
  for (std::size_t role = 0; role < record::kRoles; ++role) {
    columns.push_back({{std::string(word_of(static_cast<record::Role>(role)).label), Align::right}, {}});
  }
  columns.push_back({{"longest at", Align::left}, {}});
  for (std::size_t i = 0; i < places.size() && i < kMaxLines; ++i) {
    const auto& [index, sum] = places[i];
    const SourcePlace& place = run.places[index];
    std::vector<std::string> cells{place.line == 0 ? "(distribution of the launch)" : place.text(), place.tensor,
                                   place.range, sum.bytes == 0 ? "" : format_bytes(sum.bytes)};
    for (const TimeFs wait : sum.waits) cells.push_back(wait == 0_fs ? "" : observe::fixed(fs_to_ns(wait), 0));
    cells.push_back(run.resources[sum.most].block + '.' + run.resources[sum.most].resource);
    add_row(columns, std::move(cells));
  }
  return "\nWhat the transfers of each line waited for\n  launch " + std::to_string(launch->id) + " (" +
         launch->name() + "), all PEs; sums of waits in ns, also where they overlap\n" + render(columns) +
         more_text(places.size());
}

}  // namespace kb::sim
