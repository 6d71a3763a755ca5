// Members of a JSON object with their types and ranges.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kb::requests {

class JsonMembers {
 public:
  using Json = nlohmann::ordered_json;
  // `path` is the place in the file, "" at its top. Configuration Error when the value is not an object.
  JsonMembers(std::string file, std::string path, const Json& object);

  bool has(const std::string& key) const { return object_.contains(key) && !object_.at(key).is_null(); }
  // Configuration Error when the key is missing or the value is not a whole number from `least` on.
  std::int64_t whole(const std::string& key, std::int64_t least) const;
  std::int64_t whole_or(const std::string& key, std::int64_t least, std::int64_t fallback) const;
  double real(const std::string& key) const;  // at least 0
  double real_or(const std::string& key, double fallback) const;
  std::string text(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& fallback) const;
  bool flag_or(const std::string& key, bool fallback) const;
  // The only element of a list of objects; `why` is the remedy for another number of them.
  JsonMembers only(const std::string& key, const std::string& why) const;
  JsonMembers object(const std::string& key) const;
  [[noreturn]] void fail(const std::string& key, const std::string& message, const std::string& remedy) const;

 private:
  const Json& member(const std::string& key) const;

  std::string file_, path_;
  const Json& object_;
};

}  // namespace kb::requests
