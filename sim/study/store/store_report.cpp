#include "sim/study/store/store_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "platform/base/size_text.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/text_table.h"

namespace kb::store {
namespace {

using observe::JsonWriter;
using observe::TextTable;

struct Share {
  std::string name;
  std::size_t entries = 0;
  std::uint64_t bytes = 0;
};

struct UseSpan {
  std::int64_t oldest = 0, newest = 0;  // 0: no entry says when it was used
};

// The largest share first; entries that do not say are "".
std::vector<Share> shares(const Store& store,
                          const std::function<std::string(const std::string& key, const Entry& entry)>& name_of) {
  std::map<std::string, Share> by_name;
  for (const auto& [key, entry] : store.entries) {
    Share& share = by_name[name_of(key, entry)];
    ++share.entries;
    share.bytes += entry.bytes(key);
  }
  std::vector<Share> all;
  for (auto& [name, share] : by_name) all.push_back({name, share.entries, share.bytes});
  std::stable_sort(all.begin(), all.end(), [](const Share& a, const Share& b) { return a.bytes > b.bytes; });
  return all;
}

std::vector<Share> versions(const Store& store) {
  return shares(store, [](const std::string& key, const Entry&) { return step::version_of(key); });
}

struct Subjects {
  const char *title, *json;
  std::string step::Subject::*member;
};
constexpr std::array<Subjects, 3> kSubjects{{{"machine", "machines", &step::Subject::machine},
                                             {"model", "models", &step::Subject::model},
                                             {"kernel", "kernels", &step::Subject::kernel}}};

std::vector<Share> by_subject(const Store& store, const Subjects& subjects) {
  return shares(store, [&](const std::string&, const Entry& entry) { return entry.stored.subject.*subjects.member; });
}

UseSpan uses_of(const Store& store) {
  UseSpan uses;
  for (const auto& [key, entry] : store.entries) {
    if (entry.last_use <= 0) continue;
    if (uses.oldest == 0 || entry.last_use < uses.oldest) uses.oldest = entry.last_use;
    uses.newest = std::max(uses.newest, entry.last_use);
  }
  return uses;
}

std::string utc(std::int64_t second, const char* format) {
  const std::time_t time = second;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), format, &parts);
  return text.data();
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "" : observe::fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

std::string table(const char* title, const std::vector<Share>& all, const char* nameless, const std::string& own = "") {
  constexpr auto kLeft = TextTable::Align::left, kRight = TextTable::Align::right;
  constexpr std::size_t kMost = 20;
  TextTable rows({{title, kLeft}, {"times", kRight}, {"bytes", kRight}, {"share", kRight}, {"", kLeft}});
  std::uint64_t bytes = 0;
  for (const Share& share : all) bytes += share.bytes;
  Share rest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Share& share = all[i];
    if (i >= kMost) {
      rest.entries += share.entries;
      rest.bytes += share.bytes;
      continue;
    }
    rows.add({share.name.empty() ? nameless : share.name, std::to_string(share.entries), size_text(share.bytes),
              percent(share.bytes, bytes), !own.empty() && share.name == own ? "this program" : ""});
  }
  if (rest.entries > 0) {
    rows.add({fmt::format("({} others)", all.size() - kMost), std::to_string(rest.entries), size_text(rest.bytes),
              percent(rest.bytes, bytes), ""});
  }
  return "\n" + rows.render("  ");
}

void write_shares(JsonWriter& json, const std::vector<Share>& all, const std::string& name,
                  const std::string& own = "") {
  json.begin_array();
  for (const Share& share : all) {
    json.begin_object(true).key(name);
    share.name.empty() ? json.null() : json.text(share.name);
    if (!own.empty()) json.key("own").boolean(share.name == own);
    json.key("entries").unsigned_integer(share.entries).key("bytes").unsigned_integer(share.bytes).end_object();
  }
  json.end_array();
}

std::string finished(const JsonWriter& json) {
  return json.str() + "\n";
}

}  // namespace

