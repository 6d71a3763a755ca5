#include "sim/cli/shipped_machines.h"

#include "platform/topology/ccl_config.h"
#include "sim/cli/shipped_folder.h"

namespace kb::cli {

std::string machine_file(const std::string& name) {
  const ShippedFolder machines = {"configs", ".yaml", "reference.yaml", "machines",
                                  [](const std::string& file) { return !topology::is_ccl_file(file); }};
  return machines.file_of(name);
}

}  // namespace kb::cli
