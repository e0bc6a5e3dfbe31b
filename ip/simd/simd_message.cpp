// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_message.h"

#include "ip/common/bit_field.h"

namespace cuvette::ip {
namespace {

/// Fields from the lowest, which is the last of a struct.
template <class Message>
class Writer {
 public:
  explicit Writer(Message& message) : bytes_(reinterpret_cast<uint8_t*>(message.data())) {}
  void put(unsigned width, uint64_t value) {
    put_bits(bytes_, at_, width, value);
    at_ += width;
  }

 private:
  uint8_t* bytes_;
  size_t at_ = 0;
};

template <class Message>
class Reader {
 public:
  explicit Reader(const Message& message)
      : bytes_(reinterpret_cast<const uint8_t*>(message.data())) {}
  uint64_t get(unsigned width) {
    const uint64_t value = get_bits(bytes_, at_, width);
    at_ += width;
    return value;
  }
  template <class Field>
  void take(unsigned width, Field& field) {
    field = static_cast<Field>(get(width));
  }

 private:
  const uint8_t* bytes_;
  size_t at_ = 0;
};

using IssueWriter = Writer<SimdIssueMessage>;

void put(IssueWriter& w, const isa::Modifiers& m) {
  w.put(3, m.blgp);
  w.put(4, m.abid);
  w.put(3, m.cbsz);
  w.put(1, m.dpp_bound_ctrl ? 1 : 0);
  w.put(4, m.dpp_bank_mask);
  w.put(4, m.dpp_row_mask);
  w.put(9, m.dpp_ctrl);
  w.put(2, static_cast<uint64_t>(m.sdwa_unused));
  w.put(3, static_cast<uint64_t>(m.sdwa_dst));
  w.put(3, static_cast<uint64_t>(m.sdwa_src[0]));
  w.put(3, static_cast<uint64_t>(m.sdwa_src[1]));
  w.put(1, m.clamp ? 1 : 0);
  w.put(2, m.omod);
  w.put(2, m.sext);
  w.put(3, m.op_sel_hi);
  w.put(4, m.op_sel);
  w.put(3, m.neg_hi);
  w.put(3, m.neg);
  w.put(3, m.abs);
}

void put(IssueWriter& w, const isa::Operand& o) {
  w.put(16, o.index);
  w.put(8, o.dwords);
  w.put(4, static_cast<uint64_t>(o.kind));
}

}  // namespace

SimdIssueMessage pack(const simd::Issue& issue) {
  SimdIssueMessage message{};
  IssueWriter w(message);
  const isa::Instruction& i = issue.instruction;
  w.put(32, issue.m0);
  for (const uint64_t value : issue.scalar) w.put(64, value);
  w.put(64, issue.mask_in);
  w.put(64, issue.exec);
  w.put(32, issue.mode);
  w.put(16, issue.acc_count);
  w.put(16, issue.acc_base);
  w.put(16, issue.vgpr_count);
  w.put(16, issue.vgpr_base);
  put(w, i.mod);
  for (const isa::Operand& o : i.src) put(w, o);
  for (const isa::Operand& o : i.dst) put(w, o);
  w.put(3, static_cast<uint64_t>(i.encoding));
  w.put(16, isa::index_of(*i.row));
  w.put(8, issue.slot);
  w.put(32, issue.id);
  return message;
}

SimdFillMessage pack(const simd::Fill& fill, unsigned beat) {
  SimdFillMessage message{};
  Writer w(message);
  const unsigned first = beat * kSimdBeatLanes;
  for (unsigned l = 0; l < kSimdBeatLanes; ++l) w.put(32, fill.data[first + l]);
  w.put(16, fill.lanes >> first & 0xffff);
  w.put(2, beat);
  w.put(16, fill.row.row);
  w.put(1, fill.row.acc ? 1 : 0);
  w.put(3, static_cast<uint64_t>(fill.port));
  return message;
}

SimdReadMessage pack(const simd::ReadRow& read) {
  SimdReadMessage message{};
  Writer w(message);
  w.put(16, read.row.row);
  w.put(1, read.row.acc ? 1 : 0);
  w.put(3, static_cast<uint64_t>(read.port));
  w.put(32, read.id);
  return message;
}

simd::Retire unpack(const SimdRetireMessage& message) {
  simd::Retire r;
  Reader m(message);
  m.take(7, r.flags);
  m.take(32, r.scalar);
  m.take(1, r.has_scalar);
  m.take(16, r.mask);
  m.take(1, r.has_mask);
  for (auto& row : r.data) {
    for (uint32_t& lane : row) m.take(32, lane);
  }
  m.take(16, r.write);
  m.take(16, r.row.row);
  m.take(1, r.row.acc);
  m.take(3, r.dwords);
  m.take(1, r.last);
  m.take(2, r.beat);
  m.take(32, r.id);
  return r;
}

SimdRowBeat unpack(const SimdRowDataMessage& message) {
  SimdRowBeat b;
  Reader m(message);
  for (uint32_t& lane : b.data) m.take(32, lane);
  m.take(2, b.beat);
  m.take(32, b.id);
  return b;
}

}  // namespace cuvette::ip
