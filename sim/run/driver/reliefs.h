// What a run supposes of its code (--relief), so that `kernbench why` can measure what a change would bring.
#pragma once

#include <string>
#include <vector>

namespace kb::sim {

// Kernels: see modules/pe/code_reliefs.h.
struct Reliefs {
  std::vector<std::string> no_wait, copies;  // lines, tensors
  struct Work {
    std::string pes;  // pattern of PEs
    double share = 1;
  };
  std::vector<Work> work;
  bool host_copies = false;  // reads and writes of the host take no time

  bool any() const { return needs_lines() || host_copies; }
  bool needs_lines() const { return !no_wait.empty() || !copies.empty() || !work.empty(); }
};

// Adds a relief: "no-wait=gemm.cpp:41", "copies=h", "work=sip0.cube*.pe2:0.25", "host-copies". Configuration Error that
// says what is wrong with the text.
void add_relief(const std::string& text, Reliefs& reliefs);
// The texts, from which add_relief() makes equal reliefs.
std::vector<std::string> texts_of(const Reliefs& reliefs);

}  // namespace kb::sim
