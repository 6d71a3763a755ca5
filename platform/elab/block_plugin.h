// A user's shared library of blocks, loaded with --plugin.
//
//   #include "platform/elab/block_plugin.h"
//   KERNBENCH_BLOCKS(catalog) {
//     catalog.add_block({NodeKind::noc_router, "custom.my_router", MyParams::fields(),
//                        kb::elab::make_custom_factory<MyRouter, kb::params::ForwardingParams, MyParams>()});
//   }
//
// Build it against the installed package that will load it (find_package(kernbench)). Your own program passes its
// catalog to the platform instead. The guide is docs/guides/blocks.md.
#pragma once

#include "platform/base/plugin_abi.h"
#include "platform/elab/registry.h"

// NOLINTBEGIN(bugprone-macro-parentheses): the name of a parameter cannot be in parentheses
#define KERNBENCH_BLOCKS(catalog) \
  KERNBENCH_PLUGIN_ABI            \
  extern "C" __attribute__((visibility("default"))) void kernbench_blocks(kb::elab::BlockCatalog& catalog)
// NOLINTEND(bugprone-macro-parentheses)
