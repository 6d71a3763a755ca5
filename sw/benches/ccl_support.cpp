#include "sw/benches/ccl_support.h"

#include <utility>

namespace kb::sw {

HostArray small_integers(const Shape& shape, Dtype dtype, std::uint64_t seed) {
  HostArray array = HostArray::random_integers(shape, dtype, seed);
  if (dtype != Dtype::bf16) return array;  // has eight significant bits
  std::vector<double> values = array.to_doubles();
  for (double& value : values) value = static_cast<double>((value > 2) - (value < -2));
  return HostArray::from_doubles(shape, dtype, values);
}

topology::CclOptions ccl_options(const Params& params) {
  topology::CclOptions options;
  options.file = params.text("ccl");
  options.algorithm = params.text("algorithm");
  for (const char* key : {"buffer_kind", "n_slots", "slot_size", "backpressure", "credit"}) {
    const std::string& value = params.text(key);
    if (!value.empty()) options.overrides.emplace_back(std::string("defaults.") + key, value);
  }
  return options;
}

std::vector<Parameter> ccl_parameters() {
  return {
      Parameter::text("ccl", "",
                      "collective configuration file; empty: ccl.yaml of the working directory, or defaults"),
      Parameter::text("algorithm", "", "its entry to use; empty: as configured"),
      Parameter::text("buffer_kind", "", "tcm, sram or hbm; empty: as configured"),
      Parameter::text("n_slots", "", "messages that a ring holds; empty: as configured"),
      Parameter::text("slot_size", "", "bytes of the largest message; empty: as configured"),
      Parameter::text("backpressure", "", "sleep or poll; empty: as configured"),
      Parameter::text("credit", "", "annotated or fabric; empty: as configured"),
  };
}

}  // namespace kb::sw
