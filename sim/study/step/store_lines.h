// The lines of a store of launches, which are answers in a journal with the version of the program that gave them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/step/answer.h"

namespace kb::step {

// For what an answer was simulated first; only people read it. Equal launches of other models have the same key.
struct Subject {
  std::string kernel;  // or "sum", "gap", "cell products"
  std::string machine, model;
};

// A machine by its file, without folders.
Subject subject_of(const std::string& machine_file, const std::string& model);

struct StoredAnswer {
  Answer answer;
  Subject subject;
};

// The version of this program: the first digits of timing_digest().
std::string own_version();
// The files of a store. Configuration error for a folder that cannot be read, or has files and none of a store.
std::vector<std::string> store_files(const std::string& folder);

// Key of a line; the key of a launch behind the version. version_of() is "" for lines of programs that wrote none.
std::string stored_key(const std::string& version, const std::string& key);
std::string version_of(const std::string& stored_key);

// Value of a line. No value for another text.
std::string stored_text(const Answer& answer, const Subject& subject);
std::optional<StoredAnswer> stored_answer(const std::string& value);

// A line with this key says when others were used.
inline constexpr const char* kUseKey = "use";
struct StoreUse {
  std::int64_t second = 0;        // since 1970
  std::vector<std::string> keys;  // of lines
};
std::string use_text(const StoreUse& use);
std::optional<StoreUse> use_of(const std::string& value);

}  // namespace kb::step
