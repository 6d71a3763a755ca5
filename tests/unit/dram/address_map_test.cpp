#include "platform/dram/address_map.h"

#include <gmock/gmock.h>

#include <map>

#include "platform/base/error.h"

namespace kb::dram {
namespace {

using testing::HasSubstr;

std::string message(const std::string& map, const Geometry& geometry) {
  try {
    const AddressMap made(map, BankHash::none, geometry);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(AddressMap, TakesBitsFromTheLeastUnitUp_CDRAM2) {
  const AddressMap map("", BankHash::none, standard("hbm2_2000").geometry);
  EXPECT_EQ(map.text(), "col:3 bg:2 bank:2 sid col:2 row");
  EXPECT_EQ(map.run(), 8u);
  EXPECT_EQ(map.place(7).bank, 0u);
  EXPECT_EQ(map.place(8).bank, 4u);    // bank group 1
  EXPECT_EQ(map.place(32).bank, 1u);   // bank 1
  EXPECT_EQ(map.place(128).bank, 0u);  // the next columns of the row
  EXPECT_EQ(map.place(128).row, 0u);
  EXPECT_EQ(map.place(512).row, 1u);
}

TEST(AddressMap, HashExchangesBanksByLowRowBits_CDRAM2) {
  const AddressMap map("", BankHash::xor_row, standard("hbm2_2000").geometry);
  EXPECT_EQ(map.place(512 * 1).bank, 4u);   // row 1: bank group 1
  EXPECT_EQ(map.place(512 * 4).bank, 1u);   // row 4: bank 1
  EXPECT_EQ(map.place(512 * 16).bank, 0u);  // row 16: the low four bits are 0
  EXPECT_EQ(map.place(512 * 1 + 8).bank, 0u);
}

TEST(AddressMap, EveryUnitHasItsOwnPlaceWithThreeSids_CDRAM2) {
  Geometry geometry = standard("hbm3_6400").geometry;
  geometry.sids = 3;
  geometry.rows = 4;
  for (const BankHash hash : {BankHash::none, BankHash::xor_row}) {
    const AddressMap map("col:1 bg:2 sid col:4 bank:2 row", hash, geometry);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> columns;
    for (std::uint64_t unit = 0; unit < geometry.bytes_per_pc() / kAccessBytes; ++unit) {
      const AddressMap::Place place = map.place(unit);
      ASSERT_LT(place.bank, 48u);
      ASSERT_LT(place.row, 4u);
      ++columns[{place.bank, place.row}];
    }
    EXPECT_EQ(columns.size(), 48u * 4u);
    for (const auto& [place, count] : columns) EXPECT_EQ(count, 32) << place.first << " " << place.second;
  }
}

TEST(AddressMap, AFieldWithoutACountHasTheBitsThatAreLeft_CDRAM2) {
  for (const char* const preset : {"hbm3_6400", "hbm4_8000"}) {  // 4 groups of 4 banks, 2 groups of 8
    const Geometry geometry = standard(preset).geometry;
    const AddressMap counted(AddressMap::default_text(geometry), BankHash::none, geometry);
    const AddressMap rest("col:3 bg bank sid col row", BankHash::none, geometry);
    for (std::uint64_t unit = 1; unit < geometry.bytes_per_pc() / kAccessBytes; unit *= 2) {
      EXPECT_EQ(rest.place(unit).bank, counted.place(unit).bank) << preset << " " << unit;
      EXPECT_EQ(rest.place(unit).row, counted.place(unit).row) << preset << " " << unit;
    }
  }
}

TEST(AddressMap, RefusesWhatMissesOrDoublesABit) {
  const Geometry geometry = standard("hbm3_6400").geometry;
  EXPECT_THAT(message("col:3 bg:2 bank:2 sid col:2", geometry), HasSubstr("'row' is missing"));
  EXPECT_THAT(message("col:3 bg:2 bank:2 sid row", geometry), HasSubstr("'col' has 3 bits and needs 5"));
  EXPECT_THAT(message("col:5 bg:2 bg:1 bank:2 sid row", geometry), HasSubstr("'bg' has 3 bits and needs 2"));
  EXPECT_THAT(message("col:5 bg:2 bank:2 row", geometry), HasSubstr("'sid' is missing; there are 2"));
  EXPECT_THAT(message("col:5 sid bg:2 bank:2 sid row", geometry), HasSubstr("'sid' stands twice"));
  EXPECT_THAT(message("row col:5 bg:2 bank:2 sid", geometry), HasSubstr("'col:5' stands behind 'row'"));
  EXPECT_THAT(message("col:5 bg:2 bnak:2 sid row", geometry), HasSubstr("did you mean 'bank'?"));
  EXPECT_THAT(message("col:5 bg: bank:2 sid row", geometry), HasSubstr("'bg:' needs a count of bits"));
  EXPECT_THAT(message("col:5 bg bg:1 bank:2 sid row", geometry), HasSubstr("'bg' has 3 bits and needs 2"));
  EXPECT_THAT(message("col:5 bg:2 bank:2 sid:1 row", geometry), HasSubstr("'sid' has no count of bits"));
}

TEST(AddressMap, RefusesASliceThatDoesNotFit) {
  const Standard hbm2 = standard("hbm2_2000");
  EXPECT_NO_THROW(check_capacity(hbm2, 512 * kMiB));
  EXPECT_THROW(check_capacity(hbm2, 512 * kMiB + 1), Error);
}

}  // namespace
}  // namespace kb::dram
