// What is written is read again, whatever it is; what is wrong is named by its place.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "platform/base/error.h"
#include "sim/result/read.h"
#include "sim/result/shape.h"
#include "sim/result/tornado.h"
#include "sim/result/why.h"
#include "sim/result/write.h"

namespace kb::result {
namespace {

using testing::HasSubstr;

// Fills all members with random values, and lists with none to three of them.
class Filler {
 public:
  explicit Filler(unsigned seed) : random_(seed) {}

  template <typename Value>
  void operator()(std::string_view name, Value& value, std::string_view /*meaning*/) {
    if (name != "schema") fill(value);
  }
  template <typename Value>
  void may(std::string_view /*name*/, std::optional<Value>& value, std::string_view /*meaning*/) {
    fill(value);
  }
  void one_of(std::string_view /*name*/, std::string& value, WordList words, std::string_view /*meaning*/) {
    value = words.begin()[below(words.size())];
  }
  void known_word(std::string_view /*name*/, std::optional<std::string>& value, KnownWords words,
                  std::string_view /*meaning*/) {
    value = words()[below(words().size())];
  }
  void matching(std::string_view /*name*/, std::string& value, std::string_view /*pattern*/, std::string_view /*m*/) {
    fill(value);
  }
  void amount(std::string_view /*name*/, std::int64_t& value, const std::string& /*unit*/, std::string_view /*m*/) {
    fill(value);
  }

