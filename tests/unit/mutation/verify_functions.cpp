// What a user's workload calls to verify: verify_exact(), verify_values() and their like.
#include <fmt/format.h>

#include <memory>

#include "sw/workloads/epilogue_reference.h"
#include "sw/workloads/support.h"
#include "tests/unit/mutation/mutation.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;

const std::map<Fault, std::string> kFaultsOfMemory{{Fault::lost_term, "faults of sums are those of the workloads"},
                                                   {Fault::no_epilogue, "the workloads' too"},
                                                   {Fault::stale_accumulator, "the workloads' too"},
                                                   {Fault::wrong_scale, "the workloads' too"}};

struct Given {
  HostArray a, b, bias;
};

// What is right, and the call that says whether another array is.
struct Function {
  const char* name;
  Matrix (*right)(const Matrix& a, const Matrix& b, const Matrix& bias, Dtype dtype);
  void (*verify)(sw::Runtime& rt, sw::WorkloadResult& result, const Given& given, const HostArray& actual);
  std::vector<Dtype> dtypes;
};

Matrix twice(const Matrix& a, const Matrix&, const Matrix&, Dtype) {
  Matrix out = a;
  for (float& value : out.values) value *= 2;
  return out;
}

// The cube of each element, rounded twice.
Matrix cubes(const Matrix& a, const Matrix&, const Matrix&, Dtype dtype) {
  Matrix out = a;
  for (float& value : out.values) value *= value;
  out = rounded(out, dtype);
  for (std::size_t i = 0; i < a.values.size(); ++i) out.values[i] *= a.values[i];
  return out;
}

Matrix sums(const Matrix& a, const Matrix& b, const Matrix&, Dtype) {
  Matrix out = a;
  for (std::size_t i = 0; i < b.values.size(); ++i) out.values[i] += b.values[i];
  return out;
}

Matrix products(const Matrix& a, const Matrix& b, const Matrix&, Dtype) {
  Random random(1);
  return product(a, b, {}, random);
}

Matrix shifted_products(const Matrix& a, const Matrix& b, const Matrix& bias, Dtype dtype) {
  Matrix out = products(a, b, bias, dtype);
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] += bias.values[i % out.cols];
  return out;
}

std::vector<double> in_double(const HostArray& array, double (*f)(double)) {
  std::vector<double> values = array.to_doubles();
  for (double& value : values) value = f(value);
  return values;
}

const std::vector<Function>& functions() {
  const std::vector<Dtype> floats{Dtype::f16, Dtype::bf16, Dtype::f32}, all{Dtype::f16, Dtype::f32, Dtype::i8};
  static const std::vector<Function> table{
      {"verify_exact", twice,
       [](sw::Runtime& rt, sw::WorkloadResult& result, const Given& given, const HostArray& actual) {
         const auto expected = in_double(given.a, [](double x) { return 2 * x; });
         sw::verify_exact(rt, result, "y", actual, HostArray::from_doubles(given.a.shape(), given.a.dtype(), expected));
       },
       all},
      {"verify_values", cubes,
       [](sw::Runtime& rt, sw::WorkloadResult& result, const Given& given, const HostArray& actual) {
         sw::verify_values(rt, result, "y", actual, in_double(given.a, [](double x) { return x * x * x; }), 1);
       },
       floats},
      {"verify_sum", sums,
       [](sw::Runtime& rt, sw::WorkloadResult& result, const Given& given, const HostArray& actual) {
         sw::verify_sum(rt, result, "y", given.a, given.b, actual);
       },
       all},
      {"verify_gemm", products,
       [](sw::Runtime& rt, sw::WorkloadResult& result, const Given& given, const HostArray& actual) {
         sw::verify_gemm(rt, result, "y", given.a, given.b, actual, static_cast<double>(given.a.shape()[1]));
       },
       floats},
      {"verify_epilogues", shifted_products,
       [](sw::Runtime& rt, sw::WorkloadResult& result, const Given& given, const HostArray& actual) {
         const sw::EpilogueGemm problem{&given.a, &given.b, parse_epilogues("bias"), &given.bias, nullptr, 0};
         sw::verify_epilogues(rt, result, "y", problem, actual);
       },
       floats},
      {"verify_integers",
       twice,
       [](sw::Runtime& rt, sw::WorkloadResult& result, const Given& given, const HostArray& actual) {
         std::vector<std::int64_t> expected = given.a.to_integers();
         for (std::int64_t& value : expected) value *= 2;
         sw::verify_integers(rt, result, "y", actual, expected);
       },
       {Dtype::i8, Dtype::i32}},
  };
  return table;
}

Workload workload_of(const Function& function) {
  Workload out{function.name,
               [function](Random& random, Contents contents) {
                 const Dtype dtype = random.one_of(function.dtypes);
                 const std::int64_t n = random.between(8, 24);  // of square matrices, which all of them take
                 const auto given = std::make_shared<Given>();
                 given->a = sw::plain_contents(contents, {n, n}, dtype, random.bits());
                 given->b = sw::plain_contents(contents, {n, n}, dtype, random.bits());
                 given->bias = sw::plain_contents(contents, {1, n}, dtype, random.bits());
                 return Trial{fmt::format("{} {} x {}", dtype_name(dtype), n, n),
                              [given, function, dtype](auto fault, Random&) -> std::optional<HostArray> {
                                if (fault) return std::nullopt;
                                return stored(function.right(matrix_of(given->a), matrix_of(given->b),
                                                             matrix_of(given->bias), dtype),
                                              dtype);
                              },
                              [given, function](const HostArray& actual) {
                                sw::testing::FakeHost host;
                                sw::Runtime rt(host, nullptr);
                                sw::WorkloadResult result;
                                function.verify(rt, result, *given, actual);
                                return result.verification.at(0);
                              },
                              {&given->a, &given->b, &given->bias}};
               },
               kFaultsOfMemory};
  out.integers = !is_float(function.dtypes.front());
  return out;
}

}  // namespace

std::vector<Workload> verify_functions() {
  std::vector<Workload> out;
  for (const Function& function : functions()) out.push_back(workload_of(function));
  return out;
}

}  // namespace kb::mutation
