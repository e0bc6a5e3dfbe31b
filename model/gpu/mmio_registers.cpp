// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/mmio_registers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpu/configs.h"
#include "hsa/packet.h"
#include "hsa/queue_error.h"
#include "isa/target.h"

namespace cuvette::gpu {

using command_processor::Doorbell;
using command_processor::QueueBinding;
using command_processor::QueueState;
using command_processor::QueueStatus;
using machine::Cycle;
using registers::Reg;
using registers::RegisterFile;
namespace field = registers::field;

namespace {

constexpr unsigned kPacketDwords = hsa::kPacketBytes / 4;
/// Doorbell indices of slots inside the command processor, beyond those of the aperture.
constexpr uint32_t kSlotDoorbell = 0x80000000;
constexpr unsigned kBaseBits = 48;     // SH_MEM_BASES hold address bits 63:48
constexpr uint32_t kUnaligned = 3;     // SH_MEM_CONFIG.ALIGNMENT_MODE
constexpr uint32_t kLargestRing = 30;  // QUEUE_SIZE: places in it have 32 bits
constexpr unsigned kSlotsPerEngine = RegisterFile::kPipes * RegisterFile::kQueues;

RegisterFile::Shape bank_shape(const machine::GpuConfig& description) {
  RegisterFile::Shape shape;
  shape.engines = shader_engines(description);
  return shape;
}

}  // namespace

MmioRegisters::MmioRegisters(const machine::GpuConfig& description, VmContexts& contexts,
                             Machine machine)
    : file_(bank_shape(description)),
      contexts_(contexts),
      machine_(std::move(machine)),
      clock_mhz_(static_cast<uint32_t>(description.clock_mhz)),
      shader_bases_(field::SH_MEM_BASES::SHARED_BASE.of(
                        static_cast<uint32_t>(description.shared_aperture >> kBaseBits)) |
                    field::SH_MEM_BASES::PRIVATE_BASE.of(
                        static_cast<uint32_t>(description.private_aperture >> kBaseBits))) {
  const unsigned units = description.compute_units;
  const unsigned engines = bank_shape(description).engines;
  units_per_engine_ = (units + engines - 1) / engines;
  file_.on_report([this](const RegisterFile::Report& r) { report(r.str()); });
  units_ = units;
  const auto target = isa::target_from_name(description.target);
  unified_ = target && isa::unified_vgprs(*target);
  hook_queues();
  hook_compute();
  hook_debug();
  hook_status();
  hook_memory();
  hook_interrupts();
  set_facts();
}

/// Sets the read-only registers that describe the machine, and the values of reset that follow from
/// it.
void MmioRegisters::set_facts() {
  for (unsigned e = 0; e < file_.instances(Reg::CC_GC_SHADER_ARRAY_CONFIG); ++e) {
    const unsigned first = std::min(units_, e * units_per_engine_);
    const unsigned here = std::min(units_, first + units_per_engine_) - first;
    namespace config = field::CC_GC_SHADER_ARRAY_CONFIG;
    file_.set(Reg::CC_GC_SHADER_ARRAY_CONFIG, config::INACTIVE_CUS, ~0u << here, e);
  }
  file_.set(Reg::CUVETTE_COMPUTE_UNITS, units_);
  file_.set(Reg::CUVETTE_CLOCK, clock_mhz_);
  enable_units();
}

bool MmioRegisters::cancel(Cycle now) {
  advance(now);
  const std::map<uint32_t, Bound> queues = bindings_;
  bool any = false;
  for (const auto& [queue, bound] : queues) {
    const bool gone = bound.slot && slot_of_queue_.count(queue) == 0;
    if (gone) continue;
    any = true;
    machine_.dequeue({queue, true, false});
    if (bound.slot) {
      lost_.insert(queue);
    } else {
      bindings_.erase(queue);
    }
  }
  slot_of_queue_.clear();
  slots_ = {};
  return any;
}

void MmioRegisters::reset(Cycle now) {
  advance(now);
  file_.reset();
  set_facts();
  for (unsigned vmid = 0; vmid < VmContexts::kContexts; ++vmid) set_context(vmid);
  contexts_.doorbells().place(false, 0);
  clear_fault();
  fresh_scheduler_ = true;
  if (!attached_) return;
  attached_ = false;
  spi::WaveCommand detach;
  detach.action = spi::WaveAction::Detach;
  for (unsigned unit = 0; unit < units_; ++unit) machine_.command(unit, detach);
}

void MmioRegisters::hook_queues() {
  file_.on_write(Reg::CP_HQD_ACTIVE, [this](unsigned slot, uint32_t written, uint32_t before) {
    const uint32_t now = field::CP_HQD_ACTIVE::ACTIVE.get(written);
    if (now == field::CP_HQD_ACTIVE::ACTIVE.get(before)) return;
    if (now != 0) return activate(slot);
    // Forced off without a request: the queue leaves without an interrupt.
    if (const auto queue = slots_[slot].queue) {
      machine_.dequeue({*queue});
      slot_of_queue_.erase(*queue);
    }
    slots_[slot] = {};
  });
  for (const Reg reg : {Reg::CP_HQD_PQ_WPTR_LO, Reg::CP_HQD_PQ_WPTR_HI}) {
    file_.on_write(reg, [this](unsigned slot, uint32_t, uint32_t) { write_pointer_moved(slot); });
  }
  file_.on_write(Reg::CP_HQD_DEQUEUE_REQUEST, [this](unsigned slot, uint32_t written, uint32_t) {
    request_dequeue(slot, written);
  });
  file_.on_write(Reg::CP_MEC_CNTL,
                 [this](unsigned, uint32_t written, uint32_t before) { halt(before, written); });
  file_.on_write(Reg::GRBM_SOFT_RESET, [this](unsigned, uint32_t written, uint32_t before) {
    namespace reset = field::GRBM_SOFT_RESET;
    const uint32_t ours =
        reset::SOFT_RESET_CP.mask() | reset::SOFT_RESET_CPC.mask() | reset::SOFT_RESET_GFX.mask();
    if ((written & ~before & ours) != 0) soft_reset();
  });
  file_.on_write(Reg::CP_PQ_WPTR_POLL_CNTL1, [this](unsigned, uint32_t written, uint32_t) {
    // A look at the write pointer in memory is a look at the queue.
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if ((written >> slot % kSlotsPerEngine & 1) != 0 && slots_[slot].queue) {
        machine_.ring({kSlotDoorbell | slot, 0, slots_[slot].pm4_dwords != 0});
      }
    }
  });
  // The same enables under two names: by selection, and by the number of the pipe.
  for (unsigned me = 1; me < RegisterFile::kMicroEngines; ++me) {
    for (unsigned pipe = 0; pipe < RegisterFile::kPipes; ++pipe) {
      const Reg first = me == 1 ? Reg::CP_ME1_PIPE0_INT_CNTL : Reg::CP_ME2_PIPE0_INT_CNTL;
      const auto plain = registers::nth(first, pipe);
      const unsigned bank = me * RegisterFile::kPipes + pipe;
      file_.on_write(plain, [this, plain, bank](unsigned, uint32_t, uint32_t) {
        file_.set(Reg::CPC_INT_CNTL, file_.get(plain), bank);
      });
      file_.on_read(
          plain, [this, bank](unsigned, uint32_t) { return file_.get(Reg::CPC_INT_CNTL, bank); });
    }
  }
}

