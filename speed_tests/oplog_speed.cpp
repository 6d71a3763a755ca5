// Speed of the operation log: oplog_speed FILE ROWS. The file's name chooses the format. Prints tab-separated figures:
// rows per CPU second up to the finished file, and how much memory grew while rows were written.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "platform/base/error.h"
#include "platform/data/op_log_file.h"

namespace kb {
namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

long peak_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long value = 0;
    if (word == "VmHWM:" && status >> value) return value;
  }
  return 0;
}

OperandRef tile(std::uint64_t pa, Shape shape) {
  OperandRef operand = OperandRef::tensor({}, std::move(shape), Dtype::f16, false);
  operand.extents = {{pa, operand.nbytes()}};
  return operand;
}

// Three reads, a product and a write, as a tiled kernel reports them, on 256 engines.
data::OpRecord record(std::uint64_t i) {
  const TimeFs start = i * 7'123'457_fs;
  const std::uint64_t hbm = 0x2000000000 + i % 100'000 * 4096, tcm = 0x2480000000 + i % 16 * 4096;
  data::OpRecord out{i, start, start + 29_ns, NodeId(static_cast<std::uint32_t>(i % 256)), {}};
  switch (i % 5) {
    case 3:
      out.op = data::GemmOp{tile(tcm, {32, 64}), tile(tcm + 4096, {64, 32}), tile(tcm + 8192, {32, 32}), Dtype::f32};
      return out;
    case 4:
      out.op = data::CopyOp{data::CopyName::dma_write, {{tcm, 2048}}, {{hbm, 2048}}};
      return out;
    default:
      out.op = data::CopyOp{data::CopyName::dma_read, {{hbm, 4096}}, {{tcm, 4096}}};
      return out;
  }
}

void measure(const std::string& file, std::uint64_t rows) {
  data::OpLog::Options options;
  for (std::uint32_t i = 0; i < 256; ++i) {
    const NodeCoord pe{SipId(0), "", CubeId(i), PeId(0)};
    options.nodes.push_back({part_name(pe) + ".pe_dma", "pe_dma", "pe_dma", pe});
  }
  options.space = [](std::uint64_t pa) -> std::string_view { return pa < 0x2400000000 ? "hbm" : "tcm"; };
  constexpr std::uint64_t kRecords = 1000;
  std::vector<data::OpRecord> records;
  for (std::uint64_t i = 0; i < kRecords; ++i) records.push_back(record(i));

  observe::OutputFile output(file, "the operation log", data::op_log_target(file));
  const auto log = data::open_op_log(output, std::move(options));
  const double begin = cpu_seconds();
  long before = 0;
  for (std::uint64_t i = 0; i < rows; ++i) {
    if (i == rows / 10) before = peak_kb();
    data::OpRecord& op = records[i % kRecords];
    op.id = i;
    op.start = i * 7'123'457_fs;
    op.end = op.start + 29_ns;
    log->record(i, op);
  }
  const double written = cpu_seconds();
  const long after = peak_kb();
  log->finish();
  output.commit();
  const double end = cpu_seconds();
  std::printf("rows_per_cpu_s\t%.0f\nwriting_rows_per_cpu_s\t%.0f\n", static_cast<double>(rows) / (end - begin),
              static_cast<double>(rows) / (written - begin));
  std::printf("growth_mb\t%.1f\npeak_mb\t%.1f\n", static_cast<double>(after - before) / 1e3,
              static_cast<double>(peak_kb()) / 1e3);
}

}  // namespace
}  // namespace kb

int main(int argc, char** argv) {
  const unsigned long long rows = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (rows < 10) {
    std::fprintf(stderr, "usage: oplog_speed FILE ROWS; FILE ending in .sqlite is a database, ROWS at least 10\n");
    return 2;
  }
  try {
    kb::measure(argv[1], rows);
  } catch (const kb::Error& error) {
    std::fprintf(stderr, "oplog_speed: %s\n", error.what());
    return kb::exit_code(error.family());
  }
  return 0;
}
