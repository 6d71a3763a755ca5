// The workload `message-program`: every PE carries out its part of a text, and what it receives is compared.
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/tl/tl.h"
#include "sw/distributed/process_group.h"
#include "sw/distributed/spawn.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

namespace tl = kb::tl;
using namespace kb::sw;

constexpr std::int64_t kFirst = 100000;  // element i of message n is n * kFirst + i

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// Part `index` of the programs, and how many sends stand before it.
std::string part_of(const std::string& text, std::size_t index, std::int64_t& sends) {
  const std::vector<std::string> parts = split(text, '/');
  for (std::size_t i = 0; i < index && i < parts.size(); ++i) {
    for (const std::string& op : split(parts[i], ' ')) sends += op[0] == 's' ? 1 : 0;
  }
  return index < parts.size() ? parts[index] : "";
}

tl::TensorHandle receive(tl::Context& tl, char kind, const std::string& direction, const kb::Shape& shape) {
  if (kind == 'a') return tl.wait(tl.recv_async(direction, shape, kb::Dtype::i32));
  if (kind == 'r') return tl.recv(direction, shape, kb::Dtype::i32);
  tl::TensorHandle into = tl.empty(shape, kb::Dtype::i32);
  tl.recv_into(direction, into);
  return into;
}

void carry_out(tl::Context& tl, tl::Ptr out, std::string program, int room, int slot) {
  const kb::PeCoord here = tl.info().coord;
  const auto pes = tl.num_programs(0), cubes = tl.num_programs(1);
  const std::int64_t sip = here.sip.value, cube = here.cube.value, pe = here.pe.value;
  std::int64_t number = 0, received = 0;
  const std::string part = part_of(program, static_cast<std::size_t>((sip * cubes + cube) * pes + pe), number);
  const std::int64_t row = (cube * pes + pe) * room * slot;
  for (const std::string& op : split(part, ' ')) {
    const tl::Scratch scope(tl);
    const std::size_t digit = op.find_first_of("0123456789");
    const std::string direction = op.substr(1, digit - 1);
    const std::int64_t size = std::stoll(op.substr(digit));
    if (op[0] == 'c') {
      tl.cycles(size);
    } else if (op[0] == 's') {
      ++number;
      tl.send(direction, tl.arange(number * kFirst, number * kFirst + size, kb::Dtype::i32));
    } else {
      tl.store(out + (row + received++ * slot), receive(tl, op[0], direction, {size}));
    }
  }
}

// Element by element what the rows of a SIP must hold.
std::vector<double> expected_of(const std::string& numbers, const std::string& sizes, std::size_t first,
                                std::size_t count, std::size_t room, std::size_t slot) {
  std::vector<double> values(count * room * slot);
  const std::vector<std::string> pes = split(numbers, '/'), all_sizes = split(sizes, ' ');
  for (std::size_t pe = 0; pe < count && first + pe < pes.size(); ++pe) {
    std::size_t at = pe * room * slot;
    for (const std::string& number : split(pes[first + pe], ' ')) {
      const std::size_t n = std::stoul(number), size = std::stoul(all_sizes.at(n - 1));
      for (std::size_t i = 0; i < size; ++i) values[at + i] = static_cast<double>(n * kFirst + i);
      at += slot;
    }
  }
  return values;
}

WorkloadResult run(Runtime& rt, const Params& params) {
  ProcessGroup group(rt);
  const std::int64_t room = params.integer("room"), slot = params.integer("slot");
  const std::size_t pes = static_cast<std::size_t>(rt.spec().cubes_per_sip * rt.spec().pes_per_cube);
  DPPolicy rows;
  rows.cube = rows.pe = Split::row_wise;
  const kb::Shape shape{static_cast<std::int64_t>(pes), room * slot};
  WorkloadResult result;
  spawn(rt, rt.spec().sips, [&](int rank) {
    ahbm::set_device(rt, rank);
    const Tensor out = rt.zeros(shape, kb::Dtype::i32, rows, "out" + std::to_string(rank));
    rt.wait(rt.launch("message_program",
                      {{"out", out}, {"program", params.text("program")}, {"room", room}, {"slot", slot}}));
    const std::vector<double> expected =
        expected_of(params.text("expected"), params.text("sizes"), static_cast<std::size_t>(rank) * pes, pes,
                    static_cast<std::size_t>(room), static_cast<std::size_t>(slot));
    verify_exact(rt, result, out.name(), out.to_host(), HostArray::from_doubles(shape, kb::Dtype::i32, expected));
  });
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(tl::make_kernel("message_program", "sends and receives by a text",
                                       {"out", "program", "room", "slot"}, carry_out));
  registrar.add_workload(
      {"message-program",
       "every PE carries out its part of a program of sends and receives, verified",
       {
           Parameter::text("program", "", "calls of each PE: sE16 rW16 c100, PEs with / between them"),
           Parameter::text("expected", "", "numbers of the messages that each PE receives"),
           Parameter::text("sizes", "", "elements of each message"),
           Parameter::integer("room", 1, "most messages that a PE receives", 1),
           Parameter::integer("slot", 1, "elements of a slot", 1),
       },
       run});
}
