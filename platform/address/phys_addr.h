// The 51-bit physical address: encoding, decoding and factories (A-5..A-16). Only this file knows the bit layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/base/ids.h"

namespace kb::address {

using ChipletId = Id<struct ChipletTag>;  // index of an IO chiplet in its SIP: die_id - 16

inline constexpr std::uint32_t kMaxSips = 16;
inline constexpr std::uint32_t kMaxCubes = 16;    // AHBM dies per SIP
inline constexpr std::uint32_t kMaxChiplets = 5;  // IO chiplet dies per SIP
inline constexpr std::uint32_t kMaxPes = 16;      // per cube
inline constexpr int kAddressBits = 51;
inline constexpr std::uint64_t kHbmWindowBytes = std::uint64_t{1} << 37;
inline constexpr std::uint64_t kUnitSlotBytes = std::uint64_t{1} << 25;  // slot size of a PE_LOCAL or MCPU_LOCAL unit
inline constexpr std::uint64_t kSramWindowBytes = std::uint64_t{1} << 34;
inline constexpr std::uint64_t kIocpuSlotBytes = std::uint64_t{1} << 27;
inline constexpr std::uint64_t kUalBase = std::uint64_t{1} << 31;  // offset of UAL in the chiplet
inline constexpr std::uint64_t kChipletWindowBytes = std::uint64_t{1} << 40;

enum class TargetKind : std::uint8_t { hbm, pe_local, mcpu_local, cube_sram, iocpu, ual, reserved };

// Units by their number in the address; docs/specification/04-addressing.md lists them.
enum class PeUnit : std::uint8_t {
  pe_cpu_dtcm,
  math_engine_dtcm,
  ipcq,
  pe_cpu_sfr,
  math_engine_sfr,
  dma_engine_sfr,
  pe_tcm,
};
enum class McpuUnit : std::uint8_t { itcm, dtcm, ipcq, sfr, dma_sfr, sram };
enum class IocpuUnit : std::uint8_t { itcm, dtcm, ipcq, sfr, io_dma_sfr, io_sram };

std::string_view target_kind_name(TargetKind kind);
std::string_view unit_name(PeUnit unit);
std::string_view unit_name(McpuUnit unit);
std::string_view unit_name(IocpuUnit unit);

// Implemented bytes of a unit. The topology determines the sizes of PE_TCM and cube SRAM: the decoder
// accepts their whole slot, and AddressConfig checks the implemented size.
std::uint64_t unit_budget(PeUnit unit);
std::uint64_t unit_budget(McpuUnit unit);
std::uint64_t unit_budget(IocpuUnit unit);

// Reasons why an integer is not a valid address.
enum class AddressFault : std::uint8_t {
  none,
  too_wide,
  must_be_zero,
  reserved_die,
  reserved_resource_kind,
  reserved_unit,
  beyond_budget,
};

// Fields of an integer, valid or not. `kind` is reserved for the reserved_* faults and for too_wide.
struct AddressFields {
  std::uint32_t sip = 0;
  std::uint32_t die = 0;
  TargetKind kind = TargetKind::reserved;
  std::uint32_t pe = 0;      // pe_local
  std::uint32_t unit = 0;    // pe_local, mcpu_local, iocpu
  std::uint64_t offset = 0;  // relative to the HBM window, the unit's slot, the SRAM, or the chiplet (ual)
  AddressFault fault = AddressFault::none;
};

// Decodes by bit positions only, without knowledge of the machine.
AddressFields decode_fields(std::uint64_t value);
// For example "MBZ bits [41:38] are set"; "" without a fault.
std::string describe_fault(const AddressFields& fields);

// An architecturally valid address. AddressConfig and the resolver check whether the machine implements it.
// Every factory throws program Error ADDRESS_ERROR that names the field that is out of range.
class PhysAddr {
 public:
  // Throws program Error ADDRESS_ERROR on any fault (A-9, A-11..A-13).
  static PhysAddr decode(std::uint64_t value);

  static PhysAddr hbm_addr(SipId sip, CubeId cube, std::uint64_t hbm_offset);
  // `offset` is relative to the slice of `pe`; hbm_offset = pe * slice_bytes + offset.
  static PhysAddr pe_hbm_addr(SipId sip, CubeId cube, PeId pe, std::uint64_t offset, std::uint64_t slice_bytes);
  static PhysAddr pe_tcm_addr(SipId sip, CubeId cube, PeId pe, std::uint64_t tcm_offset);
  static PhysAddr pe_resource_addr(SipId sip, CubeId cube, PeId pe, PeUnit unit, std::uint64_t offset);
  static PhysAddr mcpu_resource_addr(SipId sip, CubeId cube, McpuUnit unit, std::uint64_t offset);
  static PhysAddr cube_sram_addr(SipId sip, CubeId cube, std::uint64_t sram_offset);
  static PhysAddr iocpu_resource_addr(SipId sip, ChipletId chiplet, IocpuUnit unit, std::uint64_t offset);
  // chiplet_offset is relative to the chiplet's base, so that it is at least kUalBase.
  static PhysAddr ual_addr(SipId sip, ChipletId chiplet, std::uint64_t chiplet_offset);

  std::uint64_t value() const { return value_; }
  TargetKind kind() const { return kind_; }
  bool is_hbm() const { return kind_ == TargetKind::hbm; }
  bool is_sram() const { return kind_ == TargetKind::cube_sram; }
  bool is_tcm() const { return kind_ == TargetKind::pe_local && unit_ == static_cast<std::uint8_t>(PeUnit::pe_tcm); }

  SipId sip() const { return SipId(sip_); }
  std::uint32_t die() const { return die_; }
  // The following throw model Error when the address is of another kind.
  CubeId cube() const;        // AHBM dies
  ChipletId chiplet() const;  // IO chiplet dies
  PeId pe() const;            // pe_local
  PeUnit pe_unit() const;
  McpuUnit mcpu_unit() const;
  IocpuUnit iocpu_unit() const;
  std::uint64_t hbm_offset() const;
  // Offset relative to the HBM window, the unit's slot, the SRAM, or the chiplet (ual).
  std::uint64_t offset() const { return offset_; }

  // "sip2.cube5 HBM +0x1000"
  std::string to_string() const;

  friend bool operator==(const PhysAddr& a, const PhysAddr& b) { return a.value_ == b.value_; }
  friend bool operator!=(const PhysAddr& a, const PhysAddr& b) { return a.value_ != b.value_; }
  friend bool operator<(const PhysAddr& a, const PhysAddr& b) { return a.value_ < b.value_; }

 private:
  PhysAddr(std::uint64_t value, const AddressFields& fields);
  void require(bool is_kind, const char* field) const;

  std::uint64_t value_;
  std::uint64_t offset_;
  std::uint8_t sip_, die_, pe_, unit_;
  TargetKind kind_;
};

}  // namespace kb::address
