#include "sim/run/driver/recorded_lines.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace kb::sim {
namespace {

std::vector<SourcePlace> list_places(const account::PlaceTable& table) {
  std::vector<SourcePlace> places;
  for (std::uint32_t i = 0; i < table.sites(); ++i) {
    const account::Place& site = table[account::SiteId{i}];
    places.push_back({table[site.file], site.line, table[site.call], table.path(site.range), table[site.tensor]});
  }
  return places;
}

// Senders of several launches, on other SIPs, share their sites.
void add_times(const record::LineTimes& times, const account::PlaceTable& table, LaunchRecord& launch) {
  const std::vector<record::LineShare>* const shares = times.of_launch(launch.id);
  if (shares == nullptr) return;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, LineTimeRecord> sums;
  for (const record::LineShare& one : *shares) {
    const std::uint32_t line = table.site(one.line).value, held_by = table.site(one.held_by).value;
    LineTimeRecord& sum =
        sums.try_emplace({line, held_by, one.share}, LineTimeRecord{line, held_by, one.share, 0_fs, 0_fs})
            .first->second;
    accumulate(sum.sum, one.sum);
    accumulate(sum.last, one.last);
  }
  for (const auto& [key, sum] : sums) launch.lines.push_back(sum);
}

// Sums of a place over the resources of each role.
class PlaceUses {
 public:
  explicit PlaceUses(std::size_t places) : uses_(places) {}

  // The resources of a block follow one another.
  void add(const record::SeriesInfo& series, std::uint32_t resource, const account::ResourceAccount::Row& row) {
    std::vector<Use>& uses = uses_[row.place.value];
    auto use = std::find_if(uses.begin(), uses.end(), [&](const Use& one) { return one.role == series.role; });
    if (use == uses.end()) use = uses.insert(uses.end(), Use{{0, series.role, {}, 0, 0, 0_fs}, {}});
    use->sums.add(row.sums);
    if (use->blocks == 0 || use->latest != series.node) ++use->blocks;
    use->latest = series.node;
    if (row.sums.wait <= use->most_wait) return;
    use->most = resource;
    use->most_wait = row.sums.wait;
  }
  struct Use : PlaceUseRecord {
    NodeId latest;  // block of the latest one
  };
  const std::vector<Use>& operator[](std::size_t place) const { return uses_[place]; }

 private:
  std::vector<std::vector<Use>> uses_;  // by place of the recorder
};

}  // namespace

void add_recorded_lines(const record::ActivityRecorder& recorder, const std::vector<std::uint32_t>& resource_of,
                        RunRecord& run) {
  const account::PlaceTable& table = recorder.places();
  run.places = list_places(table);
  std::unordered_map<std::uint64_t, LaunchRecord*> launches;
  for (LaunchRecord& launch : run.launches) {
    launches[launch.id] = &launch;
    add_times(recorder.line_times(), table, launch);
  }
  PlaceUses uses(table.size());
  for (std::uint32_t series = 0; series < recorder.series().size(); ++series) {
    for (const account::ResourceAccount::Row& row : recorder.uses_of(series)) {
      if (!row.sums.is_empty()) uses.add(recorder.series()[series], resource_of[series], row);
    }
  }
  for (std::uint32_t place = 0; place < table.size(); ++place) {
    const auto launch = launches.find(table[account::PlaceId{place}].launch);
    if (launch == launches.end()) continue;
    for (const PlaceUseRecord& use : uses[place]) {
      launch->second->transfers.push_back(use);
      launch->second->transfers.back().place = table.site(account::PlaceId{place}).value;
    }
  }
  if (table.lacks_lines()) {
    run.notes.push_back("the transfers of later launches are not told apart by line, because there are too many");
  }
}

}  // namespace kb::sim
