// Figures of hostile texts, and of a gnuplot that fails without a word (E-8, E-97).
#include "sim/study/files/gnuplot.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>

#include "platform/base/error.h"
#include "platform/base/printable.h"
#include "sim/study/files/files.h"

namespace kb::files {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A folder that is the working directory, because that is where an executed command would leave its file.
class GnuplotTest : public testing::Test {
 protected:
  GnuplotTest() : before_(fs::current_path()), folder_(fs::temp_directory_path() / name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bin");
    fs::current_path(folder_);
    if (const char* const path = std::getenv("PATH")) path_ = path;
  }
  ~GnuplotTest() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  static std::string name() { return "kb_gnuplot_" + std::to_string(::getpid()); }

  void draw_here(const std::vector<Figure>& figures) const { draw(figures, ".", 2); }
  std::string refusal(const std::vector<Figure>& figures) const {
    try {
      draw_here(figures);
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::configuration);
      return error.what();
    }
    ADD_FAILURE() << "was drawn";
    return {};
  }
  void replace_gnuplot(const std::string& script) const {
    write_file("bin/gnuplot", "#!/bin/sh\n" + script, "a program");
    fs::permissions("bin/gnuplot", fs::perms::owner_all);
    ::setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
      if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), folder_).string());
    }
    return names;
  }

  fs::path before_, folder_;
  std::string path_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

// The text elements of a picture.
std::vector<std::string> texts_of(const std::string& svg) {
  const std::string open = "<text>", close = "</text>";
  std::vector<std::string> texts;
  for (std::size_t at = 0; (at = svg.find(open, at)) != svg.npos;) {
    at += open.size();
    const std::size_t end = svg.find(close, at);
    texts.push_back(replaced(replaced(replaced(svg.substr(at, end - at), "&lt;", "<"), "&gt;", ">"), "&amp;", "&"));
  }
  return texts;
}

void expect_lines(const std::vector<std::string>& drawn, const std::string& text) {
  const std::string shown = printable(text);
  for (std::size_t begin = 0; begin <= shown.size();) {
    const std::size_t end = std::min(shown.find('\n', begin), shown.size());
    if (end > begin) {
      EXPECT_THAT(drawn, Contains(shown.substr(begin, end - begin)));
    }
    begin = end + 1;
  }
}

// Starts and ends with a letter, because gnuplot trims blanks.
std::vector<std::string> hostile_texts(std::size_t count) {
  const std::vector<std::string> fragments = {"`touch PWN`",
                                              "$(touch PWN)",
                                              "system('touch PWN')",
                                              "\"",
                                              "'",
                                              "''",
                                              "\\",
                                              "\\\"",
                                              "\\n",
                                              "\n",
                                              "\t",
                                              "\r",
                                              "\x1b[31m",
                                              "@macro",
                                              "@",
                                              "%",
                                              "%d",
                                              "%g",
                                              "%s %%",
                                              "{/Bold x}",
                                              "_a^b",
                                              "&",
                                              "&amp;",
                                              "<b>",
                                              "</svg>",
                                              "#",
                                              "; system 'touch PWN'",
                                              "\". system(\"touch PWN\") .\"",
                                              "'.system('touch PWN').'",
                                              "\nEND\nsystem 'touch PWN'\n",
                                              "\n! touch PWN\n",
                                              "\xff",
                                              "\xc3",
                                              "\xed\xa0\x80",
                                              "é",
                                              "µ",
                                              "漢字",
                                              "\xe2\x80\xae",
                                              "7",
                                              "\\042",
                                              "$x",
                                              "\\`",
                                              std::string(1, '\0'),
                                              "]]>",
                                              "<!--",
                                              "\x7f",
                                              "\xc2\x85",
                                              "a b",
                                              "~",
                                              "NaN",
                                              ","};
  std::mt19937 random(20240607);
  std::vector<std::string> texts;
  for (const std::string& fragment : fragments) texts.push_back("a" + fragment + "z");
  while (texts.size() < count) {
    std::string text = "a";
    for (unsigned i = 0; i < 2 + random() % 5; ++i) text += fragments[random() % fragments.size()];
    texts.push_back(text + "z");
  }
  return texts;
}

