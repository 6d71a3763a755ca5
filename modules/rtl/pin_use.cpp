#include "modules/rtl/pin_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/base/split.h"

namespace kb::modules {
namespace {

std::string without_blanks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

}  // namespace

PinCondition::PinCondition(const std::string& text, const std::vector<std::string>& pins) {
  if (without_blanks(text).empty()) return;
  for (const std::string& alternative : split(without_blanks(text), ',')) {
    std::vector<Term>& terms = any_of_.emplace_back();
    for (const std::string& term : split(alternative, '&')) {
      const bool negated = !term.empty() && term.front() == '!';
      const std::string name = term.substr(negated ? 1 : 0);
      const auto found = std::find(pins.begin(), pins.end(), name);
      if (found == pins.end()) {
        throw Error({Diagnostic{"", 0, 0, "", fmt::format("the block has no pin '{}', which '{}' names", name, text),
                                suggest(name, pins)}});
      }
      terms.push_back({static_cast<std::size_t>(found - pins.begin()), negated});
    }
  }
}

bool PinCondition::holds(const std::uint64_t* values) const {
  return std::any_of(any_of_.begin(), any_of_.end(), [&](const std::vector<Term>& terms) {
    std::uint64_t wires = ~std::uint64_t{0};
    for (const Term& term : terms) wires &= term.negated ? ~values[term.pin] : values[term.pin];
    return wires != 0;
  });
}

resource::Declaration PinUse::declaration(resource::Role role) {
  return {"rtl",
          role,
          1,
          "The RTL is busy, or stalls what comes in.",
          {{"stall", resource::CauseClass::full, "the RTL did not take what came in"}}};
}

void PinUse::enter(account::PlaceId place, std::uint64_t bytes) {
  if (place.value != place_.value) flush();
  place_ = place;
  bytes_ += bytes;
}

void PinUse::cycle(TimeFs begin, TimeFs end, const std::uint64_t* values) {
  const bool busy = busy_when_.holds(values), stall = stall_when_.holds(values);
  if (busy != busy_ || stall != stall_ || begin != end_ || end_ - begin_ > kLongest) flush();
  if (!busy && !stall) return;
  if (end_ != begin || begin_ == end_) begin_ = begin;
  end_ = end;
  busy_ = busy;
  stall_ = stall;
}

void PinUse::flush() {
  const TimeFs time = end_ - begin_, service = busy_ ? time : 0_fs;
  if (time == 0_fs) return;
  if (stall_) {
    resource_.use(0, begin_, end_, {{place_, bytes_, service, {{0, time, true}}}});
  } else {
    resource_.use(0, begin_, end_, {{place_, bytes_, service, {}}});
  }
  begin_ = end_;
  bytes_ = 0;
  busy_ = stall_ = false;
}

}  // namespace kb::modules
