#include "sim/web/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "platform/base/units.h"
#include "platform/contract/share_words.h"
#include "platform/energy/events.h"
#include "platform/observe/json_writer.h"
#include "platform/record/activity.h"
#include "sim/analysis/recorded/engine_work.h"
#include "sim/analysis/recorded/memory_levels.h"
#include "sim/analysis/recorded/op_names.h"
#include "sim/result/launch_parts.h"
#include "sim/web/answer.h"

namespace kb::web {
namespace {

using analysis::Bucket;
using analysis::OpNames;
using analysis::RunFolder;
using analysis::Tile;
using analysis::TileRequest;
using analysis::Timeline;
using analysis::TimelineRow;
using analysis::Track;
using analysis::TrackOp;

using observe::JsonWriter;

constexpr std::int64_t kMaxPage = 1000;

// Every column begins at a multiple of eight bytes.
template <typename List, typename Get>
void append_column(std::string& bytes, const List& list, Get get) {
  using Value = decltype(get(*list.begin()));
  std::size_t at = bytes.size();
  bytes.resize((at + list.size() * sizeof(Value) + 7) / 8 * 8);
  for (const auto& element : list) {
    const Value value = get(element);
    std::memcpy(&bytes[at], &value, sizeof value);
    at += sizeof value;
  }
}

std::string encode(const Tile& tile, const TileRequest& request, const std::vector<TimelineRow>& rows) {
  JsonWriter head(JsonWriter::Layout::compact);
  const std::int64_t width = Track::width_fs(tile.level);
  head.begin_object();
  head.key("first_fs").text(std::to_string(tile.first * width)).key("width_fs").text(std::to_string(width));
  head.key("rows").unsigned_integer(request.rows.size()).key("columns").unsigned_integer(tile.columns);
  head.key("ops");
  tile.ops ? head.unsigned_integer(tile.ops->ops.size()) : head.null();
  head.end_object();
  std::string bytes = head.str();
  bytes.append(7 - bytes.size() % 8, ' ');
  bytes += '\n';
  constexpr std::size_t kBytesPerBucket = 10, kBytesPerOp = 24, kPadding = 64;
  bytes.reserve(bytes.size() + tile.buckets.size() * kBytesPerBucket +
                (tile.ops ? tile.ops->ops.size() : 0) * kBytesPerOp + kPadding);
  std::size_t cell = 0;
  append_column(bytes, tile.buckets, [&](const Bucket& bucket) {
    const auto members = static_cast<double>(rows[request.rows[cell++ / tile.columns]].tracks.size());
    return static_cast<float>(static_cast<double>(bucket.busy_fs) /
                              (std::max(1.0, members) * static_cast<double>(width)));
  });
  append_column(bytes, tile.buckets, [](const Bucket& bucket) { return bucket.count; });
  append_column(bytes, tile.buckets, [](const Bucket& bucket) { return bucket.dominant; });
  if (!tile.ops) return bytes;
  const std::int64_t origin = tile.first * width;
  const std::vector<TrackOp>& ops = tile.ops->ops;
  append_column(bytes, ops, [&](const TrackOp& op) { return static_cast<double>(op.start_fs - origin); });
  append_column(bytes, ops, [&](const TrackOp& op) { return static_cast<double>(op.end_fs - origin); });
  append_column(bytes, ops, [](const TrackOp& op) { return op.sequence; });
  append_column(bytes, tile.ops->row, [](std::uint32_t row) { return static_cast<std::uint16_t>(row); });
  append_column(bytes, ops, [](const TrackOp& op) { return op.operation; });
  return bytes;
}

void write_row(JsonWriter& writer, const data::OpRow& row, const OpNames& names) {
  const data::OpLogNames::Operation& operation = names.operation(row.operation);
  writer.key("seq").integer(row.seq).key("start_fs").text(std::to_string(row.start_fs));
  writer.key("end_fs").text(std::to_string(row.end_fs)).key("component").text(names.component(row.component).id);
  writer.key("kind").text(operation.kind).key("name").text(operation.name);
  if (const data::OpLogNames::Place* const place = names.place(row.place)) {
    writer.key("place");
    write_place(writer, *place);
  }
}

void write_word(JsonWriter& writer, const DisplayText& word, const char* role = nullptr) {
  writer.begin_object().key("name").text(word.name).key("label").text(word.label);
  writer.key("meaning").text(word.sentence).key("phrase").text(word.phrase).key("colour").text(word.colour);
  if (role != nullptr) writer.key("role").text(role);
  writer.end_object();
}

std::string csv_row(const data::OpRow& row, const OpNames& names) {
  const data::OpLogNames::Operation& operation = names.operation(row.operation);
  return fmt::format("{},{},{},{},{},{},{}\n", row.seq, format_ns(TimeFs(row.start_fs)), format_ns(TimeFs(row.end_fs)),
                     format_ns(TimeFs(row.end_fs - row.start_fs)), csv_text(names.component(row.component).id),
                     csv_text(operation.kind), csv_text(operation.name));
}

std::string csv_time(std::optional<std::int64_t> fs) {
  return fs ? format_ns(TimeFs(*fs)) : "";
}

std::string csv_of(const std::vector<data::LaunchRow>& launches) {
  std::string csv =
      "id,kernel,sip,ok,submit_ns,start_ns,completed_ns,dma_ns,compute_ns,macs,useful_macs,late_pes,max_late_ns,label";
  const std::vector<std::size_t> parts = sim::launch_part_indices();
  for (const std::size_t i : parts) csv += fmt::format(",breakdown.{}_ns", sim::launch_part(i).name);
  csv += "\n";
  for (const data::LaunchRow& row : launches) {
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", row.id, csv_text(row.kernel), row.sip, row.ok,
                       csv_time(row.submit_fs), csv_time(row.start_fs), csv_time(row.completed_fs),
                       csv_time(row.dma_fs), csv_time(row.compute_fs), row.macs, row.useful_macs, row.late_pes,
                       csv_time(row.max_late_fs), csv_text(row.label));
    for (const std::size_t i : parts) {
      const auto part = std::find_if(row.parts.begin(), row.parts.end(),
                                     [&](const auto& one) { return one.first == sim::launch_part(i).name; });
      csv += part == row.parts.end() ? "," : "," + csv_time(part->second);
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace

Api::Api(RunFolder& run, const Timeline* timeline, const std::atomic<bool>& ready, const ComparisonRun* against)
    : run_(run), timeline_(timeline), ready_(ready), against_(against) {}

HttpResponse Api::answer(const HttpRequest& request) const {
  static const std::map<std::string, Route> routes = {{"/api/run", &Api::run},
                                                      {"/api/words", &Api::words},
                                                      {"/api/compare", &Api::comparison},
                                                      {"/api/state", &Api::state},
                                                      {"/api/nodes", &Api::nodes},
                                                      {"/api/rows", &Api::rows},
                                                      {"/api/tiles", &Api::tiles},
                                                      {"/api/op", &Api::operation},
                                                      {"/api/ops", &Api::operations},
                                                      {"/api/ops.csv", &Api::operations_csv},
                                                      {"/api/launches.csv", &Api::launches_csv},
                                                      {"/api/machine", &Api::machine},
                                                      {"/api/activity", &Api::activity},
                                                      {"/api/classes", &Api::classes},
                                                      {"/api/cells", &Api::cells},
                                                      {"/api/profile", &Api::profile},
                                                      {"/api/work", &Api::work},
                                                      {"/api/messages", &Api::messages},
                                                      {"/api/activity.csv", &Api::activity_csv},
                                                      {"/api/states", &Api::states},
                                                      {"/api/chain", &Api::chain},
                                                      {"/api/related", &Api::related},
                                                      {"/api/route", &Api::route},
                                                      {"/api/kernel", &Api::kernel}};
  const auto route = routes.find(request.path);
  if (route == routes.end()) return error(kNotFound, "there is no such page");
  try {
    return (this->*route->second)(request);
  } catch (const Error& failure) {
    return error(kBadRequest, failure.what());
  }
}

const RunFolder& Api::run_of(const HttpRequest& request) const {
  if (request.parameter("run").value_or("") != "against") return run_;
  if (against_ == nullptr) throw bad_request("there is no run to compare with; start with --against DIR");
  return against_->run();
}

HttpResponse Api::run(const HttpRequest& request) const {
  HttpResponse response;
  response.body = run_of(request).summary();
  return response;
}

// Words of parts of launches, resources of PEs, kinds of resources, levels of the memory and parts that cost energy,
// for all pages.
HttpResponse Api::words(const HttpRequest&) const {
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("parts").begin_array();
  for (const std::size_t part : sim::launch_part_indices()) {
    const char* role = sim::is_engine_part(part) ? "engine" : sim::is_kernel_part(part) ? "kernel" : "launch";
    write_word(writer, sim::launch_part(part), role);
  }
  writer.end_array().key("resources").begin_array();
  for (std::size_t i = 0; i < contract::kPeResources; ++i) {
    write_word(writer, word_of(static_cast<contract::PeResource>(i)));
  }
  writer.end_array().key("kinds").begin_array();
  for (std::size_t i = 0; i < record::kRoles; ++i) {
    const auto role = static_cast<record::Role>(i);
    if (role != record::Role::state) write_word(writer, word_of(role));
  }
  writer.end_array().key("levels").begin_array();
  for (const DisplayText& level : analysis::memory_level_words()) write_word(writer, level);
  writer.end_array().key("energy").begin_array();
  for (std::size_t part = 0; part < energy::kParts; ++part) {
    write_word(writer, energy::word_of(static_cast<energy::Part>(part)));
  }
  writer.end_array().end_object();
  return json(writer);
}

HttpResponse Api::comparison(const HttpRequest&) const {
  HttpResponse response;
  response.body = against_ == nullptr ? "null" : against_->comparison();
  return response;
}

HttpResponse Api::nodes(const HttpRequest&) const {
  HttpResponse response;
  response.body = run_.nodes().directory();
  return response;
}

HttpResponse Api::state(const HttpRequest&) const {
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object();
  writer.key("ready").boolean(ready_);
  writer.key("progress").real(timeline_ == nullptr ? 1 : timeline_->progress());
  if (timeline_ != nullptr && ready_) {
    writer.key("operations").unsigned_integer(timeline_->operations());
    writer.key("begin_fs").text(std::to_string(timeline_->begin_fs()));
    writer.key("end_fs").text(std::to_string(timeline_->end_fs()));
  }
  writer.end_object();
  return json(writer);
}

void Api::need_operations() const {
  if (timeline_ == nullptr) {
    throw bad_request("this run has no operations; run it again with --record DIR in place of --out DIR");
  }
}

HttpResponse Api::rows(const HttpRequest&) const {
  need_operations();
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("rows").begin_array();
  for (const TimelineRow& row : timeline_->rows()) {
    writer.begin_array().text(row.name).text(row.label).integer(row.parent).boolean(row.component);
    writer.unsigned_integer(row.tracks.size()).end_array();
  }
  writer.end_array().key("operations").begin_array();
  for (const auto& operation : run_.operations().names().operations) {
    const auto engine = analysis::engine_of(operation);
    writer.begin_array().text(operation.kind).text(operation.name);
    writer.text(engine ? engine::engine_word(*engine).name : "").end_array();
  }
  writer.end_array().end_object();
  return json(writer);
}

HttpResponse Api::tiles(const HttpRequest& request) const {
  need_operations();
  if (!ready_) return error(kTooSlow, "the operations are still being read");
  TileRequest wanted;
  wanted.begin_fs = needed(request, "t0");
  wanted.end_fs = needed(request, "t1");
  wanted.pixels = needed(request, "px");
  const std::string list = request.parameter("rows").value_or("");
  for (const std::string& row : split(list, ',')) {
    const std::int64_t number = whole("rows", row);
    if (number < 0 || number >= static_cast<std::int64_t>(timeline_->rows().size())) {
      throw bad_request(fmt::format("there is no row {}", number));
    }
    wanted.rows.push_back(static_cast<std::uint32_t>(number));
  }
  HttpResponse response;
  response.type = "application/octet-stream";
  response.body = encode(timeline_->tile(wanted), wanted, timeline_->rows());
  return response;
}

HttpResponse Api::operation(const HttpRequest& request) const {
  need_operations();
  const auto found = run_.operations().find(needed(request, "seq"));
  if (!found) return error(kNotFound, "there is no such operation");
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object();
  write_row(writer, found->first, OpNames(run_.operations().names()));
  writer.key("params").text(found->second).end_object();  // a text: what a file has there need not be JSON
  return json(writer);
}

data::OpQuery Api::query_of(const HttpRequest& request) const {
  data::OpQuery query;
  const data::OpLogNames& names = run_.operations().names();
  if (const auto wanted = request.parameter("component"); wanted && !wanted->empty()) {
    query.components.emplace();
    for (const auto& [id, node] : names.components) {
      if (name_matches(*wanted, node.id)) query.components->push_back(id);
    }
    if (query.components->size() == names.components.size()) query.components.reset();
  }
  if (const auto wanted = request.parameter("name"); wanted && !wanted->empty()) {
    query.operations.emplace();
    for (const auto& operation : names.operations) {
      if (name_matches(*wanted, operation.name)) query.operations->push_back(operation.id);
    }
  }
  if (const auto wanted = request.parameter("line"); wanted && !wanted->empty()) {
    query.places.emplace();
    for (const auto& place : names.places) {
      if (place.file + ':' + std::to_string(place.line) == *wanted) query.places->push_back(place.id);
    }
  }
  if (request.parameter("t0")) query.from_fs = needed(request, "t0");
  if (request.parameter("t1")) query.to_fs = needed(request, "t1");
  static const std::map<std::string, data::OpQuery::Order> orders = {{"seq", data::OpQuery::Order::sequence},
                                                                     {"start", data::OpQuery::Order::start},
                                                                     {"end", data::OpQuery::Order::end},
                                                                     {"duration", data::OpQuery::Order::duration}};
  const auto order = orders.find(request.parameter("sort").value_or("seq"));
  if (order == orders.end()) throw bad_request("sort has to be seq, start, end or duration");
  query.order = order->second;
  query.descending = request.parameter("order").value_or("") == "desc";
  query.offset = whole(request, "offset", 0);
  query.limit = whole(request, "limit", 100);
  if (query.offset < 0) throw bad_request("offset has to be 0 or more");
  if (query.limit < 1 || query.limit > kMaxPage) throw bad_request(fmt::format("limit has to be 1 to {}", kMaxPage));
  return query;
}

HttpResponse Api::operations(const HttpRequest& request) const {
  need_operations();
  const data::OpQuery query = query_of(request);
  const auto rows = run_.operations().select(query, kQuerySeconds);
  if (!rows) return error(kTooSlow, "this takes too long; narrow it down");
  const auto total = query.offset == 0 ? run_.operations().count(query, kQuerySeconds) : std::nullopt;
  const OpNames names(run_.operations().names());
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("total");
  total ? writer.integer(*total) : writer.null();
  writer.key("rows").begin_array();
  for (const data::OpRow& row : *rows) {
    writer.begin_object();
    write_row(writer, row, names);
    writer.end_object();
  }
  writer.end_array().end_object();
  return json(writer);
}

// Reads operations by seq in parts, so that memory and queries do not grow with the run.
HttpResponse Api::operations_csv(const HttpRequest& request) const {
  need_operations();
  auto query = std::make_shared<data::OpQuery>(query_of(request));
  constexpr std::int64_t kRowsAtOnce = 5000;
  query->order = data::OpQuery::Order::sequence;
  query->descending = false;
  query->offset = 0;
  query->limit = kRowsAtOnce;
  HttpResponse response;
  response.type = "text/csv";
  response.file_name = "operations.csv";
  auto first = std::make_shared<bool>(true);
  response.next_piece = [this, query, first](std::string& piece) {
    if (std::exchange(*first, false)) piece = "seq,start_ns,end_ns,duration_ns,component,kind,name\n";
    const auto rows = run_.operations().select(*query, kQuerySeconds);
    const OpNames names(run_.operations().names());
    if (!rows || rows->empty()) return false;
    for (const data::OpRow& row : *rows) piece += csv_row(row, names);
    query->after_seq = rows->back().seq;
    return rows->size() == static_cast<std::size_t>(kRowsAtOnce);
  };
  return response;
}

HttpResponse Api::launches_csv(const HttpRequest&) const {
  HttpResponse response;
  response.type = "text/csv";
  response.file_name = "launches.csv";
  response.body = csv_of(run_.launches());
  return response;
}

}  // namespace kb::web
