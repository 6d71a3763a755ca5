// A file of `kernbench model step --out`, for the page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace kb::analysis {

class StepFile {
 public:
  static bool is_one(const nlohmann::ordered_json& document);

  explicit StepFile(std::string file) : file_(std::move(file)) {}
  // The current contents. Configuration Error when they are damaged, cut or of another version.
  std::string json() const;

 private:
  std::string file_;
};

}  // namespace kb::analysis
