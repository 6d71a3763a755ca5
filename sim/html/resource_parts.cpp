// Which resources were busy, and how far the engines were from their roof.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "sim/analysis/recorded/resource_use.h"
#include "sim/html/case.h"
#include "sim/html/markup.h"

namespace kb::html {
namespace {

constexpr std::size_t kMaxPurposes = 12, kMaxResources = 10;

std::string full_name(const analysis::Series& series) {
  const std::string& peer = series.peer;
  return series.component + (peer.empty() ? " " + series.name : " → " + peer);
}

std::string arrows(std::string purpose) {
  const std::size_t at = purpose.find(" > ");
  return at == std::string::npos ? purpose : purpose.replace(at, 3, " → ");
}

std::string purposes_table(const Case& of) {
  const auto sums = analysis::uses_by_purpose(of.run.activity(), of.uses, of.longest->kernel.span(), {});
  std::vector<std::pair<std::string, analysis::UseSum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.most > b.second.most; });
  if (rows.size() > kMaxPurposes) rows.resize(kMaxPurposes);
  std::string html =
      "<table><thead><tr><th>resources</th><th class=\"n\">in use</th><th class=\"n\">busiest</th><th "
      "class=\"n\">mean</th><th>which is "
      "the busiest</th><th class=\"n\">bytes</th><th class=\"n\">waited</th></tr></thead><tbody>\n";
  for (const auto& [name, sum] : rows) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td>{}<td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td></tr>\n",
        escaped(arrows(name)), count_text(static_cast<double>(sum.count)), meter_cell(sum.most),
        percent_text(sum.share / sum.units), escaped(of.run.activity().series()[sum.busiest].component),
        sum.bytes > 0 ? bytes_text(sum.bytes) : "", sum.wait_fs > 0 ? duration_text(sum.wait_fs / kFsInNs) : "");
  }
  return html + "</tbody></table>\n";
}

// A table of the resources of a kind with the largest values.
std::string single_table(const Case& of, const char* title, const char* kind,
                         const std::function<double(std::size_t)>& value) {
  const auto& series = of.run.activity().series();
  const double span = of.longest->kernel.span();
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < of.uses.size(); ++i) {
    if (series[i].kind == kind && value(i) > 0) rows.push_back(i);
  }
  if (rows.empty()) return "";
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  const std::size_t all = rows.size();
  if (rows.size() > kMaxResources) rows.resize(kMaxResources);
  std::string html = fmt::format(
      "<h3>{} <span class=\"dim\">({} of {} in use)</span></h3>\n<table><thead><tr><th>resource</th><th "
      "class=\"n\">busy</th><th "
      "class=\"n\">rate</th><th class=\"n\">of</th><th class=\"n\">bytes</th><th class=\"n\">waited for it</th><th "
      "class=\"n\">longest "
      "queue</th></tr></thead><tbody>\n",
      title, rows.size(), count_text(static_cast<double>(all)));
  for (const std::size_t i : rows) {
    const analysis::Use& use = of.uses[i];
    const double gbs = analysis::gbs_of(series[i], of.run.machine());
    html += fmt::format(
        "<tr><td>{}</td>{}<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        escaped(full_name(series[i])), meter_cell(analysis::share_of(use, series[i], span)),
        rate_text(use.bytes / (span / kFsInNs)), gbs > 0 ? rate_text(gbs) : "", bytes_text(use.bytes),
        use.wait_fs > 0 ? duration_text(use.wait_fs / kFsInNs) : "",
        use.queue > 0 ? count_text(static_cast<double>(use.queue)) : "");
  }
  return html + "</tbody></table>\n";
}

struct Point {
  const char *engine, *colour;
  double ops = 0, padded = 0;  // operations, without padding and with it
  double peak = 0;             // operations per ns
};

// What a PE's engine does in a ns.
double rate_of(const std::string& rates, const std::string& dtype) {
  const Json json = Json::parse(rates, nullptr, false);
  if (json.is_number()) return json.get<double>();
  const double exact = number_of(json, dtype.c_str());
  return exact > 0 ? exact : number_of(json, "f16");
}

