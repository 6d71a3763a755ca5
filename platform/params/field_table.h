// The parameters of a block kind as a table, from which they are read, checked, printed and documented.
//
//   struct SramParams {
//     Nanoseconds overhead{2.0};
//     Megabytes size{32.0};
//     static const FieldTable& fields();
//   };
//
//   const FieldTable& SramParams::fields() {
//     static const FieldTable table =
//         Fields<SramParams>()
//             .add("overhead_ns", &SramParams::overhead, "access cost, once per transaction")
//             .add("size_mb", &SramParams::size, positive(32.0), "capacity")
//             .table();
//     return table;
//   }
//
// Defaults are the initial values of the struct's members; the unit and the type of a value follow from the member's
// type.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <variant>
#include <vector>

#include "platform/base/bounds.h"
#include "platform/base/granularity.h"
#include "platform/base/quantities.h"
#include "platform/ops/engine_rates.h"

namespace kb::params {

using RateMap = std::map<std::string, double>;  // all dtypes are keys

// The value of a parameter in files and JSON.
using Value = std::variant<bool, std::int64_t, double, std::string, RateMap>;

// "4096", "0.5", "true", "fair", "{f16: 4096, ...}".
std::string value_text(const Value& value);

enum class FieldType : std::uint8_t {
  real,
  whole,
  power_of_two,
  flag,
  word,             // one of Field::words
  text,             // any text
  macs_per_ns,      // the rate of f16, or a mapping from dtypes to rates
  elements_per_ns,  // as macs_per_ns
  granularity,      // "32x64x32" or "none"
};

struct Field {
  std::string name;  // the key under `attrs`
  FieldType type{};
  std::string unit;  // "ns", "GB/s", "GHz", "MB"; empty for counts, flags and words
  std::string text;  // the meaning, as one sentence
  Bounds bounds;
  std::vector<std::string> words;  // of a word; of a text or whole number: values worth a trial (`kernbench why`)
  std::string follows;             // an earlier field whose value is the default
  std::string set_instead;         // not empty: the value follows from another key, which this text names
  bool optional = false;           // has no value unless it is set
  bool by_node = false;            // of a field with `set_instead`: may be set for single nodes
  bool machine_wide = false;  // must be equal for all nodes of the kind, because addresses or all blocks depend on it

  // Access to the member of a parameter struct; `get` returns no value for an unset optional field.
  std::function<std::optional<Value>(const void*)> get;
  std::function<void(void*, const Value&)> set;
};

// A name that users may look for in the parameters but that is set elsewhere.
struct KnownElsewhere {
  std::string name;
  std::string remedy;
};

class FieldTable {
 public:
  const std::vector<Field>& fields() const { return fields_; }
  const std::vector<KnownElsewhere>& misplaced() const { return misplaced_; }
  const Field* find(std::string_view name) const;
  std::type_index type() const { return type_; }  // type of the struct
  const std::shared_ptr<const void>& defaults() const { return defaults_; }
  std::shared_ptr<void> copy(const void* params) const { return copy_(params); }

 private:
  template <typename P>
  friend class Fields;
  FieldTable(std::type_index type, std::shared_ptr<const void> defaults,
             std::function<std::shared_ptr<void>(const void*)> copy)
      : type_(type), defaults_(std::move(defaults)), copy_(std::move(copy)) {}
  // Configuration Error when fields contradict each other.
  void check() const;

  std::type_index type_;
  std::shared_ptr<const void> defaults_;
  std::function<std::shared_ptr<void>(const void*)> copy_;
  std::vector<Field> fields_;
  std::vector<KnownElsewhere> misplaced_;
};

// How a member of type T is represented in files.
template <typename T>
struct FieldTraits;

// Builder of the table of a parameter struct.
template <typename P>
class Fields {
 public:
  explicit Fields(const P& defaults = P())
      : table_(typeid(P), std::make_shared<const P>(defaults), [](const void* params) -> std::shared_ptr<void> {
          return std::make_shared<P>(*static_cast<const P*>(params));
        }) {}

  template <typename T>
  Fields& add(std::string name, T P::*member, Bounds bounds, std::string text) {
    using Traits = FieldTraits<T>;
    Field field;
    field.name = std::move(name);
    field.type = Traits::kType;
    field.unit = Traits::kUnit;
    field.text = std::move(text);
    field.bounds = bounds;
    field.get = [member](const void* params) -> std::optional<Value> {
      return Traits::to_value(static_cast<const P*>(params)->*member);
    };
    field.set = [member](void* params, const Value& value) {
      static_cast<P*>(params)->*member = Traits::from_value(value);
    };
    table_.fields_.push_back(std::move(field));
    return *this;
  }
  template <typename T>
  Fields& add(std::string name, T P::*member, std::string text) {
    return add(std::move(name), member, FieldTraits<T>::bounds(), std::move(text));
  }

  // An enumeration; `words` are the names of its values 0, 1, ...
  template <typename E>
  Fields& add(std::string name, E P::*member, std::vector<std::string> words, std::string text) {
    Field field;
    field.name = std::move(name);
    field.type = FieldType::word;
    field.text = std::move(text);
    field.get = [member, words](const void* params) -> std::optional<Value> {
      return words[static_cast<std::size_t>(static_cast<const P*>(params)->*member)];
    };
    field.set = [member, words](void* params, const Value& value) {
      std::size_t index = 0;
      while (words[index] != std::get<std::string>(value)) ++index;
      static_cast<P*>(params)->*member = static_cast<E>(index);
    };
    field.words = std::move(words);
    table_.fields_.push_back(std::move(field));
    return *this;
  }

