// A ladder and a tornado in the folder of a run.
#pragma once

#include <string>

#include "platform/topology/sha256.h"
#include "sim/result/inputs.h"
#include "sim/result/result.h"
#include "sim/result/tornado.h"
#include "sim/result/why.h"

namespace kb::analysis::test {

inline result::Inputs known_inputs(const std::string& workload = "w") {
  result::Inputs inputs;
  inputs.version = "9";
  inputs.workload = workload;
  return inputs;
}

// A run of 1000 ns that lost 400 ns to one cause and 100 ns to another.
inline result::Why known_why() {
  result::Why why;
  why.version = "9";
  why.inputs_sha256 = topology::sha256_hex(result::render(known_inputs()));
  why.workload = "w";
  why.command = "kernbench run --bench w";
  why.time = 1'000_ns;
  why.limiter = "the <first> cause";
  why.cut = true;
  why.bound = "the compute engines";
  why.bound_time = 250_ns;
  why.points = 7;
  why.families = {{"code", "a call"}, {"rate", "a wire"}};
  why.steps = {{"code no-wait k.cpp:7",
                {"code"},
                "no wait at k.cpp:7",
                1'000_ns,
                600_ns,
                std::nullopt,
                "HBM",
                true,
                "kernbench run --pins r --relief no-wait=k.cpp:7"},
               {"rate wires", {"rate"}, "<b>wires</b>", 600_ns, 500_ns, 450_ns, "PE_GEMM", true, "kernbench run 2"}};
  why.others = {{"other", 900_ns, true, "kernbench run 3"}};
  why.remedies = {{"tile 1 -> 2", 800_ns, false, "kernbench run 4"}};
  return why;
}

// Two keys that act, one that does not, one that makes no machine and one that was not run.
inline result::Tornado known_tornado() {
  const result::Why why = known_why();
  result::Tornado tornado;
  tornado.version = why.version;
  tornado.inputs_sha256 = why.inputs_sha256;
  tornado.workload = why.workload;
  tornado.command = why.command;
  tornado.time = why.time;
  tornado.keys = {{"hbm.rate", "4", "rate <b>", 500_ns, {{"2", 1'500_ns, false, ""}, {"8", 750_ns, false, ""}}},
                  {"word", "a<b", "a choice", 250_ns, {{"a_very_long_word", 1'250_ns, false, ""}}},
                  {"idle", "1", "nothing", 0_fs, {{"2", 1'000_ns, false, ""}}},
                  {"broken", "1", "", 0_fs, {{"0", std::nullopt, false, "--set: broken: too <little>"}}},
                  {"later", "1", "", 0_fs, {{"7", std::nullopt, true, ""}}}};
  tornado.not_tried = {"impl"};
  return tornado;
}

// The result of the run.
inline void explain(result::Result& result) {
  result.setup.version = "9";
  result.launches.resize(1);
  result.launch_count = 1;
  result.launches[0].submit = 100_ns;
  result.launches[0].completed = 1'100_ns;
}

}  // namespace kb::analysis::test
