#include "sim/analysis/recorded/activity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "platform/record/activity.h"

namespace kb::analysis {
namespace {

using data::ActivityTables;

Error damaged() {
  return Error::configuration("the activity of the operation log is damaged; run it again");
}

struct RawBin {
  std::int64_t index = 0;
  std::uint64_t busy = 0, bytes = 0, queue = 0, wait = 0;
};

// Reads the format of record::BinList. The file is untrusted.
class BinReader {
 public:
  explicit BinReader(const std::string& data) : data_(data) {}
  // Returns false after the last one.
  bool next(RawBin& bin) {
    if (at_ >= data_.size()) return false;
    index_ += static_cast<std::int64_t>(number() & kMaxSkipped);
    bin = {index_++, number(), number(), number(), number()};
    return true;
  }

 private:
  static constexpr std::uint64_t kMaxSkipped = 0xffffffff;
  std::uint64_t number() {
    constexpr unsigned kBits = 7, kMax = 63;
    constexpr unsigned char kMore = 0x80;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= kMax && at_ < data_.size(); shift += kBits) {
      const auto byte = static_cast<unsigned char>(data_[at_++]);
      value |= static_cast<std::uint64_t>(byte & (kMore - 1U)) << shift;
      if ((byte & kMore) == 0) return value;
    }
    throw damaged();
  }

  const std::string& data_;
  std::size_t at_ = 0;
  std::int64_t index_ = 0;
};

// Calls f(begin, end, bin) for the bins of a row that lie at least partly in [begin, end).
template <typename F>
void for_bins(const ActivityTables& tables, const ActivityTables::Row& row, std::int64_t begin, std::int64_t end,
              F&& f) {
  const ActivityTables::Epoch& epoch = tables.epochs[row.epoch];
  BinReader reader(row.bins);
  for (RawBin bin; reader.next(bin);) {
    const std::int64_t from = epoch.begin_fs + bin.index * epoch.bin_fs;
    const std::int64_t to = std::min(from + epoch.bin_fs, epoch.end_fs);
    if (from >= end) return;
    if (to > begin && to > from) f(from, to, bin);
  }
}

// Equal parts of a window of time.
struct Pieces {
  std::int64_t begin_fs = 0, end_fs = 0;
  std::size_t columns = 0;
  double width() const { return static_cast<double>(end_fs - begin_fs) / static_cast<double>(columns); }
};

// Calls f(column, busy) with the busy share that the bins of a row add to each part.
template <typename F>
void spread_bins(const ActivityTables& tables, const ActivityTables::Row& row, const Pieces& pieces, F&& f) {
  const double width = pieces.width();
  for_bins(tables, row, pieces.begin_fs, pieces.end_fs, [&](std::int64_t from, std::int64_t to, const RawBin& bin) {
    const double density = static_cast<double>(bin.busy) / static_cast<double>(to - from);
    const double first = static_cast<double>(std::max(from, pieces.begin_fs) - pieces.begin_fs) / width;
    const double last = static_cast<double>(std::min(to, pieces.end_fs) - pieces.begin_fs) / width;
    for (auto column = static_cast<std::size_t>(first); column < pieces.columns && static_cast<double>(column) < last;
         ++column) {
      const double left = std::max(first, static_cast<double>(column));
      const double right = std::min(last, static_cast<double>(column + 1));
      f(column, density * (right - left));
    }
  });
}

}  // namespace

Activity::Activity(data::ActivityTables tables) : tables_(std::move(tables)) {
  rows_of_.resize(tables_.series.size());
  for (std::size_t i = 0; i < tables_.rows.size(); ++i) {
    const ActivityTables::Row& row = tables_.rows[i];
    rows_of_[row.series].push_back(i);
    const ActivityTables::Epoch& epoch = tables_.epochs[row.epoch];
    const std::int64_t most = (std::numeric_limits<std::int64_t>::max() - epoch.begin_fs) / epoch.bin_fs;
    BinReader reader(row.bins);
    for (RawBin bin; reader.next(bin);) {
      if (bin.index >= most) throw damaged();
    }
  }
  for (std::vector<std::size_t>& rows : rows_of_) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return tables_.epochs[tables_.rows[a].epoch].begin_fs < tables_.epochs[tables_.rows[b].epoch].begin_fs;
    });
  }
}

void Activity::for_each_bin(std::size_t series, const TakeBin& take) const {
  for (const std::size_t row : rows_of_[series]) {
    for_bins(
        tables_, tables_.rows[row], 0, std::numeric_limits<std::int64_t>::max(),
        [&](std::int64_t from, std::int64_t to, const RawBin& bin) { take(from, to, static_cast<double>(bin.busy)); });
  }
}

