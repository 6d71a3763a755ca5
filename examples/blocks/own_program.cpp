// The machine with a block of our own in a program of our own, without a plug-in: own_program MACHINE.yaml
#include <kernbench/modules/catalog.h>
#include <kernbench/platform/elab/platform.h>
#include <kernbench/platform/topology/topology.h>

#include <cstdio>
#include <systemc>

#include "table_math.h"

int sc_main(int argc, char** argv) {
  if (argc != 2) return 2;
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  kb::elab::BlockCatalog blocks;
  blocks.add_block(example::table_math());
  const auto machine = kb::topology::load(argv[1], {}, blocks.implementations());
  kb::elab::Platform platform("platform", machine.graph, kb::modules::registry_with(&blocks));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const bool there = dynamic_cast<const example::TableMath*>(&platform.block("sip0.cube0.pe0.pe_math")) != nullptr;
  std::printf("%zu nodes, pe_math %s of our own\n", machine.graph.nodes.size(), there ? "is" : "is not");
  return there ? 0 : 1;
}
