// Requests of the page about the machine and the activity of its resources.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "platform/observe/json_writer.h"
#include "sim/analysis/recorded/engine_work.h"
#include "sim/analysis/recorded/memory_levels.h"
#include "sim/analysis/recorded/messages.h"
#include "sim/analysis/recorded/resource_use.h"
#include "sim/web/answer.h"
#include "sim/web/api.h"

namespace kb::web {
namespace {

using analysis::active_pes;
using analysis::Activity;
using analysis::class_of;
using analysis::engine_work;
using analysis::EngineWork;
using analysis::gbs_of;
using analysis::Machine;
using analysis::match_messages;
using analysis::memory_levels;
using analysis::MemoryLevel;
using analysis::Message;
using analysis::RunFolder;
using analysis::Scope;
using analysis::Series;
using analysis::share_of;
using analysis::units_of;
using analysis::UsageSum;
using analysis::Use;
using analysis::uses_by_cell;
using analysis::uses_by_purpose;

using observe::JsonWriter;

constexpr std::int64_t kMaxRows = 50'000, kMaxColumns = 4096;
constexpr double kFsPerNs = 1e6;

// The part of the machine to which the answer is restricted; by default the whole machine.
Scope part_of(const HttpRequest& request, const RunFolder& run) {
  return run.nodes().scope(request.parameter("under").value_or(""));
}

using Rows = std::vector<std::size_t>;  // series

// Sorts by the requested column, the largest value first unless `ascending`.
void sort_rows(Rows& rows, const std::vector<Use>& uses, const std::vector<Series>& series, const std::string& by,
               bool ascending) {
  const auto value = [&](std::size_t i) {
    if (by == "bytes") return uses[i].bytes;
    if (by == "queue") return static_cast<double>(uses[i].queue);
    return by == "wait" ? uses[i].wait_fs : uses[i].busy_fs / units_of(series[i]);
  };
  if (by != "used" && by != "bytes" && by != "wait" && by != "queue" && by != "name") {
    throw bad_request("sort has to be used, bytes, wait, queue or name");
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    if (ascending) std::swap(a, b);
    if (by != "name") return value(a) > value(b);
    return std::tie(series[b].component, series[b].name) < std::tie(series[a].component, series[a].name);
  });
}

// The active series that a request selects, in the requested order.
Rows wanted_rows(const HttpRequest& request, const RunFolder& run, const std::vector<Use>& uses,
                 const std::vector<Series>& all) {
  const Scope part = part_of(request, run);
  const std::string kind = request.parameter("kind").value_or("");
  const std::string name = request.parameter("name").value_or("");
  const auto like = request.parameter("like");
  Rows rows;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Series& series = all[i];
    const bool wanted = kind.empty() ? series.kind != "state" : series.kind == kind;
    const bool inside =
        part.has(series.component, series.coord) || (!series.peer.empty() && part.has(series.peer, series.peer_coord));
    const bool of_class = !like || like->empty() || class_of(series) == *like;
    const bool named = name.empty() || name_matches(name, series.component) || name_matches(name, series.peer);
    if (wanted && inside && of_class && named && !uses[i].is_empty()) rows.push_back(i);
  }
  if (const auto by = request.parameter("sort")) {
    sort_rows(rows, uses, all, *by, request.parameter("order").value_or("") == "asc");
  }
  return rows;
}

}  // namespace

HttpResponse Api::machine(const HttpRequest& request) const {
  if (run_.machine() == nullptr) {
    throw bad_request("the machine is unknown: run it with --record DIR, or give its file with --topology");
  }
  HttpResponse response;
  const std::string under = request.parameter("under").value_or("");
  response.body = under.empty() ? run_.machine()->overview() : run_.machine()->part(run_.nodes().scope(under));
  return response;
}

