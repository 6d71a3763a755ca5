#include "platform/base/node_coord.h"

#include <gtest/gtest.h>

#include <vector>

namespace kb {
namespace {

const NodeCoord kNowhere{};
const NodeCoord kSip{SipId(1), "", CubeId(), PeId()};
const NodeCoord kIo{SipId(1), "io0", CubeId(), PeId()};
const NodeCoord kCube{SipId(1), "", CubeId(10), PeId()};
const NodeCoord kPe{SipId(1), "", CubeId(10), PeId(2)};

TEST(NodeCoord, NamesLabelsAndLevelsOfParts) {
  struct Row {
    NodeCoord part;
    const char *name, *label, *level;
  };
  for (const Row& row : {Row{kNowhere, "", "", ""}, Row{kSip, "sip1", "sip1", "sip"}, Row{kIo, "sip1.io0", "io0", "io"},
                         Row{kCube, "sip1.cube10", "cube10", "cube"}, Row{kPe, "sip1.cube10.pe2", "pe2", "pe"}}) {
    EXPECT_EQ(part_name(row.part), row.name);
    EXPECT_EQ(part_label(row.part), row.label);
    EXPECT_STREQ(part_level(row.part), row.level);
  }
}

TEST(NodeCoord, APartIsInThePartsAboveItAndInNoOther) {
  EXPECT_EQ(parent_part(kPe), kCube);
  EXPECT_EQ(parent_part(kCube), kSip);
  EXPECT_EQ(parent_part(kIo), kSip);
  EXPECT_EQ(parent_part(kSip), kNowhere);
  EXPECT_EQ(chip_name(kPe), kCube);
  EXPECT_EQ(chip_name(kIo), kIo);
  const std::vector<NodeCoord> parts = {kNowhere, kSip, kIo, kCube, kPe};
  for (const NodeCoord& part : parts) {
    for (const NodeCoord& node : parts) {
      bool above = false;
      for (NodeCoord at = node;; at = parent_part(at)) {
        above = above || at == part;
        if (!at.sip.valid()) break;
      }
      EXPECT_EQ(is_within(node, part), above) << part_name(node) << " in " << part_name(part);
    }
  }
  EXPECT_FALSE(is_within({SipId(1), "", CubeId(1), PeId(2)}, kCube)) << "cube1 is no part of cube10";
}

TEST(NodeCoord, ANodeOutsideOfSipsIsACellOfItsOwn) {
  EXPECT_EQ(cell_name({"fabric.switch0", "switch", "fabric.switch0", kNowhere}), "fabric.switch0");
  EXPECT_EQ(cell_name({"sip1.cube10.hbm_ctrl.pe2", "hbm_ctrl", "hbm_ctrl", kPe}), "sip1.cube10.pe2");
}

}  // namespace
}  // namespace kb
