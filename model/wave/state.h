// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/bits.h"
#include "isa/registers.h"
#include "isa/target.h"
#include "wave/mode.h"

namespace cuvette::wave {

inline constexpr unsigned kLanes = 64;
/// One register of all lanes.
using LaneRow = std::array<uint32_t, kLanes>;

/// View of a wavefront's vector registers. The owner differs: the golden machine, the vrf
/// block, or a copy of the few rows that travel over a port.
struct VectorFile {
  LaneRow* arch = nullptr;  ///< VGPRs 0..arch_count-1
  LaneRow* acc = nullptr;   ///< AccVGPRs; from gfx90a on the upper part of the same file
  uint16_t arch_count = 0;  ///< registers at `arch`
  uint16_t acc_count = 0;   ///< registers at `acc`
};

/// TRAPSTS bits (Vega ISA 3.10).
enum TrapSts : uint32_t {
  kExcpMask = 0x1ff,  ///< sticky exceptions, fp::Flag order; bits 7, 8: address watch, MEM_VIOL
  kMemViol = 1u << 8,
  kSaveCtx = 1u << 10,      ///< the context is to be saved
  kIllegalInst = 1u << 11,  ///< an illegal instruction was met
};

/// Everything of a wavefront that is not a vector register.
///
/// `sgpr` is indexed by the scalar operand code, so SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, trap
/// temporaries, M0 and EXEC are one array (MI100 ISA table 23).
struct ScalarState {
  alignas(64) std::array<uint32_t, 128> sgpr{};
  uint64_t pc = 0;  ///< byte address of the next instruction
  Mode mode;
  uint32_t status = 0;   ///< STATUS without SCC, EXECZ, VCCZ, which are derived
  uint32_t trapsts = 0;  ///< TRAPSTS as S_GETREG gives it
  bool scc = false;
  uint64_t tba = 0;     ///< trap handler, byte address; read-only to the program
  uint64_t tma = 0;     ///< trap handler's memory, byte address; read-only to the program
  uint32_t ib_sts = 0;  ///< outstanding counts as the machine keeps them, read by S_GETREG

  uint64_t pair(unsigned code) const { return base::join32(sgpr[code], sgpr[code + 1]); }
  void set_pair(unsigned code, uint64_t value) {
    sgpr[code] = base::lo32(value);
    sgpr[code + 1] = base::hi32(value);
  }
  uint64_t exec() const { return pair(isa::kExecLo); }
  void set_exec(uint64_t v) { set_pair(isa::kExecLo, v); }
  uint64_t vcc() const { return pair(isa::kVccLo); }
  void set_vcc(uint64_t v) { set_pair(isa::kVccLo, v); }
  uint32_t m0() const { return sgpr[isa::kM0]; }
};

/// Resources that a wavefront was given at launch and may ask for (S_GETREG, bounds checks).
struct Allocation {
  uint16_t vgprs = 256;        ///< VGPR indices at or above are out of range
  uint16_t accvgprs = 256;     ///< the same of AccVGPRs
  uint16_t sgprs = 102;        ///< without those of VCC and the like
  uint32_t lds_bytes = 65536;  ///< of the work-group: the LDS bound (decisions.md D11)
  uint32_t hw_id = 0;          ///< HW_REG_HW_ID as the machine placed the wave
  uint32_t xcc_id = 0;         ///< HW_REG_XCC_ID, gfx942
  uint8_t vgpr_base = 0;       ///< in units of 4 registers; with the next two only read by S_GETREG
  uint8_t sgpr_base = 0;       ///< in units of 8 registers
  uint8_t lds_base = 0;        ///< in units of 64 dwords
  uint64_t shared_aperture = 0;   ///< of LDS; upper 32 address bits decide; 0: none
  uint64_t private_aperture = 0;  ///< of scratch; 0: none
  uint64_t scratch_base = 0;      ///< this wave's scratch, byte address (used from gfx942 on; older
                                  ///< targets take the FLAT_SCRATCH register pair)
  uint32_t scratch_bytes_per_lane = 0;  ///< 0: scratch accesses are not bounded
};

/// State of a wavefront between two instructions. `v` is a view: the rows are the owner's.
struct WaveState {
  ScalarState s;
  VectorFile v;
  isa::Target target = isa::Target::Gfx908;
  bool sramecc = false;  ///< D16 loads write the whole register (decisions.md D9)
  Allocation alloc;
  uint64_t (*clock)(void*) = nullptr;  ///< value of S_MEMTIME and S_MEMREALTIME; null reads 0
  void* clock_context = nullptr;       ///< argument of `clock`
};

}  // namespace cuvette::wave