std::string render_stat(const Store& store) {
  std::string text = fmt::format("{}: {} times in {} {}, {}", store.place, store.entries.size(), store.files.size(),
                                 store.files.size() == 1 ? "file" : "files", size_text(store.bytes));
  const UseSpan uses = uses_of(store);
  if (uses.newest > 0) {
    text += fmt::format("; last used from {} to {}", utc(uses.oldest, "%Y-%m-%d"), utc(uses.newest, "%Y-%m-%d"));
  }
  text += "\n";
  if (store.damaged > 0) {
    text += fmt::format("{} {} cut short or damaged and {} not count\n", store.damaged,
                        store.damaged == 1 ? "line is" : "lines are", store.damaged == 1 ? "does" : "do");
  }
  if (store.entries.empty()) return text;
  text += table("version", versions(store), "(no version)", step::own_version());
  for (const Subjects& subjects : kSubjects) text += table(subjects.title, by_subject(store, subjects), "(not said)");
  return text;
}

std::string render_stat_json(const Store& store) {
  JsonWriter json;
  const UseSpan uses = uses_of(store);
  json.begin_object().key("store").text(store.place);
  json.key("entries").unsigned_integer(store.entries.size()).key("bytes").unsigned_integer(store.bytes);
  json.key("files").unsigned_integer(store.files.size()).key("damaged_lines").unsigned_integer(store.damaged);
  json.key("oldest_use");
  uses.newest == 0 ? json.null() : json.text(utc(uses.oldest, "%Y-%m-%dT%H:%M:%SZ"));
  json.key("newest_use");
  uses.newest == 0 ? json.null() : json.text(utc(uses.newest, "%Y-%m-%dT%H:%M:%SZ"));
  json.key("version").text(step::own_version()).key("versions");
  write_shares(json, versions(store), "version", step::own_version());
  for (const Subjects& subjects : kSubjects) {
    json.key(subjects.json);
    write_shares(json, by_subject(store, subjects), subjects.title);
  }
  json.end_object();
  return finished(json);
}

std::string render_merged(const std::string& folder, const Merged& merged) {
  return fmt::format("{}: {} times added, {} were there; {} times now, {}\n", folder, merged.added, merged.known,
                     merged.entries, size_text(merged.bytes));
}

std::string render_merged_json(const std::string& folder, const Merged& merged) {
  JsonWriter json;
  json.begin_object().key("store").text(folder).key("added").unsigned_integer(merged.added);
  json.key("known").unsigned_integer(merged.known).key("entries").unsigned_integer(merged.entries);
  json.key("bytes").unsigned_integer(merged.bytes).end_object();
  return finished(json);
}

std::string render_pruned(const std::string& folder, const Pruned& pruned) {
  std::string text =
      fmt::format("{}: removed {} times of other versions and {} of this one; {} times stay, {} ({} before)\n", folder,
                  pruned.other_versions, pruned.own_version, pruned.entries, size_text(pruned.bytes),
                  size_text(pruned.bytes_before));
  if (pruned.files_in_use > 0) {
    text += fmt::format("{} {} to a program that is running, and {} as before\n", pruned.files_in_use,
                        pruned.files_in_use == 1 ? "file belongs" : "files belong",
                        pruned.files_in_use == 1 ? "stays" : "stay");
  }
  return text;
}

std::string render_pruned_json(const std::string& folder, const Pruned& pruned) {
  JsonWriter json;
  json.begin_object().key("store").text(folder).key("removed_other_versions").unsigned_integer(pruned.other_versions);
  json.key("removed_own_version").unsigned_integer(pruned.own_version).key("entries").unsigned_integer(pruned.entries);
  json.key("bytes").unsigned_integer(pruned.bytes).key("bytes_before").unsigned_integer(pruned.bytes_before);
  json.key("files_in_use").unsigned_integer(pruned.files_in_use).end_object();
  return finished(json);
}

}  // namespace kb::store