void MmioRegisters::hook_status() {
  const auto busy_bits = [this](Reg reg, uint32_t bits) {
    file_.on_read(reg, [this, bits](unsigned, uint32_t value) {
      return machine_.busy() ? value | bits : value;
    });
  };
  namespace status = field::GRBM_STATUS;
  namespace status2 = field::GRBM_STATUS2;
  busy_bits(Reg::GRBM_STATUS,
            status::GUI_ACTIVE.mask() | status::CP_BUSY.mask() | status::SPI_BUSY.mask());
  busy_bits(Reg::GRBM_STATUS2, status2::CPC_BUSY.mask() | status2::CPF_BUSY.mask());
  busy_bits(Reg::CP_STAT, field::CP_STAT::CP_BUSY.mask());
  file_.on_write(Reg::RLC_CAPTURE_GPU_CLOCK_COUNT, [this](unsigned, uint32_t written, uint32_t) {
    if (field::RLC_CAPTURE_GPU_CLOCK_COUNT::CAPTURE.get(written) == 0) return;
    file_.set(Reg::RLC_GPU_CLOCK_COUNT_LSB, static_cast<uint32_t>(now_));
    file_.set(Reg::RLC_GPU_CLOCK_COUNT_MSB, static_cast<uint32_t>(now_ >> 32));
  });
}

