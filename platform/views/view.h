// A drawing of the machine: positioned boxes, wires and labels. Their source is the compiled graph with its router grid
// (T-59), except in the two drawings of message queues.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/topology/topology.h"

namespace kb::views {

struct Point {
  double x = 0, y = 0;
};

struct Rect {
  double x = 0, y = 0, w = 0, h = 0;

  double right() const { return x + w; }
  double bottom() const { return y + h; }
  Point center() const { return {x + w / 2, y + h / 2}; }
};

// Role of a box; determines its colour and legend entry.
enum class Role { host, pcie, sip, io, cube, router, ucie, pe, hbm, sram, control, dma, engine, tcm, queue };

// A frame surrounds boxes and is drawn below them; its label is in its upper left corner.
struct Box {
  std::string id;                  // node or container: "sip0.cube0.pe0.pe_dma"
  std::vector<std::string> lines;  // lines of the label
  std::string title;               // all attributes, shown as a tooltip
  Role role = Role::router;
  Rect at;
  std::optional<double> heat{};  // utilisation; its colour replaces that of the role
};

// A connection in one or both directions, as in the graph.
struct Wire {
  std::string id;  // "src--dst"
  std::vector<Point> path;
  std::string title;
  Bandwidth bw{};
  bool command = false;  // carries commands only
  // An arrow is a step of a sequence, ending at the last point; steps begin and end at lifelines.
  enum class Look { edge, arrow, lifeline } look = Look::edge;
  std::optional<double> heat{};  // utilisation of the busier direction; its colour replaces that of the bandwidth
};

struct Label {
  std::string text;
  Point at;  // left end of the text, on the base line
  bool heading = false;
};

struct View {
  std::string name;     // "cube"; also part of the file name cube_view.svg
  std::string heading;  // title of the drawing
  std::vector<std::string> notes;
  std::vector<Box> frames, boxes;
  std::vector<Wire> wires;
  std::vector<Label> labels;
  double width = 0, height = 0;  // without heading, notes and legend
};

// Size of a letter in a box label.
inline constexpr double kLineHeight = 13, kLetterWidth = 6.6;
// Width that a label needs, including a margin on both sides.
double label_width(const std::string& text);

// Views of T-58. The first SIP, cube and PE represent all (T-60) unless another is named. The cube is drawn to scale.
View system_view(const topology::LoadedTopology& machine);
View sip_view(const topology::LoadedTopology& machine, const std::string& sip = "sip0");
View cube_view(const topology::LoadedTopology& machine, const std::string& cube = "sip0.cube0");
View pe_view(const topology::LoadedTopology& machine);

// Views of E-48: the path of a message between two PEs, as a block diagram and as a sequence. They are the same for
// every machine.
View queue_view();
View message_view();

// Colours every box and wire by its utilisation. The key is the id of the box or, for each direction of a wire,
// "src--dst"; boxes and wires without an entry were idle.
void add_heat(View& view, const std::map<std::string, double>& shares);

// Names of all views.
const std::vector<std::string>& all_view_names();
// Model Error for an unknown name.
View view_named(const topology::LoadedTopology& machine, const std::string& name);

}  // namespace kb::views
