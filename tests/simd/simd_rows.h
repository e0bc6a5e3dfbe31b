// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <utility>

#include "simd/simd.h"

// Rows sent to a simd both ways, past the channels and through `fill`, in random order and several
// to each row: whatever was sent last is what the row holds (docs/reference/simd.md, `fill`).
namespace cuvette::simd_rows {

/// Result of a transfer.
struct Sent {
  machine::Cycle cycles = 0;  ///< until the last fill was taken
  uint64_t taken = 0;         ///< hash of the cycles in which fills were taken
  unsigned rows = 0;          ///< that were sent
  unsigned wrong = 0;         ///< of them, read back with a value other than the last one sent
  bool complete = false;      ///< every fill was taken and every row read back
};

inline wave::LaneRow row_of(uint32_t value) {
  wave::LaneRow row;
  for (uint32_t lane = 0; lane < wave::kLanes; ++lane) row[lane] = value << 8 | lane;
  return row;
}

/// Sends for `cycles` cycles to `rows` rows of either file and reads them back through `read`.
inline Sent send(simd::Simd& block, uint64_t seed, machine::Cycle cycles = 400, unsigned rows = 3) {
  std::mt19937_64 random(seed);
  std::map<std::pair<bool, uint16_t>, wave::LaneRow> last;
  Sent sent;
  uint32_t values = 0;
  machine::Cycle now = 1;
  const auto tick = [&] {
    const size_t before = block.fill.size();
    block.tick(now);
    if (block.fill.size() != before) {
      sent.cycles = now;
      sent.taken = (sent.taken ^ now) * 0x100000001b3u;
    }
  };
  const auto some_row = [&] {
    return vrf::RowAddress{random() % 2 != 0, static_cast<uint16_t>(random() % rows)};
  };
  // A launch writes several rows in one cycle, now and then; loads send one row after the other.
  const auto past_the_channels = [&] {
    for (uint64_t n = random() % 12 == 0 ? random() % 4 : 0; n != 0; --n) {
      const vrf::RowAddress address = some_row();
      const wave::LaneRow row = row_of(++values);
      block.registers().write(vrf::WritePort::LaunchInit, now, address, ~uint64_t{0}, row);
      last[{address.acc, address.row}] = row;
    }
  };
  for (; now < cycles; ++now) {
    const bool launch_first = random() % 2 != 0;
    if (launch_first) past_the_channels();
    if (random() % 6 == 0 && block.fill.can_push(now)) {
      const vrf::RowAddress address = some_row();
      const wave::LaneRow row = row_of(++values);
      block.fill.push({vrf::WritePort::MemoryReturn, address, ~uint64_t{0}, row}, now + 1);
      last[{address.acc, address.row}] = row;
    }
    if (!launch_first) past_the_channels();
    tick();
  }
  for (const machine::Cycle end = 8 * cycles; now < end; ++now) tick();  // all of them go in
  sent.rows = static_cast<unsigned>(last.size());
  sent.complete = block.fill.empty();
  for (const auto& [address, want] : last) {
    block.read.push({7, vrf::ReadPort::MemoryData, {address.first, address.second}}, now);
    for (unsigned n = 0; n < 32 && block.row_data.front(now) == nullptr; ++n) {
      tick();
      ++now;
    }
    if (block.row_data.front(now) == nullptr) {
      sent.complete = false;
      break;
    }
    if (block.row_data.pop(now).data != want) ++sent.wrong;
    wave::LaneRow mirrored{};
    block.registers().read(vrf::ReadPort::Backdoor, now, {address.first, address.second}, mirrored);
    if (mirrored != want) ++sent.wrong;
  }
  return sent;
}

}  // namespace cuvette::simd_rows
