// Collectives: combinations of the tiles of ranks, and tiles that change their place.
#include "sw/workloads/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "platform/ops/op_types.h"
#include "sw/workloads/ccl_support.h"
#include "sw/workloads/rank_collectives.h"
#include "sw/workloads/redistribute.h"
#include "sw/workloads/support.h"
#include "tests/unit/mutation/mutation.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;

struct Given {
  std::vector<HostArray> inputs;  // by rank
  std::string op;
  Dtype dtype = Dtype::f16;
  Shape out;
  int rank = 0, root = 0, target = 0;
};

using Values = std::vector<double>;

// As a device adds: one contribution after the other, each rounded to the dtype. Contributions to an average of floats
// are divided by a power of two before, narrow integers are added in i32 (K-15).
Values combined(std::vector<Values> terms, const std::string& op, Dtype dtype, std::optional<Fault> fault,
                Random& random) {
  double unit = 1;
  while (op == "avg" && is_float(dtype) && unit < static_cast<double>(terms.size())) unit *= 2;
  if (op == "avg") dtype = combined_dtype(dtype, op);
  for (Values& term : terms) {
    for (double& value : term) value /= unit;
    if (unit != 1) term = data::to_doubles(dtype, data::from_doubles(dtype, term));
  }
  Values sum = terms.front();
  const auto step = [&](double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return std::nan("");
    const double both = op == "max" ? std::max(x, y) : op == "min" ? std::min(x, y) : x + y;
    return is_float(dtype) ? both
                           : static_cast<double>(data::to_integers(
                                 dtype, data::from_integers(dtype, {static_cast<std::int64_t>(both)}))[0]);
  };
  const std::size_t lost_at = fault == Fault::lost_term ? random.bits() % sum.size() : sum.size();
  const std::size_t lost = 1 + random.bits() % (terms.size() - 1);
  const auto add = [&](std::size_t term) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (i != lost_at || term != lost) sum[i] = step(sum[i], terms[term][i]);
    }
    if (is_float(dtype)) sum = data::to_doubles(dtype, data::from_doubles(dtype, sum));
  };
  for (std::size_t term = 1; term < terms.size(); ++term) add(term);
  if (fault == Fault::shard_twice) add(lost);
  if (fault == Fault::stale_accumulator)
    sum[0] = step(sum[0], op == "min" ? -125 : op == "max" ? 125 : 3 * static_cast<double>(terms.size()) / unit);
  if (op != "avg") return sum;
  if (fault == Fault::no_epilogue) {  // the sum in the place of the average
    for (double& value : sum) value *= unit;
    return sum;
  }
  const double count = static_cast<double>(terms.size()) / unit * (fault == Fault::wrong_scale ? 2 : 1);
  for (double& value : sum) value = is_float(dtype) ? value / count : std::trunc(value / count);
  return sum;
}

HostArray array_of(const Shape& shape, Dtype dtype, const Values& values) {
  if (is_float(dtype)) return HostArray::from_doubles(shape, dtype, values);
  return HostArray(shape, dtype, data::from_integers(dtype, {values.begin(), values.end()}));  // wraps, as a cast does
}

std::shared_ptr<Given> draw(Random& random, Contents contents, const std::string& op, std::int64_t blocks) {
  const auto given = std::make_shared<Given>();
  given->op = op;
  given->dtype = random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8, Dtype::i32});
  const auto ranks = static_cast<int>(random.between(3, 6));
  const std::int64_t block = random.between(12, 40), cubes = random.between(2, 4);
  for (int rank = 0; rank < ranks; ++rank) {
    const Shape shape{cubes, block * (blocks == 0 ? ranks : 1)};
    given->inputs.push_back(sw::tile_contents(contents, shape, given->dtype, op, random.bits()));
  }
  given->rank = static_cast<int>(random.between(0, ranks - 1));
  given->root = static_cast<int>(random.between(0, ranks - 1));
  given->target = (given->root + 1) % ranks;
  return given;
}

std::string text_of(const Given& given) {
  return fmt::format("{} {} of {} ranks, {}", given.op, dtype_name(given.dtype), given.inputs.size(),
                     format_shape(given.inputs.front().shape()));
}

