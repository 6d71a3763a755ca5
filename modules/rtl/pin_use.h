// The declared resource of a block from RTL: pins say when it is busy and when it stalls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/params/field_table.h"
#include "platform/resource/resource.h"

namespace kb::modules {

// What attributes of the topology say about pins: "in_valid & !in_taken, busy" holds when one of the two does.
class PinCondition {
 public:
  // Configuration Error when a pin does not exist. An empty text never holds.
  PinCondition(const std::string& text, const std::vector<std::string>& pins);

  // `values`: by pin, a bit per wire. A pin of one wire has all bits, so that it goes with any other.
  bool holds(const std::uint64_t* values) const;

 private:
  struct Term {
    std::size_t pin = 0;
    bool negated = false;
  };
  std::vector<std::vector<Term>> any_of_;  // of these, all terms
};

// The text of such an attribute of a block with these pins. It is checked when a topology is read.
template <const std::vector<std::string>& (*pins)()>
struct PinText {
  std::string text;
  PinCondition condition() const { return {text, pins()}; }
};

inline std::uint64_t pin_value(bool wire) {
  return wire ? ~std::uint64_t{0} : 0;
}

// Sums cycles of one state into uses of unit 0.
class PinUse {
 public:
  static resource::Declaration declaration(resource::Role role);
  PinUse(resource::Resource& resource, PinCondition busy, PinCondition stall)
      : resource_(resource), busy_when_(std::move(busy)), stall_when_(std::move(stall)) {}

  // The place that is charged for the cycles from now on, and what came in.
  void enter(account::PlaceId place, std::uint64_t bytes);
  // Pins within [begin, end), a clock cycle.
  void cycle(TimeFs begin, TimeFs end, const std::uint64_t* values);
  // Tells what is held back; called when the clock stops and at the end.
  void flush();

 private:
  static constexpr TimeFs kLongest = 5'000_ns;  // of a use, so that waveforms get it in time

  resource::Resource& resource_;
  PinCondition busy_when_, stall_when_;
  account::PlaceId place_;
  std::uint64_t bytes_ = 0;  // not told yet
  bool busy_ = false, stall_ = false;
  TimeFs begin_ = 0_fs, end_ = 0_fs;
};

}  // namespace kb::modules

namespace kb::params {

template <const std::vector<std::string>& (*pins)()>
struct FieldTraits<modules::PinText<pins>> {
  static constexpr FieldType kType = FieldType::text;
  static constexpr const char* kUnit = "";
  static Bounds bounds() { return {}; }
  static Value to_value(const modules::PinText<pins>& value) { return value.text; }
  static modules::PinText<pins> from_value(const Value& value) {
    modules::PinText<pins> read{std::get<std::string>(value)};
    read.condition();
    return read;
  }
};

}  // namespace kb::params