std::vector<Point> points_of(const Case& of, double pes) {
  constexpr double kSeconds = 60;
  const auto& operations = of.run.operations().names().operations;
  const auto work = of.run.operations().work(of.longest->whole.begin_fs, of.longest->whole.end_fs,
                                             of.part().part().value_or(NodeCoord()), kSeconds);
  if (!work) return {};
  std::string dtype = "f16";
  Point gemm{"GEMM", "#d9822b"}, math{"MATH", "#7a5cc0"};
  for (const data::OpWork& one : *work) {
    const auto known =
        std::find_if(operations.begin(), operations.end(), [&](const auto& o) { return o.id == one.operation; });
    if (known == operations.end()) continue;
    constexpr std::string_view kGemm = "gemm_";
    if (known->name.rfind(kGemm, 0) == 0) dtype = known->name.substr(kGemm.size());
    const bool product = known->kind == "gemm" || known->name == "TileToken/GEMM";
    Point& point = product ? gemm : math;
    point.ops += product ? 2 * one.useful_macs : one.elements;
    point.padded += product ? 2 * one.macs : one.elements;
  }
  gemm.padded = std::max(gemm.padded, 2 * number_of(*of.longest->json, "macs"));
  gemm.peak = 2 * pes * rate_of(of.run.machine()->macs_per_ns(), dtype);
  math.peak = pes * rate_of(of.run.machine()->elements_per_ns(), dtype);
  std::vector<Point> points;
  for (const Point& point : {gemm, math}) {
    if (point.ops > 0 && point.peak > 0) points.push_back(point);
  }
  return points;
}

std::string ops_text(double per_ns) {
  constexpr double kTera = 1e3;
  return per_ns >= kTera ? digits_text(per_ns / kTera) + " Tops/s" : digits_text(per_ns) + " Gops/s";
}

// Decades along an axis.
struct Scale {
  double low, high, from, to;  // exponents of ten, places
  double at(double value) const { return from + (std::log10(value) - low) / (high - low) * (to - from); }
};

std::string power_text(int exponent) {
  constexpr int kReadable = 4;
  if (exponent >= 0 && exponent <= kReadable) return fmt::format("{:.0f}", std::pow(10.0, exponent));
  return exponent < 0 && exponent > -kReadable ? fmt::format("{:.{}f}", std::pow(10.0, exponent), -exponent)
                                               : fmt::format("1e{}", exponent);
}

// The picture: engines at their rates over operations per byte, under the slope of the HBM and their own peaks.
class Roofline {
 public:
  // `bytes` moved in `ns`, at most `memory` bytes in each.
  Roofline(const std::vector<Point>& points, double bytes, double memory, double ns)
      : points_(points), bytes_(bytes), memory_(memory), ns_(ns) {
    double x_low = 1e300, x_high = 0, y_low = 1e300;
    for (const Point& p : points) {
      for (const double ops : {p.ops, p.padded}) {
        x_low = std::min({x_low, ops / bytes, p.peak / memory});
        x_high = std::max({x_high, ops / bytes, p.peak / memory});
        y_low = std::min(y_low, ops / ns);
      }
      ridge_ = std::max(ridge_, p.peak);
    }
    x_ = {std::floor(std::log10(x_low / 1.5)), std::floor(std::log10(x_high * 3)) + 1, kLeft, kPageWidth - kRight};
    y_ = {std::floor(std::log10(y_low / 1.5)), std::floor(std::log10(ridge_ * 1.2)) + 1, kHeight - kBottom, kTop};
  }