  template <typename Struct>
  void fill(Struct& value) {
    Fields<Struct>::visit(value, *this);
  }
  void fill(bool& value) { value = below(2) == 0; }
  void fill(std::int64_t& value) { value = static_cast<std::int64_t>(below(1'000'000'000'000)); }
  void fill(std::uint64_t& value) { value = below(1'000'000'000'000); }
  void fill(TimeFs& value) { value = TimeFs(static_cast<std::int64_t>(below(4'000'000'000'000'000))); }
  void fill(double& value) { value = below(5) == 0 ? std::nan("") : static_cast<double>(below(1'000'000)) / 7; }
  void fill(std::string& value) {
    static const char* const kTexts[] = {"", "a", "line\n\"two\" \\ <b>", "sip0.cube0.pe0", "\u00e9", "12", "true"};
    value = kTexts[below(std::size(kTexts))];
  }
  void fill(Scalar& value) {
    static const char* const kTexts[] = {"12", "1.5", "true", "ring_1d", "", "007"};
    value.text = kTexts[below(std::size(kTexts))];
  }
  void fill(Element& value) {
    const double kValues[] = {0.1, -3, std::nan(""), HUGE_VAL, -HUGE_VAL};
    value.value = kValues[below(std::size(kValues))];
  }
  template <typename Value>
  void fill(std::optional<Value>& value) {
    value.reset();
    if (below(2) == 0) fill(value.emplace());
  }
  template <typename Value>
  void fill(std::vector<Value>& values) {
    values.resize(below(4));
    for (Value& value : values) fill(value);
  }
  template <typename Value>
  void fill(Members<Value>& members) {
    members.clear();
    for (std::size_t i = below(4); i > 0; --i) {
      members.emplace_back().first = "name " + std::to_string(i);
      fill(members.back().second);
    }
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  std::mt19937_64 random_;
};

std::string text_of(const Result& result) {
  std::string text;
  render(result, [&](std::string_view piece) { text += piece; });
  return text;
}

class ResultTest : public testing::Test {
 protected:
  ResultTest() : file_(std::filesystem::temp_directory_path() / ("kb_result_" + std::to_string(::getpid()))) {}
  ~ResultTest() override { std::filesystem::remove(file_); }
  Result read_text(const std::string& text) const {
    std::ofstream(file_) << text;
    return read(file_.string());
  }
  std::string refusal(const std::string& text) const {
    try {
      read_text(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path file_;
};

TEST_F(ResultTest, WhatIsWrittenIsReadAgain) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Result result;
    Filler(seed).fill(result);
    const std::string text = text_of(result);
    ASSERT_EQ(text_of(read_text(text)), text) << "seed " << seed;
  }
}

TEST_F(ResultTest, AWrongMemberIsNamedByItsPlace) {
  Result result;
  result.data_mode = "off";
  result.launches.resize(3);
  const std::string text = text_of(result);
  const auto with = [&](const std::string& from, const std::string& to, std::size_t after = 0) {
    std::string changed = text;
    const std::size_t at = changed.find(from, after);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  const std::string file = file_.string();
  const std::size_t launches = text.find("\"launches\": [");
  EXPECT_EQ(refusal(text), "");
  EXPECT_EQ(refusal(with("\"sip\": 0", "\"sip\": \"a\"", launches)),
            file + ": is not a whole result: /launches/0/sip must be a whole number, not \"a\" (run it again)");
  EXPECT_THAT(refusal(with("\"sip\": 0,", "", launches)), HasSubstr("/launches/0 has no member 'sip'"));
  EXPECT_THAT(refusal(with("\"late_pes\": 0", "\"late_pes\": -1")), HasSubstr("/launches/0/late_pes must be a whole"));
  EXPECT_THAT(refusal(with("\"off\"", "\"on\"")),
              HasSubstr("/data_mode must be one of off, replay, eager, not \"on\""));
  EXPECT_THAT(refusal(with("\"submit_ns\": 0", "\"submit_ns\": 1e30")), HasSubstr("/submit_ns must be a time in ns"));
  EXPECT_THAT(refusal(with("\"ok\": true", "\"ok\": 1")), HasSubstr("/ok must be true or false, not 1"));
}

TEST_F(ResultTest, AnotherFormIsRefusedWithItsProgram) {
  Result result;
  result.setup.version = "0.4.0";
  std::string text = text_of(result);
  text.replace(text.find("\"schema\": 3"), 11, "\"schema\": 2");
  EXPECT_THAT(refusal(text), HasSubstr("was written by kernbench 0.4.0 with schema 2, and this program reads 3"));
  EXPECT_THAT(refusal("[]"), HasSubstr("is not the result of a run"));
  EXPECT_THAT(refusal("{"), HasSubstr("is not JSON"));
}

class WhyFileTest : public ResultTest {
 protected:
  Why read_why_text(const std::string& text) const {
    std::ofstream(file_) << text;
    return read_why(file_.string());
  }
  std::string why_refusal(const std::string& text) const {
    try {
      read_why_text(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(WhyFileTest, WhatIsWrittenIsReadAgain) {  // H-82w
  for (unsigned seed = 0; seed < 100; ++seed) {
    Why why;
    Filler(seed).fill(why);
    const std::string text = render(why);
    ASSERT_EQ(render(read_why_text(text)), text) << "seed " << seed;
  }
}

TEST_F(WhyFileTest, WhatIsWrongIsNamedByFileAndPlace) {  // H-82w
  Why why;
  why.steps.resize(2);
  const std::string text = render(why), file = file_.string();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from, changed.find("\"steps\""));
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  EXPECT_EQ(why_refusal(text), "");
  EXPECT_EQ(why_refusal(with("\"time_ns\": 0", "\"time_ns\": \"a\"")),
            file + ": is damaged: /steps/0/time_ns must be a time in ns, not \"a\" (`kernbench why` writes it again)");
  EXPECT_THAT(why_refusal(with("\"limiter\": \"\",", "")), HasSubstr("/steps/0 has no member 'limiter'"));
  EXPECT_EQ(
      why_refusal(R"({"schema": "kernbench why 9"})"),
      file +
          R"(: schema is "kernbench why 9" and this program reads "kernbench why 1"; `kernbench why` writes it again)");
  EXPECT_THAT(why_refusal("[1]"), HasSubstr(file + ": schema is null"));
  EXPECT_THAT(why_refusal("{"), HasSubstr("is not JSON"));
}

class TornadoFileTest : public WhyFileTest {
 protected:
  Tornado read_tornado_text(const std::string& text) const {
    std::ofstream(file_) << text;
    return read_tornado(file_.string());
  }
};

TEST_F(TornadoFileTest, WhatIsWrittenIsReadAgain) {  // H-82x
  for (unsigned seed = 0; seed < 100; ++seed) {
    Tornado tornado;
    Filler(seed).fill(tornado);
    const std::string text = render(tornado);
    ASSERT_EQ(render(read_tornado_text(text)), text) << "seed " << seed;
  }
}

TEST_F(TornadoFileTest, WhatIsWrongIsNamedByFileAndPlace) {  // H-82x
  const auto refusal_of = [&](const std::string& text) -> std::string {
    try {
      read_tornado_text(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Tornado tornado;
  tornado.inputs_sha256 = std::string(64, '0');
  tornado.keys.resize(1);
  tornado.keys[0].trials = {{"1", 5_ns, false, ""}, {"2", std::nullopt, true, ""}};
  std::string text = render(tornado);
  const std::string file = file_.string();
  EXPECT_EQ(refusal_of(text), "");
  EXPECT_THAT(text, HasSubstr(R"({"value": "2", "time_ns": null, "not_run": true, "problem": ""})"));
  text.replace(text.find("\"not_run\": true"), 15, "\"not_run\": 1");
  EXPECT_EQ(refusal_of(text), file +
                                  ": is damaged: /keys/0/trials/1/not_run must be true or false, not 1 (`kernbench "
                                  "why --machine` writes it again)");
  EXPECT_THAT(refusal_of(R"({"schema": "kernbench why 1"})"),
              HasSubstr(R"(schema is "kernbench why 1" and this program reads "kernbench tornado 1")"));
}

// Each form says what it is, and no two forms share a name.
TEST(Shape, FormsAreCompleteAndDistinct) {
  std::set<std::string> names;
  std::vector<Form> forms = Shape::of<Result>();
  for (const Form& form : Shape::of<Why>()) forms.push_back(form);
  for (const Form& form : Shape::of<Tornado>()) forms.push_back(form);
  for (const Form& form : forms) {
    EXPECT_TRUE(names.insert(form.name).second) << form.name;
    std::set<std::string> members;
    for (const Member& member : form.members) {
      EXPECT_TRUE(members.insert(member.name).second) << form.name << "." << member.name;
      EXPECT_NE(member.meaning, "") << form.name << "." << member.name;
    }
  }
}

}  // namespace
}  // namespace kb::result
