// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/golden_spi.h"

#include <utility>

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

}  // namespace

GoldenSpi::GoldenSpi(hsa::DeviceMemory& memory, const hsa::TargetId& target,
                     const golden::Config& config, unsigned compute_units, unsigned shader_engines)
    : memory_(memory),
      target_(target),
      machine_(memory, config),
      units_(compute_units),
      engines_(shader_engines) {}

void GoldenSpi::tick(machine::Cycle now) {
  while (cancel.front(now) != nullptr) cancel.drop(now);  // every dispatch is over
  while (dispatch.front(now) != nullptr && dispatch_done.can_push(now)) {
    dispatch_done.push(run(dispatch.pop(now)), now + 1);
  }
}

/// An amd_kernel_code_t starts with its version and machine kind, where a descriptor has the size
/// of its group segment (Compute ABI "AMD Kernel Code").
base::Result<hsa::KernelInfo> GoldenSpi::kernel_at(uint64_t address, uint8_t vmid) const {
  hsa::AmdKernelCode code;
  if (memory_.read_value(address, &code, vmid).ok() && code.amd_code_version_major == 1 &&
      code.amd_machine_kind == static_cast<uint16_t>(hsa::MachineKind::Amdgpu) &&
      code.amd_machine_version_major == 9) {
    return hsa::decode_kernel_code(code, address, target_);
  }
  hsa::KernelDescriptor descriptor;
  if (const auto read = memory_.read_value(address, &descriptor, vmid); !read.ok()) {
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
  if (paged_ && paged_(d.vmid)) {
    fail(hsa::kQueueErrorDispatch, d.entry,
         "a dispatch in a VMID with page tables (VM_CONTEXT registers): engines lt and ca only");
    return done;
  }
  if (d.from_registers) {
    fail(hsa::kQueueErrorDispatch, d.entry,
         "a grid from COMPUTE_* registers: engines lt and ca only");
    return done;
  }
  auto kernel = kernel_at(d.kernel_object, d.vmid);
  if (!kernel) {
    // The command processor has read and checked it: what is left are registers that do not exist.
    fail(hsa::kQueueErrorResources, d.kernel_object, kernel.error().what);
    return done;
  }
  // The command processor adds what the queue asks for.
  kernel->rsrc2.trap_handler = hsa::decode_rsrc2(d.rsrc2).trap_handler;
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
