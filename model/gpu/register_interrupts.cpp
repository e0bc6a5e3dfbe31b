// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Registers of the interrupt handler (tests/ledger/gfx9_structs.csv: ih_ring_entry,
// ih_entry.*, ih_client_id, ih_source_id).
#include <algorithm>
#include <array>

#include "gpu/mmio_registers.h"
#include "gpu/sdma_module.h"
#include "hsa/queue_error.h"

namespace cuvette::gpu {

using command_processor::Interrupt;
using machine::Cycle;
using registers::Reg;
using registers::RegisterFile;
namespace field = registers::field;

namespace {

constexpr uint32_t kEntryBytes = 32;

enum Client : uint32_t { kSe0Sh = 10, kVmc = 18, kGrbmCp = 20, kUtcl2 = 27 };
// SDMA0 to SDMA7 (public driver header soc15_ih_clientid.h).
constexpr std::array<uint32_t, 8> kClientsOfSdma = {8, 9, 1, 4, 5, 17, 19, 24};
constexpr unsigned kClientsOfEngines = 4;  // SE0SH..SE3SH
enum Source : uint32_t {
  kVmFault = 0,
  kCpEndOfPipe = 181,
  kCpBadOpcode = 183,
  kCpPreemptAck = 194,
  kCpQueryStatus = 199,
  kCpVmDoorbell = 200,
  kSdmaTrapEntry = 224,
  kSqInterrupt = 239,
};
// S_SENDMSG: message 1 is the interrupt (Vega ISA 4.6).
constexpr uint32_t kMessageInterrupt = 1;
constexpr uint32_t kMessageType = 0xf;
// Bits 27:26 of an SQ entry, and its kinds of errors.
constexpr uint32_t kEncodingInstruction = 1, kEncodingError = 2;
constexpr uint32_t kIllegalInstruction = 1;
constexpr unsigned kPageBits = 12;

bool is_message(const Interrupt& i) {
  return i.source >= command_processor::kWaveMessage &&
         i.source < command_processor::kUnmappedDoorbell;
}
bool is_front(const Interrupt& i) {
  return i.source == command_processor::kUnmappedDoorbell ||
         i.source == command_processor::kDequeued || i.source == command_processor::kQueryStatus;
}
bool is_sdma(const Interrupt& i) {
  return i.source == kSdmaTrap || i.source == kSdmaFault || i.source == kSdmaError;
}
bool is_error(const Interrupt& i) {
  return i.source != 0 && !is_message(i) && !is_front(i) && !is_sdma(i);
}

}  // namespace

void MmioRegisters::hook_interrupts() {
  for (const Reg reg : {Reg::IH_RB_CNTL, Reg::IH_RB_RPTR, Reg::IH_RB_WPTR}) {
    file_.on_write(reg, [this, reg](unsigned, uint32_t written, uint32_t) {
      namespace cntl = field::IH_RB_CNTL;
      if (reg == Reg::IH_RB_CNTL && cntl::WPTR_OVERFLOW_CLEAR.get(written) != 0) {
        file_.set(Reg::IH_RB_WPTR, field::IH_RB_WPTR::RB_OVERFLOW, 0);
      }
      machine_.ring_moved();
    });
  }
  file_.on_read(Reg::IH_STATUS, [this](unsigned, uint32_t) {
    namespace status = field::IH_STATUS;
    const bool overflow = file_.get(Reg::IH_RB_WPTR, field::IH_RB_WPTR::RB_OVERFLOW) != 0;
    return status::IDLE.mask() | status::INPUT_IDLE.mask() | status::BUFFER_IDLE.mask() |
           status::MC_WR_IDLE.mask() | status::RB_FULL.of(ring_slot().full) |
           status::RB_OVERFLOW.of(overflow);
  });
}

/// Enables of the pipe a queue sits on. Queues that were bound without registers have none.
bool MmioRegisters::masked(const Interrupt& i) const {
  if (is_sdma(i)) return false;
  const bool query = i.source == command_processor::kQueryStatus;
  if (is_message(i) || (is_front(i) && !query)) return false;
  const auto slot = binding_of(i.queue).slot;
  if (!slot) return false;
  namespace enable = field::CP_ME1_PIPE0_INT_CNTL;
  const unsigned pipe = *slot / RegisterFile::kQueues;
  if (query) return file_.get(Reg::CPC_INT_CNTL, enable::CMP_QUERY_STATUS_INT_ENABLE, pipe) == 0;
  if (i.source == 0) return file_.get(Reg::CPC_INT_CNTL, enable::TIME_STAMP_INT_ENABLE, pipe) == 0;
  constexpr uint32_t kOfWaves =
      hsa::kQueueErrorMemoryFault | hsa::kQueueErrorIllegalInstruction | hsa::kQueueErrorException;
  return (i.source & kOfWaves) == 0 &&
         file_.get(Reg::CPC_INT_CNTL, enable::OPCODE_ERROR_INT_ENABLE, pipe) == 0;
}

MmioRegisters::Route MmioRegisters::route(Cycle now, const Interrupt& interrupt, RingEntry& entry) {
  advance(now);
  const bool error = is_error(interrupt);
  if (error && (interrupt.source & hsa::kQueueErrorMemoryFault) != 0 &&
      !latch_fault(binding_of(interrupt.queue).vmid, interrupt.context)) {
    return Route::Masked;
  }
  if (file_.get(Reg::IH_RB_CNTL, field::IH_RB_CNTL::RB_ENABLE) == 0) return Route::Direct;
  if (is_message(interrupt) && (interrupt.source & kMessageType) != kMessageInterrupt) {
    return Route::Direct;
  }
  if (interrupt.source == kSdmaError) return Route::Direct;  // no entry says that
  if (masked(interrupt)) return Route::Masked;
  entry = entry_of(now, interrupt);
  return Route::Ring;
}

MmioRegisters::RingEntry MmioRegisters::entry_of(Cycle now, const Interrupt& i) const {
  uint32_t client = kGrbmCp;
  uint32_t source = kCpEndOfPipe;
  uint32_t ring = 0;
  const Bound queue = is_message(i) || is_sdma(i) ? Bound{} : binding_of(i.queue);
  uint32_t vmid = queue.vmid;
  RingEntry entry{};
  const auto slot = queue.slot;
  if (slot) {
    const uint32_t pipe = *slot / RegisterFile::kQueues % RegisterFile::kPipes;
    const uint32_t me = *slot / (RegisterFile::kQueues * RegisterFile::kPipes);
    ring = pipe | me << 2 | *slot % RegisterFile::kQueues << 4;
  }
  const auto context = static_cast<uint32_t>(i.context);
  if (i.source == 0) {
    entry[4] = context;
  } else if (is_sdma(i)) {
    vmid = i.queue >> 16 & 0xf;
    ring = 0;
    if (i.source == kSdmaTrap) {
      client = kClientsOfSdma[(i.queue >> 24) % kClientsOfSdma.size()];
      source = kSdmaTrapEntry;
      entry[4] = context;
    } else {
      client = kVmc;
      source = kVmFault;
      entry[4] = static_cast<uint32_t>(i.context >> kPageBits);
      entry[5] = static_cast<uint32_t>(i.context >> (kPageBits + 32)) & 0xf;
    }
  } else if (is_message(i)) {
    const uint32_t engine = i.queue / units_per_engine_;
    client = kSe0Sh + engine % kClientsOfEngines;
    source = kSqInterrupt;
    // The wave and its SIMD are not known here.
    entry[4] = (context & 0xfff) | (i.queue % units_per_engine_) << 20 |
               engine % kClientsOfEngines << 24 | kEncodingInstruction << 26 |
               (context >> 12 & 0xf) << 28;
    entry[5] = context >> 16 & 0xff;
  } else if (i.source == command_processor::kUnmappedDoorbell) {
    source = kCpVmDoorbell;
    ring = vmid = 0;
    entry[4] = i.queue * 2;  // in dwords, as DOORBELL_OFFSET
    entry[5] = context;
  } else if (i.source == command_processor::kDequeued) {
    source = kCpPreemptAck;
  } else if (i.source == command_processor::kQueryStatus) {
    source = kCpQueryStatus;
    entry[4] = context;
  } else if ((i.source & hsa::kQueueErrorMemoryFault) != 0) {
    namespace status = field::VM_L2_PROTECTION_FAULT_STATUS;
    client = kUtcl2;
    source = kVmFault;
    const uint32_t word = file_.get(Reg::VM_L2_PROTECTION_FAULT_STATUS);
    ring = (status::PERMISSION_FAULTS.get(word) & 7) << 3;
    const uint64_t page = i.context >> kPageBits;
    entry[4] = static_cast<uint32_t>(page);
    entry[5] = (static_cast<uint32_t>(page >> 32) & 0xf) | status::RW.get(word) << 5;
  } else if ((i.source & hsa::kQueueErrorIllegalInstruction) != 0) {
    client = kSe0Sh;
    source = kSqInterrupt;
    ring = 0;
    entry[4] = kEncodingError << 26;
    entry[5] = kIllegalInstruction << 4;
  } else {
    source = kCpBadOpcode;
    const uint32_t doorbell =
        slot ? file_.get(Reg::CP_HQD_PQ_DOORBELL_CONTROL,
                         field::CP_HQD_PQ_DOORBELL_CONTROL::DOORBELL_OFFSET, *slot)
             : 0;
    entry[4] = (doorbell & 0x3ff) | (i.source & 0xffffu) << 10;
  }
  entry[0] = client | source << 8 | ring << 16 | vmid << 24;
  entry[1] = static_cast<uint32_t>(now);
  entry[2] = static_cast<uint32_t>(now >> 32) & 0xffff;
  const Reg lut = registers::nth(Reg::IH_VMID_0_LUT, vmid);
  entry[3] = file_.get(lut, field::IH_VMID_0_LUT::PASID);
  return entry;
}

/// 2^RB_SIZE dwords, as far as there is room for an entry and the pointers (bits 17:2) reach.
uint32_t MmioRegisters::ring_bytes() const {
  constexpr uint32_t kLeast = 3, kMost = 16;
  const uint32_t size = file_.get(Reg::IH_RB_CNTL, field::IH_RB_CNTL::RB_SIZE);
  return 4u << std::clamp(size, kLeast, kMost);
}

uint32_t MmioRegisters::ring_write_pointer() const {
  return file_.get(Reg::IH_RB_WPTR);
}

MmioRegisters::RingSlot MmioRegisters::ring_slot() const {
  const uint32_t offset = ring_write_pointer() & field::IH_RB_WPTR::OFFSET.mask();
  const uint32_t read = file_.get(Reg::IH_RB_RPTR) & field::IH_RB_RPTR::OFFSET.mask();
  const uint64_t base =
      uint64_t{file_.get(Reg::IH_RB_BASE)} << 8 | uint64_t{file_.get(Reg::IH_RB_BASE_HI)} << 40;
  const bool last = (offset + kEntryBytes) % ring_bytes() == read;
  const bool lossy = file_.get(Reg::IH_RB_CNTL, field::IH_RB_CNTL::WPTR_OVERFLOW_ENABLE) != 0;
  return {base + offset % ring_bytes(), last && !lossy};
}

uint64_t MmioRegisters::ring_advance() {
  namespace pointer = field::IH_RB_WPTR;
  const uint32_t offset = ring_write_pointer() & pointer::OFFSET.mask();
  const uint32_t read = file_.get(Reg::IH_RB_RPTR) & field::IH_RB_RPTR::OFFSET.mask();
  const uint32_t next = (offset + kEntryBytes) % ring_bytes();
  uint32_t word = (ring_write_pointer() & ~pointer::OFFSET.mask()) | next;
  if (next == read) word = pointer::RB_OVERFLOW.set(word, 1);  // what was not read is overwritten
  file_.set(Reg::IH_RB_WPTR, word);
  if (file_.get(Reg::IH_RB_CNTL, field::IH_RB_CNTL::WPTR_WRITEBACK_ENABLE) == 0) return 0;
  return uint64_t{file_.get(Reg::IH_RB_WPTR_ADDR_HI)} << 32 | file_.get(Reg::IH_RB_WPTR_ADDR_LO);
}

bool MmioRegisters::ring_interrupts() const {
  return file_.get(Reg::IH_RB_CNTL, field::IH_RB_CNTL::ENABLE_INTR) != 0;
}

}  // namespace cuvette::gpu
