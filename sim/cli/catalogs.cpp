#include "sim/cli/catalogs.h"

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
  return catalogs;
}

}  // namespace kb::cli
