// Places of a kernel's commands.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "platform/contract/i_pe.h"
#include "platform/contract/source_line.h"

namespace kb::contract {
struct TensorLayout;
}

namespace kb::tl {

// Asks the PE for the number of each place once, and knows the ranges that the kernel is in.
class Places {
 public:
  explicit Places(contract::IPe& pe) : pe_(pe) {}

  // Place of a call at this line; `tensor`: what it transfers, or null.
  account::PlaceId find(const contract::SourceLine& at, const char* call, const contract::TensorLayout* tensor) {
    const Key key{at.file(), at.line(), call, innermost(), tensor};
    Known& known = known_[slot_of(key)];
    if (!(known.key == key)) known = {key, pe_.place(at, call, innermost(), tensor)};
    return known.place;
  }

  // Returns the number of ranges that are open then.
  std::size_t open_range(std::string_view name);
  // False when the range is not the innermost one.
  bool close_range(std::size_t depth);
  const std::vector<std::string>& open_ranges() const { return names_; }

 private:
  struct Key {
    const char* file = nullptr;
    int line = 0;
    const char* call = nullptr;
    account::RangeId range;
    const contract::TensorLayout* tensor = nullptr;

    friend bool operator==(const Key& a, const Key& b) {
      return a.line == b.line && a.tensor == b.tensor && a.call == b.call && a.file == b.file && a.range == b.range;
    }
  };
  struct Known {
    Key key;
    account::PlaceId place;
  };
  static constexpr std::size_t kKnown = 64;

  account::RangeId innermost() const { return ranges_.empty() ? account::RangeId{} : ranges_.back(); }
  static std::size_t slot_of(const Key& key) {
    const std::size_t tensor = reinterpret_cast<std::size_t>(key.tensor) >> 5;
    return (static_cast<std::size_t>(key.line) + tensor + key.range.value) % kKnown;
  }

  contract::IPe& pe_;
  std::array<Known, kKnown> known_{};  // a command costs a comparison and no search
  std::vector<account::RangeId> ranges_;
  std::vector<std::string> names_;
};

}  // namespace kb::tl
