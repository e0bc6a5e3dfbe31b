// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/scalar/scalar.h"
#include "wave/status_register.h"

// S_GETREG, S_SETREG (Vega ISA 5.8 and its tables), GPR indexing and VSKIP.
namespace cuvette::wave::scalar {
namespace {

enum HardwareRegister : unsigned {
  kMode = 1,
  kStatus = 2,
  kTrapSts = 3,
  kHwId = 4,
  kGprAlloc = 5,
  kLdsAlloc = 6,
  kIbSts = 7,
  kShMemBases = 15,  ///< upper 16 address bits of the apertures: private 15:0, shared 31:16
  kTbaLo = 16,
  kTbaHi = 17,
  kTmaLo = 18,
  kTmaHi = 19,
  kXccId = 20,  ///< gfx942
};

/// TRAPSTS bits that exist (MI100 ISA table 9); the others read as zero.
constexpr uint32_t kTrapStsBits = 0xe03f7dff;

/// The wave has been created and has not ended; only a running wave asks.
constexpr uint32_t kStatusValid = 1u << 16;

/// Sizes are stored as the number of granules minus one: 4 VGPRs, 16 SGPRs; with one file for both
/// kinds 8 VGPRs of the two together, and behind that 4 of those that are not AccVGPRs (public
/// driver source, trap handler of gfx9).
uint32_t gpr_alloc(const Allocation& alloc, isa::Target target) {
  const auto granules = [](unsigned registers, unsigned granule) {
    const uint32_t count = (registers + granule - 1) / granule;
    return count == 0 ? 0u : count - 1;
  };
  const uint32_t sgprs = (granules(alloc.sgprs, 16) & 7) << 24;
  if (isa::unified_vgprs(target)) {
    return (alloc.vgpr_base & 0x3fu) | (granules(alloc.vgprs + alloc.accvgprs, 8) & 0x3f) << 6 |
           (granules(alloc.vgprs, 4) & 0x3f) << 12 | (alloc.sgpr_base & 0x3fu) << 18 | sgprs;
  }
  return (alloc.vgpr_base & 0x3fu) | (granules(alloc.vgprs, 4) & 0x3f) << 8 |
         (alloc.sgpr_base & 0x3fu) << 16 | sgprs;
}

uint32_t lds_alloc(const Allocation& alloc) {
  // Allocated in blocks of 128 dwords, counted in 64 (MI100 ISA 3.6.5).
  constexpr uint32_t kBlockBytes = 512, kUnits = 2;
  const uint32_t size = (alloc.lds_bytes + kBlockBytes - 1) / kBlockBytes * kUnits;
  return alloc.lds_base | (size & 0x1ff) << 12;
}

/// False: the register does not exist on the target.
bool read_register(const WaveState& wave, unsigned id, uint32_t& value) {
  switch (id) {
    case kMode:
      value = wave.s.mode.raw;
      return true;
    case kStatus:
      value = status_register(wave.s);
      return true;
    case kTrapSts:
      value = wave.s.trapsts;
      return true;
    case kHwId:
      value = wave.alloc.hw_id;
      return true;
    case kGprAlloc:
      value = gpr_alloc(wave.alloc, wave.target);
      return true;
    case kLdsAlloc:
      value = lds_alloc(wave.alloc);
      return true;
    case kIbSts:
      value = wave.s.ib_sts;
      return true;
    case kShMemBases:
      value = static_cast<uint32_t>(wave.alloc.private_aperture >> 48) |
              static_cast<uint32_t>(wave.alloc.shared_aperture >> 48) << 16;
      return true;
    case kTbaLo:
      value = base::lo32(wave.s.tba);
      return true;
    case kTbaHi:
      value = base::hi32(wave.s.tba) & 0xffff;
      return true;
    case kTmaLo:
      value = base::lo32(wave.s.tma);
      return true;
    case kTmaHi:
      value = base::hi32(wave.s.tma) & 0xffff;
      return true;
    case kXccId:
      value = wave.alloc.xcc_id;
      return wave.target == isa::Target::Gfx942;
    default:
      return false;
  }
}

/// The part of a hardware register SIMM16 = {size - 1, offset, id} names.
struct Field {
  unsigned id, offset, size;
  explicit Field(uint16_t simm)
      : id(simm & 0x3f), offset(simm >> 6 & 0x1f), size((simm >> 11 & 0x1f) + 1u) {}
  /// Bits beyond the register's top do not exist.
  uint32_t mask() const { return static_cast<uint32_t>(base::low_mask(size) << offset); }
};

constexpr const char* kNoRegister = "hardware register number reserved on this target";

Outcome getreg(WaveState& wave, const isa::Instruction& i) {
  const Field field(simm16(i));
  uint32_t value = 0;
  if (!read_register(wave, field.id, value)) return {Event::Unsupported, field.id, kNoRegister};
  write_scalar32(wave, i.dst[0], (value & field.mask()) >> field.offset);
  return {};
}

/// Fields of STATUS that a trap handler may write, beside SCC: priorities, HALT, COND_DBG_*.
constexpr uint32_t kStatusWritable =
    3u << 1 | 3u << 3 | kStatusHalt | kStatusCondDbgUser | kStatusCondDbgSys;

/// MODE and TRAPSTS are writable, and STATUS in a trap handler (decisions.md D38); writes to the
/// read-only registers are lost (Vega ISA 5.8).
Outcome set_field(WaveState& wave, const isa::Instruction& i, uint32_t value) {
  const Field field(simm16(i));
  uint32_t old = 0;
  if (!read_register(wave, field.id, old)) return {Event::Unsupported, field.id, kNoRegister};
  const uint32_t merged = (old & ~field.mask()) | (value << field.offset & field.mask());
  if (field.id == kMode) wave.s.mode.raw = merged;
  if (field.id == kTrapSts) wave.s.trapsts = merged & kTrapStsBits;
  if (field.id == kStatus && (wave.s.status & kStatusPriv) != 0) {
    wave.s.scc = (merged & kStatusScc) != 0;
    wave.s.status = (wave.s.status & ~kStatusWritable) | (merged & kStatusWritable);
  }
  return {};
}
Outcome setreg(WaveState& wave, const isa::Instruction& i) {
  return set_field(wave, i, read_scalar32(wave, sopk_register(i)));
}
Outcome setreg_imm32(WaveState& wave, const isa::Instruction& i) {
  return set_field(wave, i, i.words[1]);
}

void set_mode_bit(WaveState& wave, unsigned position, bool value) {
  wave.s.mode.raw =
      static_cast<uint32_t>(base::insert_bits(wave.s.mode.raw, position, position, value));
}
constexpr unsigned kGprIdxEn = 27;
constexpr unsigned kVskip = 28;

void set_m0_field(WaveState& wave, unsigned hi, unsigned lo, uint32_t value) {
  uint32_t& m0 = wave.s.sgpr[isa::kM0];
  m0 = static_cast<uint32_t>(base::insert_bits(m0, hi, lo, value));
}

/// The four enables are the S1 field itself, not the value it names (Vega ISA 12.4).
Outcome gpr_idx_on(WaveState& wave, const isa::Instruction& i) {
  const uint32_t index = read_scalar32(wave, i.src[0]);
  set_mode_bit(wave, kGprIdxEn, true);
  set_m0_field(wave, 7, 0, index);
  set_m0_field(wave, 15, 12, i.words[0] >> 8);
  return {};
}
Outcome gpr_idx_off(WaveState& wave, const isa::Instruction&) {
  set_mode_bit(wave, kGprIdxEn, false);
  return {};
}
Outcome gpr_idx_mode(WaveState& wave, const isa::Instruction& i) {
  set_m0_field(wave, 15, 12, simm16(i));
  return {};
}
Outcome gpr_idx_idx(WaveState& wave, const isa::Instruction& i) {
  set_m0_field(wave, 7, 0, read_scalar32(wave, i.src[0]));
  return {};
}
Outcome setvskip(WaveState& wave, const isa::Instruction& i) {
  const unsigned position = read_scalar32(wave, i.src[1]) & 31;
  set_mode_bit(wave, kVskip, base::bit(read_scalar32(wave, i.src[0]), position));
  return {};
}

constexpr Entry kEntries[] = {
    {Id::s_getreg_b32, getreg},
    {Id::s_setreg_b32, setreg},
    {Id::s_setreg_imm32_b32, setreg_imm32},
    {Id::s_set_gpr_idx_on, gpr_idx_on},
    {Id::s_set_gpr_idx_off, gpr_idx_off},
    {Id::s_set_gpr_idx_mode, gpr_idx_mode},
    {Id::s_set_gpr_idx_idx, gpr_idx_idx},
    {Id::s_setvskip, setvskip},
};

}  // namespace

EntryList register_entries() {
  return kEntries;
}

}  // namespace cuvette::wave::scalar

namespace cuvette::wave {

uint32_t status_register(const ScalarState& s) {
  constexpr uint32_t kDerived = kStatusScc | kStatusExecz | kStatusVccz;
  return (s.status & ~kDerived) | scalar::kStatusValid | (s.scc ? uint32_t{kStatusScc} : 0u) |
         (s.exec() == 0 ? uint32_t{kStatusExecz} : 0u) |
         (s.vcc() == 0 ? uint32_t{kStatusVccz} : 0u);
}

}  // namespace cuvette::wave
