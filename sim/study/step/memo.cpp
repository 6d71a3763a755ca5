#include <optional>
#include <utility>

#include "platform/observe/output_file.h"
#include "sim/study/step/step_times.h"
#include "sim/study/step/times_text.h"

namespace kb::step {

Memo::Memo(const std::string& folder) {
  if (folder.empty()) return;
  observe::make_folder(folder, "--store");  // before anything is simulated
  files::Journal::read(folder, [this](const std::string& key, const std::string& value) {
    if (std::optional<std::vector<TimeFs>> times = times_of(value)) times_.emplace(key, std::move(*times));
  });
  from_folder_ = times_.size();
  journal_ = std::make_unique<files::Journal>(folder, "launches that have been simulated");
}

const std::vector<TimeFs>* Memo::find(const std::string& key) const {
  const auto found = times_.find(key);
  return found == times_.end() ? nullptr : &found->second;
}

void Memo::add(const std::string& key, std::vector<TimeFs> times) {
  if (journal_) journal_->append(key, times_text(times));
  times_.emplace(key, std::move(times));
}

}  // namespace kb::step
