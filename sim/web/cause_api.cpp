// Requests of the page about causes: states of PEs over time, critical chains, and operations related to an operation.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "platform/observe/json_writer.h"
#include "sim/analysis/recorded/critical_chain.h"
#include "sim/analysis/recorded/op_names.h"
#include "sim/web/answer.h"
#include "sim/web/api.h"

namespace kb::web {
namespace {

using analysis::Activity;
using analysis::ChainOp;
using analysis::match_messages;
using analysis::OpNames;
using analysis::PathSegment;
using analysis::PathShare;
using analysis::RunFolder;
using analysis::Scope;
using analysis::Timeline;
using analysis::walk_chain;

using Json = nlohmann::json;
using observe::JsonWriter;

constexpr std::int64_t kMaxSteps = 60'000;

std::optional<std::uint32_t> row_named(const Timeline& timeline, const std::string& name) {
  for (std::size_t i = 0; i < timeline.rows().size(); ++i) {
    if (timeline.rows()[i].name == name) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

// A parameter of an operation; "" unless it is a string, because the file is untrusted.
std::string text_in(const Json& params, const char* name) {
  const auto at = params.find(name);
  return at != params.end() && at->is_string() ? at->get<std::string>() : "";
}
std::optional<std::int64_t> number_in(const Json& params, const char* name) {
  const auto at = params.find(name);
  return at != params.end() && at->is_number_integer() ? std::optional(at->get<std::int64_t>()) : std::nullopt;
}
Json parse_params(const std::string& text) {
  Json params = Json::parse(text, nullptr, false);
  return params.is_object() ? params : Json::object();
}

std::uint64_t address_in(const Json& params, const std::string& name) {
  const std::string text = text_in(params, name.c_str());
  std::uint64_t address = 0;
  constexpr int kHex = 16;
  constexpr std::size_t kPrefix = 2;  // "0x"
  const bool is_hex = text.size() > kPrefix && text[0] == '0' && text[1] == 'x';
  const char* const end = text.data() + text.size();
  if (!is_hex || std::from_chars(text.data() + kPrefix, end, address, kHex).ptr != end) {
    throw bad_request("the operation moves no data over the fabric");
  }
  return address;
}

// The composite that contains a tile: the one that its PE's scheduler was executing.
std::optional<Json> composite_of(const data::OpRow& tile, const NodeCoord& pe, data::OpLogDatabase& operations) {
  data::OpQuery query;
  query.components.emplace();
  for (const auto& [id, node] : operations.names().components) {
    if (node.coord == pe && node.kind == "pe_scheduler") query.components->push_back(id);
  }
  query.from_fs = tile.start_fs;
  query.to_fs = tile.start_fs + 1;
  const auto rows = operations.select(query, kQuerySeconds);
  if (!rows || rows->empty()) return std::nullopt;
  const auto found = operations.find(rows->front().seq);
  return found ? std::optional(parse_params(found->second)) : std::nullopt;
}

}  // namespace

// Answers for `rows` of the timeline, or for `nodes` by name: a line {"columns", "strips": [[row or position, state]]},
// and a byte for each piece of each strip.
HttpResponse Api::states(const HttpRequest& request) const {
  const RunFolder& run = run_of(request);
  if (!run.has_operations()) need_operations();
  const TimeWindow window = window_of(request);
  const std::int64_t columns = needed(request, "px");
  constexpr std::int64_t kMaxPixels = 4096;
  constexpr std::size_t kMaxNodes = 512;
  if (columns < 1 || columns > kMaxPixels) throw bad_request(fmt::format("px has to be 1 to {}", kMaxPixels));
  const auto list = [&](const char* name) {
    const std::string text = request.parameter(name).value_or("");
    return text.empty() ? std::vector<std::string>() : split(text, ',');
  };
  std::vector<Scope> parts;
  std::vector<std::int64_t> rows;
  for (const std::string& name : list("nodes")) {
    rows.push_back(static_cast<std::int64_t>(parts.size()));
    parts.push_back(run.nodes().scope(name));
  }
  for (const std::string& text : list("rows")) {
    const std::int64_t row = whole("rows", text);
    if (row < 0 || row >= static_cast<std::int64_t>(timeline_->rows().size())) {
      throw bad_request(fmt::format("there is no row {}", row));
    }
    rows.push_back(row);
    parts.push_back(timeline_->rows()[static_cast<std::size_t>(row)].scope());
  }
  if (parts.size() > kMaxNodes) throw bad_request(fmt::format("there may be at most {} rows", kMaxNodes));
  const auto strips = run.activity().states(window.begin_fs, window.end_fs, static_cast<std::size_t>(columns), parts);
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("columns").integer(columns).key("strips").begin_array();
  for (const Activity::StateStrip& strip : strips) {
    writer.begin_array().integer(rows[strip.part]).text(strip.state).end_array();
  }
  writer.end_array().end_object();
  HttpResponse response;
  response.type = "application/octet-stream";
  response.body = writer.str() + "\n";
  constexpr double kAll = 255;
  for (const Activity::StateStrip& strip : strips) {
    for (const double share : strip.shares) {
      response.body += static_cast<char>(static_cast<unsigned char>(std::lround(std::min(1.0, share) * kAll)));
    }
  }
  return response;
}

// Stays from first to last: [PE, begin, end, between, [[block, operation, time, count]], message], times from t0 in fs;
// the message is null or [sender, bytes, sent, arrived, awaited].
HttpResponse Api::chain(const HttpRequest& request) const {
  need_operations();
  if (!ready_) return error(kTooSlow, "the operations are still being read");
  const TimeWindow window = window_of(request);
  const std::string pe = request.parameter("pe").value_or("");
  constexpr std::size_t kMaxOps = 4'000'000;
  constexpr std::size_t kMaxStays = 2000;
  if (!row_named(*timeline_, pe)) throw bad_request("no PE '" + pe + "' has operations");
  const auto steps = run_.operations().message_steps(window.begin_fs, window.end_fs, kMaxSteps, kQuerySeconds);
  if (!steps) return error(kTooSlow, "this takes too long; narrow it down");
  std::map<std::string, std::uint32_t> row_of;
  for (std::size_t i = 0; i < timeline_->rows().size(); ++i) {
    row_of.emplace(timeline_->rows()[i].name, static_cast<std::uint32_t>(i));
  }
  const auto ops_of = [&](const std::string& name) {
    std::vector<ChainOp> ops;
    const auto row = row_of.find(name);
    if (row == row_of.end()) return ops;
    for (const Timeline::PlacedOp& one : timeline_->ops_of(row->second, window.begin_fs, window.end_fs, kMaxOps)) {
      ops.push_back({one.op.start_fs, one.op.end_fs, one.track, one.op.operation});
    }
    return ops;
  };
  const OpNames names(run_.operations().names());
  const auto pe_of = [&](std::int64_t component) { return cell_name(names.component(component)); };
  const std::vector<PathSegment> stays =
      walk_chain({window.begin_fs, window.end_fs, pe, kMaxStays}, ops_of, match_messages(*steps), pe_of);
  const auto& components = run_.operations().names().components;
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("all").boolean(stays.size() < kMaxStays &&
                                           steps->size() < static_cast<std::size_t>(kMaxSteps));
  writer.key("stays").begin_array();
  for (const PathSegment& stay : stays) {
    writer.begin_array().text(stay.pe).integer(stay.begin_fs - window.begin_fs).integer(stay.end_fs - window.begin_fs);
    writer.integer(stay.between_fs).begin_array();
    for (const PathShare& part : stay.parts) {
      writer.begin_array().text(components[part.block].node.id).unsigned_integer(part.operation);
      writer.integer(part.time_fs).integer(part.count).end_array();
    }
    writer.end_array();
    if (stay.message) {
      writer.begin_array().text(pe_of(stay.message->sender)).integer(stay.message->bytes);
      for (const std::int64_t fs : {stay.message->sent_fs, stay.message->arrived_fs, stay.message->awaited_fs}) {
        writer.integer(fs - window.begin_fs);
      }
      writer.end_array();
    } else {
      writer.null();
    }
    writer.end_array();
  }
  writer.end_array().end_object();
  return json(writer);
}

// The operations of the same tile, in order of start: [seq, component, begin, end], times from its own begin in fs.
HttpResponse Api::related(const HttpRequest& request) const {
  need_operations();
  const auto found = run_.operations().find(needed(request, "seq"));
  if (!found) return error(kNotFound, "there is no such operation");
  const Json own = parse_params(found->second);
  const auto composite = number_in(own, "composite"), tile = number_in(own, "tile");
  const OpNames names(run_.operations().names());
  const data::OpRow& row = found->first;
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_array();
  if (composite && tile) {
    constexpr std::int64_t kReach = 8, kLeast = 1'000'000'000, kMax = 400;  // durations, fs, operations
    const std::int64_t reach = kReach * (row.end_fs - row.start_fs) + kLeast;
    data::OpQuery query;
    query.components.emplace();
    const std::string pe = cell_name(names.component(row.component));
    for (const auto& [id, node] : run_.operations().names().components) {
      if (cell_name(node) == pe) query.components->push_back(id);
    }
    query.from_fs = std::max<std::int64_t>(0, row.start_fs - reach);
    query.to_fs = row.end_fs + reach;
    query.order = data::OpQuery::Order::start;
    query.limit = kMax;
    const auto rows = run_.operations().select(query, kQuerySeconds);
    if (!rows) return error(kTooSlow, "this takes too long");
    for (const data::OpRow& other : *rows) {
      const auto one = run_.operations().find(other.seq);
      const Json params = one ? parse_params(one->second) : Json::object();
      if (number_in(params, "composite") != composite || number_in(params, "tile") != tile) continue;
      writer.begin_array().integer(other.seq).text(names.component(other.component).id);
      writer.integer(other.start_fs - row.start_fs).integer(other.end_fs - row.start_fs).end_array();
    }
  }
  writer.end_array();
  return json(writer);
}

// Nodes from the source of the data to its destination: of an operation, or between the PEs `from` and `to`.
HttpResponse Api::route(const HttpRequest& request) const {
  need_operations();
  if (run_.machine() == nullptr || run_.machine()->spec().empty()) throw bad_request("the machine is unknown");
  std::call_once(routes_made_, [&] { routes_.emplace(run_.machine()->spec()); });
  std::vector<std::string> nodes;
  if (const auto from = request.parameter("from")) {
    nodes = routes_->between_pes(*from, request.parameter("to").value_or(""));
  } else {
    const auto found = run_.operations().find(needed(request, "seq"));
    if (!found) return error(kNotFound, "there is no such operation");
    const OpNames names(run_.operations().names());
    const NodeEntry& component = names.component(found->first.component);
    const std::string name = names.operation(found->first.operation).name;
    const bool reads = name.find("READ") != std::string::npos || name.find("read") != std::string::npos;
    Json params = parse_params(found->second);
    std::string member = reads ? "src_addr" : "dst_addr";
    if (number_in(params, "composite")) {
      const std::string operand = text_in(params, "operand");
      member = reads ? "src_" + operand + "_addr" : "dst_addr";
      params = composite_of(found->first, component.coord, run_.operations()).value_or(Json::object());
    }
    nodes = routes_->with_memory(component.id, address_in(params, member), reads);
  }
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_array();
  for (const std::string& node : nodes) writer.text(node);
  writer.end_array();
  return json(writer);
}

}  // namespace kb::web
