// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ip/coverage/coverage_samples.h"
#include "vrf_devices.h"

// Random traffic on every port of a register file, judged by a scalar model written from
// docs/reference/vrf.md: a map of lanes, and per read port the answer that is due.
namespace cuvette::vrf_stream {

inline constexpr unsigned kRows = 256, kLanes = 64;

/// The file as one array of lanes. A lane is not judged before it was written.
class Registers {
 public:
  Registers() : lanes_(2 * kRows * kLanes), written_(lanes_.size()) {}
  static size_t at(vrf::RowAddress a, unsigned beat, unsigned lane) {
    return ((a.acc ? kRows : 0u) + a.row % kRows) * kLanes + beat * 16 + lane;
  }
  void put(size_t index, uint32_t value) {
    lanes_[index] = value;
    written_[index] = true;
  }
  bool known(size_t index) const { return written_[index]; }
  uint32_t get(size_t index) const { return lanes_[index]; }

 private:
  std::vector<uint32_t> lanes_;
  std::vector<bool> written_;
};

struct Due {
  bool waiting = false;
  uint8_t beat = 0;
  std::array<uint32_t, 16> data{};
  std::array<bool, 16> known{};
};

struct Result {
  std::string finding;     ///< "", "vrf-stream.data", "vrf-stream.time", "vrf-stream.assertion"
  uint64_t beats = 0;      ///< read
  uint64_t conflicts = 0;  ///< reads that waited for a bank
  uint64_t hash = 0;       ///< of every answer
};

/// Random inputs, cycle by cycle. Requests not taken are repeated, as the handshake wants.
class Traffic {
 public:
  explicit Traffic(uint64_t seed) : rng_(seed) {}

  void next(ip::VrfInputs& in, const ip::VrfOutputs& before) {
    for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
      auto& r = in.reads[p];
      if (!r.valid || before.reads[p].ready) {
        r.valid = rng_() % 4 != 0;
        r.address = address();
        r.beat = static_cast<uint8_t>(rng_() % 4);
      }
      r.data_ready = rng_() % 4 != 0;
    }
    std::vector<std::pair<size_t, uint16_t>> written;
    for (auto& w : in.writes) {
      w.valid = rng_() % 2 != 0;
      w.address = address();
      w.beat = static_cast<uint8_t>(rng_() % 4);
      w.lanes = static_cast<uint16_t>(rng_() % 3 == 0 ? 0xffff : rng_());
      for (auto& lane : w.data) lane = static_cast<uint32_t>(rng_());
      const size_t place = Registers::at(w.address, w.beat, 0);
      // Two writes of one lane in one cycle are the requester's error.
      for (const auto& [other, lanes] : written) {
        if (other == place) w.lanes = static_cast<uint16_t>(w.lanes & ~lanes);
      }
      if (w.valid) written.emplace_back(place, w.lanes);
    }
  }

 private:
  /// Few rows, all banks, both ends of the file and beyond.
  vrf::RowAddress address() {
    static constexpr std::array<uint16_t, 12> rows = {0,   1,   2,   3,   4,   5,
                                                      127, 128, 254, 255, 256, 65535};
    return {rng_() % 2 != 0, rows[rng_() % rows.size()]};
  }
  std::mt19937_64 rng_;
};

/// `cycles` cycles of traffic drawn from `seed`; ends at the first finding.
inline Result run(VrfPins& device, uint64_t seed, unsigned cycles) {
  Result result;
  Registers registers;
  Traffic traffic(seed);
  std::array<Due, vrf::kReadPorts> due;
  ip::VrfInputs in;
  ip::VrfOutputs out;
  device.reset();
  for (unsigned n = 0; n < cycles; ++n) {
    traffic.next(in, out);
    device.drive(in);
    device.outputs(out);
    std::array<bool, vrf::kBanks> taken{};
    for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
      const auto& asked = in.reads[p];
      const auto& given = out.reads[p];
      if (given.data_valid != due[p].waiting) result.finding = "vrf-stream.time";
      if (!result.finding.empty()) return result;
      if (due[p].waiting) {
        if (given.beat != due[p].beat) result.finding = "vrf-stream.data";
        for (unsigned l = 0; l < 16; ++l) {
          if (!due[p].known[l]) continue;
          if (given.data[l] != due[p].data[l]) result.finding = "vrf-stream.data";
          result.hash = (result.hash ^ given.data[l]) * 0x100000001b3u;
        }
        if (!result.finding.empty()) return result;
        if (asked.data_ready) {
          due[p].waiting = false;
          ++result.beats;
        }
      }
      if (!asked.valid) continue;
      const unsigned bank = asked.address.row & 3u;
      const bool room = !due[p].waiting;  // an answer leaving in this cycle has left
      if (given.ready != (room && !taken[bank])) {
        result.finding = "vrf-stream.time";
        return result;
      }
      if (!room) continue;
      if (taken[bank]) ++result.conflicts;
      taken[bank] = true;
      if (!given.ready) continue;
      due[p].waiting = true;
      due[p].beat = asked.beat;
      for (unsigned l = 0; l < 16; ++l) {
        const size_t at = Registers::at(asked.address, asked.beat, l);
        due[p].known[l] = registers.known(at);
        due[p].data[l] = registers.get(at);
      }
    }
    for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
      const auto& w = in.writes[p];
      if (!out.write_ready[p]) result.finding = "vrf-stream.time";
      for (unsigned l = 0; w.valid && l < 16; ++l) {
        if ((w.lanes >> l & 1) != 0) {
          registers.put(Registers::at(w.address, w.beat, l), w.data[l]);
        }
      }
    }
    device.clock();
    if (device.failure()) result.finding = "vrf-stream.assertion";
    if (!result.finding.empty()) return result;
    if (auto* coverage = ip::Coverage::current()) ip::cover(*coverage, in, out);
  }
  return result;
}

}  // namespace cuvette::vrf_stream