std::vector<HostArray*> operands_of(Given& given) {
  std::vector<HostArray*> out;
  for (HostArray& input : given.inputs) out.push_back(&input);
  return out;
}

std::map<Fault, std::string> without_average(const std::string& op) {
  if (op == "avg") return {};
  return {{Fault::no_epilogue, "only an average is divided"}, {Fault::wrong_scale, "only an average has a factor"}};
}

// Every row of every rank's tensor is a tile; the result is the combination in each row.
Workload all_reduce(const std::string& op) {
  Workload out{"ccl-allreduce " + op,
               [op](Random& random, Contents contents) {
                 const auto given = draw(random, contents, op, 1);
                 return Trial{text_of(*given),
                              [given](auto fault, Random& r) -> std::optional<HostArray> {
                                if (of_memory(fault) && fault != Fault::shard_twice && fault != Fault::swapped_rows)
                                  return std::nullopt;
                                std::vector<Values> tiles;
                                const auto width = static_cast<std::ptrdiff_t>(given->inputs.front().shape()[1]);
                                for (const HostArray& input : given->inputs) {
                                  const Values values = input.to_doubles();
                                  for (auto at = values.begin(); at != values.end(); at += width) {
                                    tiles.emplace_back(at, at + width);
                                  }
                                }
                                const Values row = combined(tiles, given->op, given->dtype, fault, r);
                                Values all;
                                for (std::int64_t i = 0; i < given->inputs.front().shape()[0]; ++i) {
                                  all.insert(all.end(), row.begin(), row.end());
                                }
                                return array_of(given->inputs.front().shape(), given->dtype, all);
                              },
                              [given](const HostArray& y) {
                                return sw::reduced_row("T", y, sw::all_reduced(given->inputs, given->op));
                              },
                              operands_of(*given)};
               },
               without_average(op)};
  out.not_applicable.emplace(Fault::swapped_rows, "all rows are the same");
  out.masks = op == "max" || op == "min" || op == "avg";  // integers drop the fraction of an average
  if (op == "max" || op == "min") {
    out.not_applicable.emplace(Fault::shard_twice, "the maximum of a tile twice is the same");
  }
  return out;
}