MmioRegisters::Status MmioRegisters::read(Cycle now, uint32_t offset, unsigned bytes,
                                          uint32_t& value) {
  advance(now);
  return file_.read(offset, bytes, value);
}

std::optional<uint32_t> MmioRegisters::look(Cycle now, uint64_t offset) {
  uint32_t value = 0;
  const auto narrow = static_cast<uint32_t>(offset);
  if (narrow != offset || read(now, narrow, sizeof value, value) != Status::Ok) return std::nullopt;
  return value;
}

MmioRegisters::Status MmioRegisters::write(Cycle now, uint32_t offset, unsigned bytes,
                                           uint32_t value) {
  advance(now);
  return file_.write(offset, bytes, value);
}

void MmioRegisters::advance(Cycle now) {
  now_ = std::max(now_, now);
  while (!coming_.empty() && coming_.begin()->first <= now_) {
    const QueueStatus status = coming_.begin()->second;
    coming_.erase(coming_.begin());
    apply(status);
  }
}

/// A host that looks at no register for long would have one more with every packet: of a queue that
/// goes on, the last status before `now` is all that can be seen.
void MmioRegisters::forget_overtaken(uint32_t queue, Cycle now) {
  auto before = coming_.end();
  for (auto it = coming_.begin(); it != coming_.end() && it->first <= now; ++it) {
    if (it->second.queue != queue || it->second.state != QueueState::Active) continue;
    if (before != coming_.end()) coming_.erase(before);
    before = it;
  }
}

void MmioRegisters::status(Cycle time, const QueueStatus& status, Cycle now) {
  const auto slot = slot_of(status.queue);
  if (!slot) return;  // it has no registers, and will never have any
  forget_overtaken(status.queue, now);
  coming_.emplace(time, status);
  if (status.state != QueueState::Inactive || slots_[*slot].halting) return;
  namespace enable = field::CP_ME1_PIPE0_INT_CNTL;
  const bool asked = file_.get(Reg::CP_HQD_DEQUEUE_REQUEST,
                               field::CP_HQD_DEQUEUE_REQUEST::DEQUEUE_INT, *slot) != 0;
  const bool enabled = file_.get(Reg::CPC_INT_CNTL, enable::DEQUEUE_REQUEST_INT_ENABLE,
                                 *slot / RegisterFile::kQueues) != 0;
  if (asked && enabled) machine_.interrupt(time, {command_processor::kDequeued, status.queue, 0});
}

