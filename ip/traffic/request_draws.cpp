// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/request_draws.h"

namespace cuvette::ip::traffic {

using base::AtomicOp;
using memory::MemOp;

namespace {

unsigned below(unsigned n, std::mt19937& rng) {
  return static_cast<unsigned>(rng() % n);
}

}  // namespace

void draw_atomic(memory::MemReq& r, std::mt19937& rng) {
  r.op = below(3, rng) == 0 ? MemOp::Atomic : MemOp::AtomicReturn;
  r.atomic = static_cast<AtomicOp>(below(static_cast<unsigned>(AtomicOp::CondXchg32) + 1, rng));
  const bool packed = r.atomic == AtomicOp::PkAddF16 || r.atomic == AtomicOp::PkAddBf16;
  const bool wide = r.atomic == AtomicOp::CondXchg32 || (!packed && below(3, rng) == 0);
  r.atomic_bytes = wide ? 8 : 4;
  const unsigned at = below(64 / r.atomic_bytes, rng) * r.atomic_bytes;
  r.address += at;
  r.byte_mask = ((uint64_t{1} << r.atomic_bytes) - 1) << at;
  r.flush_subnormals = below(2, rng) != 0;
}

uint64_t draw_bytes(std::mt19937& rng) {
  const unsigned first = below(64, rng);
  const unsigned count = 1 + below(64 - first, rng);
  switch (below(4, rng)) {
    case 0:
      return ~uint64_t{0};
    case 1:
      return (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
    case 2:
      return uint64_t{15} << first / 4 * 4;
    default: {
      const uint64_t high = uint64_t{rng()} << 32;
      return high | rng() | uint64_t{1} << first;
    }
  }
}

}  // namespace cuvette::ip::traffic
