#include "sim/cli/catalogs.h"

#include "sim/cli/shipped_machines.h"

namespace kb::cli {

sweep::Catalogs catalogs_of(const WorkloadLibrary& library, const Program& program) {
  sweep::Catalogs catalogs;
  catalogs.kernels = &library.kernels();
  catalogs.all_reduces = &library.all_reduces();
  catalogs.workloads = &library.workloads();
  catalogs.blocks = &library.blocks();
  catalogs.implementations = &library.blocks().implementations();
  catalogs.machine_text = program.topology.text;
  catalogs.machine_name = program.topology.name;
  catalogs.machine_file = machine_file;
  return catalogs;
}

}  // namespace kb::cli