TEST_F(GnuplotTest, HostileTextsAreDrawnAsTheyAreAndExecuteNothing_E97) {
  const std::vector<std::string> texts = hostile_texts(90);
  std::vector<Figure> figures;
  for (std::size_t i = 0; i + 5 < texts.size(); i += 6) {
    const auto quoted = [&](std::size_t k) { return plot_text(texts[i + k]); };
    figures.push_back(
        {"figure" + std::to_string(i), "set encoding utf8\nset tmargin 12\nset title " + quoted(0) + "\nset ylabel " +
                                           quoted(1) + "\nset label " + quoted(2) + " at graph 0.1,0.9\nset xtics (" +
                                           tic_text(texts[i + 3]) + " 1)\n$data << END\n1 2 " + quoted(4) + "\n2 3 " +
                                           quoted(4) + "\nEND\nplot $data using 1:2 with lines " +
                                           plot_title(texts[i + 5]) + ", '' using 1:2:3 with labels notitle\n"});
  }
  draw_here(figures);
  EXPECT_THAT(files(), Not(Contains(HasSubstr("PWN"))));
  for (std::size_t i = 0; i + 5 < texts.size(); i += 6) {
    const std::string name = "figure" + std::to_string(i);
    SCOPED_TRACE(name);
    const std::vector<std::string> drawn = texts_of(read_file(name + ".svg"));
    for (std::size_t k = 0; k < 6; ++k) expect_lines(drawn, texts[i + k]);
  }
}

TEST_F(GnuplotTest, LongTextsAreCut) {
  const std::string text(100000, 'x');
  draw_here({{"f", "set title " + plot_text(text) + "\nplot 1 " + plot_title(text) + "\n"}});
  EXPECT_THAT(read_file("f.svg"), HasSubstr("xxx..."));
}

