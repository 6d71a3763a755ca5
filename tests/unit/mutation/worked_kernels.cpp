// Attention over a long context, a norm fused with a product, rotary position embedding.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "platform/data/math_functions.h"
#include "sw/workloads/flash_attention.h"
#include "sw/workloads/model_linear_reference.h"
#include "sw/workloads/rms_norm_matmul.h"
#include "sw/workloads/rotary_embedding.h"
#include "tests/unit/mutation/mutation.h"
#include "tests/unit/mutation/online_attention.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;

const std::vector<Dtype> kFloats{Dtype::f16, Dtype::bf16, Dtype::f32};

struct LongContext {
  sw::FlashAttention problem;
  std::vector<sw::QueryPiece> pieces;
  HostArray q, k, v;
};

Matrix attend(const LongContext& given, const sw::QueryPiece& piece, AttentionFault fault, Random& random) {
  const sw::FlashAttention& p = given.problem;
  const Matrix k = matrix_of(given.k), v = matrix_of(given.v);
  const Matrix q =
      part_of_rows(matrix_of(given.q), static_cast<std::size_t>(piece.first), static_cast<std::size_t>(piece.count));
  OnlineAttention rows(p.dtype, q.rows, q.cols, fault);
  for (const std::int64_t key : sw::block_order(p, piece)) {
    const auto first = static_cast<std::size_t>(key);
    const auto count = static_cast<std::size_t>(std::min(p.keys, sw::keys_seen(p, piece) - key));
    const auto token = static_cast<std::size_t>(p.first_token + piece.first);
    const auto causal = [&](std::size_t row, std::size_t its) { return first + its <= token + row; };
    std::function<bool(std::size_t, std::size_t)> visible;
    if (p.causal) visible = causal;
    rows.attend(q, part_of_rows(k, first, count), part_of_rows(v, first, count), visible, random);
  }
  return rows.result();
}

std::optional<HostArray> compute(const LongContext& given, std::optional<Fault> fault, Random& random) {
  if (of_memory(fault)) return std::nullopt;
  const std::size_t faulty = random.bits() % given.pieces.size();
  Matrix out{0, static_cast<std::size_t>(given.problem.d), {}};
  for (std::size_t i = 0; i < given.pieces.size(); ++i) {
    AttentionFault its;
    if (i == faulty) its = {fault, random.bits() % static_cast<std::size_t>(given.pieces[i].count), 0};
    const Matrix rows = attend(given, given.pieces[i], its, random);
    out.rows += rows.rows;
    out.values.insert(out.values.end(), rows.values.begin(), rows.values.end());
  }
  return stored(out, given.problem.dtype);
}

Workload flash_attention() {
  Workload out{"flash-attention",
               [](Random& random, Contents contents) {
                 const auto given = std::make_shared<LongContext>();
                 sw::FlashAttention& p = given->problem;
                 p.dtype = random.one_of(kFloats);
                 p.d = random.one_of<std::int64_t>({16, 32, 64});
                 p.queries = random.between(4, 16);
                 p.context = random.between(20, 120);
                 p.rows = random.between(2, 6);
                 p.keys = random.between(8, 40);
                 p.causal = random.between(0, 1) == 1;
                 p.first_token = p.causal ? p.context - p.queries : 0;
                 p.pes = random.between(1, 3);
                 const std::int64_t own = (p.queries + p.pes - 1) / p.pes;
                 for (std::int64_t pe = 0; pe < p.pes; ++pe) {
                   const std::int64_t end = std::min(p.queries, (pe + 1) * own);
                   for (std::int64_t first = pe * own; first < end; first += p.rows) {
                     given->pieces.push_back({first, std::min(p.rows, end - first), pe});
                   }
                 }
                 given->q = p.q(contents, random.bits());
                 given->k = p.k(contents, random.bits());
                 given->v = p.v(contents, random.bits());
                 return Trial{fmt::format("{} d {}, {} of {} queries, {} of {} keys, {} PEs{}", dtype_name(p.dtype),
                                          p.d, p.rows, p.queries, p.keys, p.context, p.pes, p.causal ? ", causal" : ""),
                              [given](auto fault, Random& r) { return compute(*given, fault, r); },
                              [given](const HostArray& o) {
                                return sw::flash_attention_row(given->problem, given->pieces, given->q, given->k,
                                                               given->v, o);
                              },
                              {&given->q, &given->k, &given->v}};
               },
               {}};
  out.masks = true;  // keys with one score have one weight, whatever the scale is
  return out;
}

constexpr float kEps = 1e-5F;

struct FusedNorm {
  HostArray x, g, w;
};

