// Puts boxes and wires of the compiled graph into a view.
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

  // A box for a node of the graph; model Error when there is none of this id.
  void node(const std::string& id, std::vector<std::string> lines, Role role, const Rect& at);
  // A box for something that holds nodes, such as a PE.
  void container(const std::string& id, std::vector<std::string> lines, const std::string& title, Role role,
                 const Rect& at);
  void frame(const std::string& id, const std::string& line, const std::string& title, Role role, const Rect& at);
  // A wire for the edges between two nodes; false when the graph has none.
  bool wire(const std::string& a, const std::string& b, std::vector<Point> path);
  // A line for what passes between two nodes without an edge of the graph, and takes no time.
  void passage(const std::string& a, const std::string& b, const std::string& title, std::vector<Point> path);
  void label(const std::string& text, const Point& at, bool heading = false);
  void note(const std::string& text) { view_.notes.push_back(text); }

  const Rect& box(const std::string& id) const { return places_.at(id); }
  View take();  // measured

 private:
  const topology::Graph& graph_;
  View view_;
  std::map<std::string, Rect> places_;
};

using topology::bandwidth_text;
using topology::plural;

// Moves everything so that the drawing begins at its margin, and measures it.
void measure(View& view);

// Attributes of a node, a line each.
std::string node_title(const topology::Node& node);

}  // namespace kb::views
