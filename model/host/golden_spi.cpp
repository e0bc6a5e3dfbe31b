// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/golden_spi.h"

#include <utility>

#include "host/machine.h"
#include "hsa/kernel_code.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/queue_error.h"

namespace cuvette::host {
namespace {

using golden::Failure;

uint32_t code_of(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::WildAccess:
      return hsa::kQueueErrorMemoryFault;
    case Failure::Kind::IllegalInstruction:
    case Failure::Kind::Unsupported:
      return hsa::kQueueErrorIllegalInstruction;
    case Failure::Kind::Resources:
      return hsa::kQueueErrorResources;
    case Failure::Kind::Deadlock:
    case Failure::Kind::Watchdog:
    case Failure::Kind::Trap:
      break;
  }
  return hsa::kQueueErrorException;
}

/// The command processor has checked packets, nobody has checked the registers.
bool has_good_sizes(const spi::Dispatch& d) {
  constexpr uint32_t kMostItems = 1024;
  uint32_t items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (d.grid[i] == 0 || d.workgroup[i] == 0 || d.workgroup[i] > kMostItems) return false;
    items *= d.workgroup[i];
    if (items > kMostItems) return false;
  }
  return true;
}

/// Its sizes are good and a work-group is left behind the start.
bool runs_anything(const spi::Dispatch& d) {
  if (!has_good_sizes(d)) return false;
  for (unsigned i = 0; i < 3; ++i) {
    if (uint64_t{d.start[i]} * d.workgroup[i] >= d.grid[i]) return false;
  }
  return true;
}

/// COMPUTE_PGM_* instead of a descriptor. User SGPRs are the registers' own.
base::Result<hsa::KernelInfo> kernel_of_registers(const spi::Dispatch& d,
                                                  const hsa::TargetId& target) {
  hsa::KernelInfo kernel;
  kernel.name = "COMPUTE_PGM_LO";
  kernel.target = target;
  kernel.entry = d.entry;
  kernel.rsrc1 = hsa::decode_rsrc1(d.rsrc1);
  kernel.rsrc2 = hsa::decode_rsrc2(d.rsrc2);
  kernel.rsrc3 = hsa::decode_rsrc3(d.rsrc3);
  if (auto s = hsa::set_register_counts(kernel); !s.ok()) return s.error();
  return kernel;
}

}  // namespace

GoldenSpi::GoldenSpi(hsa::DeviceMemory& memory, const hsa::TargetId& target,
                     const golden::Config& config, unsigned compute_units, unsigned shader_engines)
    : memory_(memory),
      target_(target),
      machine_(memory, config),
      stop_(config.stop),
      units_(compute_units),
      engines_(shader_engines) {}

void GoldenSpi::see_by(const gpu::VmContexts& contexts) {
  view_ = std::make_unique<GoldenView>(memory_.backing(), contexts);
}

std::vector<command_processor::Doorbell> GoldenSpi::take_rung() {
  return view_ != nullptr ? view_->take_rung() : std::vector<command_processor::Doorbell>{};
}

void GoldenSpi::tick(machine::Cycle now) {
  while (save.front(now) != nullptr) save.drop(now);  // nothing can be stopped
  while (dispatch.front(now) != nullptr) waiting_.push_back(dispatch.pop(now));
  while (cancel.front(now) != nullptr) take_cancel(cancel.pop(now), now);
  for (; !over_.empty() && dispatch_done.can_push(now); over_.pop_front()) {
    spi::DispatchDone done;
    done.id = over_.front();
    dispatch_done.push(done, now + 1);
  }
  if (standing_ && go_on_at_ <= now && dispatch_done.can_push(now)) go_on(now);
  while (!standing_ && !waiting_.empty() && dispatch_done.can_push(now)) {
    const spi::Dispatch next = waiting_.front();
    waiting_.pop_front();
    run(next, now);
  }
  // A dispatch that had no room is looked at in the next cycle.
  if (!over_.empty() || (!standing_ && !waiting_.empty())) go_on_at_ = now + 1;
}

/// Every dispatch is over, but for the one that stands and those that wait for it.
void GoldenSpi::take_cancel(const spi::Cancel& c, machine::Cycle now) {
  if (standing_ && c.dispatch == dispatch_.id) {
    machine_.abandon();
    standing_ = false;
    over_.push_back(c.dispatch);
  } else if (std::erase_if(waiting_, [&c](const auto& d) { return d.id == c.dispatch; }) != 0) {
    over_.push_back(c.dispatch);
  }
  go_on_at_ = std::max(go_on_at_, now);
}

void GoldenSpi::look(std::vector<golden::WaveReport>& waves, uint32_t& id) {
  if (!standing_) return;
  waves = machine_.waves();
  id = dispatch_.id;
}