void MmioRegisters::apply(const QueueStatus& status) {
  const auto slot = slot_of(status.queue);
  if (!slot) return;
  const uint32_t pm4 = slots_[*slot].pm4_dwords;
  const uint64_t pointer = pm4 != 0 ? status.read_index % pm4 : status.read_index * kPacketDwords;
  file_.set(Reg::CP_HQD_PQ_RPTR, static_cast<uint32_t>(pointer), *slot);
  if (pm4 != 0 &&
      status.read_index > address(Reg::CP_HQD_PQ_WPTR_LO, Reg::CP_HQD_PQ_WPTR_HI, *slot)) {
    // The write pointer came from memory.
    file_.set(Reg::CP_HQD_PQ_WPTR_LO, static_cast<uint32_t>(status.read_index), *slot);
    file_.set(Reg::CP_HQD_PQ_WPTR_HI, static_cast<uint32_t>(status.read_index >> 32), *slot);
  }
  if (slots_[*slot].saves) {
    file_.set(Reg::CP_HQD_CNTL_STACK_OFFSET, status.stack_offset, *slot);
    file_.set(Reg::CP_HQD_WG_STATE_OFFSET, status.save_begin, *slot);
  }
  if (status.state == QueueState::Failed) {
    namespace error = field::CP_HQD_ERROR;
    if ((status.error & hsa::kQueueErrorMemoryFault) != 0) {
      file_.set(Reg::CP_HQD_ERROR, error::PQ_UTCL1_ERROR, 1, *slot);
    } else if (pm4 == 0) {
      file_.set(Reg::CP_HQD_ERROR, error::AQL_ERROR, 1, *slot);
    } else {
      report(
          fmt::format("{}: stopped with error {:#x} by the PM4 packet at dword {:#x} of its ring",
                      place(*slot), status.error, pointer));
    }
  }
  if (status.state != QueueState::Inactive) return;
  slot_of_queue_.erase(status.queue);
  const bool comes_back = slots_[*slot].halting;
  slots_[*slot] = {};
  if (comes_back) return activate(*slot);
  file_.set(Reg::CP_HQD_ACTIVE, field::CP_HQD_ACTIVE::ACTIVE, 0, *slot);
  file_.set(Reg::CP_HQD_DEQUEUE_REQUEST, field::CP_HQD_DEQUEUE_REQUEST::DEQUEUE_REQ, 0, *slot);
}

uint64_t MmioRegisters::address(Reg low, Reg high, unsigned slot) const {
  return uint64_t{file_.get(high, slot)} << 32 | file_.get(low, slot);
}

bool MmioRegisters::halted(unsigned slot) const {
  namespace cntl = field::CP_MEC_CNTL;
  const unsigned me = slot / kSlotsPerEngine;
  return file_.get(Reg::CP_MEC_CNTL, me == 1u ? cntl::MEC_ME1_HALT : cntl::MEC_ME2_HALT) != 0;
}

/// The slot becomes a queue of the command processor; not before its micro engine runs.
void MmioRegisters::activate(unsigned slot) {
  QueueBinding b = describe(slot);
  std::string wrong;
  const std::string why = why_not_saved(slot);
  const bool has_saved =
      file_.get(Reg::CP_HQD_CNTL_STACK_OFFSET, slot) < file_.get(Reg::CP_HQD_CNTL_STACK_SIZE, slot);
  if (slot < kSlotsPerEngine) {
    wrong = "a queue of the graphics micro engine";
  } else if (ring_size(slot) > kLargestRing) {
    wrong = "a ring of more than 2^31 dwords";
  } else if (b.ring_address == 0 || b.ring_packets == 0) {
    wrong = "a queue without a ring of at least one packet";
  } else if (b.read_report == 0 && !b.pm4) {
    wrong = "a queue without CP_HQD_PQ_RPTR_REPORT_ADDR";
  } else if (has_saved && !why.empty()) {
    wrong = "a queue with saved waves: " + why;
  }
  if (!wrong.empty()) {
    file_.set(Reg::CP_HQD_ACTIVE, field::CP_HQD_ACTIVE::ACTIVE, 0, slot);
    return not_modelled(slot, wrong);
  }
  check_shader_memory(slot, b.vmid);
  if (halted(slot)) return;
  slots_[slot].pm4_dwords = b.pm4 ? b.ring_packets * kPacketDwords : 0;
  slots_[slot].saves = b.save_area != 0;
  b.fresh = b.kernel_queue && std::exchange(fresh_scheduler_, false);
  const uint32_t queue = machine_.bind(b);
  slots_[slot].queue = queue;
  slot_of_queue_[queue] = slot;
  bound(queue, b);
}

/// Logarithm of the dwords, less 1.
uint32_t MmioRegisters::ring_size(unsigned slot) const {
  return file_.get(Reg::CP_HQD_PQ_CONTROL, field::CP_HQD_PQ_CONTROL::QUEUE_SIZE, slot);
}

