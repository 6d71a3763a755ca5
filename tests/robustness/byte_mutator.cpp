#include "tests/robustness/byte_mutator.h"

#include <algorithm>

namespace kb::robustness {
namespace {

constexpr std::size_t kLargest = 1 << 20;

struct Part {
  std::size_t at, size;
};

Part some_part(const std::string& text, Random& random, std::size_t largest) {
  const std::size_t at = random.below(text.size() + 1);
  return {at, std::min(text.size() - at, random.between(1, largest))};
}

std::string some_bytes(Random& random) {
  static const char kStrange[] = "\0\x01\t\r\n\x1b\x7f\x80\xff:{}[]&*#'\"-,";
  std::string bytes;
  for (std::size_t n = random.between(1, 4); n > 0; --n) bytes += kStrange[random.below(sizeof kStrange - 1)];
  return bytes;
}

std::string repeat_part(const std::string& text, Random& random) {
  const Part part = some_part(text, random, 200);
  std::string middle;
  const std::size_t times = random.chance(20) ? random.between(100, 5000) : random.between(1, 10);
  for (std::size_t i = 0; i < times && middle.size() < kLargest; ++i) middle += text.substr(part.at, part.size);
  return text.substr(0, part.at) + middle + text.substr(part.at);
}

std::string swap_parts(const std::string& text, Random& random) {
  const std::size_t a = random.below(text.size() + 1), b = random.between(a, text.size()),
                    c = random.between(b, text.size());
  return text.substr(0, a) + text.substr(b, c - b) + text.substr(a, b - a) + text.substr(c);
}

}  // namespace

std::string damage(std::string text, const std::string& other, Random& random) {
  const Part part = some_part(text, random, 40);
  switch (random.below(7)) {
    case 0:
      text.resize(random.below(text.size() + 1));
      return text;
    case 1:
      for (std::size_t n = random.between(1, 8); n > 0 && !text.empty(); --n) {
        char& byte = text[random.below(text.size())];
        byte = static_cast<char>(byte ^ (1 << random.below(8)));
      }
      return text;
    case 2:
      return text.insert(part.at, some_bytes(random));
    case 3:
      return text.erase(part.at, part.size);
    case 4:
      return repeat_part(text, random);
    case 5:
      return swap_parts(text, random);
    default: {
      const Part foreign = some_part(other, random, 400);
      return text.insert(part.at, other.substr(foreign.at, foreign.size));
    }
  }
}

}  // namespace kb::robustness
