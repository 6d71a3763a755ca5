#include "sw/model/require_kernels.h"

#include <fmt/format.h>

#include <string>

#include "platform/base/error.h"

namespace kb::sw {

void require_kernels(const model::ModelSpec& spec) {
  const auto refuse = [&](const std::string& what) {
    throw Error::configuration(
        fmt::format("{}: {} cannot be simulated yet; `kernbench model show` has its bytes, "
                    "operations and least time",
                    spec.file, what));
  };
  if (spec.mla) refuse("latent attention");
  if (spec.moe) refuse("a model with experts");
  if (spec.scales) refuse("a model with scaled 8-bit weights");
}

void require_sums(const model::ModelSpec& spec, std::int64_t cubes) {
  if (spec.hidden % cubes == 0) return;
  throw Error::configuration(fmt::format(
      "{}: hidden_size {} does not divide over the {} cubes of a SIP, which sums over SIPs need; use --tp 1, "
      "or another cube mesh",
      spec.file, spec.hidden, cubes));
}

}  // namespace kb::sw
