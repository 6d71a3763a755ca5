// Coefficients of energy and sums of femtojoules.
#pragma once

#include <cstdint>
#include <string>

namespace kb::energy {

__extension__ typedef unsigned __int128 Count;  // exact products of counts

// A sum of femtojoules: the value, and the bounds of what is known of it. Up to 18 kJ.
struct Energy {
  std::uint64_t value = 0, low = 0, high = 0;

  // Program Error ENERGY_RANGE above 18 kJ.
  void add(const Energy& other);
  friend Energy operator-(const Energy& a, const Energy& b) {
    return {a.value - b.value, a.low - b.low, a.high - b.high};
  }
  friend bool operator==(const Energy& a, const Energy& b) {
    return a.value == b.value && a.low == b.low && a.high == b.high;
  }
};

// Largest coefficient in pJ per event, and in W.
inline constexpr double kMostPj = 1e6, kMostWatts = 1e6;

// What one event costs, with the source of the figure. In zeptojoules (1e-9 pJ), so that products with counts are
// exact; static power in microwatts, which are zeptojoules per femtosecond.
struct Coefficient {
  std::int64_t value = 0, low = 0, high = 0;
  std::string node;    // process or generation: "GF 12 nm"; may be empty
  std::string source;  // never empty
  enum class Origin : std::uint8_t { default_set, given, declared };
  Origin origin = Origin::declared;  // of a set; of the file or --set; of the declaration of a block

  // `low` <= `value` <= `high`, in pJ.
  static Coefficient of_pj(double value, double low, double high, std::string node, std::string source);
  static Coefficient of_watts(double value, double low, double high, std::string node, std::string source);

  // Energy of `count` events; `per`: events of one unit of the coefficient. Each bound is rounded once.
  Energy times(Count count, std::uint32_t per = 1) const;
};

// Three significant digits with a unit: "596 pJ", "12.3 uJ".
std::string joules_text(std::uint64_t femtojoules);
std::string three_digits(double value);

double to_pj(std::int64_t zeptojoules);
double to_watts(std::int64_t microwatts);
std::string origin_name(Coefficient::Origin origin);  // "default", "given", "declared"

// a + b x c; program Error ENERGY_RANGE above 64 bits.
std::uint64_t counted_sum(std::uint64_t a, std::uint64_t b, std::uint64_t c);

// Divides the energy of all events among those who caused them: each share is the difference of two rounded products,
// so that the shares add up to the whole.
class Division {
 public:
  explicit Division(const Coefficient& coefficient, std::uint32_t per = 1) : coefficient_(coefficient), per_(per) {}
  // The share of the next `count` events.
  Energy next(std::uint64_t count);

 private:
  const Coefficient& coefficient_;
  std::uint32_t per_;
  Count so_far_ = 0;
  Energy given_;
};

}  // namespace kb::energy
