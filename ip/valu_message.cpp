// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu_message.h"

#include "ip/bit_field.h"

namespace cuvette::ip {
namespace {

/// Ports from the last one, which is lowest, to the first.
class Writer {
 public:
  explicit Writer(uint8_t* message) : message_(message) {}
  void put(unsigned width, uint64_t value) {
    put_bits(message_, at_, width, value);
    at_ += width;
  }
  void put(const uint64_t (&lanes)[valu::kLanes]) {
    for (const uint64_t lane : lanes) put(64, lane);
  }

 private:
  uint8_t* message_;
  size_t at_ = 0;
};

class Reader {
 public:
  explicit Reader(const uint8_t* message) : message_(message) {}
  uint64_t get(unsigned width) {
    const uint64_t value = get_bits(message_, at_, width);
    at_ += width;
    return value;
  }

 private:
  const uint8_t* message_;
  size_t at_ = 0;
};

}  // namespace

ValuRequestMessage pack(const valu::Request& r, uint8_t op) {
  ValuRequestMessage message{};
  Writer w(message.data());
  w.put(r.old);
  w.put(r.src[2]);
  w.put(r.src[1]);
  w.put(r.src[0]);
  w.put(16, r.mask_in);
  w.put(16, r.exec);
  w.put(1, r.modifiers.clamp ? 1 : 0);
  w.put(2, r.modifiers.omod);
  w.put(3, r.modifiers.neg);
  w.put(3, r.modifiers.abs);
  w.put(1, r.mode >> 9);
  w.put(1, r.mode >> 8);
  w.put(2, r.mode >> 4);
  w.put(2, r.mode);
  w.put(1, r.pass);
  w.put(2, r.beat);
  w.put(8, op);
  w.put(32, r.id);
  return message;
}

ValuResponseMessage pack(const valu::Response& r) {
  ValuResponseMessage message{};
  Writer w(message.data());
  w.put(7, r.flags);
  w.put(1, r.has_mask ? 1 : 0);
  w.put(16, r.mask);
  w.put(16, r.write);
  w.put(r.dst);
  w.put(1, r.pass);
  w.put(2, r.beat);
  w.put(32, r.id);
  return message;
}

valu::Response unpack(const ValuResponseMessage& message) {
  Reader in(message.data());
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
