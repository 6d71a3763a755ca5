#include "platform/address/phys_addr.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <vector>

#include "platform/base/error.h"

namespace kb::address {
namespace {

constexpr std::uint64_t at(int bit, std::uint64_t value = 1) {
  return value << bit;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::program);
    EXPECT_EQ(error.code(), "ADDRESS_ERROR");
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

AddressFault fault_of(std::uint64_t value) {
  return decode_fields(value).fault;
}

// The vectors of section 2.6.
TEST(PhysAddr, EncodesTheWorkedExamples) {
  EXPECT_EQ(PhysAddr::hbm_addr(SipId(2), CubeId(5), 0x1000).value(), 0x1'1420'0000'1000u);
  EXPECT_EQ(PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(3), 0x400).value(), 0x0'0000'6C00'0400u);
  EXPECT_EQ(PhysAddr::mcpu_resource_addr(SipId(1), CubeId(3), McpuUnit::sram, 0).value(), 0x0'8C04'0A00'0000u);
  EXPECT_EQ(PhysAddr::iocpu_resource_addr(SipId(1), ChipletId(1), IocpuUnit::ipcq, 0x2'0000).value(),
            0x0'C400'1002'0000u);
  EXPECT_EQ(PhysAddr::cube_sram_addr(SipId(1), CubeId(2), 0x3'0000'0000).value(), 0x0'880B'0000'0000u);
  EXPECT_EQ(PhysAddr::ual_addr(SipId(0), ChipletId(0), 0x1'0000'0000).value(), 0x0'4001'0000'0000u);
}

TEST(PhysAddr, DecodesTheWorkedExamples) {
  const PhysAddr hbm = PhysAddr::decode(0x1'1420'0000'1000);
  EXPECT_EQ(hbm.kind(), TargetKind::hbm);
  EXPECT_EQ(hbm.sip(), SipId(2));
  EXPECT_EQ(hbm.cube(), CubeId(5));
  EXPECT_EQ(hbm.hbm_offset(), 0x1000u);
  EXPECT_EQ(hbm.to_string(), "sip2.cube5 HBM +0x1000");

  const PhysAddr tcm = PhysAddr::decode(0x0'0000'6C00'0400);
  EXPECT_TRUE(tcm.is_tcm());
  EXPECT_EQ(tcm.pe(), PeId(3));
  EXPECT_EQ(tcm.pe_unit(), PeUnit::pe_tcm);
  EXPECT_EQ(tcm.offset(), 0x400u);
  EXPECT_EQ(tcm.to_string(), "sip0.cube0.pe3 PE_TCM +0x400");

  const PhysAddr mcpu = PhysAddr::decode(0x0'8C04'0A00'0000);
  EXPECT_EQ(mcpu.kind(), TargetKind::mcpu_local);
  EXPECT_EQ(mcpu.sip(), SipId(1));
  EXPECT_EQ(mcpu.cube(), CubeId(3));
  EXPECT_EQ(mcpu.mcpu_unit(), McpuUnit::sram);
  EXPECT_EQ(mcpu.to_string(), "sip1.cube3 MCPU_SRAM +0x0");

  const PhysAddr ipcq = PhysAddr::decode(0x0'C400'1002'0000);
  EXPECT_EQ(ipcq.kind(), TargetKind::iocpu);
  EXPECT_EQ(ipcq.die(), 17u);
  EXPECT_EQ(ipcq.chiplet(), ChipletId(1));
  EXPECT_EQ(ipcq.iocpu_unit(), IocpuUnit::ipcq);
  EXPECT_EQ(ipcq.offset(), 0x2'0000u);
  EXPECT_EQ(ipcq.to_string(), "sip1.iochiplet1 IOCPU_IPCQ +0x20000");

  const PhysAddr ual = PhysAddr::decode(0x0'4001'0000'0000);
  EXPECT_EQ(ual.kind(), TargetKind::ual);
  EXPECT_EQ(ual.offset(), 0x1'0000'0000u);
}

// every unit at its first and last byte, and the byte after.
TEST(PhysAddr, RoundTripsEveryUnitAtItsBoundaries) {
  const auto check = [](const PhysAddr& made, std::uint64_t offset) {
    const PhysAddr again = PhysAddr::decode(made.value());
    EXPECT_EQ(again, made);
    EXPECT_EQ(again.kind(), made.kind());
    EXPECT_EQ(again.offset(), offset);
    EXPECT_EQ(again.sip(), SipId(15));
  };
  for (int i = 0; i <= static_cast<int>(PeUnit::pe_tcm); ++i) {
    const auto unit = static_cast<PeUnit>(i);
    for (std::uint64_t offset : {std::uint64_t{0}, unit_budget(unit) - 1}) {
      const PhysAddr made = PhysAddr::pe_resource_addr(SipId(15), CubeId(15), PeId(15), unit, offset);
      check(made, offset);
      EXPECT_EQ(PhysAddr::decode(made.value()).pe_unit(), unit);
    }
    refusal([&] { PhysAddr::pe_resource_addr(SipId(0), CubeId(0), PeId(0), unit, unit_budget(unit)); });
    if (unit_budget(unit) == kUnitSlotBytes) continue;
    EXPECT_EQ(fault_of(at(25, static_cast<std::uint64_t>(i)) | unit_budget(unit)), AddressFault::beyond_budget);
  }
  for (int i = 0; i <= static_cast<int>(McpuUnit::sram); ++i) {
    const auto unit = static_cast<McpuUnit>(i);
    for (std::uint64_t offset : {std::uint64_t{0}, unit_budget(unit) - 1}) {
      check(PhysAddr::mcpu_resource_addr(SipId(15), CubeId(0), unit, offset), offset);
    }
    refusal([&] { PhysAddr::mcpu_resource_addr(SipId(0), CubeId(0), unit, unit_budget(unit)); });
    EXPECT_EQ(fault_of(at(34) | at(25, static_cast<std::uint64_t>(i)) | unit_budget(unit)),
              AddressFault::beyond_budget);
  }
  for (int i = 0; i <= static_cast<int>(IocpuUnit::io_sram); ++i) {
    const auto unit = static_cast<IocpuUnit>(i);
    for (std::uint64_t offset : {std::uint64_t{0}, unit_budget(unit) - 1}) {
      check(PhysAddr::iocpu_resource_addr(SipId(15), ChipletId(4), unit, offset), offset);
    }
    refusal([&] { PhysAddr::iocpu_resource_addr(SipId(0), ChipletId(0), unit, unit_budget(unit)); });
    EXPECT_EQ(fault_of(at(42, 16) | at(27, static_cast<std::uint64_t>(i)) | unit_budget(unit)),
              AddressFault::beyond_budget);
  }
  check(PhysAddr::cube_sram_addr(SipId(15), CubeId(1), kSramWindowBytes - 1), kSramWindowBytes - 1);
  check(PhysAddr::hbm_addr(SipId(15), CubeId(1), kHbmWindowBytes - 1), kHbmWindowBytes - 1);
  check(PhysAddr::ual_addr(SipId(15), ChipletId(2), kUalBase), kUalBase);
  check(PhysAddr::ual_addr(SipId(15), ChipletId(2), kChipletWindowBytes - 1), kChipletWindowBytes - 1);
}

// each bit that must be zero, alone.
TEST(PhysAddr, RefusesEveryBitThatMustBeZero) {
  const auto check = [](std::uint64_t base, int high, int low) {
    EXPECT_EQ(fault_of(base), AddressFault::none);
    for (int bit = low; bit <= high; ++bit) EXPECT_EQ(fault_of(base | at(bit)), AddressFault::must_be_zero) << bit;
  };
  check(at(37), 41, 38);     // HBM
  check(at(25, 6), 41, 38);  // PE_LOCAL
  check(at(25, 6), 33, 33);
  check(at(34), 33, 30);  // MCPU_LOCAL
  check(at(34), 41, 38);
  check(at(35), 41, 38);      // CUBE_SRAM, whose offset takes all bits below its kind
  check(at(42, 16), 41, 40);  // IOCPU
  check(at(42, 16) | kUalBase, 41, 40);
}

//
TEST(PhysAddr, RefusesIntegersWiderThan51Bits) {
  EXPECT_EQ(fault_of(at(51)), AddressFault::too_wide);
  EXPECT_EQ(fault_of(~std::uint64_t{0}), AddressFault::too_wide);
  EXPECT_EQ(refusal([] { PhysAddr::decode(at(51)); }),
            "0x8000000000000 is not a physical address: it is wider than 51 bits");
}

//
TEST(PhysAddr, DecodesReservedRangesAsReservedAndRefusesThem) {
  for (std::uint64_t die = 0; die < 32; ++die) {
    const AddressFields fields = decode_fields(at(42, die) | at(37, die < 16 ? 1 : 0));
    EXPECT_EQ(fields.die, die);
    EXPECT_EQ(fields.kind, die < 16 ? TargetKind::hbm : die < 21 ? TargetKind::iocpu : TargetKind::reserved);
    EXPECT_EQ(fields.fault, die < 21 ? AddressFault::none : AddressFault::reserved_die);
  }
  for (std::uint64_t kind = 3; kind < 8; ++kind) {
    EXPECT_EQ(decode_fields(at(34, kind)).kind, TargetKind::reserved);
    EXPECT_EQ(fault_of(at(34, kind)), AddressFault::reserved_resource_kind);
  }
  for (std::uint64_t unit = 7; unit < 16; ++unit) EXPECT_EQ(fault_of(at(25, unit)), AddressFault::reserved_unit);
  for (std::uint64_t unit = 6; unit < 32; ++unit) {
    EXPECT_EQ(fault_of(at(34) | at(25, unit)), AddressFault::reserved_unit);
  }
  for (std::uint64_t unit = 6; unit < 16; ++unit) {
    EXPECT_EQ(fault_of(at(42, 16) | at(27, unit)), AddressFault::reserved_unit);
  }
  EXPECT_NE(refusal([] { PhysAddr::decode(at(42, 21)); }).find("die 21 of sip 0 is reserved"), std::string::npos);
}

// the text names the field.
TEST(PhysAddr, FactoriesNameTheFieldThatIsOutOfRange) {
  EXPECT_EQ(refusal([] { PhysAddr::hbm_addr(SipId(16), CubeId(0), 0); }),
            "sip 16 is outside 0..15 of a physical address");
  EXPECT_EQ(refusal([] { PhysAddr::hbm_addr(SipId(0), CubeId(16), 0); }),
            "cube 16 is outside 0..15 of a physical address");
  EXPECT_EQ(refusal([] { PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(16), 0); }),
            "pe 16 is outside 0..15 of a physical address");
  EXPECT_EQ(refusal([] { PhysAddr::hbm_addr(SipId(0), CubeId(0), kHbmWindowBytes); }),
            "HBM offset 0x2000000000 is past its 128 GiB");
  EXPECT_EQ(refusal([] { PhysAddr::ual_addr(SipId(0), ChipletId(0), 0x7fff'ffff); }),
            "UAL begins at chiplet offset 0x80000000, so 0x7fffffff is not in it");
  EXPECT_EQ(refusal([] { PhysAddr::iocpu_resource_addr(SipId(0), ChipletId(5), IocpuUnit::itcm, 0); }),
            "IO chiplet 5 is outside 0..4 of a physical address");
  EXPECT_EQ(refusal([] { PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), 4096, 4096); }),
            "HBM slice offset 0x1000 is past its 4 KiB");
}

//
TEST(PhysAddr, PeHbmOffsetCountsSlices) {
  const std::uint64_t slice = 6ull << 30;
  EXPECT_EQ(PhysAddr::pe_hbm_addr(SipId(1), CubeId(2), PeId(7), 0x100, slice),
            PhysAddr::hbm_addr(SipId(1), CubeId(2), 7 * slice + 0x100));
  refusal([] { PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(15), 0, kHbmWindowBytes); });
  refusal([] { PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), 0, 0); });
}

TEST(PhysAddr, FieldsOfAnotherKindAreAModelError) {
  const PhysAddr hbm = PhysAddr::hbm_addr(SipId(0), CubeId(0), 0);
  for (const auto& wrong : std::vector<std::function<void()>>{
           [&] { hbm.pe(); }, [&] { hbm.pe_unit(); }, [&] { hbm.chiplet(); }, [&] { hbm.mcpu_unit(); },
           [&] { PhysAddr::ual_addr(SipId(0), ChipletId(0), kUalBase).cube(); },
           [&] { PhysAddr::cube_sram_addr(SipId(0), CubeId(0), 0).hbm_offset(); }}) {
    try {
      wrong();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::model);
    }
  }
}

// every integer either decodes to an equal value or is refused; nothing is masked.
RC_GTEST_PROP(PhysAddr, DecodesOrRefusesEveryInteger, ()) {
  // Few bits set, so that a fair share of the integers is valid.
  const auto word = rc::gen::arbitrary<std::uint64_t>();
  const std::uint64_t value = *word & *word & *word & ((std::uint64_t{1} << *rc::gen::inRange(1, 53)) - 1);
  const AddressFields fields = decode_fields(value);
  if (fields.fault != AddressFault::none) {
    RC_ASSERT_THROWS_AS(PhysAddr::decode(value), Error);
    RC_ASSERT(!describe_fault(fields).empty());
    return;
  }
  const PhysAddr address = PhysAddr::decode(value);
  RC_ASSERT(address.value() == value);
  const PhysAddr rebuilt = [&] {
    switch (address.kind()) {
      case TargetKind::hbm:
        return PhysAddr::hbm_addr(address.sip(), address.cube(), address.offset());
      case TargetKind::pe_local:
        return PhysAddr::pe_resource_addr(address.sip(), address.cube(), address.pe(), address.pe_unit(),
                                          address.offset());
      case TargetKind::mcpu_local:
        return PhysAddr::mcpu_resource_addr(address.sip(), address.cube(), address.mcpu_unit(), address.offset());
      case TargetKind::cube_sram:
        return PhysAddr::cube_sram_addr(address.sip(), address.cube(), address.offset());
      case TargetKind::iocpu:
        return PhysAddr::iocpu_resource_addr(address.sip(), address.chiplet(), address.iocpu_unit(), address.offset());
      default:
        return PhysAddr::ual_addr(address.sip(), address.chiplet(), address.offset());
    }
  }();
  RC_ASSERT(rebuilt == address);
}

}  // namespace
}  // namespace kb::address
