// Faults that are injected into the results of verified workloads, and the drawing of problems.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/data/element.h"
#include "platform/data/verification.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/contents.h"

namespace kb::mutation {

enum class Fault : std::uint8_t {
  lost_term,          // one element of a sum over K is not added
  no_epilogue,        // the bias, or what follows the sum, is omitted
  swapped_rows,       // two rows of the result
  stale_accumulator,  // a tile's sums begin with those of another one
  shard_twice,        // a shard of the result lies in the place of the next one too
  wrong_scale,        // a factor is twice or half of what it must be
  last_tile,          // is not stored: the memory has zeros
  flipped_bit,        // the highest bit of a mantissa
};
constexpr Fault kFaults[] = {Fault::lost_term,   Fault::no_epilogue, Fault::swapped_rows, Fault::stale_accumulator,
                             Fault::shard_twice, Fault::wrong_scale, Fault::last_tile,    Fault::flipped_bit};
const char* name_of(Fault fault);

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t bits() { return data::random_bits(seed_, next_++); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  template <typename T>
  T one_of(const std::vector<T>& values) {
    return values[bits() % values.size()];
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

// One drawn problem.
struct Trial {
  std::string text;
  // Computes the result with a fault at a place chosen by `random`, or the right result without a fault. Returns no
  // value for a fault of the stored result, which damaged() makes from the right one.
  std::function<std::optional<sw::HostArray>(std::optional<Fault> fault, Random& random)> compute;
  std::function<data::VerificationRow(const sw::HostArray& actual)> verdict;
  // Operands of `compute` and `verdict`; tests write NaNs and infinities into the float ones.
  std::vector<sw::HostArray*> operands;
};

struct Workload {
  std::string name;  // name of the workload and its variant
  std::function<Trial(Random& random, sw::Contents contents)> draw;
  std::map<Fault, std::string> not_applicable;  // with the reason
  // A later step, such as relu, can hide a fault of one element; then faults are chosen that change the result.
  bool masks = false;
  bool integers = false;  // only integers: there are no NaNs and infinities
};
const std::vector<Workload>& workloads();

// True for faults of the stored result, which damaged() makes.
bool of_memory(std::optional<Fault> fault);

// Parts of the table.
std::vector<Workload> product_workloads();
std::vector<Workload> row_workloads();
std::vector<Workload> worked_kernel_workloads();
std::vector<Workload> paged_workloads();
std::vector<Workload> routing_workloads();
std::vector<Workload> attention_workloads();
std::vector<Workload> layer_workloads();
std::vector<Workload> collective_workloads();
std::vector<Workload> move_workloads();
std::vector<Workload> verify_functions();  // called by users' workloads

// Returns the stored result with a fault.
sw::HostArray damaged(const sw::HostArray& right, Fault fault, Random& random);

// Matrices, computed sequentially and without tiles.
struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<float> values;
  float& at(std::size_t row, std::size_t col) { return values[row * cols + col]; }
  float at(std::size_t row, std::size_t col) const { return values[row * cols + col]; }
};
Matrix matrix_of(const sw::HostArray& array);
sw::HostArray stored(const Matrix& matrix, Dtype dtype);
// Rounds to the dtype, like a store and a load.
Matrix rounded(const Matrix& matrix, Dtype dtype);

// The larger value; NaN when one of them is NaN.
float larger(float x, float y);

Matrix part_of_rows(const Matrix& from, std::size_t first, std::size_t count);
Matrix part_of_columns(const Matrix& from, std::size_t first, std::size_t count);

// Sums in f32 over ascending K. With `lost`, one nonzero term of one element is omitted; with `stale`, every sum begins
// with 1 plus the absolute value of another sum.
struct ProductFault {
  bool lost = false, stale = false;
};
Matrix product(const Matrix& a, const Matrix& b, ProductFault fault, Random& random);

}  // namespace kb::mutation