// Whatever folder it is called in, no part of a path is read by gnuplot.
TEST_F(GnuplotTest, FoldersMayHaveAnyName_E97) {
  for (const char* name : {"o`touch PWN`x", "<touch PWN", "|touch PWN", "~", "-e", "a'b\"c", "line\nbreak", "ümlaut",
                           "\xff", "\x1b[31m", " ", "$(touch PWN)"}) {
    fs::create_directories(name);
    draw({{"f", "plot 1\n"}}, name, 1);
    EXPECT_GT(read_file(std::string(name) + "/f.png").size(), 500u) << name;
    fs::remove_all(name);
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(GnuplotTest, SettingsOfTheUserChangeNothing) {
  const std::vector<Figure> figures{{"f", "plot 1 title 'one'\n"}};
  draw_here(figures);
  const std::string before = read_file("f.svg");
  write_file(".gnuplot", "set title 'mine'\nset output 'elsewhere'\n", "settings");
  const std::pair<const char*, std::string> settings[] = {
      {"HOME", folder_.string()}, {"GNUTERM", "dumb"}, {"GNUPLOT_LIB", folder_.string()}, {"LC_ALL", "de_DE.UTF-8"}};
  for (const auto& [name, value] : settings) {
    const char* const old = std::getenv(name);
    const std::string kept = old == nullptr ? "" : old;
    ::setenv(name, value.c_str(), 1);
    draw_here(figures);
    old == nullptr ? ::unsetenv(name) : ::setenv(name, kept.c_str(), 1);
    EXPECT_EQ(read_file("f.svg"), before) << name;
  }
}

// The text of a PDF and of what it has packed: cairo 1.18 packs objects.
std::string unpacked(const std::string& pdf) {
  std::string text = pdf;
  const std::string begin = "stream\n";
  for (std::size_t at = pdf.find(begin); at != std::string::npos; at = pdf.find(begin, at + 1)) {
    z_stream stream{};
    if (::inflateInit(&stream) != Z_OK) break;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(pdf.data() + at + begin.size()));
    stream.avail_in = static_cast<uInt>(pdf.size() - at - begin.size());
    std::string piece(std::size_t{1} << 20, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    if (::inflate(&stream, Z_FINISH) == Z_STREAM_END) text += piece.substr(0, stream.total_out);
    ::inflateEnd(&stream);
  }
  return text;
}

TEST_F(GnuplotTest, APrintedFigureIs88MmWideAndHasNoTimeOfDay) {
  Figure figure{"f", "if (exists('printed')) { set title 'printed' } else { exit status 1 }\nplot 1\n"};
  EXPECT_THAT(refusal({figure}), HasSubstr("gnuplot failed to draw f.png")) << "the others do not have the variable";
  figure.script = "if (exists('printed')) plot 2; else plot 1\n";
  figure.print_height_mm = 60;
  draw_here({figure});
  const std::string pdf = unpacked(read_file("f.pdf"));
  EXPECT_THAT(pdf, HasSubstr("/CreationDate (D:00000000000000"));
  EXPECT_THAT(pdf, HasSubstr("/MediaBox [ 0 0 249")) << "points of 1/72 inch";
  EXPECT_THAT(files(), testing::UnorderedElementsAre("f.pdf", "f.png", "f.svg"));
}

// gnuplot ends with 0 when its disk is full.
TEST_F(GnuplotTest, NoFigureIsReplacedUnlessAllAreWhole_E8) {
  const std::vector<Figure> figures{{"one", "plot 1\n"}, {"two", "plot 2\n"}};
  draw_here(figures);
  const std::vector<std::string> names = {"one.png", "one.svg", "two.png", "two.svg"};
  std::vector<std::string> before;
  for (const std::string& name : names) before.push_back(read_file(name));
  const std::string real = "PATH=\"${PATH#*:}\"; ";
  for (const std::string& script :
       {std::string("exit 0"), std::string("printf '<?xml><svg>'"), real + "gnuplot -d /dev/stdin | head -c 300",
        std::string("echo no luck >&2; exit 7"), std::string("kill -9 $$"),
        real + "grep -q 'plot 2' && { echo half; exit 0; }; cd /; gnuplot -d /dev/stdin"}) {
    replace_gnuplot(script + "\n");
    const std::string message = refusal(figures);
    EXPECT_THAT(message, HasSubstr("gnuplot")) << script;
    EXPECT_THAT(message, HasSubstr("--fast")) << script;
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(read_file(names[i]), before[i]) << script << names[i];
  }
  replace_gnuplot("echo no luck >&2; exit 7\n");
  EXPECT_THAT(refusal(figures), HasSubstr("no luck"));
}

TEST_F(GnuplotTest, AFolderOfAFiguresNameStopsAllOfThem) {
  fs::create_directories("two.svg");
  EXPECT_THAT(refusal({{"one", "plot 1\n"}, {"two", "plot 2\n"}}), HasSubstr("two.svg"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(GnuplotTest, WithoutGnuplotThePackageIsNamed_E8) {
  ::setenv("PATH", "/nonexistent", 1);
  EXPECT_THAT(refusal({{"f", "plot 1\n"}}), HasSubstr("gnuplot-nox"));
}

TEST_F(GnuplotTest, NumbersThatAreNoneAreRefused) {
  EXPECT_EQ(plot_number(0.1), "0.1");
  for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(plot_number(value), Error);
  }
}

TEST(Gnuplot, ANumberThatGnuplotCannotBearIsRefused) {
  EXPECT_EQ(plot_number(-1e30), "-1e+30");
  EXPECT_EQ(plot_number(1e-300), "1e-300");
  for (const double value : {1.1e30, -1e308, std::nan(""), HUGE_VAL}) {
    try {
      plot_number(value);
      ADD_FAILURE() << value;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("numbers must be between -1e+30 and 1e+30"));
    }
  }
}

}  // namespace
}  // namespace kb::files
