#include "platform/model/json_tree.h"

#include <gmock/gmock.h>

namespace kb::model {
namespace {

using testing::HasSubstr;

std::string problem(const std::string& text) {
  try {
    parse_json_tree(text, "f.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// M-3
TEST(JsonTree, KeysHaveTheirLineAndColumn) {
  const JsonNode root = parse_json_tree("{ \"a\": 1,\n\n  \"b\\\"c\": [1, {\"d\": 2.5}],\n\t\"e\":\n null }", "f.json");
  ASSERT_EQ(root.members.size(), 3u);
  EXPECT_EQ(root.members[0].line, 1);
  EXPECT_EQ(root.members[0].column, 3);
  EXPECT_EQ(root.members[1].key, "b\"c");
  EXPECT_EQ(root.members[1].line, 3);
  EXPECT_EQ(root.members[1].column, 3);
  EXPECT_EQ(root.members[2].line, 4);
  EXPECT_EQ(root.members[2].column, 2);
  const JsonMember& inner = root.members[1].node().items[1].members[0];
  EXPECT_EQ(inner.line, 3);
  EXPECT_EQ(inner.node().real, 2.5);
  EXPECT_EQ(root.members[2].node().kind, JsonNode::Kind::null);
}

TEST(JsonTree, ValuesKeepTheirKind) {
  const JsonNode root = parse_json_tree(R"({"i": -7, "r": 1e-5, "t": "x\ny", "b": true, "l": [], "o": {}})", "f.json");
  EXPECT_EQ(root.find("i")->node().integer, -7);
  EXPECT_EQ(root.find("i")->node().real, -7.0);
  EXPECT_EQ(root.find("r")->node().kind, JsonNode::Kind::real);
  EXPECT_EQ(root.find("t")->node().text, "x\ny");
  EXPECT_TRUE(root.find("b")->node().boolean);
  EXPECT_EQ(root.find("l")->node().described(), "a list");
  EXPECT_EQ(root.find("o")->node().described(), "an object");
  EXPECT_EQ(root.find("z"), nullptr);
}

TEST(JsonTree, RefusesWhatItCannotKeep) {
  EXPECT_THAT(problem("{\"a\": 1,\n \"a\": 2}"), HasSubstr("f.json:2:2: a: the key is there twice"));
  EXPECT_THAT(problem("{\"a\": 1,\n}"), HasSubstr("f.json:2:1: is not JSON"));
  EXPECT_EQ(problem("{\"a\": 1e999}"),
            "f.json:1:11: is not JSON: number overflow parsing '1e999' (give the file as it "
            "was published)");
  EXPECT_THAT(problem("[1]"), HasSubstr("the outermost value is not an object"));
  EXPECT_THAT(problem("3"), HasSubstr("the outermost value is not an object"));
  EXPECT_THAT(problem("{\"a\": 18446744073709551615}"), HasSubstr("too large"));
  EXPECT_THAT(problem("{\"a\": " + std::string(40, '[') + std::string(40, ']') + "}"),
              HasSubstr("nested more than 32"));
}

// M-3
TEST(JsonTree, FilesThatAreNoJsonAreNamedByWhatTheyAre) {
  EXPECT_THAT(problem(""), HasSubstr("f.json: is empty"));
  EXPECT_THAT(problem(" \n\t\r\n"), HasSubstr("f.json: is empty"));
  EXPECT_THAT(problem("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"), HasSubstr("git lfs pull"));
  EXPECT_THAT(problem(std::string("\xff\xfe{\0", 4)), HasSubstr("is UTF-16, not UTF-8"));
  EXPECT_THAT(problem(std::string("\xfe\xff\0{", 4)), HasSubstr("is UTF-16, not UTF-8"));
}

}  // namespace
}  // namespace kb::model
