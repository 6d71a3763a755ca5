// Kernels and host programs that make one mistake each; the parameter `mistake` chooses.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/base/error.h"
#include "sw/distributed/spawn.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::Dtype;
using kb::Shape;
using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

void wrong_shapes(Context& tl, Ptr x) {
  const auto a = tl.load(x, {8, 8});
  tl.store(x, tl.dot(a, tl.load(x, {16, 4})));
}

void no_scratch(Context& tl, Ptr x) {
  for (;;) tl.load(x, {4096});
}

void outside(Context& tl, Ptr x) {
  tl.load(x + 65536, {64});
}

void unmapped(Context& tl, Ptr x) {
  if (tl.program_id(1) == 1) tl.load(x + 100, {64});
}

void unmapped_composite(Context& tl, Ptr x) {
  if (tl.program_id(1) == 1) tl.wait(tl.composite(kb::MathOp::neg, tl.ref(x, {8, 8192}), x));
}

void sum_of_nothing(Context& tl, Ptr x) {
  const auto a = tl.load(x, {64});
  tl.store(x, a + a);
}

void narrow_store(Context& tl, Ptr x) {
  tl.store(x.as(Dtype::i8), tl.arange(126, 130));
}

void narrow_count(Context& tl, Ptr) {
  tl.sum(tl.full({200}, 1.0, Dtype::i8), 0, Dtype::i8);
}

void endless(Context& tl, Ptr) {
  if (tl.program_id(0) == 3) {
    for (;;) tl.cycles(1000);
  }
}

// In no simulated time.
void spin(Context& tl, Ptr) {
  if (tl.program_id(0) != 3) return;
  for (;;) {
    try {
      tl.cycles(0);
    } catch (...) {  // nothing ends it from within
    }
  }
}

// Seconds of work at each simulated time, but fewer calls than are an error.
void creep(Context& tl, Ptr) {
  for (;;) {
    for (int i = 0; i < 9'000'000; ++i) tl.cycles(0);
    tl.cycles(1);
  }
}

void loop_for_ever() {
  volatile bool forever = true;
  while (forever) continue;
}

void busy(Context& tl, Ptr) {
  tl.cycles(500);
  loop_for_ever();
}

void defect(Context&, Ptr) {
  throw kb::Error::model("an invariant does not hold");
}

void deep(Context& tl, Ptr) {
  volatile char large[8 << 20];
  // Downwards, as calls use a stack: the other way round it would write over memory of others first.
  for (std::size_t i = sizeof large; i > 0; i -= 1024) large[i - 1] = 1;
  tl.cycles(large[0]);
}

void abort_kernel(Context& tl, Ptr x) {
  tl.load(x, {64});
  std::abort();
}

void null_kernel(Context& tl, Ptr x) {
  tl.load(x, {64});
  *static_cast<volatile int*>(nullptr) = 1;
}

void divide_kernel(Context&, Ptr) {
  std::raise(SIGFPE);  // not every processor traps
}

void exit_kernel(Context&, Ptr) {
  std::exit(0);
}

void odd_kernel(Context&, Ptr) {
  throw 7;
}

void standard_kernel(Context&, Ptr) {
  throw std::runtime_error("the kernel is tired");
}

struct Mistake {
  const char* name;
  void (*kernel)(Context&, Ptr);
};
constexpr Mistake kKernels[] = {{"wrong-shapes", wrong_shapes},
                                {"no-scratch", no_scratch},
                                {"outside", outside},
                                {"unmapped", unmapped},
                                {"unmapped-composite", unmapped_composite},
                                {"sum-of-nothing", sum_of_nothing},
                                {"narrow-store", narrow_store},
                                {"narrow-count", narrow_count},
                                {"endless", endless},
                                {"spin", spin},
                                {"creep", creep},
                                {"busy", busy},
                                {"defect", defect},
                                {"deep", deep},
                                {"abort-kernel", abort_kernel},
                                {"null-kernel", null_kernel},
                                {"divide-kernel", divide_kernel},
                                {"exit-kernel", exit_kernel},
                                {"odd-kernel", odd_kernel},
                                {"standard-kernel", standard_kernel}};

std::string kernel_name(std::string mistake) {
  for (char& c : mistake) c = c == '-' ? '_' : c;
  return "faulty_" + mistake;
}

// Compares what no computation could get wrong.
WorkloadResult compare_no_numbers(Runtime& rt, const Tensor& x) {
  const HostArray nothing = HostArray::full({8, 8192}, Dtype::f16, std::nan(""));
  x.copy_(nothing);
  WorkloadResult result;
  verify_exact(rt, result, "x", x.to_host(), nothing);
  return result;
}

// Compares zeros with a reference that has a NaN and an infinity, or no bound.
WorkloadResult compare_odd_numbers(Runtime& rt, const Tensor& x, bool without_bound) {
  const Shape shape{8, 8192};
  x.copy_(HostArray(shape, Dtype::f16));
  std::vector<double> expected(8 * 8192);
  std::vector<double> magnitudes = expected;
  if (without_bound) {
    magnitudes[8192] = HUGE_VAL;
  } else {
    expected[5] = std::nan("");
    expected[8192] = -HUGE_VAL;
  }
  WorkloadResult result;
  verify_values(rt, result, "x", x.to_host(), expected, 2, magnitudes);
  return result;
}