/// Description of the queue in a slot, from the slot's registers.
QueueBinding MmioRegisters::describe(unsigned slot) const {
  const uint64_t dwords = uint64_t{2u} << ring_size(slot);
  QueueBinding b;
  b.doorbell = kSlotDoorbell | slot;
  b.vmid = static_cast<uint8_t>(file_.get(Reg::CP_HQD_VMID, field::CP_HQD_VMID::VMID, slot));
  b.priority = static_cast<uint8_t>(file_.get(Reg::CP_HQD_QUEUE_PRIORITY, slot));
  b.ring_address = address(Reg::CP_HQD_PQ_BASE, Reg::CP_HQD_PQ_BASE_HI, slot) << 8;
  b.ring_packets = static_cast<uint32_t>(dwords / kPacketDwords);
  b.read_report =
      address(Reg::CP_HQD_PQ_RPTR_REPORT_ADDR, Reg::CP_HQD_PQ_RPTR_REPORT_ADDR_HI, slot);
  b.mqd_address = address(Reg::CP_MQD_BASE_ADDR, Reg::CP_MQD_BASE_ADDR_HI, slot);
  b.trap_handler = address(Reg::SQ_SHADER_TBA_LO, Reg::SQ_SHADER_TBA_HI, b.vmid) << 8;
  b.trap_memory = address(Reg::SQ_SHADER_TMA_LO, Reg::SQ_SHADER_TMA_HI, b.vmid) << 8;
  namespace select = field::GRBM_GFX_CNTL;
  b.bank = select::PIPEID.of(slot / RegisterFile::kQueues % RegisterFile::kPipes) |
           select::MEID.of(slot / kSlotsPerEngine) | select::VMID.of(b.vmid) |
           select::QUEUEID.of(slot % RegisterFile::kQueues);
  b.cu_mask = cu_mask(slot);
  if (is_pm4(slot)) describe_pm4(slot, b);
  if (why_not_saved(slot).empty()) describe_save(slot, b);
  return b;
}

std::string MmioRegisters::why_not_saved(unsigned slot) const {
  namespace f = field::CP_HQD_PERSISTENT_STATE;
  const uint32_t vmid = file_.get(Reg::CP_HQD_VMID, field::CP_HQD_VMID::VMID, slot);
  const uint32_t stack = file_.get(Reg::CP_HQD_CNTL_STACK_SIZE, slot);
  if (!machine_.saves_waves) return "engine golden has no waves";
  if (is_pm4(slot)) return "the ring holds PM4 packets";
  if (file_.get(Reg::CP_HQD_PERSISTENT_STATE, f::QSWITCH_MODE, slot) == 0) {
    return "CP_HQD_PERSISTENT_STATE.QSWITCH_MODE is 0";
  }
  if (address(Reg::CP_HQD_CTX_SAVE_BASE_ADDR_LO, Reg::CP_HQD_CTX_SAVE_BASE_ADDR_HI, slot) == 0 ||
      file_.get(Reg::CP_HQD_CTX_SAVE_SIZE, slot) == 0) {
    return "there is no CP_HQD_CTX_SAVE area";
  }
  if (address(Reg::CP_MQD_BASE_ADDR, Reg::CP_MQD_BASE_ADDR_HI, slot) == 0 || stack == 0) {
    return "there is no control stack";
  }
  if (file_.get(Reg::CP_HQD_CNTL_STACK_OFFSET, slot) > stack) {
    return "CP_HQD_CNTL_STACK_OFFSET is beyond CP_HQD_CNTL_STACK_SIZE";
  }
  if (address(Reg::SQ_SHADER_TBA_LO, Reg::SQ_SHADER_TBA_HI, vmid) == 0) {
    return "its VMID has no trap handler";
  }
  return {};
}

