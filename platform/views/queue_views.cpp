// The route of a message (E-48), drawn from a description of its steps, without a machine or a run.
#include <algorithm>

#include "platform/views/drawing.h"

namespace kb::views {
namespace {

// A participating block, and a step between two blocks or inside one.
struct Actor {
  const char* id;
  const char* line;
  Role role;
};
struct Step {
  std::size_t from, to;
  const char* text;
};
constexpr Actor kActors[] = {{"sender.pe_cpu", "kernel on PE_CPU", Role::control},
                             {"sender.pe_ipcq", "PE_IPCQ", Role::queue},
                             {"sender.pe_dma", "PE_DMA", Role::dma},
                             {"receiver.pe_dma", "PE_DMA", Role::dma},
                             {"receiver.pe_ipcq", "PE_IPCQ", Role::queue},
                             {"receiver.pe_cpu", "kernel on PE_CPU", Role::control}};
constexpr std::size_t kFirstOfReceiver = 3;
constexpr Step kMessage[] = {{0, 1, "1  send"},
                             {1, 1, "2  waits for a free slot"},
                             {1, 2, "3  token"},
                             {1, 0, "4  goes on"},
                             {2, 3, "5  posted write through the fabric"},
                             {5, 4, "6  recv"},
                             {3, 3, "7  writes the slot"},
                             {3, 4, "8  visible"},
                             {4, 4, "9  reads the slot"},
                             {4, 1, "10  credit: the slot is free, latency of the way back"},
                             {4, 5, "11  contents"}};

View view_of(const char* name, const char* heading) {
  View view;
  view.name = name;
  view.heading = heading;
  return view;
}

Wire step(std::size_t number, std::vector<Point> path, const std::string& title) {
  Wire wire{"step" + std::to_string(number), std::move(path), title, {}, false};
  wire.look = Wire::Look::arrow;
  return wire;
}

}  // namespace

View message_view() {
  constexpr double kColumn = 170, kBoxWidth = 130, kBoxHeight = 30, kStep = 34, kFirst = 62;
  View view = view_of("message", "A message from PE to PE, step by step");
  const auto x_of = [](std::size_t block) { return static_cast<double>(block) * kColumn + kBoxWidth / 2; };
  const double bottom = kFirst + kStep * static_cast<double>(std::size(kMessage));
  for (std::size_t i = 0; i < std::size(kActors); ++i) {
    const Actor& block = kActors[i];
    const char* const side = i < kFirstOfReceiver ? "sender" : "receiver";
    view.boxes.push_back(
        {block.id, {block.line, side}, block.id, block.role, {x_of(i) - kBoxWidth / 2, 0, kBoxWidth, kBoxHeight}});
    view.wires.push_back({std::string("life.") + block.id, {{x_of(i), kBoxHeight}, {x_of(i), bottom}}, block.id});
    view.wires.back().look = Wire::Look::lifeline;
  }
  for (std::size_t i = 0; i < std::size(kMessage); ++i) {
    const Step& what = kMessage[i];
    const double y = kFirst + kStep * static_cast<double>(i), from = x_of(what.from), to = x_of(what.to);
    view.labels.push_back({what.text, {std::min(from, to) + 8, y - 5}});
    if (what.from != what.to) view.wires.push_back(step(i + 1, {{from, y}, {to, y}}, what.text));
  }
  measure(view);
  return view;
}

View queue_view() {
  constexpr double kBoxWidth = 150, kBoxHeight = 36, kRow = 64, kSender = 20, kFabric = 300, kReceiver = 500,
                   kRing = 790;
  View view = view_of("queue", "A queue between two PEs: its ring lies in the receiver's memory");
  const auto y_of = [](int row) { return 30 + kRow * row; };
  const double height = y_of(2) + kBoxHeight + 20;
  const auto frame = [&](const char* id, const char* text, double x, double width) {
    view.frames.push_back({id, {}, text, Role::pe, {x - 20, 0, width + 40, height}});
    view.labels.push_back({text, {x - 12, 18}, true});
  };
  frame("sender", "sending PE", kSender, kBoxWidth);
  frame("receiver", "receiving PE", kReceiver, kBoxWidth);
  frame("ring", "its TCM, SRAM or HBM", kRing, kBoxWidth);
  const auto box = [&](const std::string& id, const char* line, Role role, double x, int row) {
    view.boxes.push_back({id, {line}, id, role, {x, y_of(row), kBoxWidth, kBoxHeight}});
  };
  for (std::size_t i = 0; i < std::size(kActors); ++i) {
    const bool receives = i >= kFirstOfReceiver;
    const int row = static_cast<int>(receives ? 5 - i : i);
    box(kActors[i].id, kActors[i].line, kActors[i].role, receives ? kReceiver : kSender, row);
  }
  box("fabric", "routers and wires", Role::router, kFabric, 2);
  const char* const slots[] = {"slot 0", "slot 1: read next", "slot 2: written next"};
  for (int slot = 0; slot < 3; ++slot) box("slot" + std::to_string(slot), slots[slot], Role::tcm, kRing, slot);

  std::size_t number = 0;
  const auto arrow = [&](Point from, Point to, const char* text, Point label) {
    view.labels.push_back({text, label});
    view.wires.push_back(step(++number, {from, to}, text));
  };
  const auto onward = [&](const char* id, Point from, Point to) {  // continues the previous step
    view.wires.push_back({id, {from, to}, view.wires.back().title});
    view.wires.back().look = Wire::Look::arrow;
  };
  const auto middle = [&](int row) { return y_of(row) + kBoxHeight / 2; };
  const auto down = [&](double x, int row, const char* text) {
    arrow({x, y_of(row) + kBoxHeight}, {x, y_of(row + 1)}, text, {x + 6, y_of(row + 1) - 10});
  };
  const auto up = [&](double x, int row, const char* text) {
    arrow({x, y_of(row)}, {x, y_of(row - 1) + kBoxHeight}, text, {x + 6, y_of(row) - 10});
  };
  const auto across = [&](double from, double to, int row, const char* text) {
    arrow({from, middle(row)}, {to, middle(row)}, text, {std::min(from, to) + 26, middle(row) - 6});
  };
  down(kSender + 60, 0, "1 send");
  down(kSender + 60, 1, "2 token");
  across(kSender + kBoxWidth, kFabric, 2, "3 message");
  onward("step3.on", {kFabric + kBoxWidth, middle(2)}, {kReceiver, middle(2)});
  across(kReceiver + kBoxWidth, kRing, 2, "4 slot write");
  up(kReceiver + 30, 2, "5 visible");
  down(kReceiver + 20, 0, "6 recv");
  across(kRing, kReceiver + kBoxWidth, 1, "7 slot read");
  up(kReceiver + 90, 1, "8 contents");
  across(kReceiver, kSender + kBoxWidth, 1, "9 credit");
  measure(view);
  return view;
}

}  // namespace kb::views
