// The tables `epoch`, `series` and `activity` of an operation log (docs/guides/oplog.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/node_coord.h"

namespace kb::data {

struct ActivityTables {
  struct Epoch {
    std::optional<std::int64_t> sip, launch;
    std::int64_t begin_fs = 0, end_fs = 0;
    std::int64_t bin_fs = 1;
  };
  struct Series {
    std::string component;
    std::string kind;
    std::string name;
    std::int64_t units = 1;
    NodeCoord coord = {};       // coordinates of the component
    std::string peer = {};      // node at the other end of a wire; otherwise empty
    NodeCoord peer_coord = {};  // coordinates of the peer
    std::string resource = {};  // whose unit it is: "pc" of pc3
  };
  struct Row {
    std::size_t epoch = 0, series = 0;  // indices into the lists above
    std::int64_t busy_fs = 0, wait_fs = 0, bytes = 0, queue = 0;
    std::string bins;  // encoded as record::BinList, not yet validated
  };

  std::vector<Epoch> epochs;
  std::vector<Series> series;
  std::vector<Row> rows;
};

}  // namespace kb::data
