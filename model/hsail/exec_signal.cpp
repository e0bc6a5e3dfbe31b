// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "base/bits.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "hsail/exec.h"
#include "hsail/exec_atomic.h"

// Signals and user mode queues (HSAIL PRM 6.8, 11.3): global atomics on the structures that their
// handles and addresses point to.
namespace cuvette::hsail {

namespace {

/// One update of a lane; false after reporting a failure.
template <class F>
bool update(ExecContext& c, unsigned lane, uint64_t address, unsigned bytes, F function,
            uint64_t* old, const char* what) {
  if (address % bytes == 0 && c.port->update(address, bytes, function, old)) return true;
  return c.fail(lane, std::string(what) + " at an address that is not accessible or not aligned");
}

uint64_t value_address(uint64_t handle) {
  return handle + hsa::kSignalValueOffset;
}

void signal(ExecContext& c, const Op& op) {
  const bool returns = op.dest[0] != UINT32_MAX;
  c.each_lane([&](unsigned lane) {
    if (!c.failure.empty()) return;
    const uint64_t handle = c.slot(op.src[0])[lane];
    if (handle == 0) {
      c.fail(lane, "the signal handle is null");
      return;
    }
    const uint64_t a = op.count > 1 ? c.slot(op.src[1])[lane] : 0;
    const uint64_t b = op.count > 2 ? c.slot(op.src[2])[lane] : 0;
    uint64_t old = 0;
    const auto next = [&](uint64_t v) { return atomic_result(op.atomic, op.type, v, a, b); };
    if (!update(c, lane, value_address(handle), type_bytes(op.type), next, &old, "signal")) return;
    if (returns) c.slot(op.dest[0])[lane] = old;
  });
}

bool holds(AtomicOp op, int64_t value, int64_t wanted) {
  switch (op) {
    case AtomicOp::kWaitEq:
    case AtomicOp::kWaitTimeoutEq:
      return value == wanted;
    case AtomicOp::kWaitNe:
    case AtomicOp::kWaitTimeoutNe:
      return value != wanted;
    case AtomicOp::kWaitLt:
    case AtomicOp::kWaitTimeoutLt:
      return value < wanted;
    default:
      return value >= wanted;
  }
}

/// Asks for another turn while a lane's condition does not hold; a timeout of 0 asks for none.
void signal_wait(ExecContext& c, const Op& op) {
  const unsigned bits = type_bits(op.type);
  const bool timed = op.atomic >= AtomicOp::kWaitTimeoutEq;
  std::array<uint64_t, kMostLanes> seen;
  c.each_lane([&](unsigned lane) {
    if (!c.failure.empty()) return;
    const uint64_t handle = c.slot(op.src[0])[lane];
    if (handle == 0) {
      c.fail(lane, "the signal handle is null");
      return;
    }
    uint64_t value = 0;
    const auto same = [](uint64_t v) { return v; };
    if (!update(c, lane, value_address(handle), type_bytes(op.type), same, &value, "signal"))
      return;
    seen[lane] = value;
    const bool good = holds(op.atomic, base::sign_extend(value, bits),
                            base::sign_extend(c.slot(op.src[1])[lane], bits));
    const bool patient = !timed || c.slot(op.src[2])[lane] != 0;
    if (!good && patient) c.unsatisfied = true;
  });
  // The destination may be a source, which another turn reads again.
  if (!c.failure.empty() || (c.unsatisfied && !c.out_of_turns)) return;
  c.each_lane([&](unsigned lane) { c.slot(op.dest[0])[lane] = seen[lane]; });
}

/// The index at `Offset` in the queue that the address names.
template <size_t Offset, AtomicOp Operation>
void queue(ExecContext& c, const Op& op) {
  const bool returns = op.dest[0] != UINT32_MAX;
  c.each_lane([&](unsigned lane) {
    if (!c.failure.empty()) return;
    const uint64_t sum = op.offset + (op.has_register ? c.slot(op.address_register)[lane] : 0);
    const uint64_t address = sum & op.address_mask;
    const uint64_t a = op.count > 0 ? c.slot(op.src[0])[lane] : 0;
    const uint64_t b = op.count > 1 ? c.slot(op.src[1])[lane] : 0;
    uint64_t old = 0;
    const auto next = [&](uint64_t v) { return atomic_result(Operation, Type::kU64, v, a, b); };
    if (!update(c, lane, address + Offset, 8, next, &old, "queue index")) return;
    if (returns) c.slot(op.dest[0])[lane] = old;
  });
}

constexpr size_t kRead = offsetof(hsa::AmdQueue, read_dispatch_id);
constexpr size_t kWrite = offsetof(hsa::AmdQueue, write_dispatch_id);

}  // namespace

Handler signal_handler(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kSignal:
    case Opcode::kSignalNoRet:
      return inst.atomic_op >= AtomicOp::kWaitEq ? signal_wait : signal;
    case Opcode::kAddQueueWriteIndex:
      return queue<kWrite, AtomicOp::kAdd>;
    case Opcode::kCasQueueWriteIndex:
      return queue<kWrite, AtomicOp::kCas>;
    case Opcode::kLdQueueReadIndex:
      return queue<kRead, AtomicOp::kLd>;
    case Opcode::kLdQueueWriteIndex:
      return queue<kWrite, AtomicOp::kLd>;
    case Opcode::kStQueueReadIndex:
      return queue<kRead, AtomicOp::kSt>;
    case Opcode::kStQueueWriteIndex:
      return queue<kWrite, AtomicOp::kSt>;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
