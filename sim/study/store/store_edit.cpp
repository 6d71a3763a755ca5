#include "sim/study/store/store_edit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"
#include "sim/study/files/folder_lock.h"
#include "sim/study/files/journal.h"
#include "sim/study/store/store.h"

namespace kb::store {
namespace {

using files::Journal;
using Kept = std::map<std::string, const Entry*>;
using Uses = std::map<std::int64_t, std::vector<std::string>>;  // keys by the second of their last use

constexpr const char* kWhat = "merge or prune";
constexpr const char* kRemedy = "wait until it has ended";

// Lines that say when the keys were used.
std::string use_lines(const Uses& uses) {
  std::string text;
  for (const auto& [second, keys] : uses) text += Journal::line(step::kUseKey, step::use_text({second, keys}));
  return text;
}

// Writes a file with these entries and uses: complete, or not at all.
void write_journal(const std::string& folder, const Kept& kept, const Uses& uses) {
  if (kept.empty() && uses.empty()) return;
  std::int64_t now = Journal::now_in_milliseconds();
  while (std::filesystem::exists(Journal::new_name(folder, now))) ++now;
  observe::OutputFile file(Journal::new_name(folder, now), "the store of launches",
                           observe::OutputFile::Target::regular_file);
  for (const auto& [key, entry] : kept) file.write(Journal::line(key, entry->value));
  file.write(use_lines(uses));
  file.commit();
}

void require_folder(const std::string& place, const char* option) {
  if (!std::filesystem::is_regular_file(place)) return;
  throw Error::configuration(
      fmt::format("{} changes a folder, and '{}' is one of its files; name the folder", option, place));
}

// Locks on the files of a folder which no program is writing to, until they are removed.
class IdleFiles {
 public:
  explicit IdleFiles(const std::string& folder) {
    for (const std::string& file : Journal::files(folder)) {
      const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
      if (descriptor < 0) continue;
      if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        descriptors_.emplace(file, descriptor);
      } else {
        ::close(descriptor);
      }
    }
  }
  ~IdleFiles() {
    for (const auto& [file, descriptor] : descriptors_) ::close(descriptor);
  }
  IdleFiles(const IdleFiles&) = delete;
  IdleFiles& operator=(const IdleFiles&) = delete;

  std::size_t size() const { return descriptors_.size(); }
  bool has(const std::string& file) const { return descriptors_.count(file) > 0; }
  void remove() const {
    for (const auto& [file, descriptor] : descriptors_) {
      if (::unlink(file.c_str()) != 0) {
        throw Error::configuration(fmt::format("cannot remove {}; what stays of the store has been written", file));
      }
    }
  }

 private:
  std::map<std::string, int> descriptors_;
};

struct Candidate {
  bool own = false;
  std::int64_t last_use = 0;
  std::string key;
  const Entry* entry = nullptr;
};

// The ones to keep first come first.
std::vector<Candidate> candidates(const Store& store) {
  std::vector<Candidate> all;
  const std::string own = step::own_version();
  for (const auto& [key, entry] : store.entries) {
    all.push_back({step::version_of(key) == own, entry.last_use, key, &entry});
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.own != b.own ? a.own : a.last_use > b.last_use;
  });
  return all;
}

std::uint64_t bytes_in_use(const Store& store, const IdleFiles& idle) {
  std::uint64_t taken = 0;
  for (const std::string& file : store.files) taken += idle.has(file) ? 0 : std::filesystem::file_size(file);
  return taken;
}

std::uint64_t size_of(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const std::string& file : Journal::files(folder)) bytes += std::filesystem::file_size(file);
  return bytes;
}

}  // namespace

Merged merge_stores(const std::string& folder, const std::vector<std::string>& others) {
  require_folder(folder, "--merge");
  std::map<std::string, Entry> all;
  for (const std::string& other : others) {
    for (const auto& [key, entry] : read_store(other).entries) unite(all, key, entry);
  }
  const files::FolderLock lock(folder, true, kWhat, kRemedy);
  Store store = read_store(folder);
  Merged merged;
  Kept kept;
  Uses uses;
  for (const auto& [key, entry] : all) {
    const auto known = store.entries.find(key);
    const bool used_later = known != store.entries.end() && entry.last_use > known->second.last_use;
    const bool more = unite(store.entries, key, entry);
    ++(more ? merged.added : merged.known);
    if (more) kept.emplace(key, &entry);
    if (more || used_later) uses[store.entries.at(key).last_use].push_back(key);
  }
  write_journal(folder, kept, uses);
  merged.entries = store.entries.size();
  merged.bytes = size_of(folder);
  return merged;
}

Pruned prune_store(const std::string& folder, std::uint64_t most) {
  require_folder(folder, "--prune");
  const files::FolderLock lock(folder, false, kWhat, kRemedy);
  const IdleFiles idle(folder);
  const Store store = read_store(folder);
  Pruned pruned;
  pruned.bytes = pruned.bytes_before = store.bytes;
  pruned.entries = store.entries.size();
  pruned.files_in_use = store.files.size() - idle.size();
  if (store.bytes <= most) return pruned;
  Kept kept;
  Uses uses;
  std::uint64_t taken = bytes_in_use(store, idle);
  bool full = false;
  for (const Candidate& one : candidates(store)) {
    const bool in_use = !idle.has(one.entry->file);
    const std::uint64_t use =
        uses.count(one.last_use) > 0 ? one.key.size() + 1 : use_lines({{one.last_use, {one.key}}}).size();
    const std::uint64_t bytes = use + (in_use ? 0 : one.entry->bytes(one.key));
    full = full || taken + bytes > most;
    if (full && in_use) continue;
    if (full) {
      ++(one.own ? pruned.own_version : pruned.other_versions);
      continue;
    }
    taken += bytes;
    if (!in_use) kept.emplace(one.key, one.entry);
    uses[one.last_use].push_back(one.key);
  }
  write_journal(folder, kept, uses);
  idle.remove();
  pruned.entries -= pruned.own_version + pruned.other_versions;
  pruned.bytes = size_of(folder);
  return pruned;
}

}  // namespace kb::store
