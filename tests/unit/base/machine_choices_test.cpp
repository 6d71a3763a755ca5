#include "platform/base/machine_choices.h"

#include <gtest/gtest.h>

namespace kb {
namespace {

using Strings = std::vector<std::string>;

TEST(MachineChoices, EachValueHasTheNameOfTheConfigurationFiles) {
  EXPECT_EQ(names_of<AddressModel>(), (Strings{"pa", "va", "la"}));
  EXPECT_EQ(name_of(AddressModel::la), "la");
  EXPECT_EQ(names_of<SipTopology>(), (Strings{"ring_1d", "torus_2d", "mesh_2d_no_wrap"}));
  EXPECT_EQ(name_of(SipTopology::mesh_2d_no_wrap), "mesh_2d_no_wrap");
  EXPECT_EQ(names_of<QueueMemory>(), (Strings{"tcm", "sram", "hbm"}));
  EXPECT_EQ(name_of(QueueMemory::hbm), "hbm");
  EXPECT_EQ(names_of<Backpressure>(), (Strings{"sleep", "poll"}));
  EXPECT_EQ(name_of(Backpressure::poll), "poll");
  EXPECT_EQ(names_of<QueueTransport>(), (Strings{"annotated", "fabric"}));
  EXPECT_EQ(name_of(QueueTransport::fabric), "fabric");
}

TEST(MachineChoices, KernelsGetTheNumberOfASipTopology) {  // K-44
  EXPECT_EQ(static_cast<int>(SipTopology::ring_1d), 0);
  EXPECT_EQ(static_cast<int>(SipTopology::torus_2d), 1);
  EXPECT_EQ(static_cast<int>(SipTopology::mesh_2d_no_wrap), 2);
}

}  // namespace
}  // namespace kb
