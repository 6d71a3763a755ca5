#include "platform/views/roofline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/views/svg.h"

namespace kb::views {
namespace {

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

// Three digits, and no exponent.
std::string number_text(double value) {
  constexpr double kWhole = 100;
  return value < kWhole ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string rate_text(double per_ns) {
  constexpr double kTera = 1e3;
  return per_ns >= kTera ? number_text(per_ns / kTera) + " Tops/s" : number_text(per_ns) + " Gops/s";
}

bool has_place(const RooflinePoint& point) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  return positive(point.per_byte) && positive(point.per_ns) && positive(point.peak_per_ns);
}

class RooflineChart {
 public:
  explicit RooflineChart(const Roofline& roofline) : roofline_(roofline), memory_(roofline.memory_gbs) {
    double x_low = 1e300, x_high = 0, y_low = 1e300;
    for (const RooflinePoint& p : roofline.points) {
      x_low = std::min({x_low, p.per_byte, p.peak_per_ns / memory_});
      x_high = std::max({x_high, p.per_byte, p.peak_per_ns / memory_});
      y_low = std::min(y_low, p.per_ns);
      highest_ = std::max(highest_, p.peak_per_ns);
    }
    x_ = {std::floor(std::log10(x_low / 1.5)), std::floor(std::log10(x_high * 3)) + 1, kLeft, kWidth - kRight};
    y_ = {std::floor(std::log10(y_low / 1.5)), std::floor(std::log10(highest_ * 1.2)) + 1, kHeight - kBottom, kTop};
  }

  std::string svg() {
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\">\n"
        "<title>{2}</title>\n<style>{3}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        "<text class=\"t\" x=\"20\" y=\"24\">{2}</text>\n",
        kWidth, kHeight, escaped(roofline_.heading), svg_style());
    draw_axes();
    draw_memory();
    for (const RooflinePoint& point : roofline_.points) draw_roof(point);
    for (const RooflinePoint& point : roofline_.points) draw(point);
    return svg_ + "</svg>\n";
  }

 private:
  void text(double x, double y, const char* attributes, const std::string& words) {
    svg_ += fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", attributes, x, y, escaped(words));
  }
  void path(const std::string& attributes, double x0, double y0, double x1, double y1) {
    svg_ += fmt::format("<path {} d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", attributes, x0, y0, x1, y1);
  }

  void draw_axes() {
    constexpr const char* kGrid = "stroke=\"#e2e4e3\"";
    for (int e = static_cast<int>(x_.low); e <= static_cast<int>(x_.high); ++e) {
      const double at = x_.at(std::pow(10.0, e));
      path(kGrid, at, kTop, at, kHeight - kBottom);
      text(at, kHeight - kBottom + 15, " class=\"m\"", power_text(e));
    }
    for (int e = static_cast<int>(y_.low); e <= static_cast<int>(y_.high); ++e) {
      constexpr int kTera = 3;
      const double at = y_.at(std::pow(10.0, e));
      path(kGrid, kLeft, at, kWidth - kRight, at);
      text(kLeft - 6, at + 4, kEnd, power_text(e - kTera));
    }
    text((kLeft + kWidth) / 2, kHeight - 6, " class=\"m\"", "operations per byte of " + roofline_.memory_name);
    text(kLeft - 6, kTop - 8, kEnd, "Tops/s");
  }

  // As far as the highest peak.
  void draw_memory() {
    const double from = std::max(std::pow(10.0, x_.low), std::pow(10.0, y_.low) / memory_);
    path("stroke=\"#2a6fb0\" stroke-width=\"2\"", x_.at(from), y_.at(from * memory_), x_.at(highest_ / memory_),
         y_.at(highest_));
    const double middle = std::sqrt(from * highest_ / memory_);
    text(x_.at(middle) - 8, y_.at(middle * memory_), kEnd,
         roofline_.memory_name + " " + number_text(memory_) + " GB/s");
  }

  void draw_roof(const RooflinePoint& p) {
    const double y = y_.at(p.peak_per_ns);
    path("stroke=\"#d9822b\" stroke-width=\"2\"", x_.at(p.peak_per_ns / memory_), y, kWidth - kRight, y);
    text(kWidth - kRight - 4, y - 5, kEnd, p.name + " " + rate_text(p.peak_per_ns));
  }

  // With a dashed line up to what bounds it.
  void draw(const RooflinePoint& p) {
    constexpr double kPercent = 100;
    const double roof = std::min(p.peak_per_ns, p.per_byte * memory_), x = x_.at(p.per_byte), y = y_.at(p.per_ns);
    path("stroke=\"#5c6470\" stroke-dasharray=\"3 3\"", x, y, x, y_.at(roof));
    svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" fill=\"#1b2733\"/>\n", x, y);
    const bool left = x > kWidth * 0.6;
    text(x + (left ? -10 : 10), y + 4, left ? kEnd : "",
         fmt::format("{}: {}, {:.1f} % of its roof", p.name, rate_text(p.per_ns), kPercent * p.per_ns / roof));
  }

  static constexpr double kWidth = 900, kHeight = 380, kLeft = 66, kBottom = 40, kTop = 56, kRight = 16;
  static constexpr const char* kEnd = " text-anchor=\"end\"";
  const Roofline& roofline_;
  double memory_, highest_ = 0;
  Scale x_{}, y_{};
  std::string svg_;
};

}  // namespace

std::string to_svg(const Roofline& roofline) {
  Roofline shown = roofline;
  shown.points.erase(std::remove_if(shown.points.begin(), shown.points.end(),
                                    [](const RooflinePoint& point) { return !has_place(point); }),
                     shown.points.end());
  return shown.points.empty() || !(shown.memory_gbs > 0) ? "" : RooflineChart(shown).svg();
}

}  // namespace kb::views
