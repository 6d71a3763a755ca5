// SQL tables and functions of a machine, for axes, traffic and columns that depend on it.
#pragma once

#include <memory>
#include <string>

#include "platform/data/sql_database.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "platform/topology/topology.h"

namespace kb::sweep {

// Tables: machine(key, value), node(id, kind, sip, cube, pe, x_mm, y_mm), edge(id, source, target, kind, mm, gbs).
// Functions; arguments are node ids, times are in ns, rates in GB/s, and 0 = unlimited:
//   path_ns(from, to), path_gbs(from, to)      of the route without bytes; its narrowest wire
//   path_edges(from, to), path_edges_back(..)  ids of edges as a JSON array, for json_each()
//   read_ns(dma, memory, bytes, part)          of one transfer that is alone; part is 'answered', 'delivered', or of
//   write_ns(dma, memory, bytes, part)         the latter 'pe', 'mesh', 'ucie', 'fabric', 'memory', 'last_flit_delay'
//   hbm_address(sip, cube, pe, offset)         physical address in the HBM slice of a PE
//   draw(seed, number)                         0 <= x < 1, equal everywhere
// docs/guides/sweep.md has examples. The machine must outlive this object.
class MachineSql {
 public:
  explicit MachineSql(const topology::LoadedTopology& machine);

  // Creates the tables that occur in `text`, which contains all later queries.
  void add_to(data::SqlDatabase& database, const std::string& text);

 private:
  void add_tables(data::SqlDatabase& database, const std::string& text) const;
  NodeId node(const data::TableCell& id) const;
  const routing::Route& route(const data::TableRow& arguments);
  data::TableCell transfer_ns(const data::TableRow& arguments, bool read);
  data::TableCell hbm_address(const data::TableRow& arguments) const;

  const topology::LoadedTopology& machine_;
  const topology::Graph& graph_;
  routing::AddressResolver resolver_;
  routing::PathRouter router_;
};

}  // namespace kb::sweep