// The fault is in the product or in the sum of the squares of one row.
HostArray compute(const FusedNorm& given, std::optional<Fault> fault, Random& random) {
  const Matrix x = matrix_of(given.x), g = matrix_of(given.g), w = matrix_of(given.w);
  const Dtype dtype = given.x.dtype();
  const bool in_product = random.between(0, 1) == 0;
  const std::size_t faulty = random.bits() % x.rows, lost = random.bits() % x.cols;
  Matrix weighed = x;
  for (std::size_t i = 0; i < x.values.size(); ++i) weighed.values[i] *= g.values[i % x.cols];
  const bool stale = fault == Fault::stale_accumulator;
  Matrix y =
      product(rounded(weighed, dtype), w, {in_product && fault == Fault::lost_term, in_product && stale}, random);
  for (std::size_t row = 0; row < x.rows; ++row) {
    const bool here = row == faulty;
    float squares = 0;
    for (std::size_t i = 0; i < x.cols; ++i) {
      if (here && !in_product && fault == Fault::lost_term && i == lost) continue;
      squares += x.at(row, i) * x.at(row, i);
    }
    if (here && !in_product && stale) squares *= 2;
    const float mean = std::fma(squares, static_cast<float>(1.0 / static_cast<double>(x.cols)), kEps);
    float scale = static_cast<float>(1 / std::sqrt(static_cast<double>(mean)));
    if (here && fault == Fault::wrong_scale) scale *= 2;
    if (here && fault == Fault::no_epilogue) scale = 1;
    for (std::size_t i = 0; i < y.cols; ++i) y.at(row, i) *= scale;
  }
  return stored(y, dtype);
}

Workload rms_norm_matmul() {
  Workload out{"rms-norm-matmul",
               [](Random& random, Contents contents) {
                 const std::int64_t m = random.between(6, 20), k = random.between(4, 160), n = random.between(12, 24);
                 const sw::RmsNormMatmul operands{contents, k, random.one_of(kFloats)};
                 const auto given = std::make_shared<FusedNorm>(
                     FusedNorm{operands.x(m, random.bits()), operands.g(random.bits()), operands.w(n, random.bits())});
                 return Trial{fmt::format("{} x {} x {} {}", m, k, n, dtype_name(operands.dtype)),
                              [given](auto fault, Random& r) -> std::optional<HostArray> {
                                if (of_memory(fault)) return std::nullopt;
                                return compute(*given, fault, r);
                              },
                              [given](const HostArray& y) {
                                return sw::rms_norm_matmul_row(given->x, given->g, static_cast<double>(kEps), given->w,
                                                               y);
                              },
                              {&given->x, &given->g, &given->w}};
               },
               {}};
  out.masks = true;  // of reals one square of 160 can be lost in the rounding of the result
  return out;
}

struct ModelProduct {
  HostArray residual, x, g, w, w2, b;
  sw::ModelLinear problem;
  std::string epilogue;
};

Matrix transposed(const Matrix& w) {
  Matrix out{w.cols, w.rows, std::vector<float>(w.values.size())};
  for (std::size_t i = 0; i < w.values.size(); ++i) out.at(i % w.cols, i / w.cols) = w.values[i];
  return out;
}

// A product of a step of a model; the fault is in one product, in a norm or in what follows.
HostArray compute(const ModelProduct& given, std::optional<Fault> fault, Random& random) {
  const Dtype dtype = given.x.dtype();
  Matrix x = matrix_of(given.x);
  const Matrix residual = matrix_of(given.residual), g = matrix_of(given.g);
  const std::size_t faulty = random.bits() % x.rows;
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += residual.values[i];
  x = rounded(x, dtype);
  Matrix weighed = x;
  for (std::size_t i = 0; i < x.values.size(); ++i) weighed.values[i] *= g.values[i % x.cols];
  const ProductFault its{fault == Fault::lost_term, fault == Fault::stale_accumulator};
  Matrix y = product(rounded(weighed, dtype), transposed(matrix_of(given.w)), its, random);
  const Matrix up = product(rounded(weighed, dtype), transposed(matrix_of(given.w2)), {}, random);
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const std::size_t row = i / y.cols;
    float squares = 0;
    for (std::size_t k = 0; k < x.cols; ++k) squares += x.at(row, k) * x.at(row, k);
    const float mean = std::fma(squares, static_cast<float>(1.0 / static_cast<double>(x.cols)), kEps);
    float scale = static_cast<float>(1 / std::sqrt(static_cast<double>(mean)));
    if (row == faulty && fault == Fault::wrong_scale) scale *= 2;
    y.values[i] *= scale;
    if (fault == Fault::no_epilogue) continue;
    if (given.epilogue == "bias") y.values[i] += matrix_of(given.b).values[i % y.cols];
    if (given.epilogue != "swiglu") continue;
    const auto gate = static_cast<double>(y.values[i]);
    y.values[i] = static_cast<float>(data::silu(gate)) * (up.values[i] * scale);
  }
  return stored(y, dtype);
}

