#include "sim/study/sweep/journal.h"

#include <optional>

namespace kb::sweep {

std::map<std::string, Answer> Journal::read(const std::string& folder) {
  std::map<std::string, Answer> answers;
  files::Journal::read(folder, [&answers](const std::string& key, const std::string& value) {
    std::optional<Answer> answer = answer_of(value);
    if (!answer) return;
    Answer& known = answers[key];
    if (!known.ok && (answer->ok || answer->attempt >= known.attempt)) known = std::move(*answer);
  });
  return answers;
}

}  // namespace kb::sweep
