#include "kernels/model_attention/chunk_rows.h"

#include <fmt/format.h>

#include "kernels/tl/tl.h"

namespace kb::kernels {

std::vector<contract::ChunkSequence> read_chunks(tl::Context& tl, tl::Ptr sequences, std::int64_t rows) {
  tl.require_matrices({sequences});
  tl.require(sequences.shape()[1] == 4 && sequences.dtype() == Dtype::i32 && sequences.row_major(),
             fmt::format("{} must be (sequences, 4) of i32, whole or split by rows", shape_text(sequences)));
  const std::vector<std::int64_t> list = tl.load(sequences, {sequences.shape()[0] * 4}).read<std::int64_t>();
  std::vector<contract::ChunkSequence> out;
  for (std::size_t i = 0; i < list.size(); i += 4) {
    out.push_back({list[i], list[i + 1], list[i + 2]});
    const contract::ChunkSequence& its = out.back();
    tl.require(its.first_row >= 0 && its.tokens >= 1 && its.first_row + its.tokens <= rows,
               fmt::format("sequence {}: {} tokens from row {} on are not some of {} rows", i / 4, its.tokens,
                           its.first_row, rows));
  }
  return out;
}

}  // namespace kb::kernels
