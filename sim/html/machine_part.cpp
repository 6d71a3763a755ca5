// The machine as a heat picture: every PE with its engine, its DMA channels and its pseudo-channels, and the wires
// between cubes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "platform/base/split.h"
#include "platform/base/whole_number.h"
#include "sim/analysis/recorded/resource_use.h"
#include "sim/html/case.h"
#include "sim/html/markup.h"

namespace kb::html {
namespace {

// Of a node in a cube or an IO chiplet; else its own.
std::string chip_name(const NodeEntry& node) {
  return node.coord.sip.valid() ? part_name(chip_of(node.coord)) : node.id;
}
std::string chip_name(const analysis::Machine::Node* node) {
  return node == nullptr ? "" : chip_name(static_cast<const NodeEntry&>(*node));
}

constexpr double kGap = 14, kFrame = 10, kTitle = 18, kIoHeight = 22, kBetween = 22;
constexpr std::size_t kMaxPes = 2048;

struct Box {
  double x = 0, y = 0, w = 0, h = 0;
  double middle_x() const { return x + w / 2; }
  double middle_y() const { return y + h / 2; }
};

// Shapes of one colour are one element, so that a picture of two thousand PEs stays small.
class Heat {
 public:
  void box(double share, const Box& at) {
    fills_[step(share)] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", at.x, at.y, at.w, at.h, at.w);
  }
  void line(double share, double x0, double y0, double x1, double y1) {
    strokes_[step(share)] += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x0, y0, x1, y1);
  }
  std::string take() const {
    std::string svg;
    for (int i = 0; i <= kHeatSteps; ++i) {
      const std::string colour = heat_colour(i);
      const std::string &fill = fills_[static_cast<std::size_t>(i)], &stroke = strokes_[static_cast<std::size_t>(i)];
      if (!fill.empty()) svg += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", colour, fill);
      if (!stroke.empty()) svg += fmt::format("<path stroke=\"{}\" stroke-width=\"4\" d=\"{}\"/>\n", colour, stroke);
    }
    return svg;
  }

 private:
  static std::size_t step(double share) { return static_cast<std::size_t>(heat_step(share)); }
  std::array<std::string, kHeatSteps + 1> fills_, strokes_;
};

// The number behind a word: 12 of "cube12"; -1 when there is none.
std::int64_t number_behind(std::string_view text, std::string_view word) {
  std::int64_t number = -1;
  if (text.substr(0, word.size()) != word) return -1;
  return parse_whole(std::string(text.substr(word.size())), number) == std::errc() ? number : -1;
}

struct PePlace {
  std::string group, name;  // "sip0.cube0", "sip0.cube0.pe2"
  double x = 0, y = 0;      // of its middle, as a part of the cube
};

class Picture {
 public:
  Picture(const Case& of, const std::vector<analysis::Use>& uses, double span_fs)
      : of_(of), machine_(*of.run.machine()), uses_(uses), span_(span_fs) {
    read_machine();
    read_uses();
  }

  std::string draw() {
    place();
    for (const std::string& sip : sips_) draw_sip(sip);
    for (const PePlace& pe : pes_) draw_pe(pe);
    draw_wires();
    return fmt::format("<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\">\n", kPageWidth, height_) + frames_ + heat_.take() +
           titles_ + "</svg>\n";
  }
  std::size_t left_out() const { return left_out_; }
  bool empty() const { return pes_.empty(); }

 private:
  void read_machine();
  void read_uses();
  void place();
  void draw_sip(const std::string& sip);
  void draw_pe(const PePlace& pe);
  void draw_wires();

  // The mean of a kind, and the busiest one; idle when nothing was used.
  const analysis::UseSum* use_of(const std::string& cell, const char* kind) const {
    const auto found = cells_.cells.find({cell, kind});
    return found == cells_.cells.end() ? nullptr : &found->second;
  }

