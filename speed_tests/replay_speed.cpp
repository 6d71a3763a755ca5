// Speed of replayed products beside Eigen's own: each iteration computes one GEMM through the executor (read from the
// memory store, widen, multiply, round, write back) and the bare f32 product of the same shape with the same flags and
// blocking, by turns, so that what else runs on the host meets both. `ratio` = bare CPU time / replay CPU time.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <ctime>
#include <string>
#include <vector>

#include "platform/data/element.h"
#include "platform/data/executor.h"
#include "platform/data/memory_store.h"

namespace kb {
namespace {

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

OperandRef matrix(data::MemoryStore& memory, std::uint64_t pa, std::int64_t rows, std::int64_t cols, Dtype dtype) {
  OperandRef operand = OperandRef::tensor({}, {rows, cols}, dtype, false);
  operand.extents = {{pa, operand.nbytes()}};
  const std::vector<std::byte> bytes =
      data::from_doubles(dtype, data::random_small_integers(pa, static_cast<std::size_t>(rows * cols)));
  memory.scatter(operand.extents, bytes.data());
  return operand;
}

void replay(benchmark::State& state, Dtype dtype) {
  const std::int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  data::MemoryStore memory;
  data::Executor executor(memory);
  const Dtype acc = is_float(dtype) ? Dtype::f32 : Dtype::i32;
  data::OpRecord record;
  record.op = data::GemmOp{matrix(memory, 0, m, k, dtype), matrix(memory, 1ull << 32, k, n, dtype),
                           matrix(memory, 2ull << 32, m, n, is_float(dtype) ? dtype : acc), acc};
  executor.execute(record);  // fixes Eigen's blocking for the whole program

  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix a = Matrix::Random(m, k), b = Matrix::Random(k, n);
  Matrix c(m, n);
  double replayed = 0, bare = 0;
  for (auto _ : state) {
    const double begin = cpu_seconds();
    executor.execute(record);
    const double middle = cpu_seconds();
    c.noalias() = a * b;
    benchmark::DoNotOptimize(c.data());
    bare += cpu_seconds() - middle;
    replayed += middle - begin;
    state.SetIterationTime(middle - begin);
  }
  const double operations = 2e-9 * static_cast<double>(m * k * n) * static_cast<double>(state.iterations());
  state.counters["replay_gflops"] = operations / replayed;
  state.counters["eigen_f32_gflops"] = operations / bare;
  state.counters["ratio"] = bare / replayed;
}

void shapes(benchmark::internal::Benchmark* bench) {
  bench->Args({256, 256, 256})
      ->Args({1024, 1024, 1024})
      ->Args({4096, 1024, 1024})
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(replay, f32, Dtype::f32)->Apply(shapes);
BENCHMARK_CAPTURE(replay, f16, Dtype::f16)->Apply(shapes);
BENCHMARK_CAPTURE(replay, bf16, Dtype::bf16)->Apply(shapes);
BENCHMARK_CAPTURE(replay, i8, Dtype::i8)->Apply(shapes);

}  // namespace
}  // namespace kb

BENCHMARK_MAIN();
