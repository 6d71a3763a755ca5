#include "sim/study/files/gnuplot.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <string_view>

#include "platform/base/error.h"
#include "platform/base/printable.h"
#include "platform/observe/output_set.h"
#include "sim/study/process/memory_file.h"
#include "sim/study/process/process_pool.h"

namespace kb::files {
namespace {

using namespace std::string_view_literals;

bool begins_with(std::string_view text, std::string_view part) {
  return text.substr(0, part.size()) == part;
}

bool ends_with(std::string_view text, std::string_view part) {
  return text.size() >= part.size() && text.substr(text.size() - part.size()) == part;
}

bool whole_png(std::string_view file) {
  return begins_with(file, "\x89PNG\r\n\x1a\n"sv) && ends_with(file, "\0\0\0\0IEND\xae\x42\x60\x82"sv);
}

bool whole_svg(std::string_view file) {
  while (!file.empty() && (file.back() == '\n' || file.back() == ' ')) file.remove_suffix(1);
  return begins_with(file, "<?xml") && file.find("<svg") != file.npos && ends_with(file, "</svg>");
}

struct Format {
  const char* ending;
  const char* terminal;
  bool (*whole)(std::string_view file);
};
// cairo writes the current time, as "/CreationDate (D:20260101120000Z)".
bool whole_pdf(std::string_view file) {
  while (!file.empty() && file.back() == '\n') file.remove_suffix(1);
  return begins_with(file, "%PDF-") && ends_with(file, "%%EOF");
}
// Replaces the digits of the time by zeros, so that equal figures have equal bytes.
std::size_t zero_time(std::string& text) {
  const std::size_t at = text.rfind("/CreationDate (D:");
  const std::size_t end = at == text.npos ? at : text.find(')', at);
  for (std::size_t i = at; end != text.npos && i < end; ++i) {
    if (text[i] >= '0' && text[i] <= '9') text[i] = '0';
  }
  return end;
}

// From cairo 1.18 on, the date is in a compressed object stream. It is compressed again to at most its old length; the
// length is stored in the next object, and blanks fill the rest, so that no file offset changes.
std::string without_time(std::string file) {
  if (zero_time(file) != file.npos) return file;
  const std::string begin = "stream\n", end = "\nendstream\nendobj\n", object = " 0 obj\n";
  for (std::size_t at = file.find(begin); at != file.npos; at = file.find(begin, at + 1)) {
    const std::size_t data = at + begin.size(), after = file.find(end, data);
    if (after == file.npos) break;
    std::string text(std::size_t{1} << 20, '\0');
    uLongf size = text.size();
    const auto* const packed = reinterpret_cast<const Bytef*>(file.data() + data);
    if (::uncompress(reinterpret_cast<Bytef*>(text.data()), &size, packed, after - data) != Z_OK) continue;
    text.resize(size);
    if (zero_time(text) == text.npos) continue;
    std::string again(::compressBound(size), '\0');
    uLongf length = again.size();
    ::compress2(reinterpret_cast<Bytef*>(again.data()), &length, reinterpret_cast<const Bytef*>(text.data()), size, 9);
    const std::size_t number = file.find(object, after + end.size());
    if (length > after - data || number == file.npos) continue;
    const std::size_t digits = number + object.size();
    const std::size_t digits_end = file.find('\n', digits);
    if (digits_end == file.npos) continue;
    file.replace(digits, digits_end - digits, fmt::format("{:<{}}", length, digits_end - digits));
    file.replace(data, after + end.size() - data,
                 again.substr(0, length) + end + std::string(after - data - length, ' '));
  }
  return file;
}

constexpr Format kPrinted = {"pdf",
                             "pdfcairo noenhanced font 'DejaVu Sans,11' fontscale 0.48 pointscale 0.5 linewidth 0.6 "
                             "dashlength 0.6",
                             whole_pdf};
constexpr Format kFormats[] = {{"png", "pngcairo noenhanced font 'DejaVu Sans,11'", whole_png},
                               {"svg", "svg noenhanced font 'DejaVu Sans,13' background '#ffffff'", whole_svg}};

constexpr std::size_t kMaxText = 1000, kMaxSaid = 2000;  // bytes
constexpr double kLargestDrawn = 1e30;                   // gnuplot crashes on larger values

// gnuplot reads the script from, and writes the picture to, unnamed files, so that its commands contain no path.
struct Picture {
  std::string name;
  const Format* format;
  sim::MemoryFile script, image, messages;
};

std::vector<Picture> pictures(const std::vector<Figure>& figures) {
  std::vector<Picture> list;
  for (const Figure& figure : figures) {
    for (const Format& format : kFormats) {
      Picture picture{figure.name + "." + format.ending, &format, {}, {}, {}};
      picture.script.write(
          fmt::format("set terminal {} size {},{}\n{}", format.terminal, figure.width, figure.height, figure.script));
      list.push_back(std::move(picture));
    }
    if (figure.print_height_mm == 0) continue;
    Picture printed{figure.name + ".pdf", &kPrinted, {}, {}, {}};
    constexpr double kColumnMm = 88, kMmInInch = 25.4;
    printed.script.write(fmt::format("set terminal {} size {:.4f},{:.4f}\nprinted = 1\n{}", kPrinted.terminal,
                                     kColumnMm / kMmInInch, figure.print_height_mm / kMmInInch, figure.script));
    list.push_back(std::move(printed));
  }
  return list;
}

std::string said(const Picture& picture) {
  std::string text = printable(last_part(picture.messages.contents(), kMaxSaid));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "it printed nothing" : text;
}

std::string problem_of(const Picture& picture, const sim::ProcessEnd& end) {
  if (!end.not_started.empty() || end.code == 127) {
    return "gnuplot cannot be started (" + (end.not_started.empty() ? said(picture) : end.not_started) +
           "); install it (Debian: gnuplot-nox)";
  }
  if (end.signal != 0) {
    return fmt::format("gnuplot was ended by signal {} ({}) while it drew {}: {}", end.signal, ::strsignal(end.signal),
                       picture.name, said(picture));
  }
  if (end.code != 0) return "gnuplot failed to draw " + picture.name + ": " + said(picture);
  if (!picture.format->whole(picture.image.contents())) {
    return "gnuplot did not draw all of " + picture.name + ": " + said(picture);
  }
  return {};
}

void check(const std::string& problem) {
  if (!problem.empty()) throw Error::configuration(problem + "; use --fast to draw again without simulating");
}

}  // namespace

// Octal escapes have the same meaning in double-quoted strings of commands and of data blocks, and are interpreted
// after back-quotes and macros. With a leading 0 they have four digits.
std::string plot_text(const std::string& text) {
  std::string shown = printable(text);
  if (shown.size() > kMaxText) {
    std::size_t end = kMaxText;
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xc0u) == 0x80u) --end;
    shown = shown.substr(0, end) + "...";
  }
  std::string quoted = "\"";
  for (const char c : shown) {
    switch (c) {
      case '\n':
        quoted += "\\n";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '"':
      case '\'':
      case '`':
      case '@':
      case '$':
        quoted += fmt::format("\\{:04o}", static_cast<unsigned>(c));
        break;
      default:
        quoted += c;
    }
  }
  return quoted + "\"";
}

