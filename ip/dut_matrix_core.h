// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dut_device.h"

/// The plug-in side of block matrix_core: a module with the ports of rtl/matrix_core/matrix_core.sv
/// (docs/matrix_core.md). Compiled into the user's shared module by cuvette_add_dut().
namespace cuvette::ip::dut {

template <class Model>
struct MatrixCorePorts {
  static constexpr const char* kBlock = "matrix_core";
  /// operands_t and result_t of rtl/matrix_core/matrix_core_pkg.sv.
  static constexpr uint32_t kOperandsBits = 79 + 6 * 512, kResultBits = 53 + 2 * 512;
  static constexpr cuvette_dut_channel kChannels[] = {{"operands", kOperandsBits, 1},
                                                      {"result", kResultBits, 0}};
  static constexpr uint32_t kChannelCount = 2;

  static void drive(Model& m, uint32_t, const uint8_t* message) {
    m.operands_valid_i = message != nullptr;
    if (message != nullptr) put_message<kOperandsBits>(m.operands_i, message);
  }
  static void accept(Model& m, uint32_t, bool ready) { m.result_ready_i = ready; }
  static bool ready(const Model& m, uint32_t) { return m.operands_ready_o != 0; }
  static bool sample(const Model& m, uint32_t, uint8_t* message) {
    if (m.result_valid_o == 0) return false;
    take_message<kResultBits>(m.result_o, message);
    return true;
  }
};

template <class Model, const Facts& kFacts>
const cuvette_dut_table* matrix_core_table() {
  return table<Model, MatrixCorePorts<Model>, kFacts>();
}

}  // namespace cuvette::ip::dut
