// Requests of the page about lines of kernels.
#include <set>

#include "platform/observe/json_writer.h"
#include "sim/web/answer.h"
#include "sim/web/api.h"

namespace kb::web {
namespace {

using data::LineTables;
using data::OpLogNames;
using observe::JsonWriter;

constexpr double kFsInNs = 1e6;

void write_times(JsonWriter& writer, const std::vector<LineTables::Time>& times) {
  writer.key("times").begin_array();
  for (const LineTables::Time& one : times) {
    writer.begin_array().integer(one.place).integer(one.held_by).text(one.share);
    writer.real(one.last_fs / kFsInNs).real(one.all_fs / kFsInNs).end_array();
  }
  writer.end_array();
}

void write_uses(JsonWriter& writer, const std::vector<LineTables::Use>& uses) {
  writer.key("uses").begin_array();
  for (const LineTables::Use& one : uses) {
    writer.begin_array().integer(one.place).text(one.role).real(one.busy_fs / kFsInNs).real(one.wait_fs / kFsInNs);
    writer.real(one.bytes).text(one.most_at).real(one.most_wait_fs / kFsInNs).end_array();
  }
  writer.end_array();
}

}  // namespace

void write_place(JsonWriter& writer, const OpLogNames::Place& place) {
  writer.begin_array().integer(place.id).text(place.file).integer(place.line).text(place.call);
  writer.text(place.range).text(place.tensor).end_array();
}

// For launch=ID or kernel=NAME: {"places", "times": [[place, held by, share, ns on the last PE, ns on all]], "uses":
// [[place, role, busy ns, wait ns, bytes, most waited at, ns there]], "sources": [[file, text]]}. The texts are those
// that the run recorded: no file is opened.
HttpResponse Api::kernel(const HttpRequest& request) const {
  need_operations();
  data::LineQuery query;
  if (request.parameter("launch")) query.launch = needed(request, "launch");
  query.kernel = request.parameter("kernel").value_or("");
  if (!query.launch && query.kernel.empty()) throw bad_request("launch or kernel is missing");
  const auto found = run_.operations().lines(query, kQuerySeconds);
  if (!found) return error(kTooSlow, "this takes too long");
  std::set<std::int64_t> used;
  for (const LineTables::Time& one : found->times) used.insert({one.place, one.held_by});
  for (const LineTables::Use& one : found->uses) used.insert(one.place);
  std::set<std::string> files;
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("places").begin_array();
  for (const OpLogNames::Place& place : run_.operations().names().places) {
    if (used.count(place.id) == 0) continue;
    write_place(writer, place);
    files.insert(place.file);
  }
  writer.end_array();
  write_times(writer, found->times);
  write_uses(writer, found->uses);
  writer.key("sources").begin_array();
  for (const std::string& file : files) {
    if (const auto text = run_.operations().source(file)) writer.begin_array().text(file).text(*text).end_array();
  }
  writer.end_array().end_object();
  return json(writer);
}

}  // namespace kb::web
