// What the benches share: the dtype parameter, headline figures, verification.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/benches/bench.h"

namespace kb::sw {

// m, k and n of C (m, n) = A (m, k) x B (k, n).
std::vector<Parameter> gemm_size_parameters();
// All of a tensor in the HBM slice of PE 0 of cube 0, and a launch on that PE.
DPPolicy one_pe_placement();
LaunchOptions on_one_pe();
Parameter dtype_parameter(const std::string& default_value = "f16");

// Adds critical path and end-to-end time of a launch; `prefix` is put before the names when it is not empty.
void add_launch_figures(BenchResult& result, const LaunchMetrics& metrics, const std::string& prefix = "");
// amount / time: with amounts in bytes GB/s, with amounts in floating-point operations GFLOP/s. Nothing when time is 0.
void add_rate(BenchResult& result, const std::string& name, double amount, TimeFs time, const std::string& unit,
              const std::string& meaning = "");
// PEs that ran the kernels.
void add_pe_count(BenchResult& result, std::size_t pes);

// All of these compare when the run computes data, else leave a note (once).

// Every element equals the expected one.
void verify_exact(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                  const HostArray& expected);

// Floats that saw `roundings` roundings to their dtype: |actual - expected| <= (roundings + 1) * u * |magnitude|, u
// being half a unit in the last place of 1. `magnitudes`: per element the sum of the absolute values that were added
// up; empty = |expected|, right for products and functions, too tight for sums whose terms cancel. DTYPE_ERROR for
// integers.
void verify_values(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                   const std::vector<double>& expected, double roundings, const std::vector<double>& magnitudes = {});

// C = A x B against a reference product, floats within the error bound of `acc_roundings` f32 roundings and one to the
// dtype, integers exactly.
void verify_gemm(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& a,
                 const HostArray& b, const HostArray& c, double acc_roundings);
// Integers equal, in the low bits that the dtype keeps.
void verify_integers(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                     const std::vector<std::int64_t>& expected);
// Sums in f32 that saw `acc_roundings` roundings and one to the dtype; `magnitudes` as in verify_values.
void verify_sums(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                 const std::vector<double>& expected, const std::vector<double>& magnitudes, double acc_roundings);
// C = A + B: one rounding.
void verify_sum(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& a,
                const HostArray& b, const HostArray& c);

}  // namespace kb::sw
