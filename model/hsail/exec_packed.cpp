// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/bits.h"
#include "fp/convert.h"
#include "hsail/exec.h"
#include "hsail/inst_table.h"

// Packed operands (HSAIL PRM 4.14, 5.9, 5.15). Element 0 is the least significant.
namespace cuvette::hsail {

namespace {

/// A packed value: up to 128 bits.
struct Packed {
  uint64_t word[2];

  uint64_t element(unsigned bits, unsigned index) const {
    const unsigned at = bits * index;
    return word[at / 64] >> (at % 64) & base::low_mask(bits);
  }
  void set(unsigned bits, unsigned index, uint64_t value) {
    const unsigned at = bits * index;
    const uint64_t mask = base::low_mask(bits) << (at % 64);
    word[at / 64] = (word[at / 64] & ~mask) | (value << (at % 64) & mask);
  }
};

/// $s and $d take one slot, $q two.
Packed read(const ExecContext& c, uint32_t slot, Type type, unsigned lane) {
  return {{c.slot(slot)[lane], type_bits(type) == 128 ? c.slot(slot + 1)[lane] : 0}};
}
void write(const ExecContext& c, uint32_t slot, Type type, unsigned lane, const Packed& value) {
  c.slot(slot)[lane] = value.word[0];
  if (type_bits(type) == 128) c.slot(slot + 1)[lane] = value.word[1];
}

unsigned element_bits(Type packed) {
  return type_bits(element_type(packed));
}
unsigned element_count(Type packed) {
  return type_bits(packed) / element_bits(packed);
}

/// 5.9.3: the lower half of the result from src0, the upper one from src1.
void shuffle(ExecContext& c, const Op& op) {
  const unsigned bits = element_bits(op.type);
  const unsigned count = element_count(op.type);
  const auto selector_bits = static_cast<unsigned>(std::countr_zero(count));
  c.each_lane([&](unsigned l) {
    const Packed low = read(c, op.src[0], op.type, l);
    const Packed high = read(c, op.src[1], op.type, l);
    const uint64_t selectors = c.slot(op.src[2])[l];
    Packed result{};
    for (unsigned i = 0; i < count; ++i) {
      const auto from = static_cast<unsigned>(selectors >> (i * selector_bits)) & (count - 1);
      result.set(bits, i, (i < count / 2 ? low : high).element(bits, from));
    }
    write(c, op.dest[0], op.type, l, result);
  });
}

/// unpacklo and unpackhi: half of the elements of src0 in even places, of src1 in odd ones.
template <bool High>
void interleave(ExecContext& c, const Op& op) {
  const unsigned bits = element_bits(op.type);
  const unsigned half = element_count(op.type) / 2;
  c.each_lane([&](unsigned l) {
    const Packed even = read(c, op.src[0], op.type, l);
    const Packed odd = read(c, op.src[1], op.type, l);
    Packed result{};
    for (unsigned i = 0; i < half; ++i) {
      result.set(bits, 2 * i, even.element(bits, i + (High ? half : 0)));
      result.set(bits, 2 * i + 1, odd.element(bits, i + (High ? half : 0)));
    }
    write(c, op.dest[0], op.type, l, result);
  });
}

void pack(ExecContext& c, const Op& op) {
  const unsigned count = element_count(op.type);
  c.each_lane([&](unsigned l) {
    Packed value = read(c, op.src[0], op.type, l);
    const auto index = static_cast<unsigned>(c.slot(op.src[2])[l]) & (count - 1);
    value.set(element_bits(op.type), index, c.slot(op.src[1])[l]);
    write(c, op.dest[0], op.type, l, value);
  });
}

void unpack(ExecContext& c, const Op& op) {
  const Type from = op.source_type;
  const unsigned count = element_count(from);
  c.each_lane([&](unsigned l) {
    const Packed value = read(c, op.src[0], from, l);
    const auto index = static_cast<unsigned>(c.slot(op.src[1])[l]) & (count - 1);
    c.slot(op.dest[0])[l] =
        register_value(element_type(from), value.element(element_bits(from), index));
  });
}

/// The mean of each byte, rounded up where the third source is odd.
void lerp(ExecContext& c, const Op& op) {
  c.each_lane([&](unsigned l) {
    uint64_t result = 0;
    for (unsigned at = 0; at < 32; at += 8) {
      const auto byte = [&](unsigned source) { return c.slot(op.src[source])[l] >> at & 0xff; };
      result |= ((byte(0) + byte(1) + (byte(2) & 1)) >> 1) << at;
    }
    c.slot(op.dest[0])[l] = result;
  });
}

void pack_convert(ExecContext& c, const Op& op) {
  c.each_lane([&](unsigned l) {
    uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      fp::Env env = op.env;
      const auto value = static_cast<uint32_t>(c.slot(op.src[i])[l]);
      const uint64_t byte = fp::to_int<fp::F32>(value, 8, false, fp::Round::NearestEven, env, true);
      result |= (byte & 0xff) << (8 * i);
    }
    c.slot(op.dest[0])[l] = result;
  });
}

void unpack_convert(ExecContext& c, const Op& op) {
  c.each_lane([&](unsigned l) {
    fp::Env env = op.env;
    const uint64_t byte = c.slot(op.src[0])[l] >> (8 * op.literal) & 0xff;
    c.slot(op.dest[0])[l] = fp::from_int<fp::F32>(byte, env);  // exact
  });
}

/// The sum of the absolute differences of unsigned elements, moved up by 16 for sadhi, plus src2.
template <unsigned Bits, unsigned Up>
void sum_of_differences(ExecContext& c, const Op& op) {
  c.each_lane([&](unsigned l) {
    const uint64_t mask = base::low_mask(Bits);
    uint64_t sum = 0;
    for (unsigned at = 0; at < 32; at += Bits) {
      const uint64_t a = c.slot(op.src[0])[l] >> at & mask;
      const uint64_t b = c.slot(op.src[1])[l] >> at & mask;
      sum += a < b ? b - a : a - b;
    }
    c.slot(op.dest[0])[l] = static_cast<uint32_t>((sum << Up) + c.slot(op.src[2])[l]);
  });
}

}  // namespace