HttpResponse Api::activity(const HttpRequest& request) const {
  const RunFolder& run = run_of(request);
  if (!run.has_operations()) need_operations();
  const TimeWindow window = window_of(request);
  const std::int64_t limit = whole(request, "limit", kMaxRows), offset = whole(request, "offset", 0);
  if (limit < 1 || limit > kMaxRows) throw bad_request(fmt::format("limit has to be 1 to {}", kMaxRows));
  if (offset < 0) throw bad_request("offset has to be 0 or more");
  const Activity& activity = run.activity();
  const std::vector<Use> uses = activity.uses(window.begin_fs, window.end_fs);
  const Rows rows = wanted_rows(request, run, uses, activity.series());
  const bool with_names = request.parameter("names").has_value();  // for the filters of a report
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("total").unsigned_integer(rows.size()).key("rows").begin_array();
  const auto first = std::min(static_cast<std::size_t>(offset), rows.size());
  const auto end = first + std::min(static_cast<std::size_t>(limit), rows.size() - first);
  for (std::size_t at = first; at < end; ++at) {
    const std::size_t i = rows[at];
    const Series& series = activity.series()[i];
    const Use& use = uses[i];
    writer.begin_array().text(series.component).text(series.kind).text(series.name);
    writer.real(share_of(use, series, window.span()))
        .real(use.busy_fs / kFsPerNs)
        .real(use.bytes)
        .real(use.wait_fs / kFsPerNs);
    writer.integer(use.queue).real(gbs_of(series, run.machine())).text(series.peer);
    if (with_names) writer.text(class_of(series));
    writer.end_array();
  }
  writer.end_array().end_object();
  return json(writer);
}

HttpResponse Api::activity_csv(const HttpRequest& request) const {
  need_operations();
  const TimeWindow window = window_of(request);
  const Activity& activity = run_.activity();
  const std::vector<Use> uses = activity.uses(window.begin_fs, window.end_fs);
  HttpResponse response;
  response.type = "text/csv";
  response.file_name = "resources.csv";
  response.body = "component,kind,name,share,busy_ns,bytes,wait_ns,queue,gbs\n";
  for (const std::size_t i : wanted_rows(request, run_, uses, activity.series())) {
    const Series& series = activity.series()[i];
    const Use& use = uses[i];
    response.body += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_text(series.component), csv_text(series.kind),
                                 csv_text(series.name), share_of(use, series, window.span()), use.busy_fs / kFsPerNs,
                                 use.bytes, use.wait_fs / kFsPerNs, use.queue, gbs_of(series, run_.machine()));
  }
  return response;
}

HttpResponse Api::classes(const HttpRequest& request) const {
  const RunFolder& run = run_of(request);
  const TimeWindow window = window_of(request);
  const Activity& activity = run.activity();
  const std::vector<Use> uses = activity.uses(window.begin_fs, window.end_fs);
  const std::map<std::string, UsageSum> classes = uses_by_purpose(activity, uses, window.span(), part_of(request, run));
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_array();
  for (const auto& [name, sum] : classes) {
    const Series& busiest = activity.series()[sum.busiest];
    writer.begin_array().text(name).text(busiest.kind).unsigned_integer(sum.count).real(sum.share / sum.units);
    writer.real(sum.most).text(busiest.component).text(busiest.name).real(sum.bytes).real(sum.wait_fs / kFsPerNs);
    writer.real(gbs_of(busiest, run.machine())).end_array();
  }
  writer.end_array();
  return json(writer);
}

HttpResponse Api::cells(const HttpRequest& request) const {
  const RunFolder& run = run_of(request);
  if (!run.has_operations()) need_operations();
  const TimeWindow window = window_of(request);
  const Activity& activity = run.activity();
  const std::vector<Use> uses = activity.uses(window.begin_fs, window.end_fs);
  const auto [cells, between] = uses_by_cell(activity, uses, window.span());
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("wires").begin_array();
  for (const std::size_t i : between) {
    const Series& series = activity.series()[i];
    writer.begin_array().text(series.component).text(series.peer).real(share_of(uses[i], series, window.span()));
    writer.real(uses[i].bytes).real(uses[i].wait_fs / kFsPerNs).real(gbs_of(series, run_.machine()));
    writer.integer(uses[i].queue).end_array();
  }
  writer.end_array().key("cells").begin_array();
  for (const auto& [key, sum] : cells) {
    // Unused channels have no series, but count as idle.
    const double channels = run_.machine() == nullptr ? 0 : static_cast<double>(run_.machine()->channels_per_slice());
    const bool slice = key.second == "memory" && run.activity().series()[sum.busiest].coord.pe.valid();
    const double units = slice ? std::max(channels, sum.units) : sum.units;
    writer.begin_array().text(key.first).text(key.second).real(sum.share / units).real(sum.most).real(sum.bytes);
    writer.real(sum.wait_fs / kFsPerNs).integer(sum.queue).end_array();
  }
  writer.end_array().end_object();
  return json(writer);
}