// What the rank has afterwards, written down for each collective.
std::vector<Values> sources(const Given& given, const std::string& name, std::size_t cube, int block) {
  const auto ranks = static_cast<int>(given.inputs.size());
  const auto piece = [&](int rank, int from) {
    const HostArray& input = given.inputs[static_cast<std::size_t>(rank)];
    const Values values = input.to_doubles();
    const bool many = name == "reduce-scatter" || name == "scatter" || name == "all-to-all";
    const auto width = static_cast<std::size_t>(input.shape()[1]), size = many ? width / given.inputs.size() : width;
    const auto begin =
        values.begin() + static_cast<std::ptrdiff_t>(cube * width + static_cast<std::size_t>(from) * size);
    return Values(begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  std::vector<Values> terms;
  if (name == "broadcast") return {piece(given.root, 0)};
  if (name == "send-recv") return {piece(given.root, 0)};
  if (name == "all-gather" || name == "gather") return {piece(block, 0)};
  if (name == "scatter") return {piece(given.root, given.rank)};
  if (name == "all-to-all") return {piece(block, given.rank)};
  for (int rank = 0; rank < ranks; ++rank) terms.push_back(piece(rank, name == "reduce-scatter" ? given.rank : 0));
  return terms;
}

Workload between_ranks(const std::string& name, const std::string& op) {
  const bool adds = !op.empty();
  const bool many_in = name == "reduce-scatter" || name == "scatter" || name == "all-to-all";
  Workload out{"ccl-" + name + (adds ? " " + op : ""),
               [name, op, many_in, adds](Random& random, Contents contents) {
                 const auto given = draw(random, contents, op, many_in ? 0 : 1);
                 if (name == "gather" || name == "reduce") given->rank = given->root;
                 if (name == "send-recv") given->rank = given->target;
                 const bool many_out = name == "all-gather" || name == "gather" || name == "all-to-all";
                 const auto ranks = static_cast<int>(given->inputs.size());
                 const std::int64_t cubes = given->inputs.front().shape()[0];
                 return Trial{
                     text_of(*given),
                     [=](auto fault, Random& r) -> std::optional<HostArray> {
                       const bool twice = fault == Fault::shard_twice && adds;
                       if (of_memory(fault) && !twice) return std::nullopt;
                       Values all;
                       for (std::int64_t cube = 0; cube < cubes; ++cube) {
                         for (int block = 0; block < (many_out ? ranks : 1); ++block) {
                           const auto terms = sources(*given, name, static_cast<std::size_t>(cube), block);
                           const auto its = cube == 0 ? fault : std::nullopt;
                           const Values part = adds ? combined(terms, op, given->dtype, its, r) : terms.front();
                           all.insert(all.end(), part.begin(), part.end());
                         }
                       }
                       const Shape shape{cubes, static_cast<std::int64_t>(all.size()) / cubes};
                       return array_of(shape, given->dtype, all);
                     },
                     [=](const HostArray& y) {
                       const sw::CollectiveCase its{given->root, given->target, op};
                       return sw::reduced_row("out", y, *sw::collective_result(name, its, given->inputs, given->rank));
                     },
                     operands_of(*given)};
               },
               adds ? without_average(op)
                    : std::map<Fault, std::string>{{Fault::lost_term, "nothing is added up"},
                                                   {Fault::no_epilogue, "nothing follows the exchange"},
                                                   {Fault::stale_accumulator, "there is no accumulator"},
                                                   {Fault::wrong_scale, "there is no factor"}}};
  out.masks = op == "avg";
  return out;
}

// Y = X W and dW = X^T Y in f32; the verdict that is wrong, if one is.
Workload grid_linear() {
  return {"grid-linear",
          [](Random& random, Contents contents) {
            const std::int64_t m = random.between(6, 24), k = random.between(8, 48), n = random.between(8, 32);
            const auto x = std::make_shared<HostArray>(sw::plain_contents(contents, {m, k}, Dtype::f32, random.bits()));
            const auto w = std::make_shared<HostArray>(sw::plain_contents(contents, {k, n}, Dtype::f32, random.bits()));
            return Trial{fmt::format("{} x {} x {}", m, k, n),
                         [=](auto fault, Random& r) -> std::optional<HostArray> {
                           if (of_memory(fault)) return std::nullopt;
                           const Matrix a = matrix_of(*x), y = product(a, matrix_of(*w), {}, r);
                           Matrix turned{a.cols, a.rows, std::vector<float>(a.values.size())};
                           for (std::size_t i = 0; i < a.rows; ++i) {
                             for (std::size_t j = 0; j < a.cols; ++j) turned.at(j, i) = a.at(i, j);
                           }
                           const ProductFault its{fault == Fault::lost_term, fault == Fault::stale_accumulator};
                           return stored(product(turned, y, its, r), Dtype::f32);
                         },
                         [=](const HostArray& gradient) {
                           const HostArray y({x->shape()[0], w->shape()[1]}, Dtype::f32);  // has another verdict
                           return sw::grid_rows(*x, *w, 4, y, gradient).back();
                         },
                         {x.get(), w.get()}};
          },
          {{Fault::no_epilogue, "nothing follows the product"}, {Fault::wrong_scale, "there is no factor"}}};
}

// A partial tensor becomes whole: the verdict of its sum.
Workload redistribute() {
  Workload out = between_ranks("allreduce-ranks", "sum");
  out.name = "redistribute";
  return out;
}

}  // namespace

std::vector<Workload> collective_workloads() {
  std::vector<Workload> out{grid_linear(), redistribute()};
  for (const char* op : {"sum", "avg", "max", "min"}) out.push_back(all_reduce(op));
  for (const char* name : {"broadcast", "send-recv", "all-gather", "gather", "scatter", "all-to-all"}) {
    out.push_back(between_ranks(name, ""));
  }
  for (const char* name : {"reduce", "allreduce-ranks", "reduce-scatter"}) {
    for (const char* op : {"sum", "avg"}) out.push_back(between_ranks(name, op));
  }
  return out;
}

}  // namespace kb::mutation
