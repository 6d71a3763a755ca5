#include "sim/study/step/memo.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"

namespace kb::step {
namespace {

constexpr std::int64_t kDay = 24 * 60 * 60;  // seconds

}  // namespace

Memo::Memo(const std::string& folder, Subject subject, std::int64_t now) : subject_(std::move(subject)), now_(now) {
  if (folder.empty()) return;
  observe::make_folder(folder, "--store");  // before anything is simulated
  read(folder);
  from_folder_ = answers_.size();
  journal_ = std::make_unique<files::Journal>(folder, "launches that have been simulated");
}

// The lines of this version.
void Memo::read(const std::string& folder) {
  const std::string prefix = stored_key(own_version(), "");
  std::map<std::string, std::int64_t> noted;
  for (const std::string& file : store_files(folder)) {
    const std::int64_t begun = files::Journal::begun(file);
    files::Journal::read_file(file, [&](const std::string& stored, const std::string& value) {
      if (stored == kUseKey) {
        const std::optional<StoreUse> use = use_of(value);
        if (!use) return;
        for (const std::string& key : use->keys) noted[key] = std::max(noted[key], use->second);
      }
      if (stored.rfind(prefix, 0) != 0) return;
      std::optional<StoredAnswer> answer = stored_answer(value);
      if (!answer) return;
      const std::string key = stored.substr(prefix.size());
      const auto known = answers_.find(key);
      last_uses_[key] = std::max(last_uses_[key], begun);
      if (known == answers_.end() || answer->answer.events) answers_.insert_or_assign(key, std::move(answer->answer));
    });
  }
  for (auto& [key, second] : last_uses_) {
    const auto found = noted.find(prefix + key);
    if (found != noted.end()) second = found->second;
  }
}

Memo::~Memo() {
  if (!journal_ || used_.empty()) return;
  StoreUse use{now_, {}};
  for (const std::string& key : used_) use.keys.push_back(stored_key(own_version(), key));
  try {
    journal_->append(kUseKey, use_text(use));
  } catch (const Error&) {
    // Only --prune would look at it; the folder may be one that others alone may write to.
  }
}

const Answer* Memo::find(const std::string& key) const {
  const auto found = answers_.find(key);
  if (found == answers_.end()) return nullptr;
  const auto use = last_uses_.find(key);
  if (use != last_uses_.end() && use->second + kDay <= now_) used_.insert(key);
  return &found->second;
}

void Memo::add(const std::string& key, Answer answer, const std::string& kernel) {
  if (journal_) {
    journal_->append(stored_key(own_version(), key), stored_text(answer, {kernel, subject_.machine, subject_.model}));
  }
  answers_.insert_or_assign(key, std::move(answer));
}

}  // namespace kb::step
