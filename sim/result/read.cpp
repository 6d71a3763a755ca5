#include "sim/result/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "platform/base/error.h"
#include "sim/result/inputs.h"
#include "sim/result/tornado.h"
#include "sim/result/why.h"
#include "sim/study/files/json_file.h"

namespace kb::result {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr const char* kWanted = "give the folder or the result.json of `kernbench run`";
constexpr const char* kInputsWanted = "give the folder or the inputs.json of `kernbench run`";
constexpr const char* kWhyWanted = "`kernbench why` writes it again";
constexpr const char* kTornadoWanted = "`kernbench why --machine` writes it again";
constexpr long double kFsInNs = 1e6L;
constexpr std::size_t kShown = 40;

// The result is exact below 4 s of simulated time: the error of a double with that many ns is at most half a
// femtosecond.
std::optional<TimeFs> time_in(const Json& json) {
  constexpr double kLimitNs = 4e12;
  if (!json.is_number()) return std::nullopt;
  const double ns = json.get<double>();
  if (!(std::fabs(ns) < kLimitNs)) return std::nullopt;
  return TimeFs(std::llround(ns * kFsInNs));
}

Json read_json(const std::string& file) {
  Json json = files::read_json(file, kMostBytes, kWanted);
  if (!json.is_object() || !json.contains("schema") || !json.contains("launches")) {
    throw Error::configuration(file + ": is not the result of a run; " + kWanted);
  }
  if (json["schema"] != kSchema) {
    const auto version = json.find("version");
    const std::string writer = version != json.end() && version->is_string() ? version->get<std::string>() : "";
    throw Error::configuration(fmt::format(
        "{}: was written {}with schema {}, and this program reads {}; run it again, or use the kernbench that wrote it",
        file, writer.empty() ? "" : "by kernbench " + writer + " ", json["schema"].dump(), kSchema));
  }
  return json;
}

// The document in a file.
template <typename Document>
Document taken(const Json& json, const std::string& file, const char* problem, const char* remedy) {
  Document document;
  try {
    Reader::take(json, "", document);
  } catch (const ReadError& error) {
    throw Error::configuration(fmt::format("{}: {}: {} ({})", file, problem, error.what(), remedy));
  }
  return document;
}

// A document of `kernbench why`.
template <typename Document>
Document measured(const std::string& file, const char* known, const char* wanted) {
  const Json json = files::read_json(file, files::kMaxDataBytes, wanted);
  const Json schema = json.is_object() ? json.value("schema", Json()) : Json();
  if (schema != known) {
    throw Error::configuration(
        fmt::format("{}: schema is {} and this program reads \"{}\"; {}", file, schema.dump(), known, wanted));
  }
  return taken<Document>(json, file, "is damaged", wanted);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace

void Reader::refuse(const std::string& path, const std::string& wanted, const Json& found) {
  std::string text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  throw ReadError((path.empty() ? "the document" : path) + " must be " + wanted + ", not " + text);
}

const Json& Reader::member(std::string_view name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) {
    throw ReadError((path_.empty() ? "the document" : path_) + " has no member '" + std::string(name) + "'");
  }
  return *found;
}

void Reader::one_of(std::string_view name, std::string& value, WordList words, std::string_view meaning) {
  (*this)(name, value, meaning);
  if (std::find(words.begin(), words.end(), value) != words.end()) return;
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  refuse(place(name), "one of " + list, value);
}

void Reader::amount(std::string_view name, std::int64_t& value, const std::string& /*unit*/, std::string_view meaning) {
  if (member("unit") != "ns") return (*this)(name, value, meaning);
  TimeFs time = 0_fs;
  (*this)(name, time, meaning);
  value = time.fs();
}

void Reader::take(const Json& json, const std::string& path, bool& value) {
  if (!json.is_boolean()) refuse(path, "true or false", json);
  value = json.get<bool>();
}

void Reader::take(const Json& json, const std::string& path, std::int64_t& value) {
  if (!json.is_number_integer()) refuse(path, "a whole number", json);
  value = json.get<std::int64_t>();
}

void Reader::take(const Json& json, const std::string& path, std::uint64_t& value) {
  if (!json.is_number_unsigned()) refuse(path, "a whole number", json);
  value = json.get<std::uint64_t>();
}

void Reader::take(const Json& json, const std::string& path, double& value) {
  if (!json.is_number() && !json.is_null()) refuse(path, "a number", json);
  value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

void Reader::take(const Json& json, const std::string& path, TimeFs& value) {
  const std::optional<TimeFs> time = time_in(json);
  if (!time) refuse(path, "a time in ns", json);
  value = *time;
}

void Reader::take(const Json& json, const std::string& path, std::string& value) {
  if (!json.is_string()) refuse(path, "a text", json);
  value = json.get<std::string>();
}

void Reader::take(const Json& json, const std::string& path, Scalar& value) {
  if (json.is_structured() || json.is_null()) refuse(path, "a number, a text, true or false", json);
  value.text = json.is_string() ? json.get<std::string>() : json.dump();
}

void Reader::take(const Json& json, const std::string& path, Element& value) {
  const bool is_text = json == "nan" || json == "inf" || json == "-inf";
  if (!json.is_number() && !is_text) refuse(path, "a number, \"nan\", \"inf\" or \"-inf\"", json);
  value.value = is_text ? std::strtod(json.get_ref<const std::string&>().c_str(), nullptr) : json.get<double>();
}

std::string file_of(const std::string& path) {
  return is_folder(path) ? (std::filesystem::path(path) / "result.json").string() : path;
}

Inputs read_inputs(const std::string& path) {
  std::error_code ignored;
  const bool folder = is_folder(path);
  const std::string file = folder ? (std::filesystem::path(path) / kInputsFile).string() : path;
  if (folder && !std::filesystem::exists(file, ignored)) {
    throw Error::configuration(file +
                               ": there is no such file: the folder is not that of `kernbench run`, or its run " +
                               "was made by an earlier version; run it again");
  }
  const Json json = files::read_json(file, files::kMaxDataBytes, kInputsWanted);
  if (!json.is_object() || json.value("schema", Json()) != kInputsSchema) {
    throw Error::configuration(file + ": is not the inputs of a run in the form '" + kInputsSchema + "'; " +
                               kInputsWanted);
  }
  return taken<Inputs>(json, file, "is damaged", "run it again");
}

std::string why_file_of(const std::string& folder) {
  return (std::filesystem::path(folder) / kWhyFile).string();
}

Why read_why(const std::string& path) {
  return measured<Why>(is_folder(path) ? why_file_of(path) : path, kWhySchema, kWhyWanted);
}

std::string tornado_file_of(const std::string& folder) {
  return (std::filesystem::path(folder) / kTornadoFile).string();
}

Tornado read_tornado(const std::string& path) {
  return measured<Tornado>(is_folder(path) ? tornado_file_of(path) : path, kTornadoSchema, kTornadoWanted);
}

Result read(const std::string& path) {
  const std::string file = file_of(path);
  return taken<Result>(read_json(file), file, "is not a whole result", "run it again");
}

}  // namespace kb::result
