// Writes structs with fields (fields.h), in particular result.json, as JSON.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "platform/observe/json_writer.h"
#include "platform/observe/text_sink.h"
#include "sim/result/fields.h"

namespace kb::result {

// A configuration value as JSON: a number or boolean if it is spelled as one, otherwise a string.
std::string json_scalar(const std::string& text);

class Writer {
 public:
  explicit Writer(observe::JsonWriter& json) : json_(json) {}

  template <typename Value>
  void operator()(std::string_view name, const Value& value, std::string_view /*meaning*/) {
    json_.key(name);
    put(value);
  }
  template <typename Value>
  void may(std::string_view name, const std::optional<Value>& value, std::string_view meaning) {
    if (value) (*this)(name, *value, meaning);
  }
  void one_of(std::string_view name, const std::string& value, WordList /*words*/, std::string_view meaning) {
    (*this)(name, value, meaning);
  }
  void known_word(std::string_view name, const std::optional<std::string>& value, KnownWords /*words*/,
                  std::string_view meaning) {
    (*this)(name, value, meaning);
  }
  void matching(std::string_view name, const std::string& value, std::string_view /*pattern*/,
                std::string_view meaning) {
    (*this)(name, value, meaning);
  }
  void amount(std::string_view name, std::int64_t value, const std::string& unit, std::string_view meaning) {
    unit == "ns" ? (*this)(name, TimeFs(value), meaning) : (*this)(name, value, meaning);
  }

  template <typename Struct>
  void put(const Struct& value) {
    json_.begin_object(Fields<Struct>::kOneLine);
    Fields<Struct>::visit(value, *this);
    json_.end_object();
  }
  void put(bool value) { json_.boolean(value); }
  void put(std::int64_t value) { json_.integer(value); }
  void put(std::uint64_t value) { json_.unsigned_integer(value); }
  void put(double value) { json_.real(value); }
  void put(TimeFs value) { json_.time_ns(value); }
  void put(const std::string& value) { json_.text(value); }
  void put(const Scalar& value) { json_.raw(json_scalar(value.text)); }
  void put(const Element& element) {
    const double value = element.value;
    std::isfinite(value) ? json_.real(value) : json_.text(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    value ? put(*value) : static_cast<void>(json_.null());
  }
  template <typename Value>
  void put(const std::vector<Value>& values) {
    json_.begin_array(std::is_arithmetic_v<Value>);
    for (const Value& value : values) put(value);
    json_.end_array();
  }
  template <typename Value>
  void put(const Members<Value>& members) {
    json_.begin_object();
    for (const auto& [name, value] : members) (*this)(name, value, "");
    json_.end_object();
  }

 private:
  observe::JsonWriter& json_;
};

// Writes the document in pieces, because a detailed result may be large. Equal results give equal bytes.
void render(const Result& result, const observe::TextSink& sink);
std::string render(const Setup& setup);

}  // namespace kb::result