  // A number that has no value unless it is set; `access(params)` returns a reference to the std::optional<double>.
  template <typename F>
  Fields& add_optional(std::string name, F access, Bounds bounds, std::string text) {
    Field field;
    field.name = std::move(name);
    field.type = FieldType::real;
    field.text = std::move(text);
    field.bounds = bounds;
    field.optional = true;
    field.get = [access](const void* params) -> std::optional<Value> {
      const std::optional<double> value = access(*static_cast<const P*>(params));
      return value ? std::optional<Value>(*value) : std::nullopt;
    };
    field.set = [access](void* params, const Value& value) {
      access(*static_cast<P*>(params)) = std::get<double>(value);
    };
    table_.fields_.push_back(std::move(field));
    return *this;
  }

  // The following functions change the field that was added last.
  Fields& power_of_two() {
    last().type = FieldType::power_of_two;
    return *this;
  }
  // Values of a text or a whole number that `kernbench why --machine` tries; a number's half and double are tried, too.
  Fields& trials(const std::vector<std::string>& values) {
    last().words = values;
    return *this;
  }
  Fields& follows(std::string_view other) {
    last().follows = other;
    return *this;
  }
  Fields& machine_wide() {
    last().machine_wide = true;
    return *this;
  }
  Fields& set_instead(std::string_view remedy) {
    last().set_instead = remedy;
    return *this;
  }
  Fields& by_node() {
    last().by_node = true;
    return *this;
  }

  Fields& misplaced(std::string name, std::string remedy) {
    table_.misplaced_.push_back({std::move(name), std::move(remedy)});
    return *this;
  }

  FieldTable table() const {
    table_.check();
    return table_;
  }

 private:
  Field& last() { return table_.fields_.back(); }
  FieldTable table_;
};

// Table of a block without parameters (besides those of its kind).
struct NoParams {};
inline FieldTable no_fields() {
  return Fields<NoParams>().table();
}

// A quantity with a unit; `number` returns its number.
template <typename Q, auto number>
struct QuantityTraits {
  static constexpr FieldType kType = FieldType::real;
  static Value to_value(Q quantity) { return (quantity.*number)(); }
  static Q from_value(const Value& value) { return Q(std::get<double>(value)); }
};
template <>
struct FieldTraits<Nanoseconds> : QuantityTraits<Nanoseconds, &Nanoseconds::ns> {
  static constexpr const char* kUnit = "ns";
  static Bounds bounds() { return duration_ns(); }
};
template <>
struct FieldTraits<Bandwidth> : QuantityTraits<Bandwidth, &Bandwidth::gbs> {
  static constexpr const char* kUnit = "GB/s";
  static Bounds bounds() { return bandwidth(); }
};
template <>
struct FieldTraits<Gigahertz> : QuantityTraits<Gigahertz, &Gigahertz::per_ns> {
  static constexpr const char* kUnit = "GHz";
  static Bounds bounds() { return rate(1000.0); }
};
template <>
struct FieldTraits<Megabytes> : QuantityTraits<Megabytes, &Megabytes::mb> {
  static constexpr const char* kUnit = "MB";
  static Bounds bounds() { return positive(1e6); }
};

// Fields without a unit; files contain the value unchanged.
template <typename T, FieldType type>
struct PlainTraits {
  static constexpr FieldType kType = type;
  static constexpr const char* kUnit = "";
  static Bounds bounds() { return {}; }
  static Value to_value(const T& value) { return value; }
  static T from_value(const Value& value) { return std::get<T>(value); }
};
template <>
struct FieldTraits<double> : PlainTraits<double, FieldType::real> {};
template <>
struct FieldTraits<bool> : PlainTraits<bool, FieldType::flag> {};
template <>
struct FieldTraits<std::string> : PlainTraits<std::string, FieldType::text> {};
template <>
struct FieldTraits<std::int64_t> : PlainTraits<std::int64_t, FieldType::whole> {
  static Bounds bounds() { return at_least(0.0, 1e15); }
};

template <>
struct FieldTraits<Granularity> : PlainTraits<Granularity, FieldType::granularity> {
  static Value to_value(const Granularity& value) { return granularity_text(value); }
  static Granularity from_value(const Value& value) { return *parse_granularity(std::get<std::string>(value)); }
};

// A number when all dtypes follow f16 by their default ratios, otherwise a mapping.
Value rates_value(const DtypeRates& rates, RateUnit unit);
DtypeRates rates_of(const Value& value, RateUnit unit);

template <RateUnit unit>
struct FieldTraits<EngineRates<unit>> {
  static constexpr FieldType kType = unit == RateUnit::macs ? FieldType::macs_per_ns : FieldType::elements_per_ns;
  static constexpr const char* kUnit = "1/ns";
  static Bounds bounds() { return rate(1e9); }
  static Value to_value(const EngineRates<unit>& value) { return rates_value(value, unit); }
  static EngineRates<unit> from_value(const Value& value) { return EngineRates<unit>(rates_of(value, unit)); }
};

}  // namespace kb::params
