#include "platform/params/field_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/params/param_set.h"

namespace kb::params {
namespace {

std::optional<double> number_of(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

[[noreturn]] void contradiction(const Field& field, const std::string& what) {
  throw Error::configuration(fmt::format("the field table of a block: {} {}", field.name, what));
}

struct TextOf {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const RateMap& rates) const {
    std::string text;
    for (const auto& [dtype, rate] : rates) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", dtype, rate);
    return "{" + text + "}";
  }
};

}  // namespace

std::string value_text(const Value& value) {
  return std::visit(TextOf{}, value);
}

const Field* FieldTable::find(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

void FieldTable::check() const {
  for (auto field = fields_.begin(); field != fields_.end(); ++field) {
    const auto before = [&](const std::string& name) {
      return std::any_of(fields_.begin(), field, [&](const Field& other) { return other.name == name; });
    };
    if (field->name.empty()) contradiction(*field, "a field has no name");
    if (before(field->name)) contradiction(*field, "stands in it twice");
    if (field->text.empty()) contradiction(*field, "has no sentence that says what it means");
    const bool has_words = field->type == FieldType::word || field->type == FieldType::text;
    if (!field->words.empty() && !has_words && field->type != FieldType::whole) {
      contradiction(*field, "has values for a trial, but is neither a text nor a whole number");
    }
    if (!field->follows.empty() && !before(field->follows)) {
      contradiction(*field, fmt::format("follows {}, which is not a field before it", field->follows));
    }
    if (!field->set_instead.empty()) continue;
    const std::optional<Value> fallback = field->get(defaults_.get());
    const std::optional<double> number = fallback ? number_of(*fallback) : std::nullopt;
    if (number && !field->bounds.contain(*number)) {
      contradiction(*field, fmt::format("has the default {}, but must be {}", *number, field->bounds.text()));
    }
  }
}

std::optional<Value> ParamSet::find(std::string_view name) const {
  const Field* const field = table_ == nullptr ? nullptr : table_->find(name);
  return field == nullptr ? std::nullopt : value(*field);
}

Value rates_value(const DtypeRates& rates, RateUnit unit) {
  const double f16 = rates.of(Dtype::f16);
  RateMap by_dtype;
  bool follows = true;
  for (const std::string& name : dtype_names()) {
    const Dtype dtype = *parse_dtype(name);
    const bool as_f16 = rates.of(dtype) == f16 * rate_ratio(unit, dtype);
    if (!as_f16 || !is_storage(dtype)) by_dtype[name] = rates.of(dtype);
    follows = follows && as_f16;
  }
  return follows ? Value(f16) : Value(by_dtype);
}

DtypeRates rates_of(const Value& value, RateUnit unit) {
  if (const auto* f16 = std::get_if<double>(&value)) return {unit, *f16};
  const RateMap& given = std::get<RateMap>(value);
  const auto f16 = given.find("f16");  // default of the storage dtypes
  DtypeRates rates(unit, f16 == given.end() ? 0.0 : f16->second);
  for (const auto& [name, rate] : given) rates.set(*parse_dtype(name), rate);
  return rates;
}

}  // namespace kb::params
