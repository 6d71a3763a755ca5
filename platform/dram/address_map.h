// Where an address inside a pseudo-channel lies: SID, bank group, bank, row (C-DRAM-2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/dram/policies.h"
#include "platform/dram/standards.h"

namespace kb::dram {

class AddressMap {
 public:
  struct Place {
    std::uint32_t bank = 0;  // in the pseudo-channel: (sid * bank groups + bank group) * banks + bank
    std::uint32_t row = 0;
  };

  // `map`: fields from the least significant 32 B unit up, as "col:3 bg:2 bank:2 sid col:2 row"; "" is that order with
  // the bits of the geometry. A field without a count has all bits that are left. Configuration Error when it misses a
  // bit or has one twice.
  AddressMap(const std::string& map, BankHash hash, const Geometry& geometry);

  Place place(std::uint64_t unit) const;  // unit = address / 32; below bytes_per_pc() / 32
  // Aligned runs of this many units lie in one row.
  std::uint32_t run() const { return run_; }
  const std::string& text() const { return text_; }
  BankHash hash() const { return hash_; }

  static std::string default_text(const Geometry& geometry);

 private:
  enum class Kind : std::uint8_t { column, bank_group, bank, sid };
  struct Field {
    Kind kind;
    std::uint32_t shift;  // of the part within its kind
    std::uint32_t bits;   // 0: `count` values, not a power of two
    std::uint32_t count;
  };
  void parse();
  void add(const std::string& word);
  std::uint32_t bits_of(Kind kind) const;  // of columns, bank groups or banks
  void check_bits(Kind kind, const char* name) const;
  [[noreturn]] void refuse(const std::string& problem) const;

  std::string text_;
  BankHash hash_;
  Geometry geometry_;
  std::vector<Field> fields_;
  bool has_row_ = false;
  std::uint32_t run_ = 1;
};

// Configuration Error when a pseudo-channel's share of a slice does not fit its banks.
void check_capacity(const Standard& standard, std::uint64_t bytes_of_pc);

}  // namespace kb::dram
