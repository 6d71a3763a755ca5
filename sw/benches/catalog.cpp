#include "sw/benches/bench.h"
#include "sw/benches/copy.h"
#include "sw/benches/gemm.h"
#include "sw/benches/matmul_composite.h"
#include "sw/benches/probe.h"
#include "sw/benches/vector_add.h"

namespace kb::sw {

std::vector<Bench> builtin_benches() {
  return {
      copy_bench(), gemm_multi_pe_bench(), gemm_single_pe_bench(), matmul_composite_bench(),
      noop_bench(), stream_bench(),        vector_add_bench(),
  };
}

}  // namespace kb::sw
