// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/call.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/atomic_op.h"
#include "counters/reading.h"

namespace cuvette::host {
namespace {

using base::AtomicOp;

constexpr AtomicOp kOperations[] = {AtomicOp::Swap, AtomicOp::CmpSwap, AtomicOp::Add, AtomicOp::Sub,
                                    AtomicOp::And,  AtomicOp::Or,      AtomicOp::Xor};
static_assert(std::size(kOperations) == kAtomicOperations);

void fail(Call& call, CallStatus status, std::string text) {
  call.status = status;
  call.text = std::move(text);
}

void check(Call& call, const base::Status& status, CallStatus failure) {
  if (!status.ok()) fail(call, failure, status.error().what);
}

/// An access of the host's, of `bytes`.
void check(Machine& machine, Call& call, uint64_t bytes, const hsa::AccessResult& result) {
  if (result.ok()) return;
  fail(call, CallStatus::Memory,
       fmt::format("{}: {} bytes at {:#x}{}", result.str(), bytes, call.address,
                   machine.memory().place_of(call.address, bytes)));
}

/// False: the flags of a call are none, and it says so.
bool options_of(Call& call, hsa::DeviceMemory::Options& o) {
  if (call.option > kAllFlags) {
    fail(call, CallStatus::Argument, fmt::format("unknown flags {:#x}", call.option));
    return false;
  }
  const bool fine = (call.option & kFineGrained) != 0, uncached = (call.option & kUncached) != 0;
  if (fine && uncached) {
    fail(call, CallStatus::Argument,
         "memory that is fine-grained and uncached, expected one of them");
    return false;
  }
  if (fine) o.type = hsa::page_type(hsa::Grain::Fine);
  if (uncached) o.type = hsa::page_type(hsa::Grain::Uncached);
  if (call.address != 0) o.alignment = call.address;
  o.permitted = (call.option & kReadOnly) != 0 ? hsa::Access::Read : hsa::Access::ReadWrite;
  if ((call.option & kExecutable) != 0) o.permitted = o.permitted | hsa::Access::Execute;
  if ((call.option & kWithin4Gib) != 0) o.place = hsa::Place::Within4Gib;
  if ((call.option & kBelow4Gib) != 0) o.place = hsa::Place::Below4Gib;
  return true;
}

/// New memory, or memory of the host.
void place(Machine& machine, Call& call) {
  hsa::DeviceMemory::Options o;
  if (!options_of(call, o)) return;
  const auto address = call.kind == CallKind::Attach ? machine.attach(call.host, call.count, o)
                                                     : machine.allocate(call.count, o);
  if (!address) return fail(call, CallStatus::Memory, address.error().what);
  call.result = *address;
}

/// Performance counters by name, all of one instant.
void read_named(Machine& machine, Call& call) {
  const auto sample = machine.counter_sample();
  if (!sample) {
    return fail(call, CallStatus::Call, "engine golden has no performance counters, lt and ca do");
  }
  const counters::Catalogue catalogue(sample->shape.target);
  if (call.names.empty()) call.names = counters::names_on(sample->shape.target);
  for (const std::string& name : call.names) {
    if (auto s = catalogue.check(name); !s.ok())
      return fail(call, CallStatus::Argument, s.error().what);
  }
  counters::Reading reading(catalogue, *sample);
  for (const std::string& name : call.names) {
    const auto value = reading.value(name);
    call.named.push_back({name, value ? std::optional<double>(*value) : std::nullopt,
                          value ? std::string() : value.error().what});
  }
}

void inspect(Machine& machine, Call& call) {
  for (unsigned lane = 0; lane < call.count; ++lane) {
    const auto value = machine.inspect(call.compute_unit, call.simd, call.slot,
                                       static_cast<uint32_t>(call.address), lane);
    if (!value) {
      return fail(call, CallStatus::Argument,
                  fmt::format("register {:#x}: no wave is there that has it", call.address));
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(&*value);
    call.data.insert(call.data.end(), bytes, bytes + sizeof *value);
  }
}

void read(Machine& machine, Call& call) {
  if (call.count > kMostAccessBytes) {
    return fail(call, CallStatus::Argument, "more than 1 GiB at once");
  }
  call.data.assign(call.count, 0);
  check(machine, call, call.count,
        machine.memory().read(call.address, call.data.data(), call.count));
  Fingerprint print;
  if (call.status == CallStatus::Ok) print.add(call.data.data(), call.data.size());
  call.result = print.value();
}

void atomic(Machine& machine, Call& call) {
  if (call.option >= kAtomicOperations || (call.count != 4 && call.count != 8)) {
    return fail(call, CallStatus::Argument,
                fmt::format("atomic operation {} on {} bytes, expected at most {} on 4 or 8",
                            call.option, call.count, kAtomicOperations - 1));
  }
  check(machine, call, call.count,
        machine.memory().atomic(call.address, static_cast<unsigned>(call.count),
                                kOperations[call.option], call.value, call.compare, &call.result));
}

}  // namespace

void perform(Machine& machine, Call& call) {
  hsa::DeviceMemory& memory = machine.memory();
  switch (call.kind) {
    case CallKind::RegisterRead: {
      uint32_t value = 0;
      check(call, machine.read_register(static_cast<uint32_t>(call.address), value),
            CallStatus::Access);
      call.result = value;
      return;
    }
    case CallKind::RegisterWrite:
      return check(call,
                   machine.write_register(static_cast<uint32_t>(call.address),
                                          static_cast<uint32_t>(call.value)),
                   CallStatus::Access);
    case CallKind::Doorbell:
      return check(call, machine.ring(static_cast<uint32_t>(call.address), call.value),
                   CallStatus::Access);
    case CallKind::Allocate:
    case CallKind::Attach:
      return place(machine, call);
    case CallKind::Free:
      return check(call, machine.free(call.address), CallStatus::Memory);
    case CallKind::MemoryRead:
      return read(machine, call);
    case CallKind::MemoryWrite:
      return check(machine, call, call.data.size(),
                   memory.write(call.address, call.data.data(), call.data.size()));
    case CallKind::Atomic:
      return atomic(machine, call);
    case CallKind::Cycle:
      call.result = machine.now();
      return;
    case CallKind::Reports:
      for (const auto& line : machine.take_reports()) call.text += line + '\n';
      return;
    case CallKind::Load: {
      auto code = machine.load(call.data);
      if (!code) return fail(call, CallStatus::Argument, code.error().str());
      call.result = (*code)->block;
      call.code = std::move(*code);
      return;
    }
    case CallKind::Unload:
      return check(call, machine.unload(call.address), CallStatus::Memory);
    case CallKind::Hang:
      call.hang = std::make_shared<const HangReport>(machine.hang_report());
      return;
    case CallKind::Inspect:
      return inspect(machine, call);
    case CallKind::Counters:
      call.work = machine.work();
      call.counters = machine.block_counters();
      return;
    case CallKind::Named:
      return read_named(machine, call);
    case CallKind::Mark:
      return machine.mark_counters();
    case CallKind::Retirements:
      if (!machine.hang_report().waves.empty()) {
        return fail(call, CallStatus::Call, "waves are under way, expected none");
      }
      return machine.on_retire(call.on_retire);
    case CallKind::Wait:
      return;  // Session's
  }
}

void Fingerprint::add(const void* data, size_t bytes) {
  const auto* p = static_cast<const uint8_t*>(data);
  for (size_t i = 0; i < bytes; ++i) value_ = (value_ ^ p[i]) * 0x100000001b3;
}

uint64_t fingerprint(hsa::DeviceMemory& memory) {
  Fingerprint print;
  // Device memory of a Machine is its own.
  static_cast<hsa::SparseMemory&>(memory.backing())
      .visit([&print](uint64_t address, const uint8_t* bytes, size_t count) {
        constexpr size_t kPiece = 4096;
        for (size_t at = 0; at < count; at += kPiece) {
          const size_t piece = std::min(kPiece, count - at);
          if (std::all_of(bytes + at, bytes + at + piece, [](uint8_t b) { return b == 0; })) {
            continue;
          }
          print.add(address + at);
          print.add(bytes + at, piece);
        }
      });
  return print.value();
}

}  // namespace cuvette::host