  const Case& of_;
  const analysis::Machine& machine_;
  const std::vector<analysis::Use>& uses_;
  double span_;  // of the window of the uses, in fs
  std::vector<std::string> sips_;
  std::map<std::string, std::vector<std::string>> cubes_, ios_;  // by SIP
  std::vector<PePlace> pes_;
  std::size_t left_out_ = 0;
  double pe_part_ = 0.2;  // size of a PE as a part of its cube's width
  std::map<std::string, Box> groups_;
  analysis::CellUses cells_;
  std::map<std::string, std::map<std::int64_t, double>> channels_;  // by cell and number
  Heat heat_;
  std::string frames_, titles_;
  double height_ = 0, cube_ = 0, cube_h_ = 0;
};

void Picture::read_machine() {
  std::map<std::string, bool> known;
  for (const analysis::Machine::Node& node : machine_.nodes()) {
    const std::string group = chip_name(node);
    const std::vector<std::string> names = split(group, '.');
    if (names.size() != 2 || number_behind(names[0], "sip") < 0) continue;
    const bool cube = number_behind(names[1], "cube") >= 0;
    if (!known.emplace(group, true).second && node.kind != "pe_cpu") continue;
    if (known.emplace(names[0], true).second) sips_.push_back(names[0]);
    std::vector<std::string>& groups = (cube ? cubes_ : ios_)[names[0]];
    if (groups.empty() || groups.back() != group) groups.push_back(group);
    if (node.kind != "pe_cpu" || !cube) continue;
    if (pes_.size() == kMaxPes) {
      ++left_out_;
      continue;
    }
    const double w = std::max(1.0, machine_.cube_width()), h = std::max(1.0, machine_.cube_height());
    pes_.push_back({group, cell_name(node), std::clamp(node.x / w, 0.0, 1.0), std::clamp(node.y / h, 0.0, 1.0)});
  }
  if (left_out_ > 0) {
    const std::string last = split(pes_.back().group, '.').front();
    const auto end = std::find(sips_.begin(), sips_.end(), last);
    if (end != sips_.end()) sips_.erase(end + 1, sips_.end());
  }
  for (std::size_t i = 0; i < pes_.size() && pes_[i].group == pes_.front().group; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = std::max(std::fabs(pes_[i].x - pes_[j].x), std::fabs(pes_[i].y - pes_[j].y));
      constexpr double kRoom = 0.9, kLeast = 0.02;
      if (apart > 0) pe_part_ = std::max(kLeast, std::min(pe_part_, kRoom * apart));
    }
  }
}

void Picture::read_uses() {
  cells_ = analysis::uses_by_cell(of_.run.activity(), uses_, span_);
  const auto& series = of_.run.activity().series();
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const std::int64_t channel = series[i].kind == "pseudo_channel" ? number_behind(series[i].name, "pc") : -1;
    if (channel >= 0) channels_[analysis::cell_of(series[i])][channel] = analysis::share_of(uses_[i], series[i], span_);
  }
}

void Picture::place() {
  std::size_t most = 1, most_ios = 0;
  for (const std::string& sip : sips_) {
    most = std::max(most, cubes_[sip].size());
    most_ios = std::max(most_ios, ios_[sip].size());
  }
  const auto mesh_w =
      static_cast<std::size_t>(std::clamp<std::int64_t>(machine_.mesh_width(), 1, static_cast<std::int64_t>(most)));
  const std::size_t mesh_h = (most + mesh_w - 1) / mesh_w;
  // As many SIPs stand beside each other as leave cubes of this width.
  constexpr double kLeastCube = 100, kMaxCube = 190, kLeastRatio = 0.6, kMaxRatio = 1.3;
  const auto columns = static_cast<double>(mesh_w);
  const auto sip_width = [&](double cube) { return columns * (cube + kGap) - kGap + 2 * kFrame; };
  const auto across = std::clamp<std::size_t>(
      static_cast<std::size_t>((kPageWidth + kBetween) / (sip_width(kLeastCube) + kBetween)), 1, sips_.size());
  const auto beside = static_cast<double>(across);
  cube_ = std::min(kMaxCube, ((kPageWidth + kBetween) / beside - kBetween - 2 * kFrame + kGap) / columns - kGap);
  const double ratio =
      machine_.cube_width() > 0 && machine_.cube_height() > 0 ? machine_.cube_height() / machine_.cube_width() : 1;
  cube_h_ = cube_ * std::clamp(ratio, kLeastRatio, kMaxRatio);
  const double top = kTitle + (most_ios > 0 ? kIoHeight + kGap : 0);
  const double sip_h = top + static_cast<double>(mesh_h) * (cube_h_ + kGap) - kGap + kFrame;
  for (std::size_t i = 0; i < sips_.size(); ++i) {
    const Box sip{static_cast<double>(i % across) * (sip_width(cube_) + kBetween),
                  static_cast<double>(i / across) * (sip_h + kGap), sip_width(cube_), sip_h};
    groups_[sips_[i]] = sip;
    const std::vector<std::string>& ios = ios_[sips_[i]];
    const double io_w = (sip.w - 2 * kFrame + kGap) / static_cast<double>(std::max<std::size_t>(1, ios.size())) - kGap;
    for (std::size_t io = 0; io < ios.size(); ++io) {
      groups_[ios[io]] = {sip.x + kFrame + static_cast<double>(io) * (io_w + kGap), sip.y + kTitle, io_w, kIoHeight};
    }
    for (const std::string& cube : cubes_[sips_[i]]) {
      const auto number = static_cast<std::size_t>(number_behind(split(cube, '.').back(), "cube"));
      groups_[cube] = {sip.x + kFrame + static_cast<double>(number % mesh_w) * (cube_ + kGap),
                       sip.y + top + static_cast<double>(number / mesh_w) * (cube_h_ + kGap), cube_, cube_h_};
    }
    height_ = std::max(height_, sip.y + sip.h + 1);
  }
}

