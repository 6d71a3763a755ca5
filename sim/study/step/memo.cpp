#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "sim/study/step/step_times.h"

namespace kb::step {

Memo::Memo(const std::string& folder) {
  if (folder.empty()) return;
  files::Journal::read(folder, [this](const std::string& key, const std::string& value) {
    std::vector<TimeFs> times;
    std::istringstream in(value);
    for (std::int64_t fs = 0; in >> fs;) times.emplace_back(fs);
    if (!times.empty() && in.eof()) times_.emplace(key, std::move(times));
  });
  from_folder_ = times_.size();
  journal_ = std::make_unique<files::Journal>(folder, "launches that have been simulated");
}

const std::vector<TimeFs>* Memo::find(const std::string& key) const {
  const auto found = times_.find(key);
  return found == times_.end() ? nullptr : &found->second;
}

void Memo::add(const std::string& key, std::vector<TimeFs> times) {
  std::string text;
  for (const TimeFs time : times) text += fmt::format("{}{}", text.empty() ? "" : " ", time.fs());
  if (journal_) journal_->append(key, text);
  times_.emplace(key, std::move(times));
}

}  // namespace kb::step
