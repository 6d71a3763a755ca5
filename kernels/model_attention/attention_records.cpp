#include "kernels/model_attention/attention_records.h"

#include <algorithm>

namespace kb::kernels {

using tl::TensorHandle;

std::vector<AttentionRecords::HeadColumns> AttentionRecords::heads_of(const Place& place) const {
  std::vector<HeadColumns> out;
  const std::int64_t first = record_.first_column(place.group, place.cube);
  const std::int64_t end = first + record_.columns(place.group, place.cube);
  for (std::int64_t column = first; column < end;) {
    const std::int64_t head = column / d_, count = std::min(end, (head + 1) * d_) - column;
    out.push_back({head, column - head * d_, count});
    column += count;
  }
  return out;
}

void AttentionRecords::append_padding(const Place& place, std::vector<TensorHandle>& parts) {
  const std::int64_t numbers = record_.columns(place.group, place.cube) + 2 * record_.heads(place.group, place.cube);
  const std::int64_t rest = record_.size() - numbers;
  if (rest > 0) parts.push_back(tl_.zeros({rest}, Dtype::f32));
}

TensorHandle AttentionRecords::joined(const std::vector<TensorHandle>& parts, std::int64_t count) {
  return tl_.view(tl_.concat(parts), 0, {count, record_.size()});
}

void AttentionRecords::append(std::int64_t group, const std::vector<OnlineSoftmax>& kv_heads,
                              const std::vector<std::int64_t>& cubes, std::vector<TensorHandle>& parts) {
  const std::int64_t rows = kv_heads.front().maximum().size(0);  // query heads of a K/V head
  const std::int64_t before = group * static_cast<std::int64_t>(kv_heads.size());
  const auto of_head = [&](std::int64_t head) -> const OnlineSoftmax& {
    return kv_heads[static_cast<std::size_t>(head / rows - before)];
  };
  for (const std::int64_t cube : cubes) {
    const std::vector<HeadColumns> heads = heads_of({group, cube});
    for (const HeadColumns& its : heads) {
      parts.push_back(tl_.view(of_head(its.head).output(), its.head % rows * d_ + its.first, {its.count}));
    }
    for (const HeadColumns& its : heads) parts.push_back(tl_.view(of_head(its.head).maximum(), its.head % rows, {1}));
    for (const HeadColumns& its : heads) parts.push_back(tl_.view(of_head(its.head).sum(), its.head % rows, {1}));
    append_padding({group, cube}, parts);
  }
}

TensorHandle AttentionRecords::pack_empty(std::int64_t group, const std::vector<std::int64_t>& cubes) {
  std::vector<TensorHandle> parts;
  for (const std::int64_t cube : cubes) {
    parts.push_back(tl_.zeros({record_.columns(group, cube)}, Dtype::f32));
    parts.push_back(tl_.full({record_.heads(group, cube)}, OnlineSoftmax::kMaximumOfNone, Dtype::f32));
    parts.push_back(tl_.zeros({record_.heads(group, cube)}, Dtype::f32));
    append_padding({group, cube}, parts);
  }
  return joined(parts, static_cast<std::int64_t>(cubes.size()));
}

TensorHandle AttentionRecords::merged(const TensorHandle& parts, const Place& place, bool last) {
  const std::int64_t n = parts.size(1), columns = record_.columns(place.group, place.cube);
  const std::int64_t heads = record_.heads(place.group, place.cube);
  const TensorHandle maxima = tl_.view(parts, columns * n, {heads, n});
  const TensorHandle sums = tl_.view(parts, (columns + heads) * n, {heads, n});
  const TensorHandle top = tl_.max(maxima, 1);
  const TensorHandle factors = tl_.exp((maxima - top) * scale_);
  const TensorHandle sum = tl_.sum(sums * factors, 1);
  std::vector<TensorHandle> out;
  std::int64_t head = 0, column = 0;
  for (const HeadColumns& its : heads_of(place)) {
    const TensorHandle values = tl_.view(parts, column * n, {its.count, n});
    TensorHandle own = tl_.sum(values * tl_.view(factors, head * n, {1, n}), 1);
    if (last) own = own / tl_.view(sum, head, {1, 1});
    out.push_back(tl_.view(own, 0, {its.count}));
    column += its.count;
    ++head;
  }
  if (!last) {
    out.push_back(tl_.view(top, 0, {heads}));
    out.push_back(tl_.view(sum, 0, {heads}));
    append_padding(place, out);
  }
  return out.size() == 1 ? out.front() : tl_.concat(out);
}

}  // namespace kb::kernels
