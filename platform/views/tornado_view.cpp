#include "platform/views/tornado_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/views/svg.h"

namespace kb::views {
namespace {

// Distance between marks of an axis: 1, 2 or 5 times a power of ten, so that there are about `count`.
double step_for(double span, double count) {
  const double power = std::pow(10.0, std::floor(std::log10(span / count)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (span / (factor * power) <= count) return factor * power;
  }
  return 10 * power;
}

class TornadoChart {
 public:
  explicit TornadoChart(const Tornado& tornado) : tornado_(tornado), low_(tornado.base), high_(tornado.base) {
    for (const TornadoBar& bar : tornado.bars) {
      for (const TornadoEnd& end : bar.ends) {
        low_ = std::min(low_, end.value);
        high_ = std::max(high_, end.value);
      }
      names_ = std::max(names_, kLetter * static_cast<double>(bar.name.size()));
    }
    if (high_ == low_) high_ += 1;
  }

  std::string svg() {
    const double height = kTop + kRow * static_cast<double>(tornado_.bars.size()) + kBottom;
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\">\n"
        "<title>{2}</title>\n<style>{3}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        "<text class=\"t\" x=\"20\" y=\"24\">{2}</text>\n",
        names_ + kPlot + 2 * kSide, height, escaped(tornado_.heading), svg_style());
    draw_axis(height - kBottom);
    double y = kTop;
    for (const TornadoBar& bar : tornado_.bars) {
      draw(bar, y);
      y += kRow;
    }
    path("stroke=\"#1b2733\" stroke-width=\"1.5\"", at(tornado_.base), kTop - 6, at(tornado_.base), height - kBottom);
    return svg_ + "</svg>\n";
  }

 private:
  double at(double value) const { return names_ + kSide + kMargin + (value - low_) / (high_ - low_) * kScale; }

  void text(double x, double y, const char* attributes, const std::string& words) {
    svg_ += fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", attributes, x, y, escaped(words));
  }
  void path(const char* attributes, double x0, double y0, double x1, double y1) {
    svg_ += fmt::format("<path {} d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", attributes, x0, y0, x1, y1);
  }

  void draw_axis(double bottom) {
    const double step = step_for(high_ - low_, kMarks);
    for (double value = std::ceil(low_ / step) * step; value <= high_; value += step) {
      path("stroke=\"#e2e4e3\"", at(value), kTop - 6, at(value), bottom);
      text(at(value), bottom + 16, " class=\"m\"", fmt::format("{:.6g}", value));
    }
    text(at((low_ + high_) / 2), bottom + 34, " class=\"m\"", tornado_.axis);
  }

  // Its name, a rectangle on each side of the base, and the texts of its ends.
  void draw(const TornadoBar& bar, double y) {
    text(names_ + kSide - 8, y + kRow / 2 + 4, " text-anchor=\"end\"", bar.name);
    const auto smaller = [](const TornadoEnd& a, const TornadoEnd& b) { return a.value < b.value; };
    const auto [first, last] = std::minmax_element(bar.ends.begin(), bar.ends.end(), smaller);
    if (last->value > tornado_.base) draw_side(*last, y, "#d9822b", true);
    if (first->value < tornado_.base) draw_side(*first, y, "#2a6fb0", false);
  }

  void draw_side(const TornadoEnd& end, double y, const char* colour, bool right) {
    const double from = std::min(at(end.value), at(tornado_.base)), to = std::max(at(end.value), at(tornado_.base));
    svg_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{:.6g}</title></rect>\n",
        from, y + 3, std::max(to - from, 1.0), kRow - 6, colour, end.value);
    text(right ? to + 5 : from - 5, y + kRow / 2 + 4, right ? "" : " text-anchor=\"end\"", end.text);
  }

  static constexpr double kRow = 22, kTop = 50, kBottom = 44, kSide = 20, kLetter = 6.6, kMarks = 6;
  static constexpr double kScale = 440, kMargin = 90, kPlot = kScale + 2 * kMargin;
  const Tornado& tornado_;
  double low_, high_, names_ = 0;
  std::string svg_;
};

}  // namespace

std::string to_svg(const Tornado& tornado) {
  return tornado.bars.empty() ? "" : TornadoChart(tornado).svg();
}

}  // namespace kb::views
