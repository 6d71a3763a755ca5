#include "sw/parallel/embedding.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "sw/parallel/host_parts.h"
#include "sw/parallel/layouts.h"
#include "sw/parallel/regions.h"

namespace kb::sw {
namespace {

void require_ids(const std::string& name, const HostArray& ids, std::int64_t tokens) {
  if (ids.shape()[0] != 1) {
    throw Error::program("SHAPE_ERROR", fmt::format("{}: ids are (1, m), not {}", name, format_shape(ids.shape())));
  }
  if (ids.dtype() != Dtype::i32 && ids.dtype() != Dtype::i64) {
    throw Error::program("DTYPE_ERROR", fmt::format("{}: ids are i32 or i64, not {}", name, dtype_name(ids.dtype())));
  }
  if (ids.placeholder()) return;
  const std::vector<std::int64_t> values = ids.to_integers();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0 && values[i] < tokens) continue;
    throw Error::program("VALUE_ERROR",
                         fmt::format("{}: id {} at position {} is not a row of the table, which has rows 0 "
                                     "to {}",
                                     name, values[i], i, tokens - 1));
  }
}

}  // namespace

VocabParallelEmbedding::VocabParallelEmbedding(ModelParallel& mp, std::int64_t tokens, std::int64_t width,
                                               const EmbeddingOptions& options)
    : mp_(mp), tokens_(tokens), width_(width), options_(options) {
  mp.require_device(options.name);
  Runtime& rt = mp.runtime();
  table_ = rt.zeros({mp.share(tokens, options.name + ": rows of the table"), width}, options.dtype,
                    split_columns(rt.machine(), width), options.name + ".table");
  if (!options.seed) return;
  load(rt.computes_data() ? HostArray::random({tokens, width}, options.dtype, *options.seed)
                          : HostArray::unknown({tokens, width}, options.dtype));
}

Tensor VocabParallelEmbedding::deployed(const Tensor& ids) const {
  if (!ids.valid()) throw Error::program("TENSOR_ERROR", options_.name + " needs a tensor of ids");
  if (ids.deployed()) mp_.require_tensor(options_.name, ids, ids.dtype());
  const HostArray values = ids.to_host();
  require_ids(options_.name, values, tokens_);
  if (ids.deployed()) return with_whole_rows(mp_, ids, options_.name);
  Runtime& rt = mp_.runtime();
  const Tensor sent = rt.empty(values.shape(), values.dtype(), copy_per_cube(rt.machine(), 1), options_.name + ".ids");
  sent.copy_(values);
  return sent;
}

Tensor VocabParallelEmbedding::forward(const Tensor& ids) const {
  mp_.require_device(options_.name);
  const Tensor wanted = deployed(ids);
  Runtime& rt = mp_.runtime();
  const Tensor out =
      rt.empty({wanted.shape()[1], width_}, options_.dtype, split_columns(rt.machine(), width_), options_.name);
  mp_.run(options_.name + ": rows by id", StepKind::product, "embedding",
          {{"ids", wanted}, {"table", table_}, {"out", out}, {"first", mp_.rank() * (tokens_ / mp_.size())}});
  return reduce_from_region(mp_, out, options_.name);
}

void VocabParallelEmbedding::load(const HostArray& table) const {
  require_array(options_.name + ": its table", table, {tokens_, width_}, options_.dtype);
  const std::int64_t own = tokens_ / mp_.size();
  table_.copy_(rows_of(table, mp_.rank() * own, own));
}

}  // namespace kb::sw
