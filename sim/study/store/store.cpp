#include "sim/study/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "sim/study/files/journal.h"

namespace kb::store {
namespace {

namespace fs = std::filesystem;
using files::Journal;

[[noreturn]] void refuse(const std::string& place, const std::string& problem) {
  throw Error::configuration(fmt::format("'{}' {}", place, problem));
}

// A file may have been removed since the folder was read.
void require_readable(const std::string& file) {
  if (!std::ifstream(file, std::ios::binary) && errno != ENOENT)
    refuse(file, std::string("cannot be read: ") + std::strerror(errno));
}

std::vector<std::string> files_of(const std::string& place) {
  std::error_code failed;
  const fs::file_status status = fs::status(place, failed);
  if (!fs::exists(status)) {
    refuse(place, "does not exist; 'kernbench model step ... --store " + place + "' makes a store");
  }
  if (!fs::is_directory(status)) {
    if (!fs::is_regular_file(status)) refuse(place, "is not a store of launches: neither a file nor a folder");
    require_readable(place);
    return {place};
  }
  const std::vector<std::string> found = step::store_files(place);
  for (const std::string& file : found) require_readable(file);
  return found;
}

std::string times_text(const step::Answer& answer) {
  std::string text;
  for (const TimeFs time : answer.times) text += fmt::format("{}{}", text.empty() ? "" : " ", time.fs());
  return text;
}

[[noreturn]] void report_conflict(const std::string& key, const Entry& one, const Entry& other) {
  const bool times = one.stored.answer.times != other.stored.answer.times;
  throw Error::model(fmt::format(
      "the key {} ({}) has {} in {} and {} in {}, although the same launch takes the same time; simulate it again with "
      "--memo check, and remove the file that is wrong",
      key, one.stored.subject.kernel.empty() ? "launch" : one.stored.subject.kernel,
      times ? times_text(one.stored.answer) + " fs" : "other events", one.file,
      times ? times_text(other.stored.answer) + " fs" : "these events", other.file));
}

// Lines of a file into the store; false when it has lines, and none of them belongs to a store.
bool read_lines(const std::string& file, Store& store, std::map<std::string, std::int64_t>& noted) {
  const std::int64_t begun = Journal::begun(file);
  std::size_t others = 0, own = 0;
  const std::size_t damaged = Journal::read_file(file, [&](const std::string& key, const std::string& value) {
    if (key == step::kUseKey) {
      if (const std::optional<step::StoreUse> use = step::use_of(value)) {
        ++own;
        for (const std::string& used : use->keys) noted[used] = std::max(noted[used], use->second);
        return;
      }
    }
    std::optional<step::StoredAnswer> stored = step::stored_answer(value);
    if (!stored) {
      ++others;
      return;
    }
    ++own;
    unite(store.entries, key, {value, std::move(*stored), begun, file});
  });
  store.damaged += damaged;
  std::error_code gone;
  const std::uintmax_t bytes = fs::file_size(file, gone);
  store.bytes += gone ? 0 : bytes;
  return own > 0 || (others == 0 && damaged <= 1);
}

bool has_lost_files(const Store& store) {
  return std::any_of(store.files.begin(), store.files.end(), [](const std::string& file) { return !fs::exists(file); });
}

Store read_once(const std::string& place) {
  Store store;
  store.place = place;
  store.files = files_of(place);
  std::map<std::string, std::int64_t> noted;
  bool any = store.files.empty();
  for (const std::string& file : store.files) any = read_lines(file, store, noted) || any;
  if (!any) refuse(place, "is not a store of launches: it has lines, and none of them is the time of a launch");
  for (const auto& [key, second] : noted) {
    const auto found = store.entries.find(key);
    if (found != store.entries.end()) found->second.last_use = second;
  }
  return store;
}

}  // namespace

std::uint64_t Entry::bytes(const std::string& key) const {
  return Journal::line(key, value).size();
}

bool unite(std::map<std::string, Entry>& entries, const std::string& key, const Entry& entry) {
  const auto [found, is_new] = entries.emplace(key, entry);
  if (is_new) return true;
  Entry& known = found->second;
  const step::Answer &old = known.stored.answer, &added = entry.stored.answer;
  if (old.times != added.times || (old.events && added.events && *old.events != *added.events)) {
    report_conflict(key, known, entry);
  }
  const std::int64_t last_use = std::max(known.last_use, entry.last_use);
  const bool more = !old.events && added.events;
  if (more) known = entry;
  known.last_use = last_use;
  return more;
}

Store read_store(const std::string& place) {
  constexpr int kTries = 10;
  Store store = read_once(place);
  // A program that prunes writes its file before it removes others.
  for (int tries = 1; tries < kTries && has_lost_files(store); ++tries) store = read_once(place);
  return store;
}

}  // namespace kb::store
