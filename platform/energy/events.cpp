#include "platform/energy/events.h"

#include <fmt/format.h>

#include <array>

#include "platform/base/error.h"

namespace kb::energy {
namespace {

constexpr std::uint32_t kMicrometres = 1000;  // in a millimetre

std::vector<EventRow> make_events() {
  std::vector<EventRow> rows{
      {Part::hbm, "bit", "bit", "bit", 1, "a bit that a memory without a model of banks reads or writes, all included"},
      {Part::hbm, "act", "ACT", "ACT", 1, "a row that is activated and later closed (statistic acts)"},
      {Part::hbm, "read_bit", "bit", "bit", 1, "a bit read out of an open row"},
      {Part::hbm, "write_bit", "bit", "bit", 1, "a bit written into an open row"},
      {Part::hbm, "io_bit", "bit", "bit", 1, "a bit between the stack and its controller"},
      {Part::hbm, "refresh", "REF", "REF", 1, "a refresh command of one bank (statistic refreshes)"},
      {Part::hbm, "refresh_all", "REF", "REF", 1, "a refresh command of all banks (refresh: all_bank)"},
      {Part::routers, "bit", "bit", "bit", 1, "a bit that passes a router; neighbours in a mesh pass two"},
      {Part::wires, "bit_mm", "bit um", "bit mm", kMicrometres, "a bit on a wire of a die, for each mm"},
      {Part::ucie, "bit", "bit", "bit", 1, "a bit over a UCIe link between dies"},
      {Part::pcie, "bit", "bit", "bit", 1, "a bit over a PCIe link"},
      {Part::sram, "bit", "bit", "bit", 1, "a bit read from or written to the SRAM of a cube"},
      {Part::tcm, "bit", "bit", "bit", 1, "a bit read from or written to the TCM of a PE"},
  };
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64,
                            Dtype::e4m3, Dtype::e5m2, Dtype::i4}) {
    rows.push_back({Part::gemm, fmt::format("mac_{}", dtype_name(dtype)), "MAC", "MAC", 1,
                    fmt::format("a multiply-accumulate of {}, padding included", dtype_name(dtype))});
  }
  for (const std::string& name : arithmetic_dtype_names()) {
    rows.push_back({Part::math, "element_" + name, "element", "element", 1,
                    fmt::format("an element of {} in one pass of PE_MATH", name)});
  }
  return rows;
}

}  // namespace

const DisplayText& word_of(Part part) {
  static constexpr std::array<DisplayText, kParts> kWords{{
      {"hbm", "HBM", "HBM stacks: rows, columns, refresh and their interface.", "", "#35a7a0"},
      {"routers", "routers", "Routers of cubes and IO chiplets.", "", "#6b7aa1"},
      {"wires", "wires on die", "Wires between routers, and from routers to PEs.", "", "#8c93a8"},
      {"ucie", "UCIe", "UCIe links between cubes, and to IO chiplets.", "", "#9a5fb5"},
      {"pcie", "PCIe", "PCIe links, endpoints and switch.", "", "#b58a5f"},
      {"sram", "SRAM", "SRAM of the cubes.", "", "#4f9d5d"},
      {"tcm", "TCM", "TCM of the PEs.", "", "#1f5f9a"},
      {"gemm", "MAC arrays", "PE_GEMM: multiply-accumulates.", "", "#d9822b"},
      {"math", "MATH", "PE_MATH: elements and passes.", "", "#c2504d"},
      {"control", "control", "CPUs, schedulers, translation: static power only.", "", "#777777"},
  }};
  return kWords[static_cast<std::size_t>(part)];
}

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (std::size_t part = 0; part < kParts; ++part) names.emplace_back(word_of(static_cast<Part>(part)).name);
  return names;
}

const std::vector<EventRow>& events() {
  static const std::vector<EventRow> rows = make_events();
  return rows;
}

std::vector<EventId> events_of(Part part) {
  std::vector<EventId> ids;
  for (EventId id = 0; id < events().size(); ++id) {
    if (events()[id].part == part) ids.push_back(id);
  }
  return ids;
}

EventId find(Part part, std::string_view name) {
  for (EventId id = 0; id < events().size(); ++id) {
    if (events()[id].part == part && events()[id].name == name) return id;
  }
  throw Error::model(fmt::format("there is no event '{}' of {}", name, word_of(part).name));
}
EventId mac_of(Dtype dtype) {
  return find(Part::gemm, fmt::format("mac_{}", dtype_name(dtype)));
}
EventId element_of(Dtype dtype) {
  return find(Part::math, fmt::format("element_{}", dtype_name(dtype)));
}

}  // namespace kb::energy
