// Locates keys of the collective configuration in the entry of an algorithm, or else in the defaults.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/spec_reader.h"

namespace kb::topology {

// The sections that apply to one entry; the entry itself is first.
class CclSections {
 public:
  CclSections(ReadContext& context, const std::string& algorithm)
      : context_(context), entry_("algorithms." + algorithm + ".") {}

  std::vector<std::string> paths(const std::string& key) const { return {entry_ + key, "defaults." + key}; }
  bool given(const std::string& key) const { return context_.given(entry_ + key) || context_.given("defaults." + key); }
  Diagnostic place(const std::string& key) const {
    return given(key) ? context_.place(paths(key)) : context_.place({"defaults." + key});
  }
  ConfigValue value(const std::string& key) const {
    return context_.config()[(context_.given(entry_ + key) ? entry_ : "defaults.") + key];
  }
  void report(const std::vector<std::string>& keys, const std::string& message, const std::string& remedy) {
    context_.report_rule(all(keys), message, remedy);
  }
  void warn(const std::string& key, const std::string& message, const std::string& remedy) {
    context_.warn_rule(paths(key), message, remedy);
  }

 private:
  std::vector<std::string> all(const std::vector<std::string>& keys) const {
    std::vector<std::string> out;
    for (const std::string& key : keys) {
      for (const std::string& path : paths(key)) out.push_back(path);
    }
    return out;
  }

  ReadContext& context_;
  std::string entry_;
};

}  // namespace kb::topology
