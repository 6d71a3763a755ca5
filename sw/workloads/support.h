// Common helpers of the workloads: the dtype parameter, headline figures, verification.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/data/running_error.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// m, k and n of C (m, n) = A (m, k) x B (k, n).
std::vector<Parameter> gemm_size_parameters();
// Placement of a whole tensor in the HBM slice of PE 0 of cube 0, and a launch on that PE.
DPPolicy one_pe_placement();
LaunchOptions on_one_pe();
// Parameter `memory`: memory of the tensors, one kind for all or one per tensor, in order.
Parameter memory_parameter(const std::vector<std::string>& tensors);
// One kind per tensor. Program Error SCHEMA_ERROR with the tensors and the nearest kind.
std::vector<MemoryKind> memories_of(const Params& params, const std::vector<std::string>& tensors);
// Parameter `weights`: memory of the weights of a model.
Parameter weights_parameter();
MemoryKind weights_of(const Params& params);
Parameter dtype_parameter(const std::string& default_value = "f16");

// Adds critical path and end-to-end time of a launch; a non-empty `prefix` precedes the names.
void add_launch_figures(WorkloadResult& result, const LaunchMetrics& metrics, const std::string& prefix = "");
// Adds amount / time: GB/s for amounts in bytes, GFLOP/s for floating-point operations. No figure when time is 0.
void add_rate(WorkloadResult& result, const std::string& name, double amount, TimeFs time, const std::string& unit,
              const std::string& meaning = "");
// Adds "computing" and "loading": service time of the engines, and time in which the channels of PE_DMA were in use, as
// fractions of the critical path.
void add_engine_shares(WorkloadResult& result, const LaunchMetrics& metrics);
// Adds the number of PEs that ran the kernels.
void add_pe_count(WorkloadResult& result, std::size_t pes);

// Verification of tensors; the results depend only on the contents.

// All elements must equal the expected ones.
data::VerificationRow exact_row(const std::string& tensor, const HostArray& actual, const HostArray& expected);
// Integers must be equal in the low bits that the dtype stores.
data::VerificationRow integers_row(const std::string& tensor, const HostArray& actual,
                                   const std::vector<std::int64_t>& expected);
// Floats must be within the bound of the expected value before the last rounding; `roundings` describes the sources of
// errors.
data::VerificationRow bounded_row(const std::string& tensor, const HostArray& actual, data::BoundedMatrix expected,
                                  std::vector<std::string> roundings);
// Floats with up to `roundings` roundings to their dtype, see verify_values().
data::VerificationRow values_row(const std::string& tensor, const HostArray& actual,
                                 const std::vector<double>& expected, double roundings,
                                 const std::vector<double>& magnitudes = {});
// C = A x B. Floats are added in f32 with up to `acc_roundings` roundings and rounded once to the dtype.
data::VerificationRow gemm_row(const std::string& tensor, const HostArray& a, const HostArray& b, const HostArray& c,
                               double acc_roundings);
// C = A + B, one rounding.
data::VerificationRow sum_row(const std::string& tensor, const HostArray& a, const HostArray& b, const HostArray& c);
// The array as a float matrix or a single row, without errors.
data::BoundedMatrix exact_values(const HostArray& array);
// "sums of 512 products in f32: gamma_512 sum|terms| (Higham 3.1)"
std::string product_rounding(const std::string& what, double roundings);

// The following functions compare when the run computes data; otherwise they add a note once.

// False when the run computes no data; adds the note.
bool can_verify(const Runtime& runtime, WorkloadResult& result);

void verify_exact(Runtime& runtime, WorkloadResult& result, const std::string& tensor, const HostArray& actual,
                  const HostArray& expected);

// Verifies floats with up to `roundings` roundings to their dtype: |actual - expected| <= roundings * u * |magnitude|
// plus one rounding, where u is half a unit in the last place of 1. `magnitudes`: per element, the sum of the absolute
// values of the terms; empty = |expected|, which is right for products and functions but too small for sums with
// cancellation. DTYPE_ERROR for integers. NaNs and infinities of `expected` must match.
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
