// Workloads that move contents without computing.
#include <fmt/format.h>

#include <memory>

#include "sw/workloads/support.h"
#include "sw/workloads/va_offset.h"
#include "tests/unit/mutation/mutation.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;

const std::map<Fault, std::string> kMoves{{Fault::lost_term, "nothing is added up"},
                                          {Fault::no_epilogue, "nothing follows the copy"},
                                          {Fault::stale_accumulator, "there is no accumulator"},
                                          {Fault::wrong_scale, "there is no factor"}};

// `expected` of the contents is what must lie in the destination.
Workload moved(const std::string& name, std::vector<Dtype> dtypes, HostArray (*expected)(const HostArray&)) {
  return {name,
          [dtypes, expected](Random& random, Contents contents) {
            const Dtype dtype = contents == Contents::real ? Dtype::f32 : random.one_of(dtypes);
            const Shape shape{random.between(4, 12), random.between(16, 64)};
            const auto given = std::make_shared<HostArray>(sw::plain_contents(contents, shape, dtype, random.bits()));
            return Trial{fmt::format("{} {}", dtype_name(dtype), format_shape(shape)),
                         [given, expected](auto fault, Random&) {
                           return fault ? std::nullopt : std::optional<HostArray>(expected(*given));
                         },
                         [given, expected](const HostArray& y) { return sw::exact_row("y", y, expected(*given)); },
                         {given.get()}};
          },
          kMoves};
}

HostArray itself(const HostArray& contents) {
  return contents;
}

HostArray one_row(const HostArray& contents) {
  return HostArray({1, element_count(contents.shape())}, contents.dtype(), contents.bytes());
}

HostArray turned(const HostArray& contents) {
  const std::int64_t elements = contents.shape()[1];
  return sw::rotated(contents, elements + elements / 2 + 1, -(2 * elements + elements / 2));
}

}  // namespace

std::vector<Workload> move_workloads() {
  std::vector<Workload> out{moved("copy", {Dtype::i32}, one_row), moved("pe-to-pe", {Dtype::f16}, one_row),
                            moved("stream", {Dtype::f16, Dtype::f32, Dtype::i8}, itself),
                            moved("va-offset-verify", {Dtype::i32}, turned)};
  for (Workload& workload : out) {
    if (workload.name == "copy" || workload.name == "pe-to-pe") {
      workload.not_applicable.emplace(Fault::swapped_rows, "the block has one row");
    }
  }
  return out;
}

}  // namespace kb::mutation