void Picture::draw_sip(const std::string& sip) {
  const auto frame = [&](const Box& box, const std::string& label, double y) {
    frames_ += fmt::format(
        "<rect class=\"f\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\"/><text class=\"a\" "
        "x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, box.middle_x(), y, escaped(label));
  };
  frame(groups_[sip], sip, groups_[sip].y + kTitle - 5);
  for (const std::string& io : ios_[sip]) frame(groups_[io], split(io, '.').back(), groups_[io].middle_y() + 4);
  for (const std::string& cube : cubes_[sip])
    frame(groups_[cube], split(cube, '.').back(), groups_[cube].middle_y() + 4);
}

void Picture::draw_pe(const PePlace& pe) {
  const auto found = groups_.find(pe.group);
  if (found == groups_.end()) return;
  const Box& cube = found->second;
  const double size = pe_part_ * cube.w;
  constexpr double kEdge = 2;
  const auto inside = [&](double middle, double room) {
    return std::clamp(middle * room - size / 2, kEdge, std::max(kEdge, room - size - kEdge));
  };
  const Box box{cube.x + inside(pe.x, cube.w), cube.y + inside(pe.y, cube.h), size, size};
  const analysis::UseSum *engine = use_of(pe.name, "engine"), *dma = use_of(pe.name, "dma");
  constexpr double kLine = 0.24, kChannels = 0.46;  // parts of the height
  heat_.box(engine == nullptr ? 0 : engine->share / engine->units, {box.x, box.y, size, kLine * size});
  heat_.box(dma == nullptr ? 0 : dma->most, {box.x, box.y + (kLine + 0.03) * size, size, kLine * size});
  const auto of_pe = channels_.find(pe.name);
  std::int64_t count = std::clamp<std::int64_t>(machine_.channels_per_slice(), 1, 64);
  double sum = 0, most = 0;
  const double each = size / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    double share = 0;
    if (of_pe != channels_.end()) {
      const auto one = of_pe->second.find(i);
      if (one != of_pe->second.end()) share = one->second;
    }
    sum += share;
    most = std::max(most, share);
    heat_.box(share, {box.x + static_cast<double>(i) * each, box.y + (1 - kChannels) * size, each, kChannels * size});
  }
  titles_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"transparent\"><title>{}\nengines "
      "{}\nDMA {}\nHBM channels {}, busiest {}</title></rect>\n",
      box.x, box.y, size, size, escaped(pe.name), percent_text(engine == nullptr ? 0 : engine->share / engine->units),
      percent_text(dma == nullptr ? 0 : dma->most), percent_text(sum / static_cast<double>(count)), percent_text(most));
}

