#include "sim/evaluate/staging.h"

#include "platform/base/error.h"
#include "platform/base/version.h"
#include "platform/topology/sha256.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/json_file.h"

namespace kb::evaluate {

std::string machine_digest(const topology::LoadedTopology& machine) {
  std::string text;
  for (const auto& [key, value] : machine.config) text += key + "=" + value.value + "\n";
  return topology::sha256_hex(text);
}

Staging::Staging(const WorkFolder& folder, std::string identity) : folder_(folder), identity_(std::move(identity)) {}

std::string Staging::digest(const Point& point) const {
  std::string text = identity_ + "\n" + point.workload + "\n" + point.trace + "\n" + point.ccl + "\n" +
                     (point.verify ? "verified\n" : "");
  for (const auto& [name, value] : point.params) text += name + "=" + value + "\n";
  text += "topology\n" + point.topology + "grid\n" + point.grid;
  for (const auto& [name, value] : point.machine_sets) text += "set " + name + "=" + value + "\n";
  return topology::sha256_hex(text);
}

std::optional<Json> Staging::find(const Point& point) const {
  Json kept;
  try {
    kept = read_json(folder_.row_file(point.id), kMostDataBytes);
  } catch (const Error&) {
    return std::nullopt;  // none, or a damaged one
  }
  if (!kept.is_object() || !kept.contains("digest") || !kept.contains("row")) return std::nullopt;
  if (kept["digest"] != digest(point)) return std::nullopt;
  return kept["row"];
}

void Staging::keep(const Point& point, const Json& row) const {
  write_file(folder_.row_file(point.id), Json{{"digest", digest(point)}, {"row", row}}.dump(1) + "\n",
             "the row of a point");
}

}  // namespace kb::evaluate