std::vector<Use> Activity::uses(std::int64_t begin_fs, std::int64_t end_fs) const {
  std::vector<Use> uses(tables_.series.size());
  for (const ActivityTables::Row& row : tables_.rows) {
    const ActivityTables::Epoch& epoch = tables_.epochs[row.epoch];
    if (epoch.end_fs <= begin_fs || epoch.begin_fs >= end_fs) continue;
    Use& use = uses[row.series];
    if (begin_fs <= epoch.begin_fs && epoch.end_fs <= end_fs) {
      use.busy_fs += static_cast<double>(row.busy_fs);
      use.wait_fs += static_cast<double>(row.wait_fs);
      use.bytes += static_cast<double>(row.bytes);
      use.queue = std::max(use.queue, row.queue);
      continue;
    }
    for_bins(tables_, row, begin_fs, end_fs, [&](std::int64_t from, std::int64_t to, const RawBin& bin) {
      const double part =
          static_cast<double>(std::min(to, end_fs) - std::max(from, begin_fs)) / static_cast<double>(to - from);
      use.busy_fs += part * static_cast<double>(bin.busy);
      use.wait_fs += part * static_cast<double>(bin.wait);
      use.bytes += part * static_cast<double>(bin.bytes);
      use.queue = std::max(use.queue, static_cast<std::int64_t>(bin.queue));
    });
  }
  return uses;
}

const std::vector<std::string_view>& Activity::profiled() {
  static const std::vector<std::string_view> drawn = [] {
    std::vector<std::string_view> kinds;
    for (std::size_t i = 0; i < record::kRoles; ++i) {
      const DisplayText& word = word_of(static_cast<record::Role>(i));
      if (!word.colour.empty()) kinds.push_back(word.name);
    }
    return kinds;
  }();
  return drawn;
}

std::vector<std::vector<double>> Activity::profile(std::int64_t begin_fs, std::int64_t end_fs, std::size_t columns,
                                                   const Scope& part) const {
  const std::vector<std::string_view>& kinds = profiled();
  std::vector<std::vector<double>> shares(kinds.size(), std::vector<double>(columns));
  std::vector<double> units(kinds.size());
  std::vector<std::size_t> place(tables_.series.size(), kinds.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    const ActivityTables::Series& series = tables_.series[i];
    if (!part.has(series.component, series.coord)) continue;
    place[i] = static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), series.kind) - kinds.begin());
    if (place[i] < kinds.size()) units[place[i]] += static_cast<double>(std::max<std::int64_t>(1, series.units));
  }
  for (const ActivityTables::Row& row : tables_.rows) {
    const std::size_t kind = place[row.series];
    if (kind == kinds.size()) continue;
    spread_bins(tables_, row, {begin_fs, end_fs, columns},
                [&](std::size_t column, double busy) { shares[kind][column] += busy; });
  }
  for (std::size_t kind = 0; kind < shares.size(); ++kind) {
    for (double& share : shares[kind]) share = units[kind] > 0 ? share / units[kind] : 0;
  }
  return shares;
}

std::vector<Activity::StateStrip> Activity::states(std::int64_t begin_fs, std::int64_t end_fs, std::size_t columns,
                                                   const std::vector<Scope>& parts) const {
  std::vector<StateStrip> strips;
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> strip_of;
  std::vector<std::set<std::string_view>> pes(parts.size());
  std::vector<std::vector<std::size_t>> parts_of(tables_.series.size());
  for (std::size_t i = 0; i < tables_.series.size(); ++i) {
    const ActivityTables::Series& series = tables_.series[i];
    if (series.kind != "state") continue;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (!parts[part].has(series.component, series.coord)) continue;
      parts_of[i].push_back(part);
      pes[part].insert(series.component);
    }
  }
  for (std::size_t i = 0; i < parts_of.size(); ++i) {
    for (const std::size_t row : parts_of[i].empty() ? std::vector<std::size_t>() : rows_of_[i]) {
      spread_bins(tables_, tables_.rows[row], {begin_fs, end_fs, columns}, [&](std::size_t column, double busy) {
        for (const std::size_t part : parts_of[i]) {
          const std::string& state = tables_.series[i].name;
          const auto [at, is_new] = strip_of.emplace(std::pair(part, std::string_view(state)), strips.size());
          if (is_new) strips.push_back({part, state, std::vector<double>(columns)});
          strips[at->second].shares[column] += busy / static_cast<double>(pes[part].size());
        }
      });
    }
  }
  return strips;
}

}  // namespace kb::analysis
