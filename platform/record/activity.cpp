#include "platform/record/activity.h"

#include <array>

namespace kb::record {

const DisplayText& word_of(Role role) {
  static constexpr std::array<DisplayText, kRoles> kWords{{
      {"wire", "wires", "Flits occupy the wire.", "", "#8c93a8"},
      {"decoder", "header decoders", "A router decodes headers one after the other.", "", ""},
      {"memory", "memory channels", "Accesses use the channel or bank.", "", "#35a7a0"},
      {"engine", "engines", "The engine computes.", "", "#d9822b"},
      {"dma", "DMA channels", "A command is in the channel, its round trip included.", "", "#1f5f9a"},
      {"tcm", "TCM ports", "FETCH or STORE uses the port.", "", ""},
      {"queue", "queues", "Commands stand in the queue.", "", ""},
      {"buffer", "buffers", "Data take room in the buffer.", "", ""},
      {"command", "command processors", "A command is handled.", "", ""},
      {"state", "states", "How a PE spends its time.", "", ""},
  }};
  return kWords[static_cast<std::size_t>(role)];
}

}  // namespace kb::record
