// What the workloads share: the dtype parameter, headline figures, verification.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/data/running_error.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// m, k and n of C (m, n) = A (m, k) x B (k, n).
std::vector<Parameter> gemm_size_parameters();
// All of a tensor in the HBM slice of PE 0 of cube 0, and a launch on that PE.
DPPolicy one_pe_placement();
LaunchOptions on_one_pe();
// Parameter `memory`: what the tensors lie in, one kind for all or one for each of them, in their order.
Parameter memory_parameter(const std::vector<std::string>& tensors);
// One kind per tensor. Program Error SCHEMA_ERROR naming the tensors and the nearest kind.
std::vector<MemoryKind> memories_of(const Params& params, const std::vector<std::string>& tensors);
// Parameter `weights`: what the weights of a model lie in.
Parameter weights_parameter();
MemoryKind weights_of(const Params& params);
Parameter dtype_parameter(const std::string& default_value = "f16");

// Adds critical path and end-to-end time of a launch; `prefix` is put before the names when it is not empty.
void add_launch_figures(WorkloadResult& result, const LaunchMetrics& metrics, const std::string& prefix = "");
// amount / time: with amounts in bytes GB/s, with amounts in floating-point operations GFLOP/s. Adds no figure when
// time is 0.
void add_rate(WorkloadResult& result, const std::string& name, double amount, TimeFs time, const std::string& unit,
              const std::string& meaning = "");
// "computing" and "loading": service time of the engines, and how long the channels of PE_DMA were in use, as parts of
// the critical path.
void add_engine_shares(WorkloadResult& result, const LaunchMetrics& metrics);
// PEs that ran the kernels.
void add_pe_count(WorkloadResult& result, std::size_t pes);

// Verdicts on a tensor, functions of its contents alone.

// Every element equals the expected one.
data::VerificationRow exact_row(const std::string& tensor, const HostArray& actual, const HostArray& expected);
// Integers equal, in the low bits that the dtype keeps.
data::VerificationRow integers_row(const std::string& tensor, const HostArray& actual,
                                   const std::vector<std::int64_t>& expected);
// Floats: within the bound of what is expected before the last rounding; `roundings` says where errors come from.
data::VerificationRow bounded_row(const std::string& tensor, const HostArray& actual, data::BoundedMatrix expected,
                                  std::vector<std::string> roundings);
// Floats that saw `roundings` roundings to their dtype, see verify_values().
data::VerificationRow values_row(const std::string& tensor, const HostArray& actual,
                                 const std::vector<double>& expected, double roundings,
                                 const std::vector<double>& magnitudes = {});
// C = A x B. Floats are added in f32 with up to `acc_roundings` roundings and rounded once to the dtype.
data::VerificationRow gemm_row(const std::string& tensor, const HostArray& a, const HostArray& b, const HostArray& c,
                               double acc_roundings);
// C = A + B, one rounding.
data::VerificationRow sum_row(const std::string& tensor, const HostArray& a, const HostArray& b, const HostArray& c);
// The array, a float matrix or one line, without errors.
data::BoundedMatrix exact_values(const HostArray& array);
// "sums of 512 products in f32: gamma_512 sum|terms| (Higham 3.1)"
std::string product_rounding(const std::string& what, double roundings);

// All of these compare when the run computes data, else leave a note (once).

// False, with the note, when the run computes no data.
bool can_verify(const Runtime& runtime, WorkloadResult& result);

void verify_exact(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& actual,
                  const HostArray& expected);

// Floats that saw `roundings` roundings to their dtype: |actual - expected| <= roundings * u * |magnitude| and one
// rounding more, u being half a unit in the last place of 1. `magnitudes`: per element the sum of the absolute values
// that were added up; empty = |expected|, right for products and functions, too tight for sums whose terms cancel.
// DTYPE_ERROR for integers. NaNs and infinities of `expected` are compared as such.
void verify_values(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& actual,
                   const std::vector<double>& expected, double roundings, const std::vector<double>& magnitudes = {});

// Verifies what gemm_row() compares.
void verify_gemm(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& a,
                 const HostArray& b, const HostArray& c, double acc_roundings);
// Verifies what integers_row() compares.
void verify_integers(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& actual,
                     const std::vector<std::int64_t>& expected);
// Verifies what sum_row() compares.
void verify_sum(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& a,
                const HostArray& b, const HostArray& c);

}  // namespace kb::sw
