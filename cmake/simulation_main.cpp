// Entry point of a simulation with its configuration built in.
#include <systemc>

#include "sim/cli/program.h"

int sc_main(int argc, char** argv) {
  kb::cli::Program program;
  program.name = KB_PROGRAM_NAME;
  program.topology = kb::cli::builtin_topology();
  program.default_workload = KB_DEFAULT_WORKLOAD;
  program.fixed_topology = true;
  return kb::cli::run_simulation(argc, argv, program);
}

int main(int argc, char** argv) {
  return kb::cli::start_systemc_main(argc, argv);
}
