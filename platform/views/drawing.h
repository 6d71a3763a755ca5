// Adds boxes and wires of the compiled graph to a view.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/topology/words.h"
#include "platform/views/view.h"

namespace kb::views {

class Drawing {
 public:
  Drawing(const topology::LoadedTopology& machine, std::string name, std::string heading);

  const topology::Graph& graph() const { return graph_; }
  const topology::MachineSpec& spec() const { return graph_.spec; }

  // Adds a box for a node of the graph; model Error when no node has this id.
  void node(const std::string& id, std::vector<std::string> lines, Role role, const Rect& at);
  // Adds a box for a container of nodes, such as a PE.
  void container(const std::string& id, std::vector<std::string> lines, const std::string& title, Role role,
                 const Rect& at);
  void frame(const std::string& id, const std::string& line, const std::string& title, Role role, const Rect& at);
  // Adds a wire for the edges between two nodes; false when the graph has none.
  bool wire(const std::string& a, const std::string& b, std::vector<Point> path);
  // Adds a line for a zero-time interaction between two nodes that the graph has no edge for.
  void passage(const std::string& a, const std::string& b, const std::string& title, std::vector<Point> path);
  void label(const std::string& text, const Point& at, bool heading = false);
  void note(const std::string& text) { view_.notes.push_back(text); }

  const Rect& box(const std::string& id) const { return places_.at(id); }
  View take();  // with its size computed

 private:
  const topology::Graph& graph_;
  View view_;
  std::map<std::string, Rect> places_;
};

using topology::bandwidth_text;
using topology::plural;

// Shifts the drawing to its margin and computes its size.
void measure(View& view);

// Attributes of a node, one per line.
std::string node_title(const topology::Node& node);

}  // namespace kb::views
