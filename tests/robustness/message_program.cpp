#include "tests/robustness/message_program.h"

#include <algorithm>
#include <deque>

namespace kb::robustness {
namespace {

using Port = std::pair<std::size_t, std::string>;

void link(MessageProgram& program, std::size_t from, const std::string& label, std::size_t to,
          const std::string& there) {
  program.links[{from, label}] = {to, there};
  program.links[{to, there}] = {from, label};
}

void wire(MessageProgram& program, std::size_t pes, std::size_t width) {
  const std::size_t height = pes / width;
  for (std::size_t i = 0; i < pes; ++i) {
    const std::size_t x = i % width, y = i / width;
    if (width > 1) link(program, i, "E", y * width + (x + 1) % width, "W");
    if (height > 1) link(program, i, "S", (y + 1) % height * width + x, "N");
  }
}

bool is_receive(const MessageOp& op) {
  return op.kind == 'r' || op.kind == 'i' || op.kind == 'a';
}

struct Message {
  int number, size;
};

struct Machine {
  const MessageProgram& program;
  std::map<Port, std::deque<Message>> boxes;
  std::vector<std::size_t> done;
  std::vector<std::vector<int>> numbers;  // of each call that sends
  MailboxEnd end;

  // False when the PE has to wait, or is refused.
  bool step(std::size_t pe, bool& refused) {
    const MessageOp& op = program.pes[pe][done[pe]];
    if (op.kind == 'c') return true;
    const auto to = program.links.find({pe, op.direction});
    refused = to == program.links.end();
    if (!refused && is_receive(op)) return receive(pe, op, refused);
    refused = refused || op.size > program.slot_elements;
    if (refused) return false;
    std::deque<Message>& box = boxes[to->second];
    if (box.size() == program.n_slots) return false;
    box.push_back({numbers[pe][done[pe]], op.size});
    return true;
  }
  bool receive(std::size_t pe, const MessageOp& op, bool& refused) {
    std::deque<Message>& box = boxes[{pe, op.direction}];
    if (box.empty()) return false;
    refused = box.front().size != op.size;
    if (refused) return false;
    end.received[pe].push_back(box.front().number);
    box.pop_front();
    return true;
  }
};

}  // namespace

MessageProgram matched_program(std::size_t pes, std::size_t width, std::size_t messages, Random& random) {
  MessageProgram program;
  program.pes.resize(pes);
  program.n_slots = random.between(1, 4);
  program.slot_elements = static_cast<int>(random.between(4, 256));
  wire(program, pes, width);
  const std::vector<std::pair<Port, Port>> links(program.links.begin(), program.links.end());
  // Messages one after the other, each received at once, can be carried out with one slot; so can every program whose
  // calls keep that order in each PE.
  for (std::size_t n = 0; n < messages; ++n) {
    const auto& [from, to] = random.pick(links);
    const int size = static_cast<int>(random.between(1, static_cast<std::size_t>(program.slot_elements)));
    const std::vector<char> receives = {'r', 'i', 'a'};
    program.pes[from.first].push_back({'s', from.second, size});
    program.pes[to.first].push_back({random.pick(receives), to.second, size});
    if (random.chance(25))
      program.pes[random.below(pes)].push_back({'c', "", static_cast<int>(random.between(1, 3000))});
  }
  return program;
}

void spoil(MessageProgram& program, Random& random) {
  std::vector<std::size_t> busy;
  for (std::size_t i = 0; i < program.pes.size(); ++i) {
    if (!program.pes[i].empty()) busy.push_back(i);
  }
  std::vector<MessageOp>& ops = program.pes[random.pick(busy)];
  const auto at = ops.begin() + static_cast<std::ptrdiff_t>(random.below(ops.size()));
  switch (random.below(6)) {
    case 0:
      ops.erase(at);
      break;
    case 1: {
      MessageOp copy = *at;
      if (random.chance(50)) copy.kind = is_receive(copy) ? 's' : 'r';
      ops.insert(at, copy);
      break;
    }
    case 2:
      at->direction = random.pick(std::vector<std::string>{"E", "W", "N", "S", "north"});
      break;
    case 3:
      at->size = static_cast<int>(random.between(1, static_cast<std::size_t>(program.slot_elements) * 2));
      break;
    case 4:
      at->kind = is_receive(*at) ? 's' : 'r';
      break;
    default:
      std::swap(*at, ops[random.below(ops.size())]);
  }
  for (MessageOp& op : ops) {
    if (op.kind != 'c' && op.direction.empty()) op.direction = "E";
  }
}

MailboxEnd mailbox_oracle(const MessageProgram& program) {
  const std::size_t pes = program.pes.size();
  Machine machine{program, {}, std::vector<std::size_t>(pes), std::vector<std::vector<int>>(pes), {}};
  machine.end.received.resize(pes);
  int number = 0;
  for (std::size_t i = 0; i < pes; ++i) {
    for (const MessageOp& op : program.pes[i]) machine.numbers[i].push_back(op.kind == 's' ? ++number : 0);
  }
  std::vector<bool> refused(pes);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < pes; ++i) {
      bool no = false;
      while (!refused[i] && machine.done[i] < program.pes[i].size() && machine.step(i, no)) {
        ++machine.done[i];
        moved = true;
      }
      if (no) refused[i] = true;
    }
  }
  MailboxEnd end = machine.end;
  for (std::size_t i = 0; i < pes; ++i) {
    if (refused[i]) end.pes.push_back(i);
  }
  if (!end.pes.empty()) {
    end.kind = MailboxEnd::Kind::refused;
    return end;
  }
  for (std::size_t i = 0; i < pes; ++i) {
    if (machine.done[i] < program.pes[i].size()) end.pes.push_back(i);
  }
  if (!end.pes.empty()) end.kind = MailboxEnd::Kind::stuck;
  return end;
}

std::string text_of(const MessageProgram& program) {
  std::string text;
  for (std::size_t i = 0; i < program.pes.size(); ++i) {
    if (i > 0) text += '/';
    for (const MessageOp& op : program.pes[i]) {
      if (!text.empty() && text.back() != '/') text += ' ';
      text += op.kind + op.direction + std::to_string(op.size);
    }
  }
  return text;
}

std::string text_of(const std::vector<std::vector<int>>& received) {
  std::string text;
  for (std::size_t i = 0; i < received.size(); ++i) {
    if (i > 0) text += '/';
    for (const int number : received[i])
      text += (text.empty() || text.back() == '/' ? "" : " ") + std::to_string(number);
  }
  return text;
}

}  // namespace kb::robustness
