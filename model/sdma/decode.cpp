// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "sdma/decode.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace cuvette::sdma {
namespace {

constexpr unsigned kPackets = static_cast<unsigned>(Packet::HdpFlush) + 1;
constexpr unsigned kOpBits = 8;
// POLL_REGMEM that flushes the HDP: compare "equal", of a register.
constexpr uint32_t kHdpFlushHeader = 8 | 1u << 26 | 3u << 28;

/// Layout of a packet of a kind.
struct Shape {
  const char* name = "";
  int op = -1, sub_op = -1;
  bool refused = false;
  unsigned dwords = 0;
  std::array<uint32_t, kMostDwords> known{};  // bits of fields
};

std::array<Shape, kPackets> make_shapes() {
  std::array<Shape, kPackets> shapes;
  for (const Row& row : kRows) {
    Shape& s = shapes[static_cast<unsigned>(row.packet)];
    s.name = row.name;
    s.op = row.op;
    s.sub_op = row.sub_op;
    s.refused = row.use == Use::Refused;
    if (std::string_view(row.field_name) == "data0") continue;  // the first dword of the data
    s.dwords = std::max<unsigned>(s.dwords, row.field.dword + 1u);
    s.known[row.field.dword] |= row.field.mask();
  }
  return shapes;
}

const Shape& shape(Packet packet) {
  static const std::array<Shape, kPackets> kShapes = make_shapes();
  return kShapes[static_cast<unsigned>(packet)];
}

}  // namespace

const char* name(Packet packet) {
  return shape(packet).name;
}

base::Result<Packet> identify(uint32_t header) {
  const auto op = static_cast<int>(header & 0xff);
  const auto sub_op = static_cast<int>(header >> kOpBits & 0xff);
  for (unsigned i = 0; i < kPackets; ++i) {
    const auto packet = static_cast<Packet>(i);
    const Shape& s = shape(packet);
    if (s.op != op || (s.sub_op >= 0 && s.sub_op != sub_op)) continue;
    // These share their ops with others, which come first.
    if (packet == Packet::CopyLinear && packet::copy_linear::broadcast.get(&header) != 0) {
      return Packet::CopyBroadcastLinear;
    }
    if (packet == Packet::PollRegmem && packet::poll_regmem::hdp_flush.get(&header) != 0) {
      return Packet::HdpFlush;
    }
    return packet;
  }
  return base::Error(fmt::format("no packet of gfx9 has op {} with sub-op {}", op, sub_op));
}

unsigned fixed_dwords(Packet packet) {
  return shape(packet).dwords;
}

uint64_t all_dwords(Packet packet, const uint32_t* words) {
  const uint64_t fixed = fixed_dwords(packet);
  if (packet == Packet::Nop) return fixed + packet::nop::count.get(words);
  if (packet == Packet::WriteUntiled) {
    return fixed + packet::write_untiled::count.get(words) + uint64_t{1};
  }
  return fixed;
}

base::Status check(Packet packet, const uint32_t* words) {
  const Shape& s = shape(packet);
  if (s.refused) return base::Error("the packet is not executed");
  for (const Row& row : kRows) {
    if (row.packet != packet || row.use != Use::Zero || row.field.get(words) == 0) continue;
    return base::Error(fmt::format("expected {} 0, found {}: it is not modelled", row.field_name,
                                   row.field.get(words)));
  }
  for (unsigned i = 0; i < s.dwords; ++i) {
    if (const uint32_t bits = words[i] & ~s.known[i]; bits != 0) {
      return base::Error(fmt::format("expected 0 in reserved bits {:#x} of dword {}", bits, i));
    }
  }
  if (packet == Packet::HdpFlush && words[0] != kHdpFlushHeader) {
    return base::Error(
        fmt::format("expected the header {:#x}, found {:#x}", kHdpFlushHeader, words[0]));
  }
  return {};
}

}  // namespace cuvette::sdma
