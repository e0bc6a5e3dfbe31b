// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Registers of the graphics hub: address spaces of the VMIDs, their faults, invalidation.
#include "gpu/mmio_registers.h"

namespace cuvette::gpu {

using registers::Reg;
namespace field = registers::field;

namespace {

constexpr unsigned kInvalidationEngines = 18;
// VM_L2_PROTECTION_FAULT_STATUS.PERMISSION_FAULTS: what is missing.
constexpr uint32_t kLacksValid = 1, kLacksRead = 2, kLacksWrite = 4;
// WALKER_ERROR: the headers give no codes. 1: outside the range; 2 + n: table n, from the page
// tables up, is not there.
constexpr uint32_t kOutsideRange = 1, kNoTable = 2;

}  // namespace

void MmioRegisters::hook_memory() {
  namespace cntl = field::VM_L2_PROTECTION_FAULT_CNTL;
  file_.on_write(Reg::VM_L2_PROTECTION_FAULT_CNTL, [this](unsigned, uint32_t written, uint32_t) {
    if (cntl::CLEAR_PROTECTION_FAULT_STATUS_ADDR.get(written) != 0) clear_fault();
  });
  for (unsigned i = 0; i < kInvalidationEngines; ++i) {
    // Translations are looked up for every access: nothing is left to invalidate.
    const Reg ack = registers::nth(Reg::VM_INVALIDATE_ENG0_ACK, i);
    file_.on_write(registers::nth(Reg::VM_INVALIDATE_ENG0_REQ, i),
                   [this, ack](unsigned, uint32_t written, uint32_t) {
                     namespace request = field::VM_INVALIDATE_ENG0_REQ;
                     if (request::CLEAR_PROTECTION_FAULT_STATUS_ADDR.get(written) != 0) {
                       clear_fault();
                     }
                     file_.set(ack, field::VM_INVALIDATE_ENG0_ACK::PER_VMID_INVALIDATE_ACK,
                               request::PER_VMID_INVALIDATE_REQ.get(written));
                   });
    // A read that gives 1 takes the semaphore; writing 0 gives it back.
    const Reg semaphore = registers::nth(Reg::VM_INVALIDATE_ENG0_SEM, i);
    file_.on_read(semaphore, [this, semaphore](unsigned, uint32_t taken) {
      file_.set(semaphore, 1);
      return taken == 0 ? 1u : 0u;
    });
  }
  for (unsigned vmid = 0; vmid < VmContexts::kContexts; ++vmid) {
    const auto changed = [this, vmid](unsigned, uint32_t, uint32_t) { set_context(vmid); };
    file_.on_write(registers::nth(Reg::VM_CONTEXT0_CNTL, vmid), changed);
    // Pairs of LO32 and HI32.
    for (const Reg first :
         {Reg::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, Reg::VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32,
          Reg::VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32}) {
      file_.on_write(registers::nth(first, 2 * vmid), changed);
      file_.on_write(registers::nth(first, 2 * vmid + 1), changed);
    }
  }
  file_.on_write(Reg::CUVETTE_DOORBELL_APERTURE, [this](unsigned, uint32_t written, uint32_t) {
    namespace f = field::CUVETTE_DOORBELL_APERTURE;
    contexts_.doorbells().place(f::ENABLE.get(written) != 0,
                                f::BASE.get(written) * DoorbellAperture::kBytes);
  });
  file_.on_write(Reg::VM_CONTEXTS_DISABLE, [this](unsigned, uint32_t, uint32_t) {
    for (unsigned vmid = 0; vmid < VmContexts::kContexts; ++vmid) set_context(vmid);
  });
}

/// Sets the address space of a VMID from its registers, at once.
void MmioRegisters::set_context(unsigned vmid) {
  namespace cntl = field::VM_CONTEXT0_CNTL;
  const auto pair = [&](Reg low) {
    return address(registers::nth(low, 2 * vmid), registers::nth(low, 2 * vmid + 1), 0);
  };
  const uint32_t word = file_.get(registers::nth(Reg::VM_CONTEXT0_CNTL, vmid));
  const bool disabled = (file_.get(Reg::VM_CONTEXTS_DISABLE) >> vmid & 1) != 0;
  VmContexts::Context c;
  c.enabled = cntl::ENABLE_CONTEXT.get(word) != 0 && !disabled;
  c.depth = cntl::PAGE_TABLE_DEPTH.get(word);
  c.block_size = cntl::PAGE_TABLE_BLOCK_SIZE.get(word);
  c.root = pair(Reg::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32);
  c.first = pair(Reg::VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32);
  c.last = pair(Reg::VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32);
  contexts_.set(vmid, c);
}

void MmioRegisters::clear_fault() {
  file_.set(Reg::VM_L2_PROTECTION_FAULT_STATUS, 0);
  file_.set(Reg::VM_L2_PROTECTION_FAULT_ADDR_LO32, 0);
  file_.set(Reg::VM_L2_PROTECTION_FAULT_ADDR_HI32, 0);
}

/// Fault of an address as fields of VM_L2_PROTECTION_FAULT_STATUS. The access that faulted is not
/// known here, so the address is translated again; one that permits reading lacked writing.
uint32_t MmioRegisters::fault_word(uint8_t vmid, uint64_t address) const {
  namespace status = field::VM_L2_PROTECTION_FAULT_STATUS;
  if (contexts_.enabled(vmid)) {
    using Error = VmContexts::Error;
    const VmContexts::Walk w = contexts_.walk(vmid, address);
    switch (w.error) {
      case Error::Range:
        return status::WALKER_ERROR.of(kOutsideRange) | status::PERMISSION_FAULTS.of(kLacksValid);
      case Error::Directory:
      case Error::Memory:
        return status::WALKER_ERROR.of(kNoTable + w.level) |
               status::PERMISSION_FAULTS.of(kLacksValid);
      case Error::Malformed:
        return status::MAPPING_ERROR.of(1);
      case Error::None:
        break;
    }
  }
  if (contexts_.translate(vmid, address, hsa::Access::None).fault == hsa::Fault::Unmapped) {
    return status::PERMISSION_FAULTS.of(kLacksValid);
  }
  if (!contexts_.translate(vmid, address, hsa::Access::Read).ok()) {
    return status::PERMISSION_FAULTS.of(kLacksRead);
  }
  return status::PERMISSION_FAULTS.of(kLacksWrite) | status::RW.of(1);
}

/// The first fault stays until it is cleared. False: its context wants no interrupt.
bool MmioRegisters::latch_fault(uint8_t vmid, uint64_t address) {
  namespace status = field::VM_L2_PROTECTION_FAULT_STATUS;
  const uint32_t word = fault_word(vmid, address);
  if (file_.get(Reg::VM_L2_PROTECTION_FAULT_STATUS) != 0) {
    file_.set(Reg::VM_L2_PROTECTION_FAULT_STATUS, status::MORE_FAULTS, 1);
  } else {
    file_.set(Reg::VM_L2_PROTECTION_FAULT_STATUS, word | status::VMID.of(vmid));
    const uint64_t page = address >> VmContexts::kPageBits;
    file_.set(Reg::VM_L2_PROTECTION_FAULT_ADDR_LO32, static_cast<uint32_t>(page));
    file_.set(Reg::VM_L2_PROTECTION_FAULT_ADDR_HI32,
              field::VM_L2_PROTECTION_FAULT_ADDR_HI32::LOGICAL_PAGE_ADDR_HI4,
              static_cast<uint32_t>(page >> 32));
  }
  if (!contexts_.enabled(vmid)) return true;
  namespace cntl = field::VM_CONTEXT0_CNTL;
  const uint32_t missing = status::PERMISSION_FAULTS.get(word);
  const uint32_t walker = status::WALKER_ERROR.get(word);
  const auto enable = walker == kOutsideRange       ? cntl::RANGE_PROTECTION_FAULT_ENABLE_INTERRUPT
                      : walker != 0 || missing == 0 ? cntl::PDE0_PROTECTION_FAULT_ENABLE_INTERRUPT
                      : missing == kLacksValid      ? cntl::VALID_PROTECTION_FAULT_ENABLE_INTERRUPT
                      : missing == kLacksRead       ? cntl::READ_PROTECTION_FAULT_ENABLE_INTERRUPT
                                                    : cntl::WRITE_PROTECTION_FAULT_ENABLE_INTERRUPT;
  return enable.get(file_.get(registers::nth(Reg::VM_CONTEXT0_CNTL, vmid))) != 0;
}

}  // namespace cuvette::gpu