void apply_to_elements(ExecContext& c, const Op& op) {
  const ElementPlan& plan = c.program->elements[op.plan];
  const uint32_t scratch = c.block->scratch;
  const unsigned bits = type_bits(plan.op.type);
  Packed results[kMostLanes];
  c.each_lane([&](unsigned l) { results[l] = read(c, op.dest[0], op.type, l); });
  for (unsigned i = 0; i < plan.count; ++i) {
    for (unsigned s = 0; s < plan.sources; ++s) {
      const Type type = plan.source_types[s];
      if (type == Type::kNone) continue;
      const unsigned index = (plan.broadcast >> s & 1) != 0 ? 0 : i;
      const unsigned from_bits = type_bits(type);
      const uint32_t slot = op.src[s] + index * from_bits / 64;
      const unsigned at = index * from_bits % 64;
      const uint64_t* from = c.slot(slot);
      uint64_t* to = c.slot(scratch + 1 + s);
      c.each_lane([=](unsigned l) {
        to[l] = register_value(type, from[l] >> at & base::low_mask(from_bits));
      });
    }
    plan.op.handler(c, plan.op);
    const uint64_t* element = c.slot(scratch);
    c.each_lane([&](unsigned l) { results[l].set(bits, i, element[l]); });
  }
  c.each_lane([&](unsigned l) { write(c, op.dest[0], op.type, l, results[l]); });
}

Handler packed_handler(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kShuffle:
      return shuffle;
    case Opcode::kUnpackLo:
      return interleave<false>;
    case Opcode::kUnpackHi:
      return interleave<true>;
    case Opcode::kPack:
      return pack;
    case Opcode::kUnpack:
      return unpack;
    case Opcode::kLerp:
      return lerp;
    case Opcode::kPackCvt:
      return pack_convert;
    case Opcode::kUnpackCvt:
      return unpack_convert;
    case Opcode::kSad:
      return inst.source_type == Type::kU8x4    ? sum_of_differences<8, 0>
             : inst.source_type == Type::kU16x2 ? sum_of_differences<16, 0>
                                                : sum_of_differences<32, 0>;
    case Opcode::kSadHi:
      return sum_of_differences<8, 16>;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
