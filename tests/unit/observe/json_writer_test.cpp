#include "platform/observe/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace kb::observe {
namespace {

TEST(JsonWriter, KeepsCallOrderAndIndents) {
  JsonWriter json;
  json.begin_object().key("z").integer(-3).key("a").begin_array(true).integer(1).integer(2).end_array();
  json.key("empty").begin_object().end_object().end_object();
  EXPECT_EQ(json.str(), "{\n  \"z\": -3,\n  \"a\": [1, 2],\n  \"empty\": {}\n}");
}

TEST(JsonWriter, CompactHasNoBlanks) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object().key("a").boolean(true).key("b").begin_array().null().text("x").end_array().end_object();
  EXPECT_EQ(json.str(), "{\"a\":true,\"b\":[null,\"x\"]}");
}

TEST(JsonWriter, TimesAreExactToTheFemtosecond) {
  JsonWriter json;
  json.begin_array(true).time_ns(1_fs).time_ns(77_ns).time_ns(9'007'199'254'740'993_fs).end_array();
  EXPECT_EQ(json.str(), "[0.000001, 77, 9007199254.740993]");
}

TEST(JsonWriter, DoublesReadBackEqualAndNonFiniteIsNull) {
  JsonWriter json;
  json.begin_array(true).real(0.1).real(1e300).real(std::numeric_limits<double>::infinity());
  json.real(std::numeric_limits<double>::quiet_NaN()).end_array();
  EXPECT_EQ(json.str(), "[0.1, 1e+300, null, null]");
}

// What rounding in double leaves behind the digits of a result is no part of it; times of six decimals stay exact.
TEST(JsonWriter, NumbersEndWhereTheirDigitsEnd) {
  EXPECT_EQ(number_text(376.83200000000005), "376.832");
  EXPECT_EQ(number_text(1982.8800839999894), "1982.880084");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(number_text(-0.005309999999999999), "-0.00531");
  EXPECT_EQ(number_text(123456789.123456), "123456789.123456");
  EXPECT_EQ(number_text(1234567890123456.0), "1234567890123456");
  EXPECT_EQ(number_text(1.0 / 3), "0.333333333333");
  EXPECT_EQ(number_text(1.23456789e-40), "1.23456789e-40");
  EXPECT_EQ(number_text(4.9406564584124654e-324), "5e-324");
  EXPECT_EQ(number_text(0), "0");
  JsonWriter json;
  json.begin_array(true).real(231.56003200000004).end_array();
  EXPECT_EQ(json.str(), "[231.560032]");
}

TEST(JsonWriter, EscapesControlCharactersAndReplacesBrokenUtf8) {
  EXPECT_EQ(json_string("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  EXPECT_EQ(json_string("\xc2\xb5s"), "\"\xc2\xb5s\"");
  EXPECT_EQ(json_string("x\xff\xc2"), "\"x\\ufffd\\ufffd\"");
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
}

// A hundred levels, with keys that take the most room there is.
TEST(JsonWriter, DeepLevelsAndLongKeys) {
  const std::string name(50, '\x01');
  std::string key = "\"";
  for (int i = 0; i < 50; ++i) key += "\\u0001";
  key += "\"";
  JsonWriter json;
  std::string expected = "{";
  json.begin_object();
  for (std::size_t level = 1; level <= 100; ++level) {
    json.key("n").integer(1).key(name).begin_object();
    const std::string line = "\n" + std::string(2 * level, ' ');
    expected += line + "\"n\": 1," + line + key + ": {";
  }
  json.end_object();
  expected += "}";
  for (std::size_t level = 100; level >= 1; --level) {
    json.end_object();
    expected += "\n" + std::string(2 * (level - 1), ' ') + "}";
  }
  EXPECT_EQ(json.str(), expected);
}

}  // namespace
}  // namespace kb::observe
