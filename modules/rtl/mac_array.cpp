#include "modules/rtl/mac_array.h"

#include <fmt/format.h>

namespace kb::modules {

namespace {

constexpr std::int64_t kSize = IMacArray::kSize;

std::uint16_t blocks_of(std::int64_t size) {
  return static_cast<std::uint16_t>((size + kSize - 1) / kSize);
}

}  // namespace

MacOperands MacOperands::pattern(std::int64_t m, std::int64_t k, std::int64_t n) {
  std::uint32_t state = 1;
  const auto fill = [&](std::int64_t count) {
    std::vector<std::int8_t> values(static_cast<std::size_t>(count));
    for (std::int8_t& value : values) {
      state = state * 1664525u + 1013904223u;
      value = static_cast<std::int8_t>(state >> 24);
    }
    return values;
  };
  MacOperands operands{m, k, n, {}, {}};
  operands.a = fill(m * k);
  operands.b = fill(k * n);
  return operands;
}

MacOperands MacOperands::part(std::int64_t row, std::int64_t depth, std::int64_t column, std::int64_t rows,
                              std::int64_t depths, std::int64_t columns) const {
  MacOperands out{rows, depths, columns, {}, {}};
  for (std::int64_t i = row; i < row + rows; ++i) {
    out.a.insert(out.a.end(), a.begin() + i * k + depth, a.begin() + i * k + depth + depths);
  }
  for (std::int64_t i = depth; i < depth + depths; ++i) {
    out.b.insert(out.b.end(), b.begin() + i * n + column, b.begin() + i * n + column + columns);
  }
  return out;
}

std::int32_t MacOperands::sum(std::int64_t row, std::int64_t column) const {
  std::uint32_t total = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    total += static_cast<std::uint32_t>(a[static_cast<std::size_t>(row * k + i)] *
                                        b[static_cast<std::size_t>(i * n + column)]);
  }
  return static_cast<std::int32_t>(total);
}

MacArrayRunner::MacArrayRunner(const RtlMaker<IMacArray>& make, std::int64_t hang_cycles)
    : copies_{make(RtlFill::zeros), make(RtlFill::ones)}, hang_cycles_(hang_cycles) {}

std::int64_t MacArrayRunner::run(const MacOperands& operands, bool verify) {
  begin(operands);
  const std::int64_t start = cycle_;
  while (out_.busy) advance(operands, verify);
  return cycle_ - start;
}

void MacArrayRunner::begin(const MacOperands& operands) {
  reset();
  in_.start = true;
  in_.m_blocks = blocks_of(operands.m);
  in_.n_blocks = blocks_of(operands.n);
  in_.k = static_cast<std::uint16_t>(operands.k);
  clock();
  if (!out_.busy) fail(RtlFault::wrong, "busy is 0 after the edge that takes start");
  silent_ = 0;
}

void MacArrayRunner::advance(const MacOperands& operands, bool verify) {
  if (silent_ > hang_cycles_ + operands.k) {
    fail(RtlFault::hang, fmt::format("busy is 1 and no sum has come for {} cycles (hang_cycles + k)", silent_ - 1));
  }
  if (out_.out_valid) {
    silent_ = 0;
    if (verify) check_row(operands);
  }
  in_ = {};
  feed(operands);
  clock();
  ++silent_;
}

void MacArrayRunner::reset() {
  cycle_ = 0;
  in_ = {};
  in_.reset = true;
  for (auto& copy : copies_) copy->clock(in_), copy->clock(in_);
  in_.reset = false;
}

void MacArrayRunner::clock() {
  out_ = copies_[0]->clock(in_);
  other_ = copies_[1]->clock(in_);
  ++cycle_;
  compare();
}

// Compares only outputs whose valid signal is 1.
void MacArrayRunner::compare() const {
  const auto same = [&](const char* signal, const auto& one, const auto& other) {
    if (one == other) return;
    fail(RtlFault::unknown, fmt::format("{} depends on a register that was never written (X)", signal));
  };
  same("busy", out_.busy, other_.busy);
  same("in_ready", out_.in_ready, other_.in_ready);
  same("out_valid", out_.out_valid, other_.out_valid);
  if (out_.in_ready || out_.out_valid) {
    same("block_m", out_.block_m, other_.block_m);
    same("block_n", out_.block_n, other_.block_n);
  }
  if (out_.in_ready) {
    same("step", out_.step, other_.step);
    same("skewed", out_.skewed, other_.skewed);
  }
  if (out_.out_valid) {
    same("out_row", out_.out_row, other_.out_row);
    same("sums", out_.sums, other_.sums);
  }
}

void MacArrayRunner::feed(const MacOperands& operands) {
  if (!out_.in_ready) return;
  for (std::int64_t i = 0; i < kSize; ++i) {
    const std::int64_t depth = static_cast<std::int64_t>(out_.step) - (out_.skewed ? i : 0);
    if (depth < 0 || depth >= operands.k) continue;
    const std::int64_t row = out_.block_m * kSize + i, column = out_.block_n * kSize + i;
    const auto at = static_cast<std::size_t>(i);
    if (row < operands.m) in_.a[at] = operands.a[static_cast<std::size_t>(row * operands.k + depth)];
    if (column < operands.n) in_.b[at] = operands.b[static_cast<std::size_t>(depth * operands.n + column)];
  }
}

void MacArrayRunner::check_row(const MacOperands& operands) const {
  const std::int64_t row = out_.block_m * kSize + out_.out_row;
  for (std::int64_t j = 0; j < kSize && row < operands.m; ++j) {
    const std::int64_t column = out_.block_n * kSize + j;
    if (column >= operands.n) break;
    const std::int32_t sum = out_.sums[static_cast<std::size_t>(j)], wanted = operands.sum(row, column);
    if (sum == wanted) continue;
    fail(RtlFault::wrong, fmt::format("sums of row {}, column {} of a product of {} x {} x {} is {}, not {}", row,
                                      column, operands.m, operands.k, operands.n, sum, wanted));
  }
}

void MacArrayRunner::fail(RtlFault fault, const std::string& what) const {
  throw rtl_error(fault, fmt::format("in cycle {} after its reset {}", cycle_, what));
}

}  // namespace kb::modules
