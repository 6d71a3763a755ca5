#include "sim/evaluate/allreduce/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "sim/evaluate/json_file.h"
#include "sim/evaluate/printable.h"

namespace kb::evaluate {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLeast = 1e-6, kMost = 1e15;  // what an axis can show

struct Members {
  const char* part;
  std::vector<std::string> texts;
  std::vector<std::string> numbers;
};

const std::vector<Members>& parts() {
  static const std::vector<Members> all{
      {"point", {"label", "origin"}, {"bytes", "latency_ns"}},
      {"curve", {"label", "origin"}, {"startup_ns", "per_packet_ns", "packet_bytes"}}};
  return all;
}

void check_part(const std::string& file, const Members& members, const Json& part) {
  const auto fail = [&](const std::string& what) {
    throw Error::configuration(fmt::format("{}: {}{}", file, members.part, what));
  };
  if (!part.is_object()) fail(" must be an object");
  std::vector<std::string> known = members.texts;
  known.insert(known.end(), members.numbers.begin(), members.numbers.end());
  for (const auto& [name, value] : part.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail(fmt::format(".{} is unknown; {}", name, suggest(name, known)));
    }
  }
  for (const std::string& name : members.texts) {
    if (!part.contains(name) || !part[name].is_string()) fail(fmt::format(".{} must be a text", name));
  }
  for (const std::string& name : members.numbers) {
    const double value = part.contains(name) && part[name].is_number() ? part[name].get<double>() : 0.0;
    if (!(value >= kLeast && value <= kMost)) {
      fail(fmt::format(".{} must be a number from {:g} to {:g}", name, kLeast, kMost));
    }
  }
}

Json checked_reference(const std::string& file) {
  const std::string name = file.empty() ? "configs/allreduce_reference.json" : file;
  const Json json = file.empty() ? parse_json(name, kBuiltInReference) : read_json(file, kMostReferenceBytes);
  if (!json.is_object()) throw Error::configuration(name + ": is not a JSON object");
  std::vector<std::string> known;
  for (const Members& members : parts()) known.emplace_back(members.part);
  for (const auto& [key, value] : json.items()) {
    const auto found =
        std::find_if(parts().begin(), parts().end(), [&, part = key](const Members& m) { return m.part == part; });
    if (found == parts().end()) {
      throw Error::configuration(fmt::format("{}: {} is unknown; {}", name, key, suggest(key, known)));
    }
    check_part(name, *found, value);
  }
  return json;
}

}  // namespace

Json load_reference(const std::string& file) {
  try {
    return checked_reference(file);
  } catch (const Error& error) {
    throw Error::configuration(printable(error.what()));
  }
}

}  // namespace kb::evaluate