// Ends the process instead of returning, or does neither.
void end_process(const std::string& mistake) {
  if (mistake == "busy-workload") loop_for_ever();
  if (mistake == "exit") std::exit(0);
  if (mistake == "quick-exit") std::quick_exit(0);
  if (mistake == "abort") std::abort();
  if (mistake == "terminate") std::terminate();
  if (mistake == "thread-throws") std::thread([] { throw std::runtime_error("nobody catches this"); }).join();
}

// Launches whose arguments do not fit; true when `mistake` is one of them.
bool launch_with_wrong_arguments(Runtime& rt, const std::string& mistake, const Tensor& x) {
  if (mistake == "unknown-argument") rt.launch("faulty_outside", {{"y", x}});
  if (mistake == "missing-argument") rt.launch("faulty_outside", {});
  if (mistake == "argument-twice") rt.launch("faulty_outside", {{"x", x}, {"x", x}});
  if (mistake == "argument-kind") rt.launch("faulty_outside", {{"x", 0.5}});
  if (mistake == "built-in-argument") rt.launch("copy", {{"src", x}, {"dst", x}, {"element", 5}});
  return mistake.find("argument") != std::string::npos;
}

WorkloadResult run(Runtime& rt, const Params& params) {
  const std::string& mistake = params.text("mistake");
  end_process(mistake);
  if (mistake == "too-many-ranks") spawn(rt, 100000, [](int) {});
  if (mistake == "no-memory") throw std::bad_alloc();  // not by an allocation: the address sanitizer ends the process
  if (mistake == "odd-throw") throw 7;
  if (mistake == "huge") rt.empty({std::int64_t{1} << 62, 8}, Dtype::f32, {}, "huge");
  DPPolicy rows;
  rows.pe = Split::row_wise;
  rows.num_cubes = 1;
  const Tensor x = rt.empty({8, 8192}, Dtype::f16, rows, "x");
  if (mistake == "no-numbers") return compare_no_numbers(rt, x);
  if (mistake == "lost-nan" || mistake == "no-bound") return compare_odd_numbers(rt, x, mistake == "no-bound");
  if (mistake == "nobody-answers") rt.host().make_signal()->wait("a signal that nobody gives");
  if (mistake != "sum-of-nothing") x.copy_(HostArray::random({8, 8192}, Dtype::f16, rt.seed()));
  if (launch_with_wrong_arguments(rt, mistake, x)) return {};
  LaunchOptions options;
  if (mistake.rfind("unmapped", 0) == 0) options.cubes = {0, 1};
  rt.wait(rt.launch(kernel_name(mistake), {{"x", x}}, options));
  return {};
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  const char* const entry = std::getenv("KB_FAULTY_ENTRY");  // what goes wrong while the library is loaded
  const std::string mistake_of_entry = entry == nullptr ? "" : entry;
  if (mistake_of_entry == "odd") throw 7;
  if (mistake_of_entry == "standard") throw std::runtime_error("no licence");
  if (mistake_of_entry == "memory") throw std::bad_alloc();
  end_process(mistake_of_entry);
  if (mistake_of_entry == "nothing") return;
  if (mistake_of_entry == "no-kernel") {
    AllReduceAlgorithm lost;
    lost.name = "lost";
    lost.kernel = "ring_allreduc";
    lost.arguments = [](const AllReduceCall&) { return Args(); };
    registrar.add_all_reduce(lost);
    return;
  }
  if (mistake_of_entry == "no-help") {  // two workloads with three parameters without a help text
    registrar.add_workload(
        {"silent", "says nothing", {Parameter::integer("first", 1, ""), Parameter::text("second", "", " ")}, run});
    registrar.add_workload({"silent-too", "says nothing", {Parameter::real("third", 1.0, "")}, run});
  }
  std::vector<std::string> mistakes = {"odd-throw",
                                       "huge",
                                       "nobody-answers",
                                       "no-numbers",
                                       "lost-nan",
                                       "no-bound",
                                       "exit",
                                       "quick-exit",
                                       "abort",
                                       "terminate",
                                       "thread-throws",
                                       "too-many-ranks",
                                       "no-memory",
                                       "busy-workload",
                                       "unknown-argument",
                                       "argument-twice",
                                       "argument-kind",
                                       "missing-argument",
                                       "built-in-argument"};
  for (const Mistake& mistake : kKernels) {
    registrar.add_kernel(kb::tl::make_kernel(kernel_name(mistake.name), "makes a mistake", {"x"}, mistake.kernel));
    mistakes.emplace_back(mistake.name);
  }
  registrar.add_workload(
      {"faulty", "makes one mistake", {Parameter::choice("mistake", "huge", mistakes, "which one")}, run});
}
