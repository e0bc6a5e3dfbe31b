// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdio>
#include <cstring>

#include "base/bits.h"
#include "fp/arith.h"
#include "fp/compare.h"
#include "hsail/exec.h"
#include "hsail/exec_atomic.h"

// ld, st, lda, atomics, segment conversions and alloca (HSAIL PRM chapter
// 6, 5.8, 5.16, 5.17, 10.10). Data is little endian, as on the host.
namespace cuvette::hsail {

namespace {

constexpr char kNoMemory[] = "access of memory that is not there";

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// 6.1.1: the sum wraps at the size of the segment's addresses.
uint64_t effective_address(const ExecContext& c, const Op& op, unsigned lane) {
  uint64_t address = op.offset;
  if (op.has_register) address += c.slot(op.address_register)[lane];
  if (op.relative_to_kernarg) address += c.dispatch->kernarg_address;
  if (op.relative_to_frame) address += c.activation->private_base;
  return address & op.address_mask;
}

/// 2.8.3: a flat address inside an aperture is an address of that segment.
void resolve_flat(const FlatSpace& flat, Segment* segment, uint64_t* address) {
  if (*segment != Segment::kFlat) return;
  if (flat.group.contains(*address)) {
    *segment = Segment::kGroup;
    *address -= flat.group.base;
  } else if (flat.private_segment.contains(*address)) {
    *segment = Segment::kPrivate;
    *address -= flat.private_segment.base;
  }
}

/// The bytes of a group, private, spill, arg or kernarg access; nullptr after reporting a failure.
uint8_t* local_bytes(ExecContext& c, Segment segment, unsigned lane, uint64_t address,
                     uint64_t bytes) {
  uint8_t* base = nullptr;
  uint64_t size = 0;
  uint64_t offset = address;
  switch (segment) {
    case Segment::kGroup:
      base = c.group->memory.data();
      size = c.group->memory.size();
      break;
    case Segment::kRegion:
      base = c.region->data();
      size = c.region->size();
      break;
    case Segment::kPrivate:
      base = c.frames->private_segment.at(lane, 0);
      size = c.frames->private_top;
      break;
    case Segment::kSpill:
      base = c.frames->frames.at(lane, c.activation->spill_base);
      size = c.block->layout.spill.bytes;
      break;
    case Segment::kArg:
      base = c.frames->frames.at(lane, c.activation->arg_base);
      size = c.activation->arg_bytes;
      break;
    default:
      // Kernarg: the handlers only read from here.
      base = const_cast<uint8_t*>(c.dispatch->kernarg.data());
      size = c.dispatch->kernarg.size();
      offset = address - c.dispatch->kernarg_address;
      break;
  }
  if (bytes > size || offset > size - bytes) {
    c.refuse(lane, kNoMemory,
             "access of " + std::to_string(bytes) + " bytes at " + hex(address) +
                 " is outside the " + std::string(name(segment)) + " segment of " +
                 std::to_string(size) + " bytes");
    return nullptr;
  }
  return base + offset;
}

bool is_global(Segment s) {
  return s == Segment::kGlobal || s == Segment::kReadonly || s == Segment::kFlat;
}

/// Looks for races of what a lane does. `data`: of an ordinary store.
void watch(ExecContext& c, unsigned lane, Segment segment, uint64_t address, uint64_t bytes,
           const uint8_t* data = nullptr) {
  if (c.races == nullptr || !(is_global(segment) || segment == Segment::kGroup)) return;
  const uint32_t space = segment == Segment::kGroup ? c.group->number : RaceWatch::kGlobal;
  const uint32_t other =
      c.races->access(c.access, space, address, static_cast<unsigned>(bytes), data);
  if (other == RaceWatch::kNone || c.raced_with != RaceWatch::kNone) return;
  c.raced_with = other;
  c.raced_lane = lane;
}

void load(ExecContext& c, const Op& op) {
  const uint64_t element = type_bytes(op.type);
  const uint64_t bytes = element * op.count;
  c.access.changes = c.access.atomic = false;
  c.each_lane([&](unsigned lane) {
    if (!c.failure.empty()) return;
    uint64_t address = effective_address(c, op, lane);
    Segment segment = op.segment;
    resolve_flat(c.program->flat, &segment, &address);
    if ((address & op.align_mask) != 0) {
      c.note_undefined(lane, "address breaks the promise of align(n)");
    }
    uint8_t buffer[64];
    const uint8_t* data = buffer;
    if (!is_global(segment)) {
      data = local_bytes(c, segment, lane, address, bytes);
    } else if (!c.port->read(address, buffer, bytes)) {
      c.refuse(lane, kNoMemory,
               "load of " + std::to_string(bytes) + " bytes from unmapped address " + hex(address) +
                   c.port->place_of(address, bytes));
      data = nullptr;
    }
    if (!c.failure.empty()) return;
    if (data != nullptr) {
      watch(c, lane, segment, address, bytes);
    } else {
      data = static_cast<uint8_t*>(std::memset(buffer, 0, sizeof buffer));
    }
    for (unsigned i = 0; i < op.count; ++i, data += element) {
      uint64_t low = 0;
      std::memcpy(&low, data, element < 8 ? element : 8);
      c.slot(op.dest[i])[lane] = register_value(op.type, low);
      if (element == 16) {
        std::memcpy(&low, data + 8, 8);
        c.slot(op.dest[i] + 1)[lane] = low;
      }
    }
  });
}

void store(ExecContext& c, const Op& op) {
  const uint64_t element = type_bytes(op.type);
  const uint64_t bytes = element * op.count;
  c.access.changes = true;
  c.access.atomic = false;
  c.each_lane([&](unsigned lane) {
    if (!c.failure.empty()) return;
    uint64_t address = effective_address(c, op, lane);
    Segment segment = op.segment;
    resolve_flat(c.program->flat, &segment, &address);
    if ((address & op.align_mask) != 0) {
      c.note_undefined(lane, "address breaks the promise of align(n)");
    }
    uint8_t buffer[64];
    uint8_t* data = buffer;
    for (unsigned i = 0; i < op.count; ++i, data += element) {
      const uint64_t low = c.slot(op.src[i])[lane];
      std::memcpy(data, &low, element < 8 ? element : 8);
      if (element == 16) std::memcpy(data + 8, &c.slot(op.src[i] + 1)[lane], 8);
    }
    if (is_global(segment)) {
      if (!c.port->write(address, buffer, bytes)) {
        c.refuse(lane, kNoMemory,
                 "store of " + std::to_string(bytes) + " bytes to unmapped or read-only address " +
                     hex(address) + c.port->place_of(address, bytes));
        return;
      }
    } else {
      uint8_t* target = local_bytes(c, segment, lane, address, bytes);
      if (target == nullptr) return;
      std::memcpy(target, buffer, bytes);
    }
    watch(c, lane, segment, address, bytes, buffer);
  });
}

void load_address(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  c.each_lane([&](unsigned lane) { d[lane] = effective_address(c, op, lane); });
}

/// Lanes take part one after the other, in lane order.
void atomic(ExecContext& c, const Op& op) {
  const unsigned bytes = type_bytes(op.type);
  const bool returns = op.dest[0] != UINT32_MAX;
  c.access.changes = op.atomic != AtomicOp::kLd;
  c.access.atomic = true;
  const auto refuse = [&](unsigned lane, const char* why, const std::string& what) {
    c.refuse(lane, why, what);
    if (returns) c.slot(op.dest[0])[lane] = 0;
  };
  c.each_lane([&](unsigned lane) {
    if (!c.failure.empty()) return;
    uint64_t address = effective_address(c, op, lane);
    Segment segment = op.segment;
    resolve_flat(c.program->flat, &segment, &address);
    if (address % bytes != 0) {
      refuse(
          lane, "misaligned atomic",
          "atomic at " + hex(address) + " is not aligned to " + std::to_string(bytes) + " bytes");
      return;
    }
    const uint64_t a = op.count > 0 ? c.slot(op.src[0])[lane] : 0;
    const uint64_t b = op.count > 1 ? c.slot(op.src[1])[lane] : 0;
    uint64_t old = 0;
    if (is_global(segment)) {
      const auto function = [&](uint64_t v) { return atomic_result(op.atomic, op.type, v, a, b); };
      if (!c.port->update(address, bytes, function, &old)) {
        refuse(lane, kNoMemory,
               "atomic at unmapped or read-only address " + hex(address) +
                   c.port->place_of(address, bytes));
        return;
      }
    } else {
      uint8_t* data = local_bytes(c, segment, lane, address, bytes);
      if (data == nullptr) {
        if (returns) c.slot(op.dest[0])[lane] = 0;
        return;
      }
      std::memcpy(&old, data, bytes);
      const uint64_t next = atomic_result(op.atomic, op.type, old, a, b);
      std::memcpy(data, &next, bytes);
    }
    watch(c, lane, segment, address, bytes);
    if (returns) c.slot(op.dest[0])[lane] = old;
  });
}

/// amd:gcn: the active lanes together add their number to the one at the first one's address, or
/// take it off, and each gets what was there before.
void count_lanes(ExecContext& c, const Op& op) {
  const unsigned first = c.mask.first();
  uint8_t* data = local_bytes(c, op.segment, first, effective_address(c, op, first), 4);
  uint32_t before = 0;
  if (data != nullptr) {
    std::memcpy(&before, data, 4);
    const auto lanes = static_cast<uint32_t>(c.mask.count());
    const uint32_t after = op.opcode == Opcode::kGcnAtomicAppend ? before + lanes : before - lanes;
    std::memcpy(data, &after, 4);
  }
  uint64_t* d = c.slot(op.dest[0]);
  c.each_lane([=](unsigned l) { d[l] = before; });
}

/// 5.16: true for null too.
void segment_test(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const FlatSpace& flat = c.program->flat;
  c.each_lane([&](unsigned l) {
    const bool group = flat.group.contains(a[l]);
    const bool own = flat.private_segment.contains(a[l]);
    if (a[l] == 0 && op.nonull) c.note_undefined(l, "null where nonull promises none");
    const bool inside = op.segment == Segment::kGroup     ? group
                        : op.segment == Segment::kPrivate ? own
                                                          : !group && !own;
    d[l] = a[l] == 0 || inside ? 1 : 0;
  });
}

const Aperture& aperture(const ExecContext& c, const Op& op) {
  const FlatSpace& flat = c.program->flat;
  return op.segment == Segment::kGroup ? flat.group : flat.private_segment;
}

/// 5.17: ftos and stof; null becomes null.
void flat_to_segment(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const Aperture& place = aperture(c, op);
  c.each_lane([&](unsigned l) {
    if (a[l] == 0 && op.nonull) c.note_undefined(l, "null where nonull promises none");
    if (a[l] != 0 && !place.contains(a[l])) {
      c.note_undefined(l, "flat address outside the segment");
    }
    d[l] = a[l] == 0 ? kNullInSegment : (a[l] - place.base) & 0xffffffff;
  });
}
void segment_to_flat(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const Aperture& place = aperture(c, op);
  const uint64_t mask = address_mask(Segment::kFlat, c.program->model);
  c.each_lane([&](unsigned l) {
    const bool null = a[l] == kNullInSegment;
    if (null && op.nonull) c.note_undefined(l, "null where nonull promises none");
    if (!null && a[l] >= place.bytes) {
      c.note_undefined(l, "segment address beyond the flat addresses of the segment");
    }
    d[l] = null ? 0 : (place.base + a[l]) & mask;
  });
}

void null_pointer(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t null = null_address(op.segment, c.program->model);
  c.each_lane([=](unsigned l) { d[l] = null; });
}

/// 10.10: all lanes get the most that one of them asks for.
void allocate(ExecContext& c, const Op& op) {
  uint64_t bytes = 0;
  c.each_lane([&](unsigned l) { bytes = std::max(bytes, c.slot(op.src[0])[l]); });
  const uint64_t at = base::align_up(c.frames->private_top, uint64_t{op.align_mask} + 1);
  if (at + bytes > c.frames->limit) {
    const auto lane = c.mask.first();
    const auto& kernel = c.program->module->code[c.program->kernel].as<Executable>();
    c.fail(lane, "kernel '" + kernel.name + "': alloca of " + std::to_string(bytes) +
                     " bytes behind " + std::to_string(at) + " in use makes more than " +
                     std::to_string(c.frames->limit) + " bytes of private memory");
    return;
  }
  c.frames->private_top = at + bytes;
  c.frames->private_segment.reserve(at + bytes);
  uint64_t* d = c.slot(op.dest[0]);
  c.each_lane([=](unsigned l) { d[l] = at; });
}

/// The lanes of a wavefront and the wavefronts of a dispatch execute in one sequence that every
/// lane sees, which is stronger than any order a fence asks for.
void nothing(ExecContext&, const Op&) {}

}  // namespace

namespace {

/// amd:gcn, on group memory: nothing is flushed, the minimum and the maximum are the machine's.
template <class F>
uint64_t float_atomic_result(AtomicOp op, uint64_t old, uint64_t a) {
  const auto x = static_cast<fp::BitsOf<F>>(old);
  const auto y = static_cast<fp::BitsOf<F>>(a);
  fp::Env env;
  if (op == AtomicOp::kAdd) return fp::add<F>(x, y, env);
  return op == AtomicOp::kMin ? fp::min<F>(x, y, env) : fp::max<F>(x, y, env);
}

}  // namespace

/// 6.6: the value an atomic leaves behind. `a` is src0, `b` src1 of cas.
uint64_t atomic_result(AtomicOp op, Type type, uint64_t old, uint64_t a, uint64_t b) {
  if (type == Type::kF32) return float_atomic_result<fp::F32>(op, old, a);
  if (type == Type::kF64) return float_atomic_result<fp::F64>(op, old, a);
  const unsigned bits = type_bits(type);
  const bool less =
      is_signed(type) ? base::sign_extend(old, bits) < base::sign_extend(a, bits) : old < a;
  const uint64_t mask = base::low_mask(bits);
  switch (op) {
    case AtomicOp::kAdd:
      return (old + a) & mask;
    case AtomicOp::kSub:
      return (old - a) & mask;
    case AtomicOp::kAnd:
      return old & a;
    case AtomicOp::kOr:
      return old | a;
    case AtomicOp::kXor:
      return old ^ a;
    case AtomicOp::kExch:
    case AtomicOp::kSt:
      return a;
    case AtomicOp::kCas:
      return old == a ? b : old;
    case AtomicOp::kMax:
      return less ? a : old;
    case AtomicOp::kMin:
      return less ? old : a;
    case AtomicOp::kWrapInc:
      return old >= a ? 0 : old + 1;
    case AtomicOp::kWrapDec:
      return old == 0 || old > a ? a : old - 1;
    default:
      return old;  // ld
  }
}

Handler memory_handler(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kLd:
    case Opcode::kGcnLd:
      return load;
    case Opcode::kSt:
    case Opcode::kGcnSt:
      return store;
    case Opcode::kGcnAtomicAppend:
    case Opcode::kGcnAtomicConsume:
      return count_lanes;
    case Opcode::kLda:
      return load_address;
    case Opcode::kAtomic:
    case Opcode::kAtomicNoRet:
    case Opcode::kGcnAtomic:
    case Opcode::kGcnAtomicNoRet:
      return atomic;
    case Opcode::kSegmentP:
      return segment_test;
    case Opcode::kFtos:
      return flat_to_segment;
    case Opcode::kStof:
      return segment_to_flat;
    case Opcode::kNullPtr:
      return null_pointer;
    case Opcode::kAlloca:
      return allocate;
    case Opcode::kMemFence:
    case Opcode::kNop:
      return nothing;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
