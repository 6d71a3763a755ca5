#include "kernels/attention/query_rows.h"

namespace kb::kernels {

using tl::TensorHandle;

QueryRows::QueryRows(tl::Context& tl, const AttentionMask& sight, const RowPair& rows, const TensorHandle& q)
    : tl_(tl), sight_(sight), rows_(rows), q_(q), softmax_(tl, rows.count(), q.size(1)) {}

void QueryRows::attend(const RowPair& keys, const Source& k, const Source& v) {
  const std::int64_t seen = sight_.seen(rows_, keys);
  if (seen == 0) return;
  const RowPair block = keys.part(0, seen);
  const auto of_block = [&](const TensorHandle& rows) {
    return rows.size(0) == seen ? rows : tl_.view(rows, 0, {seen, rows.size(1)});
  };
  Source mask;
  if (sight_.causal && block[seen - 1] > sight_.token_of(rows_[0])) {
    mask = [&] { return causal_mask(tl_, sight_, rows_, block); };
  }
  softmax_.attend(
      q_, seen, [&] { return of_block(k()); }, [&] { return of_block(v()); }, mask);
}

}  // namespace kb::kernels
