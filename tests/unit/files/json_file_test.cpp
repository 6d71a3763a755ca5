// JSON from elsewhere: one message with file and place, whatever it is (E-99).
#include "sim/study/files/json_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/base/error.h"

namespace kb::files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string refusal(const std::string& file, std::size_t most = 1000000) {
  try {
    read_json(file, most);
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_THAT(error.what(), HasSubstr(file));
    return error.what();
  }
  ADD_FAILURE() << "was read";
  return {};
}

class JsonFileTest : public testing::Test {
 protected:
  JsonFileTest() : folder_(fs::temp_directory_path() / ("kb_json_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~JsonFileTest() override { fs::remove_all(folder_); }
  std::string write(const std::string& text) const {
    const std::string file = (folder_ / "f.json").string();
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  fs::path folder_;
};

TEST_F(JsonFileTest, GoodOnesAreReadAsTheyAre) {
  EXPECT_EQ(read_json(write(R"({"b": [1, 2.5, {"a": null}], "a": {"b": "é"}})"), 100).dump(),
            R"({"b":[1,2.5,{"a":null}],"a":{"b":"é"}})");
}

TEST_F(JsonFileTest, MistakesHaveTheirPlace_E99) {
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"", ":1:1: is not JSON"},
           {"{\n \"a\": 1,\n \"b\" 2}", ":3:6: is not JSON"},
           {"[1e999]", "number overflow"},
           {"[NaN]", ":1:2: is not JSON"},
           {"[-Infinity]", "is not JSON"},
           {"[1] x", ":1:5: is not JSON"},
           {"[\"\xff\"]", "ill-formed UTF-8"},
           {std::string("\0", 1), "is not JSON"},
           {R"({"a": {"b": 1, "c": [{"d": 1, "d": 2}]}})", "/a/c/0/d is there twice"},
           {R"([1, {"a": 1, "a": 1}])", "/1/a is there twice"}}) {
    EXPECT_THAT(refusal(write(text)), HasSubstr(says)) << text;
  }
}

TEST_F(JsonFileTest, WhatIsNoJsonIsToldInPlainWords) {
  EXPECT_THAT(refusal(write("idle")), testing::EndsWith(":1:1: is not JSON: invalid literal"));
  EXPECT_THAT(refusal(write("{\"a\": 1,}")),
              testing::EndsWith(":1:9: is not JSON: unexpected '}'; expected string literal"));
  try {
    read_json(write("idle"), 100, "give another");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::EndsWith("is not JSON: invalid literal; give another"));
  }
}

TEST_F(JsonFileTest, DepthTakesNoStack_E99) {
  EXPECT_NO_THROW(read_json(write(std::string(32, '[') + std::string(32, ']')), 100));
  const std::string open(1000000, '['), close(1000000, ']');
  for (const std::string& text : {open, open + close, open + "x"}) {
    EXPECT_THAT(refusal(write(text), 4000000), HasSubstr("nested more than 32 deep"));
  }
}

TEST_F(JsonFileTest, WhatIsNoFileIsNotWaitedFor_E99) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal(pipe), HasSubstr("pipe"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("device"));
  EXPECT_THAT(refusal(folder_.string()), HasSubstr("folder"));
  EXPECT_THAT(refusal((folder_ / "none").string()), HasSubstr("No such file"));
  EXPECT_THAT(refusal(write(std::string(1 << 20, ' ')), (1 << 20) - 1), HasSubstr("is larger than"));
}

TEST_F(JsonFileTest, AWrongTypeHasItsPlace) {
  const nlohmann::ordered_json json = parse_json("f", R"({"runs": [1, {"shape": 3}]})");
  try {
    json.at("runs").at(1).at("shape").get<std::string>();
    ADD_FAILURE();
  } catch (const nlohmann::ordered_json::exception& error) {
    EXPECT_EQ(reason_of(error), "(/runs/1/shape) type must be string, but is number");
  }
}

}  // namespace
}  // namespace kb::files
