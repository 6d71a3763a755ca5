#include <optional>
#include <utility>

#include "platform/observe/output_file.h"
#include "sim/study/step/step_times.h"

namespace kb::step {

Memo::Memo(const std::string& folder) {
  if (folder.empty()) return;
  observe::make_folder(folder, "--store");  // before anything is simulated
  files::Journal::read(folder, [this](const std::string& key, const std::string& value) {
    std::optional<Answer> answer = answer_of(value);
    if (!answer) return;
    const Answer* const known = find(key);
    if (known == nullptr || answer->events) answers_.insert_or_assign(key, std::move(*answer));
  });
  from_folder_ = answers_.size();
  journal_ = std::make_unique<files::Journal>(folder, "launches that have been simulated");
}

const Answer* Memo::find(const std::string& key) const {
  const auto found = answers_.find(key);
  return found == answers_.end() ? nullptr : &found->second;
}

void Memo::add(const std::string& key, Answer answer) {
  if (journal_) journal_->append(key, answer_text(answer));
  answers_.insert_or_assign(key, std::move(answer));
}

}  // namespace kb::step
