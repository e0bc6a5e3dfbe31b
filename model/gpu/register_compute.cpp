// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Grids from the COMPUTE_* registers, and what packets do with registers.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/mmio_registers.h"

namespace cuvette::gpu {

using command_processor::RegisterAccess;
using command_processor::RegisterDone;
using command_processor::RegisterLaunch;
using machine::Cycle;
using registers::Reg;
using registers::RegisterFile;
namespace field = registers::field;

namespace {

constexpr uint32_t kLdsGranule = 512;        // bytes, COMPUTE_PGM_RSRC2.LDS_SIZE
constexpr uint32_t kWaveSizeGranule = 1024;  // bytes, COMPUTE_TMPRING_SIZE.WAVESIZE
constexpr uint32_t kLanes = 64;

constexpr std::array<Reg, spi::kMaskedEngines> kUnitMasks = {
    Reg::COMPUTE_STATIC_THREAD_MGMT_SE0, Reg::COMPUTE_STATIC_THREAD_MGMT_SE1,
    Reg::COMPUTE_STATIC_THREAD_MGMT_SE2, Reg::COMPUTE_STATIC_THREAD_MGMT_SE3,
    Reg::COMPUTE_STATIC_THREAD_MGMT_SE4, Reg::COMPUTE_STATIC_THREAD_MGMT_SE5,
    Reg::COMPUTE_STATIC_THREAD_MGMT_SE6, Reg::COMPUTE_STATIC_THREAD_MGMT_SE7};

}  // namespace

void MmioRegisters::hook_compute() {
  file_.on_write(Reg::COMPUTE_DISPATCH_INITIATOR,
                 [this](unsigned slot, uint32_t written, uint32_t) { start_grid(slot, written); });
}

/// DIM says where the grid ends and START where it begins, both in work-groups; the last work-group
/// of a dimension may have fewer work-items.
void MmioRegisters::start_grid(unsigned slot, uint32_t initiator) {
  namespace f = field::COMPUTE_DISPATCH_INITIATOR;
  if (f::COMPUTE_SHADER_EN.get(initiator) == 0) return;
  if ((initiator & (f::ORDERED_APPEND_ENBL.mask() | f::RESTORE.mask())) != 0) {
    return not_modelled(slot, "a grid with ordered append or restored waves");
  }
  RegisterLaunch launch;
  launch.id = access_;
  launch.invalidate =
      (initiator & (f::SCALAR_L1_INV_VOL.mask() | f::VECTOR_L1_INV_VOL.mask())) != 0;
  spi::Dispatch& d = launch.dispatch;
  for (unsigned i = 0; i < 3; ++i) {
    namespace threads = field::COMPUTE_NUM_THREAD_X;
    const uint32_t dim = file_.get(registers::nth(Reg::COMPUTE_DIM_X, i), slot);
    const uint32_t words = file_.get(registers::nth(Reg::COMPUTE_NUM_THREAD_X, i), slot);
    const uint32_t full = threads::NUM_THREAD_FULL.get(words);
    const uint32_t partial = threads::NUM_THREAD_PARTIAL.get(words);
    if (dim == 0) return;  // no work-group
    uint64_t items = uint64_t{dim} * full;
    if (f::USE_THREAD_DIMENSIONS.get(initiator) != 0) {
      items = dim;
    } else if (f::PARTIAL_TG_EN.get(initiator) != 0 && partial != 0) {
      items = uint64_t{dim - 1} * full + partial;
    }
    d.workgroup[i] = static_cast<uint16_t>(full);
    d.grid[i] = items > ~uint32_t{0} ? 0 : static_cast<uint32_t>(items);  // 0: refused by the spi
    if (f::FORCE_START_AT_000.get(initiator) == 0) {
      d.start[i] = file_.get(registers::nth(Reg::COMPUTE_START_X, i), slot);
    }
  }
  d.from_registers = true;
  d.entry = address(Reg::COMPUTE_PGM_LO, Reg::COMPUTE_PGM_HI, slot) << 8;
  d.rsrc1 = file_.get(Reg::COMPUTE_PGM_RSRC1, slot);
  d.rsrc2 = file_.get(Reg::COMPUTE_PGM_RSRC2, slot);
  if (unified_) d.rsrc3 = file_.get(Reg::COMPUTE_PGM_RSRC3, slot);
  d.group_bytes = field::COMPUTE_PGM_RSRC2::LDS_SIZE.get(d.rsrc2) * kLdsGranule;
  for (unsigned i = 0; i < d.user_data.size(); ++i) {
    d.user_data[i] = file_.get(registers::nth(Reg::COMPUTE_USER_DATA_0, i), slot);
  }
  d.scratch_bytes_per_wave =
      file_.get(Reg::COMPUTE_TMPRING_SIZE, field::COMPUTE_TMPRING_SIZE::WAVESIZE, slot) *
      kWaveSizeGranule;
  d.scratch_waves = file_.get(Reg::COMPUTE_TMPRING_SIZE, field::COMPUTE_TMPRING_SIZE::WAVES, slot);
  d.private_bytes = static_cast<uint32_t>(d.scratch_bytes_per_wave / kLanes);
  d.scratch_base =
      address(Reg::COMPUTE_DISPATCH_SCRATCH_BASE_LO, Reg::COMPUTE_DISPATCH_SCRATCH_BASE_HI, slot)
      << 8;
  d.vmid = static_cast<uint8_t>(file_.get(Reg::COMPUTE_VMID, slot));
  if (const auto queue = slots_[slot].queue) {
    launch.queue = *queue;
    d.vmid = binding_of(*queue).vmid;
    d.queue_priority = static_cast<uint8_t>(file_.get(Reg::CP_HQD_QUEUE_PRIORITY, slot));
  } else {
    launch.queue = command_processor::no_queue(slot, d.vmid);
  }
  d.cu_mask = cu_mask(slot);
  d.tba = address(Reg::SQ_SHADER_TBA_LO, Reg::SQ_SHADER_TBA_HI, d.vmid) << 8;
  d.tma = address(Reg::SQ_SHADER_TMA_LO, Reg::SQ_SHADER_TMA_HI, d.vmid) << 8;
  machine_.launch(launch);
}

/// The headers give no reset value for the engines that only later parts have; a queue whose driver
/// knows of none has all of them.
void MmioRegisters::enable_units() {
  for (const Reg reg : kUnitMasks) {
    for (unsigned slot = 0; slot < kSlots; ++slot) file_.set(reg, ~0u, slot);
  }
}

/// An engine has one array of compute units here: SH1_CU_EN has none to enable.
spi::CuMask MmioRegisters::cu_mask(unsigned slot) const {
  namespace f = field::COMPUTE_STATIC_THREAD_MGMT_SE0;
  spi::CuMask mask{};
  for (unsigned e = 0; e < mask.size(); ++e) {
    mask[e] = static_cast<uint16_t>(f::SH0_CU_EN.get(file_.get(kUnitMasks[e], slot)));
  }
  return mask;
}

/// Selects the packet's banks for the time of the access; the host's selection stays.
RegisterDone MmioRegisters::packet_access(Cycle now, const RegisterAccess& a) {
  advance(now);
  RegisterDone done;
  done.id = a.id;
  // A packet that still runs would set up slots that have just been reset.
  if (lost_.count(a.queue) != 0) {
    done.error = true;
    return done;
  }
  if (a.offset == registers::info(Reg::GRBM_GFX_CNTL).offset) {
    report("a packet may not select banks by GRBM_GFX_CNTL");
    done.error = true;
    return done;
  }
  const uint32_t host = file_.get(Reg::GRBM_GFX_CNTL);
  file_.set(Reg::GRBM_GFX_CNTL, a.bank);
  access_ = a.id;
  const auto status = a.write ? file_.write(a.offset, sizeof a.value, a.value)
                              : file_.read(a.offset, sizeof done.value, done.value);
  access_ = 0;
  file_.set(Reg::GRBM_GFX_CNTL, host);
  done.error = status != RegisterFile::Status::Ok;
  return done;
}

}  // namespace cuvette::gpu
