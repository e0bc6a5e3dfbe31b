// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dut_device.h"

/// The plug-in side of block vrf: a module with the ports of rtl/vrf/vrf.sv (docs/vrf.md). A
/// channel is one numbered port: read 0 to 7, their answers 0 to 7, write 0 to 4. Compiled into the
/// user's shared module by cuvette_add_dut().
namespace cuvette::ip::dut {

template <class Model>
struct VrfPorts {
  static constexpr const char* kBlock = "vrf";
  static constexpr uint32_t kReads = 8, kWrites = 5;
  /// read_t, read_data_t and write_t of rtl/vrf/vrf_pkg.sv.
  static constexpr uint32_t kReadBits = 19, kDataBits = 514, kWriteBits = 547;
  static constexpr cuvette_dut_channel kChannels[] = {
      {"read", kReadBits, 1},      {"read", kReadBits, 1},      {"read", kReadBits, 1},
      {"read", kReadBits, 1},      {"read", kReadBits, 1},      {"read", kReadBits, 1},
      {"read", kReadBits, 1},      {"read", kReadBits, 1},      {"read_data", kDataBits, 0},
      {"read_data", kDataBits, 0}, {"read_data", kDataBits, 0}, {"read_data", kDataBits, 0},
      {"read_data", kDataBits, 0}, {"read_data", kDataBits, 0}, {"read_data", kDataBits, 0},
      {"read_data", kDataBits, 0}, {"write", kWriteBits, 1},    {"write", kWriteBits, 1},
      {"write", kWriteBits, 1},    {"write", kWriteBits, 1},    {"write", kWriteBits, 1}};
  static constexpr uint32_t kChannelCount = 2 * kReads + kWrites;

  static void drive(Model& m, uint32_t channel, const uint8_t* message) {
    static_assert(sizeof(m.read_i) == port_bytes(kReads * kReadBits), "read_i");
    static_assert(sizeof(m.write_i) == port_bytes(kWrites * kWriteBits), "write_i");
    const bool valid = message != nullptr;
    if (channel < kReads) {
      set(m.read_valid_i, channel, valid);
      if (valid) copy(&m.read_i, channel * kReadBits, message, 0, kReadBits);
    } else {
      const uint32_t port = channel - 2 * kReads;
      set(m.write_valid_i, port, valid);
      if (valid) copy(&m.write_i, port * kWriteBits, message, 0, kWriteBits);
    }
  }
  static void accept(Model& m, uint32_t channel, bool ready) {
    set(m.read_data_ready_i, channel - kReads, ready);
  }
  static bool ready(const Model& m, uint32_t channel) {
    return channel < kReads ? (m.read_ready_o >> channel & 1) != 0
                            : (m.write_ready_o >> (channel - 2 * kReads) & 1) != 0;
  }
  static bool sample(const Model& m, uint32_t channel, uint8_t* message) {
    static_assert(sizeof(m.read_data_o) == port_bytes(kReads * kDataBits), "read_data_o");
    const uint32_t port = channel - kReads;
    if ((m.read_data_valid_o >> port & 1) == 0) return false;
    std::memset(message, 0, (kDataBits + 7) / 8);
    copy(message, 0, &m.read_data_o, port * kDataBits, kDataBits);
    return true;
  }

 private:
  template <class Port>
  static void set(Port& port, uint32_t bit, bool value) {
    port = static_cast<Port>((port & ~(1u << bit)) | (value ? 1u << bit : 0u));
  }
  static void copy(void* to, size_t to_bit, const void* from, size_t from_bit, uint32_t bits) {
    auto* out = static_cast<uint8_t*>(to);
    const auto* in = static_cast<const uint8_t*>(from);
    for (uint32_t n = 0; n < bits; n += 32) {
      const unsigned width = bits - n < 32 ? bits - n : 32;
      put_bits(out, to_bit + n, width, get_bits(in, from_bit + n, width));
    }
  }
};

template <class Model, const Facts& kFacts>
const cuvette_dut_table* vrf_table() {
  return table<Model, VrfPorts<Model>, kFacts>();
}

}  // namespace cuvette::ip::dut
