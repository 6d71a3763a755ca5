#include "platform/dram/address_map.h"

#include <fmt/format.h>

#include <sstream>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::dram {
namespace {

std::uint32_t log2_of(int power) {
  return static_cast<std::uint32_t>(__builtin_ctz(static_cast<unsigned>(power)));
}

}  // namespace

std::string AddressMap::default_text(const Geometry& geometry) {
  return fmt::format("col:3 bg:{} bank:{} sid col:2 row", log2_of(geometry.bank_groups), log2_of(geometry.banks));
}

AddressMap::AddressMap(const std::string& map, BankHash hash, const Geometry& geometry)
    : text_(map.empty() ? default_text(geometry) : map), hash_(hash), geometry_(geometry) {
  parse();
  if (!fields_.empty() && fields_[0].kind == Kind::column) run_ = fields_[0].count;
}

void AddressMap::refuse(const std::string& problem) const {
  throw Error::configuration(
      fmt::format("memory map '{}': {}; for this geometry: '{}'", text_, problem, default_text(geometry_)));
}

void AddressMap::parse() {
  std::istringstream words(text_);
  for (std::string word; words >> word;) add(word);
  if (!has_row_) refuse("'row' is missing; it is the last field");
  check_bits(Kind::column, "col");
  check_bits(Kind::bank_group, "bg");
  check_bits(Kind::bank, "bank");
  std::uint32_t sids = 0;
  for (const Field& field : fields_) sids += field.kind == Kind::sid ? 1 : 0;
  if (sids > 1) refuse("'sid' stands twice");
  if (sids == 0 && geometry_.sids > 1) refuse(fmt::format("'sid' is missing; there are {}", geometry_.sids));
}

void AddressMap::add(const std::string& word) {
  if (has_row_) refuse(fmt::format("'{}' stands behind 'row', which is the last field", word));
  const std::size_t colon = word.find(':');
  const std::string name = word.substr(0, colon);
  if (name == "row" || name == "sid") {
    if (colon != std::string::npos) refuse(fmt::format("'{}' has no count of bits", name));
    if (name == "row") {
      has_row_ = true;
      return;
    }
    const auto sids = static_cast<std::uint32_t>(geometry_.sids);
    const bool whole = (sids & (sids - 1)) == 0;
    fields_.push_back({Kind::sid, 0, whole ? log2_of(geometry_.sids) : 0, sids});
    return;
  }
  const std::vector<std::string> names = {"col", "bg", "bank", "sid", "row"};
  const Kind kinds[] = {Kind::column, Kind::bank_group, Kind::bank};
  for (std::size_t i = 0; i < 3; ++i) {
    if (name != names[i]) continue;
    std::uint32_t shift = 0;
    for (const Field& field : fields_) shift += field.kind == kinds[i] ? field.bits : 0;
    const std::uint32_t all = bits_of(kinds[i]);
    std::uint32_t bits = all > shift ? all - shift : 0;
    if (colon != std::string::npos) {
      const std::string count = word.substr(colon + 1);
      if (count.size() != 1 || count[0] < '0' || count[0] > '9') {
        refuse(fmt::format("'{}' needs a count of bits of 0 to 9, as '{}:2', or no colon for all that are left", word,
                           name));
      }
      bits = static_cast<std::uint32_t>(count[0] - '0');
    }
    if (bits > 0) fields_.push_back({kinds[i], shift, bits, 1u << bits});
    return;
  }
  refuse(fmt::format("unknown field '{}' ({})", word, suggest(name, names)));
}

std::uint32_t AddressMap::bits_of(Kind kind) const {
  return kind == Kind::column ? kColumnBits
                              : log2_of(kind == Kind::bank_group ? geometry_.bank_groups : geometry_.banks);
}

void AddressMap::check_bits(Kind kind, const char* name) const {
  const std::uint32_t bits = bits_of(kind);
  std::uint32_t sum = 0;
  for (const Field& field : fields_) sum += field.kind == kind ? field.bits : 0;
  if (sum != bits) refuse(fmt::format("'{}' has {} bits and needs {}", name, sum, bits));
}

AddressMap::Place AddressMap::place(std::uint64_t unit) const {
  std::uint32_t parts[4] = {0, 0, 0, 0};
  for (const Field& field : fields_) {
    std::uint32_t& part = parts[static_cast<std::size_t>(field.kind)];
    if (field.bits > 0 || field.count == 1) {
      part |= static_cast<std::uint32_t>(unit & (field.count - 1)) << field.shift;
      unit >>= field.bits;
    } else {
      part = static_cast<std::uint32_t>(unit % field.count);
      unit /= field.count;
    }
  }
  auto group = parts[static_cast<std::size_t>(Kind::bank_group)], bank = parts[static_cast<std::size_t>(Kind::bank)];
  const auto groups = static_cast<std::uint32_t>(geometry_.bank_groups);
  const auto banks = static_cast<std::uint32_t>(geometry_.banks);
  if (hash_ == BankHash::xor_row) {
    group ^= static_cast<std::uint32_t>(unit) & (groups - 1);
    bank ^= static_cast<std::uint32_t>(unit >> log2_of(geometry_.bank_groups)) & (banks - 1);
  }
  return {(parts[static_cast<std::size_t>(Kind::sid)] * groups + group) * banks + bank,
          static_cast<std::uint32_t>(unit)};
}

void check_capacity(const Standard& standard, std::uint64_t bytes_of_pc) {
  if (bytes_of_pc <= standard.geometry.bytes_per_pc()) return;
  throw Error::configuration(fmt::format(
      "a pseudo-channel of {} has {} ({} SIDs, {} banks each, {} rows), but the slice needs {}; use more rows or SIDs",
      standard.name, format_size(standard.geometry.bytes_per_pc()), standard.geometry.sids,
      standard.geometry.bank_groups * standard.geometry.banks, standard.geometry.rows, format_size(bytes_of_pc)));
}

}  // namespace kb::dram