void MmioRegisters::describe_save(unsigned slot, QueueBinding& b) const {
  b.save_area = address(Reg::CP_HQD_CTX_SAVE_BASE_ADDR_LO, Reg::CP_HQD_CTX_SAVE_BASE_ADDR_HI, slot);
  b.save_begin = file_.get(Reg::CP_HQD_WG_STATE_OFFSET, slot);
  b.save_end = file_.get(Reg::CP_HQD_CTX_SAVE_SIZE, slot);
  b.stack_bytes = file_.get(Reg::CP_HQD_CNTL_STACK_SIZE, slot);
  b.stack_offset = file_.get(Reg::CP_HQD_CNTL_STACK_OFFSET, slot);
}

/// The read pointer is a place in the ring; the write pointer counts on. The distance between them
/// is less than the ring.
void MmioRegisters::describe_pm4(unsigned slot, QueueBinding& b) const {
  const uint64_t dwords = uint64_t{b.ring_packets} * kPacketDwords;
  b.pm4 = true;
  b.kernel_queue = is_kernel_queue(slot);
  b.write_pointer = address(Reg::CP_HQD_PQ_WPTR_LO, Reg::CP_HQD_PQ_WPTR_HI, slot);
  b.write_poll = address(Reg::CP_HQD_PQ_WPTR_POLL_ADDR, Reg::CP_HQD_PQ_WPTR_POLL_ADDR_HI, slot);
  if (file_.get(Reg::CP_HQD_PQ_CONTROL, field::CP_HQD_PQ_CONTROL::NO_UPDATE_RPTR, slot) != 0) {
    b.read_report = 0;
  }
  if (dwords == 0) return;
  const uint64_t place = file_.get(Reg::CP_HQD_PQ_RPTR, slot) & (dwords - 1);
  b.read_pointer = (b.write_pointer & ~(dwords - 1)) | place;
  if (b.read_pointer <= b.write_pointer) return;
  if (b.read_pointer >= dwords) {
    b.read_pointer -= dwords;
  } else {
    b.write_pointer = b.read_pointer;  // nobody has written since it was taken away
  }
}

bool MmioRegisters::is_pm4(unsigned slot) const {
  return file_.get(Reg::CP_HQD_AQL_CONTROL, field::CP_HQD_AQL_CONTROL::CONTROL0, slot) != 1;
}

/// RLC_CP_SCHEDULERS names it: valid bit, micro engine, pipe, queue.
bool MmioRegisters::is_kernel_queue(unsigned slot) const {
  constexpr uint32_t kValid = 0x80;
  const uint32_t word = file_.get(Reg::RLC_CP_SCHEDULERS);
  for (unsigned i = 0; i < 4; ++i) {
    if ((word >> 8 * i & 0xff) == (kValid | slot)) return true;
  }
  return false;
}

/// As a doorbell, for a ring of PM4 packets.
void MmioRegisters::write_pointer_moved(unsigned slot) {
  if (!slots_[slot].queue || slots_[slot].pm4_dwords == 0) return;
  machine_.ring(
      {kSlotDoorbell | slot, address(Reg::CP_HQD_PQ_WPTR_LO, Reg::CP_HQD_PQ_WPTR_HI, slot)});
}

/// Apertures and alignment are those of the machine. A VMID whose registers nobody wrote asks for
/// nothing.
void MmioRegisters::check_shader_memory(unsigned slot, uint8_t vmid) {
  const uint32_t bases = file_.get(Reg::SH_MEM_BASES, vmid);
  const uint32_t config = file_.get(Reg::SH_MEM_CONFIG, vmid);
  if (bases != 0 && bases != shader_bases_) {
    not_modelled(slot, fmt::format("SH_MEM_BASES {:#x} of VMID {}, the machine has {:#x}", bases,
                                   vmid, shader_bases_));
  }
  namespace f = field::SH_MEM_CONFIG;
  if (config != 0 &&
      (f::ADDRESS_MODE.get(config) != 0 || f::ALIGNMENT_MODE.get(config) != kUnaligned)) {
    not_modelled(slot, fmt::format("SH_MEM_CONFIG {:#x} of VMID {}, expected 64-bit addresses and "
                                   "unaligned accesses",
                                   config, vmid));
  }
}