Workload model_linear(const std::string& epilogue) {
  Workload out{"model-linear " + epilogue,
               [epilogue](Random& random, Contents contents) {
                 const std::int64_t m = random.between(6, 12), k = random.between(4, 80), n = random.between(12, 24);
                 const auto given = std::make_shared<ModelProduct>();
                 const Dtype dtype = random.one_of(kFloats);
                 const auto plain = [&](std::int64_t rows, std::int64_t columns) {
                   return sw::plain_contents(contents, {rows, columns}, dtype, random.bits());
                 };
                 given->residual = plain(m, k);
                 given->x = plain(m, k);
                 given->g = sw::positive_contents(contents, {1, k}, dtype, random.bits());
                 given->w = sw::model_weights(contents, {n, k}, dtype, random.bits());
                 given->w2 = sw::model_weights(contents, {n, k}, dtype, random.bits());
                 given->b = plain(1, n);
                 given->epilogue = epilogue;
                 given->problem = {&given->residual, &given->x, &given->g, nullptr, static_cast<double>(kEps), 1};
                 if (epilogue == "bias") given->problem.bias = &given->b;
                 const auto verdict = [given, n](const HostArray& y) {
                   std::vector<std::int64_t> columns;
                   for (std::int64_t i = 0; i < n; ++i) columns.push_back(i);
                   return sw::model_linear_row(given->problem, sw::model_linear_input(given->problem), given->w,
                                               given->epilogue == "swiglu" ? &given->w2 : nullptr, columns, y);
                 };
                 std::vector<HostArray*> operands{&given->residual, &given->x, &given->g, &given->w};
                 if (epilogue == "bias") operands.push_back(&given->b);
                 if (epilogue == "swiglu") operands.push_back(&given->w2);
                 return Trial{fmt::format("{} x {} x {} {}", m, k, n, dtype_name(dtype)),
                              [given](auto fault, Random& r) -> std::optional<HostArray> {
                                if (of_memory(fault)) return std::nullopt;
                                return compute(*given, fault, r);
                              },
                              verdict, operands};
               },
               {}};
  out.masks = true;
  return out;
}

struct Rotation {
  HostArray x, table;
  std::int64_t first = 0;
};

// One element of one head has the fault.
HostArray compute(const Rotation& given, std::optional<Fault> fault, Random& random) {
  const Matrix x = matrix_of(given.x), table = matrix_of(given.table);
  const auto heads = static_cast<std::size_t>(given.x.shape()[1]), d = table.cols, half = d / 2;
  const std::size_t faulty = random.bits() % x.values.size(), other = random.bits() % x.values.size();
  const bool first_lost = random.between(0, 1) == 0;
  const Dtype dtype = given.x.dtype();
  Matrix kept = x, turned = x;
  for (std::size_t at = 0; at < x.values.size(); ++at) {
    const std::size_t i = at % d, row = static_cast<std::size_t>(given.first) + at / (heads * d);
    kept.values[at] *= table.at(row, i % half);
  }
  kept = rounded(kept, dtype);
  if (fault == Fault::lost_term && first_lost) kept.values[faulty] = 0;
  if (fault == Fault::stale_accumulator) kept.values[faulty] += kept.values[other];
  for (std::size_t at = 0; at < x.values.size(); ++at) {
    const std::size_t i = at % d, row = static_cast<std::size_t>(given.first) + at / (heads * d);
    float sine = (i < half ? -1.0F : 1.0F) * table.at(row, half + i % half);
    if (at == faulty && fault == Fault::lost_term && !first_lost) sine = 0;
    if (at == faulty && fault == Fault::wrong_scale) sine *= 2;
    turned.values[at] = std::fma(x.values[i < half ? at + half : at - half], sine, kept.values[at]);
  }
  return HostArray::from_doubles(given.x.shape(), dtype, {turned.values.begin(), turned.values.end()});
}

Workload rotary_embedding() {
  Workload out{"rotary-embedding",
               [](Random& random, Contents contents) {
                 const auto given = std::make_shared<Rotation>();
                 const Dtype dtype = random.one_of(kFloats);
                 const Shape shape{random.between(4, 12), random.between(1, 4), 2 * random.between(4, 16)};
                 given->first = random.between(0, 5);
                 given->x = sw::plain_contents(contents, shape, dtype, random.bits());
                 given->table = sw::rotary_table(contents, {given->first + shape[0], shape[2]}, dtype, 10000);
                 return Trial{
                     fmt::format("{} {} from {}", dtype_name(dtype), format_shape(shape), given->first),
                     [given](auto fault, Random& r) -> std::optional<HostArray> {
                       if (of_memory(fault)) return std::nullopt;
                       return compute(*given, fault, r);
                     },
                     [given](const HostArray& y) { return sw::rotary_row(given->x, given->table, given->first, y); },
                     {&given->x, &given->table}};
               },
               {{Fault::no_epilogue, "nothing follows the rotation"}}};
  out.masks = true;  // quarter turns multiply one of both terms by 0
  return out;
}

}  // namespace

std::vector<Workload> worked_kernel_workloads() {
  return {flash_attention(), model_linear("bias"), model_linear("swiglu"), rms_norm_matmul(), rotary_embedding()};
}

}  // namespace kb::mutation
