#include "platform/waves/gtkw_file.h"

#include <algorithm>
#include <cmath>

#include "platform/base/split.h"
#include "platform/base/version.h"
#include "platform/waves/wave_scopes.h"

namespace kb::waves {
namespace {

constexpr std::size_t kMarkers = 26;       // A to Z
constexpr std::size_t kGroupLevels = 3;    // levels of the machine: SIP, cube, PE
constexpr double kWindowPixels = 900.0;    // width of the waves in a window of 1600 pixels
constexpr double kPixelsPerFrame = 200.0;  // zoom is -log2 of the time that this number of pixels shows
constexpr double kMargin = 0.05;           // left and right of the longest span, as a fraction of it

// Flags of a line (hexadecimal in the file).
constexpr const char* kBits = "@28";  // right justified, binary
constexpr const char* kDecimal = "@24";
constexpr const char* kOpenGroup = "@800200";
constexpr const char* kEndOfOpenGroup = "@1000200";
constexpr const char* kClosedGroup = "@c00200";
constexpr const char* kEndOfClosedGroup = "@1401200";

struct Marker {
  std::string name;
  TimeFs at;
};

// Spans within the recorded time range.
std::vector<Span> visible(const SaveFile& save) {
  std::vector<Span> spans;
  for (Span span : save.spans) {
    span.begin = std::max(span.begin, save.from);
    span.end = std::min(span.end, save.until);
    if (span.begin < span.end) spans.push_back(span);
  }
  return spans;
}

Span longest(const SaveFile& save, const std::vector<Span>& spans) {
  Span best{"", save.from, std::max(save.until, save.from + 1_fs)};
  if (spans.empty()) return best;
  return *std::max_element(spans.begin(), spans.end(),
                           [](const Span& a, const Span& b) { return a.end - a.begin < b.end - b.begin; });
}

// Marks the longest spans when there are too many.
std::vector<Marker> markers_of(std::vector<Span> spans) {
  if (spans.size() > kMarkers / 2) {
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return a.end - a.begin > b.end - b.begin; });
    spans.resize(kMarkers / 2);
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  }
  std::vector<Marker> markers;
  for (const Span& span : spans) {
    markers.push_back({span.name + " begins", span.begin});
    markers.push_back({span.name + " ends", span.end});
  }
  return markers;
}

std::string header(const SaveFile& save) {
  const std::vector<Span> spans = visible(save);
  const std::vector<Marker> markers = markers_of(spans);
  const Span shown = longest(save, spans);
  const double length = static_cast<double>((shown.end - shown.begin).fs());
  const double zoom = -std::log2(length * (1.0 + 2.0 * kMargin) * kPixelsPerFrame / kWindowPixels);
  const auto margin = TimeFs(static_cast<std::int64_t>(length * kMargin));
  std::string out = "[*] kernbench " + std::string(kVersion) + "\n[dumpfile] \"" + save.waveform + "\"\n[timestart] " +
                    std::to_string(std::max(shown.begin - margin, 0_fs).fs()) + "\n[size] 1600 900\n[pos] -1 -1\n*" +
                    std::to_string(zoom) + ' ' + std::to_string(shown.begin.fs());
  for (std::size_t i = 0; i < kMarkers; ++i)
    out += ' ' + (i < markers.size() ? std::to_string(markers[i].at.fs()) : std::string("-1"));
  out += '\n';
  for (std::size_t i = 0; i < markers.size(); ++i)
    out += "[markername] " + std::string(1, static_cast<char>('A' + i)) + markers[i].name + '\n';
  return out + "[sst_width] 220\n[signals_width] 340\n[sst_expanded] 1\n";
}

// Writes the signal lines between the lines of their groups.
class Groups {
 public:
  // `open` lists the scopes whose enclosing groups are open.
  Groups(std::vector<std::string> open, std::size_t levels) : levels_(levels), wanted_(std::move(open)) {}

  void enter(const std::string& scope) {
    const bool is_group = depth_++ < levels_;
    if (!is_group) {
      below_.push_back(scope);
      return;
    }
    const std::size_t level = names_.size();
    const bool around = open_.empty() || open_.back();
    const bool open = around && level < wanted_.size() && wanted_[level] == scope;
    out_ += std::string(open ? kOpenGroup : kClosedGroup) + "\n-" + scope + '\n';
    open_.push_back(open);
    names_.push_back(scope);
  }
  void leave() {
    if (depth_-- > levels_) {
      below_.pop_back();
      return;
    }
    out_ += std::string(open_.back() ? kEndOfOpenGroup : kEndOfClosedGroup) + "\n-" + names_.back() + '\n';
    open_.pop_back();
    names_.pop_back();
  }
  void add(const contract::SignalInfo& signal) {
    const std::string path = shown_path(signal), name = shown_name(signal.name);
    const std::string range = signal.bits > 1 ? "[" + std::to_string(signal.bits - 1) + ":0]" : "";
    line(signal.bits > 1 ? kDecimal : kBits, name, path + range);
    if (signal.words.empty()) return;
    line(kBits, text_name(signal), path.substr(0, path.size() - name.size()) + text_name(signal));
  }
  const std::string& text() const { return out_; }

 private:
  void line(const char* flags, const std::string& name, const std::string& path) {
    std::string label;
    for (const std::string& scope : below_) label += scope + ' ';
    out_ += std::string(flags) + "\n+{" + label + name + "} " + path + '\n';
  }

  std::size_t levels_;
  std::string out_;
  std::size_t depth_ = 0;
  std::vector<std::string> wanted_;
  std::vector<bool> open_;
  std::vector<std::string> names_, below_;
};

// The scope of a PE, or of the first signal when there is none.
std::vector<std::string> shown_first(const std::vector<contract::SignalInfo>& signals,
                                     const std::vector<std::string>& pes) {
  for (const contract::SignalInfo& signal : signals) {
    const auto holds = [&](const std::string& pe) { return signal.scope.compare(0, pe.size() + 1, pe + ".") == 0; };
    if (std::any_of(pes.begin(), pes.end(), holds)) return split(signal.scope, '.');
  }
  return signals.empty() ? std::vector<std::string>() : split(signals.front().scope, '.');
}

}  // namespace

std::string render_gtkw(const SaveFile& save, const std::vector<contract::SignalInfo>& signals) {
  Groups groups(shown_first(signals, save.pes), save.top_scopes + kGroupLevels);
  visit_scopes(signals, {[&](const std::string& scope) { groups.enter(scope); }, [&] { groups.leave(); },
                         [&](std::uint32_t s) { groups.add(signals[s]); }});
  return header(save) + groups.text();
}

}  // namespace kb::waves
