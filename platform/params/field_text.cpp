#include "platform/params/field_text.h"

#include <fmt/format.h>

namespace kb::params {
namespace {

std::string default_text(const FieldTable& table, const Field& field) {
  if (!field.set_instead.empty()) return "derived";
  if (!field.follows.empty()) return fmt::format("`{}`", field.follows);
  const std::optional<Value> value = field.get(table.defaults().get());
  return value ? value_text(*value) : "none";
}

std::string number_range(const Bounds& bounds) {
  const std::string high = bounds.high >= 1e15 ? "" : fmt::format("{}", bounds.high);
  if (bounds.above_low) return fmt::format("above {}, up to {}", bounds.low, high);
  return high.empty() ? fmt::format("from {}", bounds.low) : fmt::format("{} to {}", bounds.low, high);
}

std::string range_text(const Field& field) {
  if (!field.set_instead.empty()) return "not written";
  switch (field.type) {
    case FieldType::word: {
      std::string words;
      for (const std::string& word : field.words) words += fmt::format("{}`{}`", words.empty() ? "" : ", ", word);
      return words;
    }
    case FieldType::flag:
      return "`true`, `false`";
    case FieldType::text:
      return "text";
    case FieldType::granularity:
      return "M x K x N";
    case FieldType::power_of_two:
      return number_range(field.bounds) + ", a power of two";
    case FieldType::real:
    case FieldType::whole:
    case FieldType::macs_per_ns:
    case FieldType::elements_per_ns:
      return number_range(field.bounds) + (field.unit.empty() || field.unit == "1/ns" ? "" : " " + field.unit);
  }
  return "";
}

}  // namespace

std::string markdown_table(const FieldTable& table) {
  std::string text = "| Attribute | Default | Range | Meaning |\n|---|---|---|---|\n";
  for (const Field& field : table.fields()) {
    if (field.optional) continue;
    text +=
        fmt::format("| `{}` | {} | {} | {} |\n", field.name, default_text(table, field), range_text(field), field.text);
  }
  return text;
}

}  // namespace kb::params
