#include "platform/base/machine_choices.h"

namespace kb {

template <>
const std::vector<std::string>& names_of<AddressModel>() {
  static const std::vector<std::string> names{"pa", "va", "la"};
  return names;
}

template <>
const std::vector<std::string>& names_of<SipTopology>() {
  static const std::vector<std::string> names{"ring_1d", "torus_2d", "mesh_2d_no_wrap"};
  return names;
}

template <>
const std::vector<std::string>& names_of<QueueMemory>() {
  static const std::vector<std::string> names{"tcm", "sram", "hbm"};
  return names;
}

template <>
const std::vector<std::string>& names_of<Backpressure>() {
  static const std::vector<std::string> names{"sleep", "poll"};
  return names;
}

template <>
const std::vector<std::string>& names_of<QueueTransport>() {
  static const std::vector<std::string> names{"annotated", "fabric"};
  return names;
}

}  // namespace kb
