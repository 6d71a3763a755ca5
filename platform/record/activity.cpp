#include "platform/record/activity.h"

#include <array>

namespace kb::record {

const DisplayText& word_of(SeriesKind kind) {
  static constexpr std::array<DisplayText, kSeriesKinds> kWords{{
      {"link", "wires", "Flits occupy the wire.", "", "#8c93a8"},
      {"decoder", "header decoders", "A router decodes headers one after the other.", "", ""},
      {"pseudo_channel", "HBM channels", "Bursts use the pseudo-channel.", "", "#35a7a0"},
      {"engine", "engines", "The engine computes.", "", "#d9822b"},
      {"dma", "DMA channels", "A command is in the channel, its round trip included.", "", "#1f5f9a"},
      {"tcm", "TCM ports", "FETCH or STORE uses the port.", "", ""},
      {"state", "states", "How a PE spends its time.", "", ""},
  }};
  return kWords[static_cast<std::size_t>(kind)];
}

}  // namespace kb::record
