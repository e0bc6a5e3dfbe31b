// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dut_device.h"

/// The plug-in side of block simd: a module with the ports of rtl/simd/simd.sv (docs/simd.md).
/// Compiled into the user's shared module by cuvette_add_dut().
namespace cuvette::ip::dut {

template <class Model>
struct SimdPorts {
  static constexpr const char* kBlock = "simd";
  /// The structs of rtl/simd/simd_pkg.sv.
  static constexpr uint32_t kIssueBits = 735, kRetireBits = 2176, kFillBits = 550, kReadBits = 52,
                            kRowDataBits = 546;
  static constexpr cuvette_dut_channel kChannels[] = {{"issue", kIssueBits, 1},
                                                      {"retire", kRetireBits, 0},
                                                      {"fill", kFillBits, 1},
                                                      {"read", kReadBits, 1},
                                                      {"row_data", kRowDataBits, 0}};
  static constexpr uint32_t kChannelCount = 5;
  enum Channel : uint32_t { kIssue, kRetire, kFill, kRead, kRowData };

  static void drive(Model& m, uint32_t channel, const uint8_t* message) {
    const bool valid = message != nullptr;
    if (channel == kIssue) {
      m.issue_valid_i = valid;
      if (valid) put_message<kIssueBits>(m.issue_i, message);
    } else if (channel == kFill) {
      m.fill_valid_i = valid;
      if (valid) put_message<kFillBits>(m.fill_i, message);
    } else if (channel == kRead) {
      m.read_valid_i = valid;
      if (valid) put_message<kReadBits>(m.read_i, message);
    }
  }
  static void accept(Model& m, uint32_t channel, bool ready) {
    if (channel == kRetire) m.retire_ready_i = ready;
    if (channel == kRowData) m.row_data_ready_i = ready;
  }
  static bool ready(const Model& m, uint32_t channel) {
    return channel == kIssue  ? m.issue_ready_o != 0
           : channel == kFill ? m.fill_ready_o != 0
                              : m.read_ready_o != 0;
  }
  static bool sample(const Model& m, uint32_t channel, uint8_t* message) {
    if (channel == kRetire && m.retire_valid_o != 0) {
      take_message<kRetireBits>(m.retire_o, message);
      return true;
    }
    if (channel == kRowData && m.row_data_valid_o != 0) {
      take_message<kRowDataBits>(m.row_data_o, message);
      return true;
    }
    return false;
  }
};

template <class Model, const Facts& kFacts>
const cuvette_dut_table* simd_table() {
  return table<Model, SimdPorts<Model>, kFacts>();
}

}  // namespace cuvette::ip::dut