HttpResponse Api::profile(const HttpRequest& request) const {
  need_operations();
  const TimeWindow window = window_of(request);
  const std::int64_t columns = needed(request, "px");
  if (columns < 1 || columns > kMaxColumns) throw bad_request(fmt::format("px has to be 1 to {}", kMaxColumns));
  const auto shares = run_.activity().profile(window.begin_fs, window.end_fs, static_cast<std::size_t>(columns),
                                              part_of(request, run_));
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object();
  for (std::size_t kind = 0; kind < shares.size(); ++kind) {
    writer.key(Activity::profiled()[kind]).begin_array();
    constexpr double kDigits = 1e4;
    for (const double share : shares[kind]) writer.real(std::round(share * kDigits) / kDigits);
    writer.end_array();
  }
  writer.end_object();
  return json(writer);
}

// [sender, receiver, bytes, direction, sent, arrived, awaited, received]: times from t0 in fs, null when unknown.
HttpResponse Api::messages(const HttpRequest& request) const {
  need_operations();
  const TimeWindow window = window_of(request);
  constexpr std::int64_t kMaxSteps = 60'000;
  const auto steps = run_.operations().message_steps(window.begin_fs, window.end_fs, kMaxSteps, kQuerySeconds);
  if (!steps) return error(kTooSlow, "this takes too long; narrow it down");
  std::map<std::int64_t, std::string> names;
  for (const auto& [id, node] : run_.operations().names().components) names.emplace(id, cell_name(node));
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("all").boolean(steps->size() < static_cast<std::size_t>(kMaxSteps));
  writer.key("messages").begin_array();
  for (const Message& message : match_messages(*steps)) {
    const auto name = [&](std::int64_t id) { id < 0 ? writer.null() : writer.text(names[id]); };
    const auto time = [&](std::int64_t fs) { fs < 0 ? writer.null() : writer.integer(fs - window.begin_fs); };
    writer.begin_array();
    name(message.sender);
    name(message.receiver);
    writer.integer(message.bytes).text(message.direction);
    for (const std::int64_t fs : {message.sent_fs, message.arrived_fs, message.awaited_fs, message.received_fs})
      time(fs);
    writer.end_array();
  }
  writer.end_array().end_object();
  return json(writer);
}

// Returns the computations, those of each engine with its peak, the bytes moved by each level of the memory, and the
// number of PEs that took part.
HttpResponse Api::work(const HttpRequest& request) const {
  need_operations();
  const TimeWindow window = window_of(request);
  const Scope part = part_of(request, run_);
  // The use of resources is known immediately; adding up millions of operations takes longer.
  const bool resources_only = request.parameter("only").value_or("") == "resources";
  const auto work = resources_only || !part.part()
                        ? std::optional(std::vector<data::OpWork>())
                        : run_.operations_for_long().work(window.begin_fs, window.end_fs, *part.part(), kQuerySeconds);
  if (!work) return error(kTooSlow, "this takes too long; narrow it down");
  const Activity& activity = run_.activity();
  const std::vector<Use> uses = activity.uses(window.begin_fs, window.end_fs);
  const std::vector<MemoryLevel> levels =
      run_.machine() == nullptr ? std::vector<MemoryLevel>() : memory_levels(activity, uses, *run_.machine(), part);
  JsonWriter writer(JsonWriter::Layout::compact);
  const std::size_t pes = active_pes(activity, uses, part);
  writer.begin_object().key("pes").unsigned_integer(pes).key("levels").begin_array();
  for (const MemoryLevel& level : levels) {
    writer.begin_array().text(level.name).real(level.bytes).real(level.gbs).end_array();
  }
  writer.end_array().key("engines").begin_array();
  const std::vector<EngineWork> engines = run_.machine() == nullptr
                                              ? std::vector<EngineWork>()
                                              : engine_work(*run_.machine(), *work, run_.operations().names(), pes);
  for (const EngineWork& engine : engines) {
    writer.begin_array().text(engine.name).real(engine.operations).real(engine.padded).real(engine.peak).end_array();
  }
  writer.end_array().key("operations").begin_array();
  for (const data::OpWork& one : *work) {
    writer.begin_array().integer(one.operation).integer(one.count).real(one.busy_fs / kFsPerNs).real(one.macs);
    writer.real(one.useful_macs).real(one.elements).end_array();
  }
  writer.end_array().end_object();
  return json(writer);
}

}  // namespace kb::web
