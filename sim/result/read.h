// Reads structs with fields (fields.h), in particular result.json, from JSON. Unknown members are ignored.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/result/fields.h"

namespace kb::result {

using Json = nlohmann::ordered_json;

// The text names the place in the document: "/launches/3/sip must be a whole number, not \"a\"".
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Reader {
 public:
  // This function and visits throw ReadError.
  explicit Reader(const Json& object, std::string path = "") : object_(object), path_(std::move(path)) {
    if (!object.is_object()) refuse(path_, "an object", object);
  }

  template <typename Value>
  void operator()(std::string_view name, Value& value, std::string_view /*meaning*/) {
    take(member(name), place(name), value);
  }
  template <typename Value>
  void may(std::string_view name, std::optional<Value>& value, std::string_view meaning) {
    value.reset();
    if (object_.contains(name)) (*this)(name, value.emplace(), meaning);
  }
  void one_of(std::string_view name, std::string& value, WordList words, std::string_view meaning);
  void known_word(std::string_view name, std::optional<std::string>& value, KnownWords /*words*/,
                  std::string_view meaning) {
    (*this)(name, value, meaning);
  }
  void matching(std::string_view name, std::string& value, std::string_view /*pattern*/, std::string_view meaning) {
    (*this)(name, value, meaning);
  }
  void amount(std::string_view name, std::int64_t& value, const std::string& unit, std::string_view meaning);

  template <typename Struct>
  static void take(const Json& json, const std::string& path, Struct& value) {
    Reader reader(json, path);
    Fields<Struct>::visit(value, reader);
  }
  static void take(const Json& json, const std::string& path, bool& value);
  static void take(const Json& json, const std::string& path, std::int64_t& value);
  static void take(const Json& json, const std::string& path, std::uint64_t& value);
  static void take(const Json& json, const std::string& path, double& value);  // null: not a finite number
  static void take(const Json& json, const std::string& path, TimeFs& value);
  static void take(const Json& json, const std::string& path, std::string& value);
  static void take(const Json& json, const std::string& path, Scalar& value);
  static void take(const Json& json, const std::string& path, Element& value);
  template <typename Value>
  static void take(const Json& json, const std::string& path, std::optional<Value>& value) {
    value.reset();
    if (!json.is_null()) take(json, path, value.emplace());
  }
  template <typename Value>
  static void take(const Json& json, const std::string& path, std::vector<Value>& values) {
    if (!json.is_array()) refuse(path, "a list", json);
    values.resize(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) take(json[i], path + "/" + std::to_string(i), values[i]);
  }
  template <typename Value>
  static void take(const Json& json, const std::string& path, Members<Value>& members) {
    if (!json.is_object()) refuse(path, "an object", json);
    members.clear();
    for (const auto& [name, value] : json.items()) {
      members.emplace_back().first = name;
      take(value, path + "/" + name, members.back().second);
    }
  }

 private:
  [[noreturn]] static void refuse(const std::string& path, const std::string& wanted, const Json& found);
  const Json& member(std::string_view name) const;
  std::string place(std::string_view name) const { return path_ + "/" + std::string(name); }

  const Json& object_;
  std::string path_;
};

// Reads the result in a folder, or a result file. Configuration Error that names the file when it does not exist, is
// not JSON, is not a result, has another version, or has a wrong member.
Result read(const std::string& path);
std::string file_of(const std::string& path);  // the file that read() reads

}  // namespace kb::result
