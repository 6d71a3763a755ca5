#include "sim/run/driver/line_result.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/contract/share_words.h"

namespace kb::sim {
namespace {

result::Line line_of(const SourcePlace& place) {
  return {place.file, place.line, place.call, place.range, place.tensor};
}

template <typename Value>
Value& member(result::Members<Value>& members, std::string_view name) {
  const auto at = std::find_if(members.begin(), members.end(), [&](const auto& one) { return one.first == name; });
  return at != members.end() ? at->second : members.emplace_back(std::string(name), Value{}).second;
}

std::vector<result::LineTime> times_of(const RunRecord& run) {
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, result::LineTime> sums;
  for (const LaunchRecord& launch : run.launches) {
    for (const LineTimeRecord& one : launch.lines) {
      const auto [found, is_new] = sums.try_emplace({launch.kernel, one.line, one.held_by});
      result::LineTime& sum = found->second;
      if (is_new) {
        sum.kernel = launch.kernel;
        sum.line = line_of(run.places[one.line]);
        if (one.held_by != one.line) sum.held_by = line_of(run.places[one.held_by]);
      }
      accumulate(sum.time, one.last);
      accumulate(sum.all_pes, one.sum);
      if (one.last != 0_fs) accumulate(member(sum.shares, contract::word_of(one.share).name), one.last);
    }
  }
  std::vector<result::LineTime> times;
  for (auto& [key, sum] : sums) times.push_back(std::move(sum));
  std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) {
    return std::pair(a.time, a.all_pes) > std::pair(b.time, b.all_pes);
  });
  return times;
}

TimeFs wait_of(const result::Transfer& transfer) {
  TimeFs wait = 0_fs;
  for (const auto& [role, use] : transfer.uses) accumulate(wait, use.wait);
  return wait;
}

std::vector<result::Transfer> transfers_of(const RunRecord& run) {
  std::map<std::pair<std::string, std::uint32_t>, result::Transfer> sums;
  for (const LaunchRecord& launch : run.launches) {
    for (const PlaceUseRecord& one : launch.transfers) {
      const auto [found, is_new] = sums.try_emplace({launch.kernel, one.place});
      result::Transfer& sum = found->second;
      if (is_new) {
        sum.kernel = launch.kernel;
        sum.line = line_of(run.places[one.place]);
      }
      if (one.role == record::Role::dma) sum.bytes += one.sums.bytes;
      result::LineUse& use = member(sum.uses, word_of(one.role).name);
      accumulate(use.busy, one.sums.busy);
      accumulate(use.wait, one.sums.wait);
      use.bytes += one.sums.bytes;
      if (one.most_wait <= use.most_wait) continue;
      use.most_wait = one.most_wait;
      use.most_at = run.resources[one.most].block + '.' + run.resources[one.most].resource;
    }
  }
  std::vector<result::Transfer> transfers;
  for (auto& [key, sum] : sums) transfers.push_back(std::move(sum));
  std::stable_sort(transfers.begin(), transfers.end(),
                   [](const auto& a, const auto& b) { return wait_of(a) > wait_of(b); });
  return transfers;
}

}  // namespace

void add_lines(const RunRecord& run, std::size_t most, result::Result& document) {
  document.lines = times_of(run);
  document.transfers = transfers_of(run);
  if (document.lines.size() > most) document.lines.resize(most);
  if (document.transfers.size() > most) document.transfers.resize(most);
}

}  // namespace kb::sim