void MmioRegisters::request_dequeue(unsigned slot, uint32_t written) {
  const uint32_t request = field::CP_HQD_DEQUEUE_REQUEST::DEQUEUE_REQ.get(written);
  if (request == 0) return;
  constexpr uint32_t kReset = 2;
  const bool save = request > kReset && slots_[slot].saves;
  if (const auto queue = slots_[slot].queue) {
    if (request > kReset && !save) {
      const std::string why = why_not_saved(slot);
      not_modelled(slot, "saving waves, the queue is drained: " +
                             (why.empty() ? "it could not when it was activated" : why));
    }
    machine_.dequeue({*queue, request == kReset, save});
    slots_[slot].halting = false;
    return;
  }
  // Nothing is there, or it waits for its micro engine: done at once.
  file_.set(Reg::CP_HQD_ACTIVE, field::CP_HQD_ACTIVE::ACTIVE, 0, slot);
  file_.set(Reg::CP_HQD_DEQUEUE_REQUEST, field::CP_HQD_DEQUEUE_REQUEST::DEQUEUE_REQ, 0, slot);
}

void MmioRegisters::halt(uint32_t before, uint32_t after) {
  namespace cntl = field::CP_MEC_CNTL;
  for (unsigned me = 1; me < RegisterFile::kMicroEngines; ++me) {
    const auto bit = me == 1 ? cntl::MEC_ME1_HALT : cntl::MEC_ME2_HALT;
    if (bit.get(before) == bit.get(after)) continue;
    const bool stops = bit.get(after) != 0;
    for (unsigned slot = me * kSlotsPerEngine; slot < (me + 1) * kSlotsPerEngine; ++slot) {
      if (file_.get(Reg::CP_HQD_ACTIVE, field::CP_HQD_ACTIVE::ACTIVE, slot) == 0) continue;
      const auto queue = slots_[slot].queue;
      if (stops && queue && !slots_[slot].halting) {
        slots_[slot].halting = true;
        machine_.dequeue({*queue});
      } else if (!stops && !queue) {
        activate(slot);  // one that is still leaving comes back when it is gone
      }
    }
  }
}

void MmioRegisters::soft_reset() {
  for (Slot& slot : slots_) {
    if (slot.queue) {
      machine_.dequeue({*slot.queue});
      slot_of_queue_.erase(*slot.queue);
      lost_.insert(*slot.queue);
    }
    slot = {};
  }
  fresh_scheduler_ = true;
  for (const char* block : {"hqd", "compute", "cp"}) file_.reset_block(block);
  enable_units();
}

void MmioRegisters::name_doorbells(std::vector<command_processor::QueueReport>& queues) const {
  namespace control = field::CP_HQD_PQ_DOORBELL_CONTROL;
  for (auto& q : queues) {
    if (q.doorbell < kSlotDoorbell) continue;
    const uint32_t word = file_.get(Reg::CP_HQD_PQ_DOORBELL_CONTROL, q.doorbell - kSlotDoorbell);
    q.doorbell = control::DOORBELL_EN.get(word) != 0 ? control::DOORBELL_OFFSET.get(word) / 2
                                                     : command_processor::QueueReport::kNoDoorbell;
  }
}

bool MmioRegisters::in_doorbell_range(uint32_t dword) const {
  namespace lower = field::CP_MEC_DOORBELL_RANGE_LOWER;
  namespace upper = field::CP_MEC_DOORBELL_RANGE_UPPER;
  return field::CP_PQ_STATUS::DOORBELL_ENABLE.get(file_.get(Reg::CP_PQ_STATUS)) != 0 &&
         dword >= file_.get(Reg::CP_MEC_DOORBELL_RANGE_LOWER, lower::DOORBELL_RANGE_LOWER) &&
         dword <= file_.get(Reg::CP_MEC_DOORBELL_RANGE_UPPER, upper::DOORBELL_RANGE_UPPER);
}

