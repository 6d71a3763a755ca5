#include "platform/record/activity.h"

namespace kb::record {

std::string_view series_kind_name(SeriesKind kind) {
  switch (kind) {
    case SeriesKind::link:
      return "link";
    case SeriesKind::decoder:
      return "decoder";
    case SeriesKind::pseudo_channel:
      return "pseudo_channel";
    case SeriesKind::engine:
      return "engine";
    case SeriesKind::dma:
      return "dma";
    case SeriesKind::tcm:
      return "tcm";
    case SeriesKind::state:
      return "state";
  }
  return "";
}

}  // namespace kb::record
