#include "platform/views/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace kb::views {
namespace {

struct Style {
  Role role;
  const char* name;    // in the legend
  const char* colour;  // of the fill
};
// Pale fills that also differ in greyscale.
constexpr Style kStyles[] = {{Role::host, "host", "#ffffff"},
                             {Role::pcie, "PCIe", "#f3d9a4"},
                             {Role::sip, "SIP", "#f4f7fb"},
                             {Role::io, "IO chiplet", "#f9cb9c"},
                             {Role::cube, "cube", "#e3eef9"},
                             {Role::router, "router", "#ffffff"},
                             {Role::ucie, "UCIe", "#ffe599"},
                             {Role::pe, "PE", "#b6d7a8"},
                             {Role::hbm, "HBM", "#ead1dc"},
                             {Role::sram, "SRAM", "#d9d2e9"},
                             {Role::control, "control", "#d0e0e3"},
                             {Role::dma, "data movement", "#fce5cd"},
                             {Role::engine, "engine", "#b6d7a8"},
                             {Role::tcm, "TCM", "#d9d2e9"},
                             {Role::queue, "message queue", "#ffe599"}};

const Style& style_of(Role role) {
  return kStyles[static_cast<std::size_t>(role)];
}

// Bandwidth classes: lower bound, line width, legend text.
struct WireClass {
  double from_gbs;
  double width;
  const char* name;
};
constexpr WireClass kWireClasses[] = {{512, 5, "512 GB/s and more"},
                                      {256, 3.5, "256 to 511 GB/s"},
                                      {128, 2.25, "128 to 255 GB/s"},
                                      {0, 1.25, "below 128 GB/s"}};
constexpr WireClass kNoLimit = {0, 1.5, "no limit of bandwidth"}, kCommands = {0, 1, "commands"};
constexpr WireClass kArrow = {0, 1.5, ""}, kLifeline = {0, 1, ""};  // not in the legend

const WireClass& class_of(const Wire& wire) {
  if (wire.look == Wire::Look::arrow) return kArrow;
  if (wire.look == Wire::Look::lifeline) return kLifeline;
  if (wire.command) return kCommands;
  if (!wire.bw.limited()) return kNoLimit;
  return *std::find_if(std::begin(kWireClasses), std::end(kWireClasses),
                       [&](const WireClass& c) { return wire.bw.gbs() >= c.from_gbs; });
}

std::string stroke(const WireClass& c) {
  const char* dashes = &c == &kCommands || &c == &kLifeline ? " stroke-dasharray=\"7 4\""
                       : &c == &kNoLimit                    ? " stroke-dasharray=\"2 2\""
                                                            : "";
  return fmt::format("stroke=\"#44546a\" stroke-width=\"{}\" fill=\"none\"{}", c.width, dashes);
}

// Gives as much of a line as fits between two margins.
std::string fitted(const std::string& line, double width) {
  if (label_width(line) <= width) return line;
  const double letters = (width - label_width("..")) / kLetterWidth;
  return letters < 1 ? "" : line.substr(0, static_cast<std::size_t>(letters)) + "..";
}

constexpr double kLegendLine = 20, kTop = 34, kLegendItem = 190;
constexpr double kDark = 0.55;  // from this share on, letters are white

class Picture {
 public:
  explicit Picture(const View& view) : view_(view) {
    const std::size_t columns = std::max<std::size_t>(1, static_cast<std::size_t>(width() / kLegendItem));
    legend_columns_ = columns;
    top_ = kTop + kLegendLine * static_cast<double>(view.notes.size());
  }

  std::string draw() {
    for (const Box& frame : view_.frames) draw_box(frame, true);
    for (const Wire& wire : view_.wires) draw_wire(wire);
    for (const Box& box : view_.boxes) draw_box(box, false);
    for (const Label& label : view_.labels) {
      text(label.at.x, label.at.y + top_, label.text, label.heading ? "class=\"h\"" : "");
    }
    const double height = draw_legend();
    text(20, 24, view_.heading, "class=\"t\"");
    for (std::size_t i = 0; i < view_.notes.size(); ++i) {
      text(20, kTop + kLegendLine * (static_cast<double>(i) + 0.6), view_.notes[i], "");
    }
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\">\n"
        "<title>{2}</title>\n"
        "<style>{3}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{4}</svg>\n",
        width(), height, escaped(view_.heading), svg_style(), out_);
  }

 private:
  double width() const {
    double width = std::max(view_.width, 40 + label_width(view_.heading) * 1.5);
    for (const std::string& note : view_.notes) width = std::max(width, 40 + label_width(note));
    return width;
  }