void MmioRegisters::doorbell(Cycle now, const Doorbell& doorbell) {
  advance(now);
  if (doorbell.index >= kSlotDoorbell / 2) {  // beyond DOORBELL_OFFSET: of no queue
    if (field::CP_PQ_STATUS::DOORBELL_ENABLE.get(file_.get(Reg::CP_PQ_STATUS)) != 0) {
      machine_.interrupt(now_,
                         {command_processor::kUnmappedDoorbell, doorbell.index, doorbell.value});
    }
    return;
  }
  namespace control = field::CP_HQD_PQ_DOORBELL_CONTROL;
  // Offsets count dwords, doorbells have two.
  const uint32_t dword = doorbell.index * 2;
  const bool open = in_doorbell_range(dword);
  bool known = false;
  for (unsigned slot = kSlotsPerEngine; open && slot < kSlots; ++slot) {
    const uint32_t word = file_.get(Reg::CP_HQD_PQ_DOORBELL_CONTROL, slot);
    const bool active = file_.get(Reg::CP_HQD_ACTIVE, field::CP_HQD_ACTIVE::ACTIVE, slot) != 0;
    if (!active || control::DOORBELL_EN.get(word) == 0) continue;
    if (control::DOORBELL_OFFSET.get(word) / 2 != doorbell.index) continue;
    known = true;
    file_.set(Reg::CP_HQD_PQ_DOORBELL_CONTROL, control::DOORBELL_HIT.set(word, 1), slot);
    file_.set(Reg::CP_PQ_STATUS, field::CP_PQ_STATUS::DOORBELL_UPDATED, 1);
    const bool pm4 = is_pm4(slot);
    const uint64_t pointer = pm4 ? doorbell.value : doorbell.value * kPacketDwords;
    file_.set(Reg::CP_HQD_PQ_WPTR_LO, static_cast<uint32_t>(pointer), slot);
    file_.set(Reg::CP_HQD_PQ_WPTR_HI, static_cast<uint32_t>(pointer >> 32), slot);
    if (slots_[slot].queue) machine_.ring({kSlotDoorbell | slot, doorbell.value});
  }
  if (known) return;
  // Queues that were bound without registers know their doorbells themselves.
  machine_.ring(doorbell);
  if (open && !is_bound_doorbell(doorbell.index)) {
    machine_.interrupt(now_,
                       {command_processor::kUnmappedDoorbell, doorbell.index, doorbell.value});
  }
}

void MmioRegisters::bound(uint32_t queue, const QueueBinding& binding) {
  bindings_[queue] = {binding.vmid, binding.doorbell, slot_of(queue)};
}

bool MmioRegisters::is_bound_doorbell(uint32_t index) const {
  return std::any_of(bindings_.begin(), bindings_.end(),
                     [index](const auto& b) { return b.second.doorbell == index; });
}

MmioRegisters::Bound MmioRegisters::binding_of(uint32_t queue) const {
  if (command_processor::is_no_queue(queue)) {
    return {static_cast<uint8_t>(queue >> 8 & 0xf), ~0u, queue & 0xff};
  }
  const auto found = bindings_.find(queue);
  return found == bindings_.end() ? Bound{} : found->second;
}

std::optional<unsigned> MmioRegisters::slot_of(uint32_t queue) const {
  const auto found = slot_of_queue_.find(queue);
  if (found == slot_of_queue_.end()) return std::nullopt;
  return found->second;
}

std::string MmioRegisters::place(unsigned slot) {
  return fmt::format("micro engine {} pipe {} queue {}", slot / kSlotsPerEngine,
                     slot / RegisterFile::kQueues % RegisterFile::kPipes,
                     slot % RegisterFile::kQueues);
}

void MmioRegisters::not_modelled(unsigned slot, const std::string& what) {
  file_.set(Reg::CUVETTE_ERROR, field::CUVETTE_ERROR::NOT_MODELLED, 1);
  report(fmt::format("{}: not modelled: {}", place(slot), what));
}

void MmioRegisters::report(const std::string& text) {
  if (std::find(reports_.begin(), reports_.end(), text) == reports_.end()) reports_.push_back(text);
}

std::vector<std::string> MmioRegisters::take_reports() {
  return std::exchange(reports_, {});
}

}  // namespace cuvette::gpu
