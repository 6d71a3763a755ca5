#include <systemc>

#include "sim/cli/program.h"

int sc_main(int argc, char** argv) {
  kb::cli::Program program;
  program.name = "kernbench";
  program.topology = kb::cli::builtin_topology();
  program.default_workload = "gemm-multi-pe";
  return kb::cli::run_kernbench(argc, argv, program);
}

int main(int argc, char** argv) {
  return kb::cli::start_systemc_main(argc, argv);
}