  void text(double x, double y, const std::string& line, const char* attributes) {
    if (line.empty()) return;
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, *attributes == 0 ? "" : " ",
                        attributes, escaped(line));
  }

  void draw_box(const Box& box, bool frame) {
    const std::string fill = box.heat ? heat_colour(*box.heat) : style_of(box.role).colour;
    const bool dark = box.heat && *box.heat > kDark;
    out_ += fmt::format(
        "<g id=\"{}\"><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\" "
        "fill=\"{}\" stroke=\"#44546a\"{}/>",
        escaped(box.id), escaped(box.title), box.at.x, box.at.y + top_, box.at.w, box.at.h, fill,
        frame ? " stroke-dasharray=\"4 3\"" : "");
    double y = box.at.center().y + top_ + 4 - kLineHeight * (static_cast<double>(box.lines.size()) - 1) / 2;
    for (const std::string& line : box.lines) {
      const std::string fits = fitted(line, box.at.w);
      if (!fits.empty()) {
        out_ += fmt::format("<text class=\"m\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", box.at.center().x, y,
                            dark ? "<tspan fill=\"#ffffff\">" + escaped(fits) + "</tspan>" : escaped(fits));
      }
      y += kLineHeight;
    }
    out_ += "</g>\n";
    if (!box.heat) roles_.insert(box.role);
    heat_ = heat_ || box.heat;
  }

  void draw_wire(const Wire& wire) {
    std::string points;
    for (const Point& point : wire.path) {
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", point.x, point.y + top_);
    }
    const WireClass& c = class_of(wire);
    out_ += fmt::format("<polyline id=\"{}\" points=\"{}\" {}><title>{}</title></polyline>\n", escaped(wire.id), points,
                        wire.heat ? heat_stroke(*wire.heat) : stroke(c), escaped(wire.title));
    if (!wire.heat) classes_.insert(&c);
    if (wire.look == Wire::Look::arrow) draw_head(*(wire.path.end() - 2), wire.path.back());
  }

  // Draws the head of an arrow whose last segment is horizontal or vertical.
  void draw_head(const Point& from, const Point& to) {
    constexpr double kLength = 9, kHalf = 4;
    const auto sign = [](double distance) { return distance > 0 ? 1.0 : distance < 0 ? -1.0 : 0.0; };
    const double dx = sign(to.x - from.x), dy = sign(to.y - from.y), y = to.y + top_;
    const Point back{to.x - dx * kLength, y - dy * kLength};
    out_ += fmt::format("<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" fill=\"#44546a\"/>\n", to.x, y,
                        back.x + dy * kHalf, back.y + dx * kHalf, back.x - dy * kHalf, back.y - dx * kHalf);
  }

  // Position of the next item; updates the height of the legend.
  Point next_item() {
    const double column = static_cast<double>(legend_items_ % legend_columns_);
    const double line = static_cast<double>(legend_items_ / legend_columns_);
    ++legend_items_;
    return {20 + column * kLegendItem, view_.height + top_ + 10 + line * kLegendLine};
  }

  static std::string heat_stroke(double share) {
    if (share <= 0)
      return "stroke=\"#c9ced6\" stroke-width=\"1\" fill=\"none\"";  // heat's palest colour is that of paper
    constexpr double kThin = 1.5, kThicker = 3;
    return fmt::format("stroke=\"{}\" stroke-width=\"{:.1f}\" fill=\"none\"", heat_colour(share),
                       kThin + kThicker * share);
  }

  // The scale of the colours.
  double draw_scale() {
    constexpr int kSteps = 20;
    constexpr double kStep = 9;
    const Point at = next_item();
    for (int i = 0; i <= kSteps; ++i) {
      out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"12\" fill=\"{}\"/>\n",
                          at.x + i * kStep, at.y - 10, kStep, heat_colour(static_cast<double>(i) / kSteps));
    }
    text(at.x + (kSteps + 1) * kStep + 8, at.y, "idle to in use all the time", "");
    legend_items_ = 2 * legend_columns_;
    return at.y;
  }

  // Returns the height of the picture.
  double draw_legend() {
    double bottom = heat_ ? draw_scale() : 0;
    for (const Style& style : kStyles) {
      if (roles_.count(style.role) == 0) continue;
      const Point at = next_item();
      out_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"22\" height=\"12\" rx=\"2\" fill=\"{}\" stroke=\"#44546a\"/>\n",
          at.x, at.y - 10, style.colour);
      text(at.x + 30, at.y, style.name, "");
      bottom = at.y;
    }
    std::vector<const WireClass*> classes;
    for (const WireClass& c : kWireClasses) classes.push_back(&c);
    classes.push_back(&kNoLimit);
    classes.push_back(&kCommands);
    for (const WireClass* c : classes) {
      if (classes_.count(c) == 0) continue;
      const Point at = next_item();
      out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", at.x, at.y - 4,
                          at.x + 22, at.y - 4, stroke(*c));
      text(at.x + 30, at.y, c->name, "");
      bottom = at.y;
    }
    return bottom + 16;
  }

  const View& view_;
  double top_ = 0;
  std::size_t legend_columns_ = 1, legend_items_ = 0;
  bool heat_ = false;
  std::set<Role> roles_;
  std::set<const WireClass*> classes_;
  std::string out_;
};

}  // namespace

std::string_view svg_style() {
  return "text{font:11px Helvetica,Arial,sans-serif;fill:#1b2733} .m{text-anchor:middle} .h{font-weight:bold} "
         ".t{font-size:16px;font-weight:bold}";
}

std::string to_svg(const View& view) {
  return Picture(view).draw();
}

}  // namespace kb::views