/// An amd_kernel_code_t starts with its version and machine kind, where a descriptor has the size
/// of its group segment (Compute ABI "AMD Kernel Code").
base::Result<hsa::KernelInfo> GoldenSpi::kernel_at(const hsa::DeviceMemory& memory,
                                                   uint64_t address) const {
  hsa::AmdKernelCode code;
  if (memory.read_value(address, &code).ok() && code.amd_code_version_major == 1 &&
      code.amd_machine_kind == static_cast<uint16_t>(hsa::MachineKind::Amdgpu) &&
      code.amd_machine_version_major == 9) {
    return hsa::decode_kernel_code(code, address, target_);
  }
  hsa::KernelDescriptor descriptor;
  if (const auto read = memory.read_value(address, &descriptor); !read.ok()) {
    return base::Error(read.str());
  }
  return hsa::decode_kernel_descriptor(descriptor, address, target_);
}

spi::DispatchDone GoldenSpi::refuse(const spi::Dispatch& d, uint32_t code, uint64_t address,
                                    const std::string& text) {
  spi::DispatchDone done;
  done.id = d.id;
  done.error = true;
  done.error_code = code;
  done.error_address = address;
  errors_.push_back(text);
  return done;
}

bool GoldenSpi::prepare(const spi::Dispatch& d, golden::DispatchRequest& request,
                        spi::DispatchDone& done) {
  done.id = d.id;
  if (!spi::leaves_any(d.cu_mask, units_, engines_)) {
    done = refuse(d, hsa::kQueueErrorResources, 0, "a dispatch whose mask leaves no compute unit");
    return false;
  }
  if (d.from_registers && !runs_anything(d)) {
    if (!has_good_sizes(d)) {
      done = refuse(d, hsa::kQueueErrorDispatch, d.entry, "a grid with bad sizes");
    }
    return false;
  }
  if (view_ != nullptr) view_->turn_to(d.vmid);
  auto kernel = d.from_registers
                    ? kernel_of_registers(d, target_)
                    : kernel_at(view_ != nullptr ? view_->memory() : memory_, d.kernel_object);
  if (!kernel) {
    // The command processor has read and checked it: what is left are registers that do not exist.
    done = refuse(d, hsa::kQueueErrorResources, d.kernel_object, kernel.error().what);
    return false;
  }
  kernel_ = std::move(*kernel);
  request.kernel = &kernel_;
  request.grid = d.grid;
  request.workgroup = d.workgroup;
  request.kernarg = d.kernarg;
  request.group_bytes = d.group_bytes;
  request.private_bytes = d.private_bytes;
  request.packet_address = d.packet_address;
  request.queue_address = d.queue_address;
  request.dispatch_id = d.dispatch_index;
  request.tba = d.tba;
  request.tma = d.tma;
  request.doorbell = d.doorbell;
  request.trap_present = hsa::decode_rsrc2(d.rsrc2).trap_handler;
  if (d.from_registers) {
    request.start = d.start;
    request.user_data = &d.user_data;
  }
  request.view = view_.get();
  if (scratch_of_queues_ || (view_ != nullptr && view_->has_page_tables())) {
    request.scratch = {d.scratch_base, d.scratch_bytes_per_wave, d.scratch_waves,
                       d.scratch_descriptor};
  }
  return true;
}

void GoldenSpi::run(const spi::Dispatch& d, machine::Cycle now) {
  dispatch_ = d;
  since_stop_ = done_before_ = 0;
  golden::DispatchRequest request;
  spi::DispatchDone done;
  if (!prepare(dispatch_, request, done)) {
    dispatch_done.push(done, now + 1);
    return;
  }
  finish(machine_.run(request, stop_after_), now);
}

void GoldenSpi::go_on(machine::Cycle now) {
  // Long enough to come to an end, short enough for what the host asks for meanwhile: a few hundred
  // of these take a second.
  constexpr uint64_t kPiece = 1 << 15;
  if (view_ != nullptr) view_->turn_to(dispatch_.vmid);
  finish(machine_.go_on(kPiece), now);
}

void GoldenSpi::finish(const base::Result<golden::Report>& report, machine::Cycle now) {
  standing_ = report.ok() && report->stands;
  if (standing_) return stand(report->instructions, now);
  spi::DispatchDone done;
  done.id = dispatch_.id;
  if (report) {
    work_.instructions += report->instructions;
    work_.waves += report->waves;
    for (const auto& [row, count] : report->by_row) work_.by_row[row] += count;
  }
  if (!report) {
    const bool fits = spi::check_sizes(dispatch_).ok();
    done = refuse(dispatch_, fits ? hsa::kQueueErrorResources : hsa::kQueueErrorDispatch, 0,
                  report.error().what);
  } else if (!report->failures.empty()) {
    const Failure& first = report->failures.front();
    done = refuse(dispatch_, code_of(first.kind), first.address, first.message);
  }
  dispatch_done.push(done, now + 1);
}

/// At the stop point, or at the end of a piece.
void GoldenSpi::stand(uint64_t instructions, machine::Cycle now) {
  go_on_at_ = now + 1;
  since_stop_ += instructions - std::exchange(done_before_, instructions);
  if (stop_ == nullptr) return;
  if (!stop_->stopped() && stop_after_ != 0 && since_stop_ >= stop_after_) {
    stop_->ask(static_cast<uint32_t>(StopReason::Cycles));
  }
  if (stop_->here()) since_stop_ = 0;  // a place whether or not anybody asks
}

}  // namespace cuvette::host
