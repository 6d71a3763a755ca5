#include "platform/views/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platform/base/error.h"

namespace kb::views {
namespace {

constexpr double kMargin = 20;

std::string edge_title(const topology::Graph& graph, const topology::Edge& edge) {
  std::string text = fmt::format("{} to {}: {}", graph.node(edge.src).id, graph.node(edge.dst).id,
                                 edge.bw.limited() ? bandwidth_text(edge.bw) : "no limit of bandwidth");
  if (edge.distance_mm > 0) text += fmt::format(", {} mm", edge.distance_mm);
  return text;
}

}  // namespace

std::string node_title(const topology::Node& node) {
  std::string text = fmt::format("{}\n{}", node.id, node.impl);
  for (const params::ParamSet* params : {&node.params, &node.impl_params}) {
    if (params->table() == nullptr) continue;
    for (const params::Field& field : params->table()->fields()) {
      const auto value = params->value(field);
      if (value) text += fmt::format("\n{} {}", field.name, params::value_text(*value));
    }
  }
  return text;
}

double label_width(const std::string& text) {
  return kLetterWidth * static_cast<double>(text.size()) + 12;
}

Drawing::Drawing(const topology::LoadedTopology& machine, std::string name, std::string heading)
    : graph_(machine.graph) {
  view_.name = std::move(name);
  view_.heading = std::move(heading);
}

void Drawing::node(const std::string& id, std::vector<std::string> lines, Role role, const Rect& at) {
  const auto found = graph_.find_node(id);
  if (!found) throw Error::model("a view draws " + id + ", which the machine does not have");
  container(id, std::move(lines), node_title(graph_.node(*found)), role, at);
}

void Drawing::container(const std::string& id, std::vector<std::string> lines, const std::string& title, Role role,
                        const Rect& at) {
  view_.boxes.push_back({id, std::move(lines), title, role, at});
  places_[id] = at;
}

void Drawing::frame(const std::string& id, const std::string& line, const std::string& title, Role role,
                    const Rect& at) {
  view_.frames.push_back({id, {line}, title, role, at});
}

bool Drawing::wire(const std::string& a, const std::string& b, std::vector<Point> path) {
  const auto from = graph_.find_node(a), to = graph_.find_node(b);
  if (!from || !to) return false;
  Wire wire{a + "--" + b, std::move(path), "", {}, false};
  for (const auto& edge : {graph_.find_edge(*from, *to), graph_.find_edge(*to, *from)}) {
    if (!edge) continue;
    const topology::Edge& found = graph_.edge(*edge);
    wire.title += (wire.title.empty() ? "" : "\n") + edge_title(graph_, found);
    wire.bw = wider_limit(wire.bw, found.bw);
    wire.command = found.kind == topology::EdgeKind::command;
  }
  if (wire.title.empty()) return false;
  view_.wires.push_back(std::move(wire));
  return true;
}

void Drawing::passage(const std::string& a, const std::string& b, const std::string& title, std::vector<Point> path) {
  view_.wires.push_back({a + "--" + b, std::move(path), title, {}, false});
}

void Drawing::label(const std::string& text, const Point& at, bool heading) {
  view_.labels.push_back({text, at, heading});
}

View Drawing::take() {
  measure(view_);
  return std::move(view_);
}

void measure(View& view) {
  double left = std::numeric_limits<double>::max(), top = left, right = -left, bottom = -left;
  const auto reach = [&](const Rect& at) {
    left = std::min(left, at.x);
    top = std::min(top, at.y);
    right = std::max(right, at.right());
    bottom = std::max(bottom, at.bottom());
  };
  for (const std::vector<Box>* boxes : {&view.frames, &view.boxes}) {
    for (const Box& box : *boxes) reach(box.at);
  }
  for (const Wire& wire : view.wires) {
    for (const Point& point : wire.path) reach({point.x, point.y, 0, 0});
  }
  for (const Label& text : view.labels) reach({text.at.x, text.at.y - kLineHeight, label_width(text.text), 0});
  const double dx = kMargin - left, dy = kMargin - top;
  for (std::vector<Box>* boxes : {&view.frames, &view.boxes}) {
    for (Box& box : *boxes) {
      box.at.x += dx;
      box.at.y += dy;
    }
  }
  for (Wire& wire : view.wires) {
    for (Point& point : wire.path) point = {point.x + dx, point.y + dy};
  }
  for (Label& text : view.labels) text.at = {text.at.x + dx, text.at.y + dy};
  view.width = right - left + 2 * kMargin;
  view.height = bottom - top + 2 * kMargin;
}

}  // namespace kb::views
