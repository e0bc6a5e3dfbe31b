// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/golden_spi.h"

#include <utility>

#include "base/mutant.h"
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
      units_(compute_units),
      engines_(shader_engines) {}

void GoldenSpi::see_by(const gpu::VmContexts& contexts) {
  view_ = std::make_unique<GoldenView>(memory_.backing(), contexts);
}

std::vector<command_processor::Doorbell> GoldenSpi::take_rung() {
  return view_ != nullptr ? view_->take_rung() : std::vector<command_processor::Doorbell>{};
}

void GoldenSpi::tick(machine::Cycle now) {
  while (save.front(now) != nullptr) save.drop(now);      // nothing can be stopped
  while (cancel.front(now) != nullptr) cancel.drop(now);  // every dispatch is over
  while (dispatch.front(now) != nullptr && dispatch_done.can_push(now)) {
    dispatch_done.push(run(dispatch.pop(now)), now + 1);
  }
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

spi::DispatchDone GoldenSpi::run(const spi::Dispatch& d) {
  spi::DispatchDone done;
  done.id = d.id;
  const auto fail = [&](uint32_t code, uint64_t address, const std::string& text) {
    done.error = true;
    done.error_code = code;
    done.error_address = address;
    errors_.push_back(text);
  };
  if (!spi::leaves_any(d.cu_mask, units_, engines_)) {
    fail(hsa::kQueueErrorResources, 0, "a dispatch whose mask leaves no compute unit");
    return done;
  }
  if (d.from_registers && !runs_anything(d)) {
    if (!has_good_sizes(d)) fail(hsa::kQueueErrorDispatch, d.entry, "a grid with bad sizes");
    return done;
  }
  if (view_ != nullptr) view_->turn_to(d.vmid);
  auto kernel = d.from_registers
                    ? kernel_of_registers(d, target_)
                    : kernel_at(view_ != nullptr ? view_->memory() : memory_, d.kernel_object);
  if (!kernel) {
    // The command processor has read and checked it: what is left are registers that do not exist.
    fail(hsa::kQueueErrorResources, d.kernel_object, kernel.error().what);
    return done;
  }
  golden::DispatchRequest request;
  request.kernel = &*kernel;
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
  request.trap_present = hsa::decode_rsrc2(d.rsrc2).trap_handler;
  if (d.from_registers) {
    request.start = d.start;
    request.user_data = &d.user_data;
  }
  request.view = CUVETTE_SEMANTIC_MUTANT(253, view_.get(), nullptr);
  if (view_ != nullptr && view_->has_page_tables()) {
    request.scratch = {d.scratch_base, d.scratch_bytes_per_wave, d.scratch_waves,
                       d.scratch_descriptor};
  }
  const auto report = machine_.run(request);
  if (!report) {
    fail(hsa::kQueueErrorResources, 0, report.error().what);
  } else if (!report->failures.empty()) {
    const Failure& first = report->failures.front();
    fail(code_of(first.kind), first.address, first.message);
  }
  return done;
}

}  // namespace cuvette::host
