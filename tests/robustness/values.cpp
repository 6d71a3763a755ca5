#include "tests/robustness/values.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace kb::robustness {
namespace {

const std::vector<std::string> kNumbers = {"0",
                                           "-0",
                                           "-1",
                                           "1",
                                           "2",
                                           "3",
                                           "7",
                                           "0.5",
                                           "1.5",
                                           "1e-9",
                                           "1e-300",
                                           "5e-324",
                                           "1e9",
                                           "1e15",
                                           "1e18",
                                           "1e300",
                                           "1e308",
                                           "1e309",
                                           "-1e308",
                                           "nan",
                                           ".nan",
                                           "NaN",
                                           "inf",
                                           ".inf",
                                           "-.inf",
                                           "127",
                                           "128",
                                           "255",
                                           "256",
                                           "65535",
                                           "65536",
                                           "2147483647",
                                           "2147483648",
                                           "-2147483648",
                                           "-2147483649",
                                           "4294967295",
                                           "4294967296",
                                           "4611686018427387904",
                                           "9223372036854775806",
                                           "9223372036854775807",
                                           "9223372036854775808",
                                           "-9223372036854775808",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "99999999999999999999999999",
                                           "010",
                                           "0x10",
                                           "0b1",
                                           "1_000",
                                           "1,000",
                                           "+1",
                                           " 1",
                                           "1 ",
                                           "1.",
                                           ".5",
                                           "1e",
                                           "--1",
                                           "0.1e1",
                                           "1e1",
                                           "١",
                                           "1f",
                                           "0x1p3",
                                           "1000000",
                                           "16777217"};

const std::vector<std::string> kTexts = {"",
                                         " ",
                                         "\t",
                                         "\n",
                                         "~",
                                         "null",
                                         "true",
                                         "no",
                                         "[]",
                                         "{}",
                                         "[1, 2",
                                         "{a: 1",
                                         "}",
                                         "]",
                                         ":",
                                         "- ",
                                         "#",
                                         "&a",
                                         "*a",
                                         "!!binary x",
                                         "!!int a",
                                         "|",
                                         ">",
                                         "%",
                                         "%s%n%s",
                                         "{}{0}",
                                         "{:>1000000}",
                                         "$(id)",
                                         "`touch owned`",
                                         "\"",
                                         "'",
                                         "''",
                                         "\"\"",
                                         "a'b",
                                         "a\"b",
                                         "a\\b",
                                         "a,b",
                                         "a=b",
                                         "=",
                                         "==",
                                         "a b",
                                         "..",
                                         ".",
                                         "./",
                                         "x/",
                                         "//",
                                         "a//b",
                                         "*",
                                         "?",
                                         "-",
                                         "--",
                                         "---",
                                         "-x",
                                         "@x",
                                         "nul",
                                         "con",
                                         "\x01",
                                         "\x07",
                                         "\x1b[31mred\x1b[0m",
                                         "\x7f",
                                         "a\rb",
                                         "a\nb",
                                         "a\x08",
                                         "\xff",
                                         "\xc0\x80",
                                         "\xed\xa0\x80",
                                         "\xf4\x90\x80\x80",
                                         "\xc2\x85",
                                         "\xe2\x80\xae abc",
                                         "\xef\xbb\xbf abc",
                                         "\xe2\x80\xa8",
                                         "Ω",
                                         "日本語",
                                         "🙂",
                                         "é",
                                         "sip0",
                                         "sip0.cube0.pe0",
                                         "sip99.cube99.pe99",
                                         "cube.links",
                                         "system.sips.count",
                                         "file:x?mode=memory",
                                         ":memory:",
                                         "file:x.db?vfs=none",
                                         "x.sqlite",
                                         "config.h5",
                                         "reference",
                                         "builtin.forwarding",
                                         "<script>",
                                         "&amp;",
                                         "\\x41",
                                         "\\n",
                                         "1;2",
                                         "1|2",
                                         "1e1e1"};

std::string formatted(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace

std::string edge_number(Random& random) {
  return random.pick(kNumbers);
}

std::string near_number(const std::string& good, Random& random) {
  char* end = nullptr;
  const double value = std::strtod(good.c_str(), &end);
  if (good.empty() || *end != '\0') return good;
  const std::vector<double> factors = {0.001, 0.1, 0.5, 0.999, 1.001, 2, 3, 10, -1};
  const std::vector<double> steps = {-1, 1, 0.5, 1e-6};
  return random.chance(50) ? formatted(value * random.pick(factors)) : formatted(value + random.pick(steps));
}

std::string odd_text(Random& random) {
  if (random.chance(4)) return std::string(random.between(1000, 100000), random.chance(50) ? 'a' : '9');
  std::string text = random.pick(kTexts);
  if (random.chance(15)) text += random.pick(kTexts);
  return text;
}

std::string typo(std::string word, Random& random) {
  if (word.empty()) return "x";
  const std::size_t at = random.below(word.size());
  switch (random.below(5)) {
    case 0:
      word.erase(at, 1);
      break;
    case 1:
      word.insert(at, 1, static_cast<char>('a' + random.below(26)));
      break;
    case 2:
      std::swap(word[at], word[random.below(word.size())]);
      break;
    case 3:
      word[at] = static_cast<char>(word[at] ^ 0x20);
      break;
    default:
      word += word.back();
  }
  return word;
}

std::string odd_input_path(Random& random) {
  return random.pick(std::vector<std::string>{"missing.yaml", ".", "..", "folder", "/dev/null", "/dev/zero",
                                              "/dev/full", "/proc/self/mem", "/proc/self/environ", "loop_a", "dangling",
                                              "user.txt", "", "a\nb", "missing/", "user.txt/x"});
}

}  // namespace kb::robustness
