#include "platform/energy/coefficient.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "platform/base/error.h"

namespace kb::energy {
namespace {

constexpr double kPerPj = 1e9, kPerWatt = 1e6;
constexpr std::uint64_t kPerFemtojoule = 1'000'000;

[[noreturn]] void refuse() {
  throw Error::program("ENERGY_RANGE",
                       "the energy of this run exceeds 18 kJ; the coefficients in 'energy:' are in pJ per event and W");
}

std::uint64_t rounded(Count count, std::int64_t coefficient, std::uint32_t per) {
  const Count divisor = Count{kPerFemtojoule} * per;
  Count product = 0;
  if (__builtin_mul_overflow(count, static_cast<Count>(coefficient), &product)) refuse();
  const Count femtojoules = product / divisor + (product % divisor * 2 >= divisor ? 1 : 0);
  if (femtojoules > std::numeric_limits<std::uint64_t>::max()) refuse();
  return static_cast<std::uint64_t>(femtojoules);
}

void increase(std::uint64_t& sum, std::uint64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) refuse();
}

}  // namespace

void Energy::add(const Energy& other) {
  increase(value, other.value);
  increase(low, other.low);
  increase(high, other.high);
}

Coefficient Coefficient::of_pj(double value, double low, double high, std::string node, std::string source) {
  return {std::llround(value * kPerPj), std::llround(low * kPerPj), std::llround(high * kPerPj), std::move(node),
          std::move(source)};
}

Coefficient Coefficient::of_watts(double value, double low, double high, std::string node, std::string source) {
  return {std::llround(value * kPerWatt), std::llround(low * kPerWatt), std::llround(high * kPerWatt), std::move(node),
          std::move(source)};
}

Energy Coefficient::times(Count count, std::uint32_t per) const {
  return {rounded(count, value, per), rounded(count, low, per), rounded(count, high, per)};
}

std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::string joules_text(std::uint64_t femtojoules) {
  constexpr const char* kUnits[] = {"fJ", "pJ", "nJ", "uJ", "mJ", "J", "kJ"};
  if (femtojoules < 1000) return fmt::format("{} fJ", femtojoules);
  auto value = static_cast<double>(femtojoules);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000.0;
  return three_digits(value) + ' ' + kUnits[unit];
}

double to_pj(std::int64_t zeptojoules) {
  return static_cast<double>(zeptojoules) / kPerPj;
}

double to_watts(std::int64_t microwatts) {
  return static_cast<double>(microwatts) / kPerWatt;
}

std::string origin_name(Coefficient::Origin origin) {
  constexpr const char* kNames[] = {"default", "given", "declared"};
  return kNames[static_cast<std::size_t>(origin)];
}

std::uint64_t counted_sum(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(b, c, &product)) refuse();
  increase(a, product);
  return a;
}

Energy Division::next(std::uint64_t count) {
  so_far_ += count;
  const Energy whole = coefficient_.times(so_far_, per_);
  const Energy share = whole - given_;
  given_ = whole;
  return share;
}

}  // namespace kb::energy
