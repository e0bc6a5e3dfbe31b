// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_message.h"

#include "machine/contract.h"

namespace cuvette::ip {
namespace {

using contract::PinReader;
using contract::PinWriter;

// Ports from the last one, which is lowest, to the first.
void put(PinWriter& w, const uint64_t (&lanes)[valu::kLanes]) {
  for (const uint64_t lane : lanes) w.put(64, lane);
}

}  // namespace

isa::Modifiers pin_modifiers(const valu::Request& r) {
  isa::Modifiers m = r.modifiers;
  if (!(isa::rows().begin() + r.row)->has(isa::kOpSel)) m.op_sel = m.op_sel_hi = m.neg_hi = 0;
  if (r.encoding != isa::Encoding::Sdwa) {
    m.sext = 0;
    m.sdwa_src[0] = m.sdwa_src[1] = m.sdwa_dst = isa::SdwaSelect::Dword;
    m.sdwa_unused = isa::SdwaUnused::Pad;
  }
  return m;
}

ValuRequestMessage pack(const valu::Request& r, uint16_t op) {
  ValuRequestMessage message{};
  const isa::Modifiers m = pin_modifiers(r);
  PinWriter w(message.data(), 0);
  put(w, r.old);
  put(w, r.src[2]);
  put(w, r.src[1]);
  put(w, r.src[0]);
  w.put(16, r.mask_in);
  w.put(16, r.exec);
  w.put(2, static_cast<uint64_t>(m.sdwa_unused));
  w.put(3, static_cast<uint64_t>(m.sdwa_dst));
  w.put(3, static_cast<uint64_t>(m.sdwa_src[1]));
  w.put(3, static_cast<uint64_t>(m.sdwa_src[0]));
  w.put(2, m.sext);
  w.put(1, m.clamp ? 1 : 0);
  w.put(2, m.omod);
  w.put(3, m.op_sel_hi);
  w.put(4, m.op_sel);
  w.put(3, m.neg_hi);
  w.put(3, m.neg);
  w.put(3, m.abs);
  w.put(1, r.mode >> 23);
  w.put(1, r.mode >> 9);
  w.put(1, r.mode >> 8);
  w.put(2, r.mode >> 6);
  w.put(2, r.mode >> 4);
  w.put(2, r.mode >> 2);
  w.put(2, r.mode);
  w.put(1, r.pass);
  w.put(2, r.beat);
  w.put(10, op);
  w.put(32, r.id);
  w.finish();
  return message;
}

ValuResponseMessage pack(const valu::Response& r) {
  ValuResponseMessage message{};
  PinWriter w(message.data(), 0);
  w.put(7, r.flags);
  w.put(1, r.has_mask ? 1 : 0);
  w.put(16, r.mask);
  w.put(16, r.write);
  put(w, r.dst);
  w.put(1, r.pass);
  w.put(2, r.beat);
  w.put(32, r.id);
  w.finish();
  return message;
}

valu::Response unpack(const ValuResponseMessage& message) {
  PinReader in(message.data(), message.size(), 0);
  valu::Response r;
  r.flags = static_cast<uint8_t>(in.get(7));
  r.has_mask = in.get(1) != 0;
  r.mask = static_cast<uint16_t>(in.get(16));
  r.write = static_cast<uint16_t>(in.get(16));
  for (uint64_t& lane : r.dst) lane = in.get(64);
  r.pass = static_cast<uint8_t>(in.get(1));
  r.beat = static_cast<uint8_t>(in.get(2));
  r.id = static_cast<uint32_t>(in.get(32));
  return r;
}

}  // namespace cuvette::ip
