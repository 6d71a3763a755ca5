#include "sim/study/step/store_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "platform/base/error.h"
#include "sim/study/files/journal.h"
#include "sim/study/step/timing_digest.h"

namespace kb::step {
namespace {

constexpr std::size_t kVersionDigits = 12;
constexpr char kVersionEnd = '-', kColumn = '\t';

// Columns and lines have ends.
std::string column(const std::string& text) {
  std::string out = text;
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == kColumn || c == '\n' || c == '\r'; }, ' ');
  return kColumn + out;
}

}  // namespace

Subject subject_of(const std::string& machine_file, const std::string& model) {
  return {"", std::filesystem::path(machine_file).stem().string(), model};
}

std::string own_version() {
  return std::string(timing_digest()).substr(0, kVersionDigits);
}

std::vector<std::string> store_files(const std::string& folder) {
  const auto refuse = [&folder](const std::string& problem) {
    throw Error::configuration(fmt::format("'{}' {}", folder, problem));
  };
  std::error_code failed;
  const std::filesystem::directory_iterator entries(folder, failed);
  if (failed) refuse("cannot be read: " + failed.message());
  std::vector<std::string> found = files::Journal::files(folder);
  if (found.empty() && entries != std::filesystem::directory_iterator()) {
    refuse("is not a store of launches: it has files, and none of them is a *.journal");
  }
  return found;
}

std::string stored_key(const std::string& version, const std::string& key) {
  return version + kVersionEnd + key;
}

std::string version_of(const std::string& stored_key) {
  const std::size_t end = stored_key.find(kVersionEnd);
  return end == std::string::npos ? "" : stored_key.substr(0, end);
}

std::string stored_text(const Answer& answer, const Subject& subject) {
  return answer_text(answer) + column(subject.kernel) + column(subject.machine) + column(subject.model);
}

std::optional<StoredAnswer> stored_answer(const std::string& value) {
  std::istringstream columns(value);
  std::string text;
  std::getline(columns, text, kColumn);
  std::optional<Answer> answer = answer_of(text);
  if (!answer) return std::nullopt;
  StoredAnswer stored{std::move(*answer), {}};
  for (std::string* part : {&stored.subject.kernel, &stored.subject.machine, &stored.subject.model}) {
    std::getline(columns, *part, kColumn);
  }
  return stored;
}

std::string use_text(const StoreUse& use) {
  std::string text = std::to_string(use.second);
  for (const std::string& key : use.keys) text += ' ' + key;
  return text;
}

std::optional<StoreUse> use_of(const std::string& value) {
  std::istringstream in(value);
  StoreUse use;
  if (!(in >> use.second)) return std::nullopt;
  for (std::string key; in >> key;) use.keys.push_back(key);
  return use;
}

}  // namespace kb::step
