// A drawing of the machine before it is text: boxes, wires and labels with their places. All come from the compiled
// graph and its router grid (T-59), but for the two pictures of the message queues.
#pragma once

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

// What a box stands for; it chooses the colour and the line of the legend.
enum class Role { host, pcie, sip, io, cube, router, ucie, pe, hbm, sram, control, dma, engine, tcm, queue };

// A frame surrounds boxes and is drawn below them; its label stands in its upper left corner.
struct Box {
  std::string id;                  // of the node or container it stands for: "sip0.cube0.pe0.pe_dma"
  std::vector<std::string> lines;  // of its label
  std::string title;               // all its attributes, shown when the pointer rests on it
  Role role = Role::router;
  Rect at;
};

// Both directions between two nodes, or one where the graph has one.
struct Wire {
  std::string id;  // "src--dst"
  std::vector<Point> path;
  std::string title;
  Bandwidth bw{};
  bool command = false;  // carries commands only
  // An arrow is a step of a picture, to the last point; a lifeline is where such steps begin and end.
  enum class Look { edge, arrow, lifeline } look = Look::edge;
};

struct Label {
  std::string text;
  Point at;  // of its left end, on the base line
  bool heading = false;
};

struct View {
  std::string name;     // "cube", also of the file: cube_view.svg
  std::string heading;  // says what is drawn
  std::vector<std::string> notes;
  std::vector<Box> frames, boxes;
  std::vector<Wire> wires;
  std::vector<Label> labels;
  double width = 0, height = 0;  // of the drawing without heading, notes and legend
};

// Size of a line of a box's label.
inline constexpr double kLineHeight = 13, kLetterWidth = 6.6;
// Room that a label needs, with a margin on both sides.
double label_width(const std::string& text);

// T-58. One SIP, cube and PE stand for all (T-60): the first. The cube is drawn to scale.
View system_view(const topology::LoadedTopology& machine);
View sip_view(const topology::LoadedTopology& machine);
View cube_view(const topology::LoadedTopology& machine);
View pe_view(const topology::LoadedTopology& machine);

// E-48: how a message travels between two PEs, as a picture of the blocks and as a sequence. The same for every
// machine.
View queue_view();
View message_view();

// The names of all of them.
const std::vector<std::string>& all_view_names();
// Model Error for another name.
View view_named(const topology::LoadedTopology& machine, const std::string& name);

}  // namespace kb::views