// Draws the busiest of all wires from one group to another; each direction beside the other.
void Picture::draw_wires() {
  std::map<std::pair<std::string, std::string>, double> shares;
  for (const analysis::Machine::Wire& wire : machine_.wires()) {
    const std::pair ends(chip_name(machine_.find(wire.from)), chip_name(machine_.find(wire.to)));
    if (ends.first != ends.second && groups_.count(ends.first) > 0 && groups_.count(ends.second) > 0) shares[ends] = 0;
  }
  const auto& series = of_.run.activity().series();
  for (const std::size_t i : cells_.between) {
    const auto found =
        shares.find({chip_name(machine_.find(series[i].component)), chip_name(machine_.find(series[i].peer))});
    if (found != shares.end()) found->second = std::max(found->second, analysis::share_of(uses_[i], series[i], span_));
  }
  for (const auto& [ends, share] : shares) {
    const Box &a = groups_[ends.first], &b = groups_[ends.second];
    constexpr double kAside = 3;
    // Where the facing edges overlap, straight across.
    const double left = std::max(a.x, b.x), right = std::min(a.x + a.w, b.x + b.w);
    const double top = std::max(a.y, b.y), bottom = std::min(a.y + a.h, b.y + b.h);
    if (right > left) {
      const bool down = b.y > a.y;
      const double x = (left + right) / 2 + (down ? kAside : -kAside);
      heat_.line(share, x, down ? a.y + a.h : a.y, x, down ? b.y : b.y + b.h);
    } else if (bottom > top) {
      const bool onward = b.x > a.x;
      const double y = (top + bottom) / 2 + (onward ? kAside : -kAside);
      heat_.line(share, onward ? a.x + a.w : a.x, y, onward ? b.x : b.x + b.w, y);
    }
  }
}

// The one of a kernel's equal pieces in which its pseudo-channels were busiest; empty when they were never used.
Window busiest_piece(const Case& of) {
  constexpr std::int64_t kPieces = 16;
  const Window& kernel = of.longest->kernel;
  const std::int64_t length = (kernel.end_fs - kernel.begin_fs) / kPieces;
  Window busiest;
  double most = 0;
  for (std::int64_t piece = 0; piece < kPieces && length > 0; ++piece) {
    const Window window{kernel.begin_fs + piece * length, kernel.begin_fs + (piece + 1) * length};
    const auto uses = of.run.activity().uses(window.begin_fs, window.end_fs);
    double busy = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (of.run.activity().series()[i].kind == "pseudo_channel") busy += uses[i].busy_fs;
    }
    if (busy <= most) continue;
    most = busy;
    busiest = window;
  }
  return busiest;
}

std::string scale() {
  std::string html =
      "<p class=\"legend\"><span>idle <svg "
      "style=\"display:inline;width:12em;height:.8em;margin:0;vertical-align:-.05em\" "
      "viewBox=\"0 0 210 10\">";
  for (int i = 0; i <= kHeatSteps; ++i) {
    html += fmt::format("<rect x=\"{}\" width=\"10.5\" height=\"10\" fill=\"{}\"/>", 10 * i, heat_colour(i));
  }
  return html + "</svg> busy all the time</span></p>\n";
}

}  // namespace

std::string machine_part(const Case& of) {
  if (!of.has_activity() || of.run.machine() == nullptr || !of.run.own_topology()) return "";
  const Window& kernel = of.longest->kernel;
  Picture whole(of, of.uses, kernel.span());
  if (whole.empty()) return "";
  std::string html = open_section(
      "Machine",
      "How busy everything was while the kernel of the longest launch ran. A PE has its engines above, its DMA "
      "channels below them, and the pseudo-channels of its HBM slice side by side at the bottom. Lines are the "
      "wires between cubes, one for each direction.");
  html += whole.draw() + scale();
  if (whole.left_out() > 0) {
    html += fmt::format("<p class=\"hint\">{} more PEs are left out.</p>\n",
                        count_text(static_cast<double>(whole.left_out())));
  }
  const Window piece = busiest_piece(of);
  if (piece.empty()) return html + kCloseSection;
  const auto from_start = [&](std::int64_t fs) {
    return duration_text(static_cast<double>(fs - kernel.begin_fs) / kFsInNs);
  };
  html += fmt::format(
      "<h3>While memory was busiest: {} to {} after the start of the kernel</h3>\n<p class=\"hint\">A sixteenth of the "
      "kernel. Channels that are idle here, beside full ones, are what takes turns and looks even above.</p>\n",
      from_start(piece.begin_fs), from_start(piece.end_fs));
  const std::vector<analysis::Use> uses = of.run.activity().uses(piece.begin_fs, piece.end_fs);
  html += Picture(of, uses, piece.span()).draw();
  return html + kCloseSection;
}

}  // namespace kb::html