  std::string svg() {
    svg_ = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kPageWidth, kHeight);
    draw_axes();
    draw_memory();
    for (const Point& point : points_) {
      draw_roof(point);
      draw(point);
    }
    return svg_ + "</svg>\n";
  }

 private:
  static constexpr double kHeight = 330, kLeft = 66, kBottom = 40, kTop = 14, kRight = 16;

  void draw_axes() {
    for (int e = static_cast<int>(x_.low); e <= static_cast<int>(x_.high); ++e) {
      const double at = x_.at(std::pow(10.0, e));
      svg_ += fmt::format(
          "<path class=\"g\" d=\"M{0:.1f} {1}V{2}\"/><text class=\"a\" x=\"{0:.1f}\" y=\"{3}\">{4}</text>\n", at, kTop,
          kHeight - kBottom, kHeight - kBottom + 15, power_text(e));
    }
    for (int e = static_cast<int>(y_.low); e <= static_cast<int>(y_.high); ++e) {
      constexpr int kTera = 3;
      const double at = y_.at(std::pow(10.0, e));
      svg_ += fmt::format(
          "<path class=\"g\" d=\"M{0} {1:.1f}H{2}\"/><text class=\"e\" x=\"{3}\" y=\"{4:.1f}\">{5}</text>\n", kLeft, at,
          kPageWidth - kRight, kLeft - 6, at + 4, power_text(e - kTera));
    }
    svg_ += fmt::format(
        "<text class=\"a\" x=\"{}\" y=\"{}\">operations per byte of HBM</text><text class=\"a\" "
        "transform=\"translate(14 {}) rotate(-90)\">Tops/s</text>\n",
        (kLeft + kPageWidth) / 2, kHeight - 6, (kTop + kHeight - kBottom) / 2);
  }

  // As far as the highest peak.
  void draw_memory() {
    const double from = std::max(std::pow(10.0, x_.low), std::pow(10.0, y_.low) / memory_);
    svg_ += fmt::format("<path stroke=\"#2a6fb0\" stroke-width=\"2\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n",
                        x_.at(from), y_.at(from * memory_), x_.at(ridge_ / memory_), y_.at(ridge_));
    const double middle = std::sqrt(from * ridge_ / memory_);
    svg_ += fmt::format("<text class=\"e\" x=\"{:.1f}\" y=\"{:.1f}\">HBM {}</text>\n", x_.at(middle) - 8,
                        y_.at(middle * memory_), rate_text(memory_));
  }

  void draw_roof(const Point& p) {
    svg_ += fmt::format(
        "<path stroke=\"{0}\" stroke-width=\"2\" d=\"M{1:.1f} {2:.1f}H{3}\"/><text class=\"e\" x=\"{4}\" "
        "y=\"{5:.1f}\">{6} {7}</text>\n",
        p.colour, x_.at(p.peak / memory_), y_.at(p.peak), kPageWidth - kRight, kPageWidth - kRight - 4,
        y_.at(p.peak) - 5, p.engine, ops_text(p.peak));
  }

  // With a dashed line up to what bounds it, and a ring where it would be if padding counted.
  void draw(const Point& p) {
    const double intensity = p.ops / bytes_, rate = p.ops / ns_, roof = std::min(p.peak, intensity * memory_);
    svg_ += fmt::format("<path stroke=\"#5c6470\" stroke-dasharray=\"3 3\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>\n",
                        x_.at(intensity), y_.at(rate), y_.at(roof));
    constexpr double kVisible = 1.01;
    if (p.padded > kVisible * p.ops) {
      svg_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"none\" stroke=\"{}\"><title>with padding: "
          "{}</title></circle>\n",
          x_.at(p.padded / bytes_), y_.at(p.padded / ns_), p.colour, ops_text(p.padded / ns_));
    }
    svg_ += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"6\" fill=\"{2}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\">{5}: {6}, {7} "
        "of its roof</text>\n",
        x_.at(intensity), y_.at(rate), p.colour, x_.at(intensity) + 10, y_.at(rate) + 4, p.engine, ops_text(rate),
        percent_text(rate / roof));
  }

  const std::vector<Point>& points_;
  double bytes_, memory_, ns_;
  double ridge_ = 0;  // the highest peak
  Scale x_{}, y_{};
  std::string svg_;
};

}  // namespace

std::string resources_part(const Case& of) {
  if (!of.has_activity()) return "";
  std::string html = open_section(
      "Critical resources",
      "While the kernel of the longest launch ran, the busiest first; resources of one purpose together. The "
      "kernel cannot be faster than a resource that is busy all the time. Where one is far above the mean, the "
      "others could relieve it.");
  html += purposes_table(of);
  const auto& series = of.run.activity().series();
  const auto busy = [&](std::size_t i) { return of.uses[i].busy_fs / analysis::units_of(series[i]); };
  const auto waited = [&](std::size_t i) { return of.uses[i].wait_fs; };
  html += single_table(of, "Busiest wires", "link", busy);
  html += single_table(of, "Busiest pseudo-channels", "pseudo_channel", busy);
  html += single_table(of, "Busiest header decoders", "decoder", busy);
  html += single_table(of, "Wires that most was waited for", "link", waited);
  return html + kCloseSection;
}

std::string roofline_part(const Case& of) {
  if (!of.has_activity() || of.run.machine() == nullptr) return "";
  double bytes = 0;
  std::set<std::string> pes;
  const auto uses = of.run.activity().uses(of.longest->whole.begin_fs, of.longest->whole.end_fs);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const analysis::Series& series = of.run.activity().series()[i];
    if (uses[i].is_empty() || !of.part().has(series.component, series.coord)) continue;
    if (series.kind == "pseudo_channel") bytes += uses[i].bytes;
    if (series.kind == "state") pes.insert(series.component);
  }
  const auto count = static_cast<double>(pes.size());
  const double memory =
      count * static_cast<double>(of.run.machine()->channels_per_slice()) * of.run.machine()->channel_gbs();
  if (bytes <= 0 || memory <= 0) return "";
  const std::vector<Point> points = points_of(of, count);
  if (points.empty()) return "";
  std::string html = open_section(
      "Roofline",
      "What the kernel of the longest launch computes for each byte that the HBM channels of its PEs move, and how "
      "fast. A product counts twice its multiply-accumulates, without padding; a hollow circle counts it.");
  const double ns = of.longest->kernel.span() / kFsInNs;
  return html + Roofline(points, bytes, memory, ns).svg() + kCloseSection;
}

}  // namespace kb::html
