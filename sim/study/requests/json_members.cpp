#include "sim/study/requests/json_members.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::requests {

JsonMembers::JsonMembers(std::string file, std::string path, const Json& object)
    : file_(std::move(file)), path_(std::move(path)), object_(object) {
  if (!object_.is_object()) throw Error({Diagnostic{file_, 0, 0, path_, "is not an object", "write {...}"}});
}

void JsonMembers::fail(const std::string& key, const std::string& message, const std::string& remedy) const {
  throw Error({Diagnostic{file_, 0, 0, path_.empty() ? key : path_ + "." + key, message, remedy}});
}

const JsonMembers::Json& JsonMembers::member(const std::string& key) const {
  if (object_.contains(key)) return object_.at(key);
  std::vector<std::string> keys;
  for (const auto& item : object_.items()) keys.push_back(item.key());
  const std::string near = nearest_name(key, keys);
  fail(key, "the key is missing", near.empty() ? "add it" : "did you mean it by '" + near + "'?");
}

std::int64_t JsonMembers::whole(const std::string& key, std::int64_t least) const {
  const Json& value = member(key);
  constexpr std::int64_t kMost = 1'000'000'000;
  if (!value.is_number_integer() || value.get<double>() < static_cast<double>(least) ||
      value.get<double>() > static_cast<double>(kMost)) {
    fail(key, "is " + value.dump(), fmt::format("write a whole number from {} to {}", least, kMost));
  }
  return value.get<std::int64_t>();
}

std::int64_t JsonMembers::whole_or(const std::string& key, std::int64_t least, std::int64_t fallback) const {
  return has(key) ? whole(key, least) : fallback;
}

double JsonMembers::real(const std::string& key) const {
  const Json& value = member(key);
  constexpr double kMost = 1e12;
  if (!value.is_number() || value.get<double>() < 0.0 || value.get<double>() > kMost) {
    fail(key, "is " + value.dump(), "write a number from 0 on");
  }
  return value.get<double>();
}

double JsonMembers::real_or(const std::string& key, double fallback) const {
  return has(key) ? real(key) : fallback;
}

std::string JsonMembers::text(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_string()) fail(key, "is " + value.dump(), "write a text");
  return value.get<std::string>();
}

std::string JsonMembers::text_or(const std::string& key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

bool JsonMembers::flag_or(const std::string& key, bool fallback) const {
  if (!has(key)) return fallback;
  const Json& value = member(key);
  if (!value.is_boolean()) fail(key, "is " + value.dump(), "write true or false");
  return value.get<bool>();
}

JsonMembers JsonMembers::only(const std::string& key, const std::string& why) const {
  const Json& value = member(key);
  if (!value.is_array() || value.size() != 1) {
    fail(key, value.is_array() ? fmt::format("has {} elements", value.size()) : "is not a list", why);
  }
  return {file_, (path_.empty() ? key : path_ + "." + key) + "[0]", value.at(0)};
}

JsonMembers JsonMembers::object(const std::string& key) const {
  return {file_, path_.empty() ? key : path_ + "." + key, member(key)};
}

}  // namespace kb::requests
