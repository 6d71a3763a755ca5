#include "sw/distributed/queue_installation.h"

#include <gmock/gmock.h>

#include "platform/contract/queues.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::any_kernel;
using testing::FakeHost;
using ::testing::UnorderedElementsAre;
using topology::WiringPreset;

std::vector<std::string> labels(const contract::PeQueues& queues) {
  std::vector<std::string> out;
  for (const contract::QueuePair& pair : queues.pairs) out.push_back(pair.direction);
  return out;
}

class QueueInstallationTest : public ::testing::Test {
 protected:
  FakeHost host;  // 2 SIPs of 2 x 2 cubes of 2 PEs
  Runtime rt{host, &any_kernel};
};

TEST_F(QueueInstallationTest, WiresByTheCallersPreset_K87_K90) {
  topology::CclOptions options;
  options.overrides = {{"defaults.wiring", "flat"}, {"defaults.topology", "torus_2d"}, {"defaults.n_slots", "2"}};
  {
    const QueueInstallation ring(rt, WiringPreset::intracube_ring, options);
    EXPECT_EQ(ring.config().n_slots, 2u);
    EXPECT_THAT(testing::error_of([&] { QueueInstallation(rt, WiringPreset::intercube_multisip); }, "COLLECTIVE_ERROR"),
                ::testing::HasSubstr("in use"));
  }
  { const QueueInstallation mesh(rt, WiringPreset::intercube_multisip, options); }
  ASSERT_EQ(host.queue_plans.size(), 2u);
  EXPECT_EQ(host.queue_plans[0].pes.size(), 16u);  // every PE
  EXPECT_THAT(labels(host.queue_plans[0].pes[0]), UnorderedElementsAre("E", "W"));
  EXPECT_EQ(host.queue_plans[0].pes[0].pairs[0].own->n_slots, 2u);
  EXPECT_EQ(host.queue_plans[1].pes.size(), 8u);  // PE 0 of every cube
  EXPECT_THAT(labels(host.queue_plans[1].pes[0]), UnorderedElementsAre("E", "S", "global_E", "global_W"));
}

TEST_F(QueueInstallationTest, GivesItsMemoryBack) {
  { const QueueInstallation queues(rt, WiringPreset::intracube_ring); }
  EXPECT_TRUE(rt.memory_pristine());
}

TEST_F(QueueInstallationTest, RefusesWhatTheConfigurationRefuses) {
  topology::CclOptions options;
  options.overrides = {{"defaults.n_slot", "2"}};
  EXPECT_THAT(
      testing::error_of([&] { QueueInstallation(rt, WiringPreset::intracube_ring, options); }, "CONFIGURATION_ERROR"),
      ::testing::HasSubstr("did you mean"));
  EXPECT_TRUE(host.queue_plans.empty());
}

}  // namespace
}  // namespace kb::sw
