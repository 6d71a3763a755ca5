// Models that come with kernbench.
#include <gtest/gtest.h>

#include <filesystem>

#include "platform/base/error.h"
#include "platform/model/model_spec.h"
#include "platform/model/parallel_plan.h"

namespace kb::model {
namespace {

// M-2: they are read without a warning but about layers that are left out, and say their dtype.
TEST(ShippedModels, AreReadWithoutWarnings) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KB_MODEL_DIR)) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    const LoadedModel model = load_model(entry.path().string());
    EXPECT_TRUE(model.spec.dtype) << entry.path();
    EXPECT_EQ(model.warnings.size(), model.spec.mtp_layers > 0 ? 1u : 0u) << entry.path();
    EXPECT_TRUE(divides(model.spec, {4, 1, 1, 1})) << entry.path();
  }
  EXPECT_GE(count, 11u);
}

}  // namespace
}  // namespace kb::model