// The SVG terminal also stores titles as plain text, which gnuplot derives by interpreting mark-up unless it is
// disabled.
std::string plot_title(const std::string& text) {
  const bool markup = text.find_first_of("{}^_@&~\\") != text.npos;
  return "title " + plot_text(text) + (markup ? " noenhanced" : "");
}

// Tic labels are format strings for their numbers.
std::string tic_text(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '%' ? 2 : 1, c);
  return plot_text(doubled);
}

std::string plot_number(double value) {
  if (!(std::abs(value) <= kLargestDrawn)) {
    throw Error::configuration(fmt::format("a number to draw is {:.9g}; numbers must be between -{:.0e} and {:.0e}",
                                           value, kLargestDrawn, kLargestDrawn));
  }
  return fmt::format("{:.9g}", value);
}

void draw(const std::vector<Figure>& figures, const std::string& folder, int jobs) {
  const std::vector<Picture> drawn = pictures(figures);
  std::vector<sim::ProcessJob> processes;
  for (const Picture& picture : drawn) {
    sim::ProcessJob job{{"gnuplot", "-d", "/dev/stdin"}};
    job.input = picture.script.descriptor();
    job.output = picture.image.descriptor();
    job.messages = picture.messages.descriptor();
    processes.push_back(std::move(job));
  }
  const std::vector<sim::ProcessEnd> ends = sim::run_processes(processes, jobs);
  for (std::size_t i = 0; i < drawn.size(); ++i) check(problem_of(drawn[i], ends[i]));
  observe::OutputSet files;
  for (const Picture& picture : drawn) {
    const std::string image = picture.image.contents();
    files.add(folder + "/" + picture.name, "a figure").write(picture.format == &kPrinted ? without_time(image) : image);
  }
  files.commit();
}

}  // namespace kb::files
