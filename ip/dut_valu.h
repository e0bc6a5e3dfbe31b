// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dut_device.h"

/// The plug-in side of block valu: a module with the ports of docs/valu.md. Compiled into the
/// user's shared module by cuvette_add_dut(), never into Cuvette.
namespace cuvette::ip::dut {

template <class Model>
struct ValuPorts {
  static constexpr const char* kBlock = "valu";
  static constexpr unsigned kLaneWords = 32;  // 16 lanes of 64 bits
  static constexpr uint32_t kRequestBits = 120 + 4 * 1024, kResponseBits = 75 + 1024;
  static constexpr cuvette_dut_channel kChannels[] = {{"request", kRequestBits, 1},
                                                      {"response", kResponseBits, 0}};
  static constexpr uint32_t kChannelCount = 2;

  static void drive(Model& m, uint32_t, const uint8_t* message) {
    static_assert(sizeof(m.req_src0_i) == 4 * kLaneWords, "req_src0_i: 16 lanes of 64 bits");
    static_assert(sizeof(m.rsp_dst_o) == 4 * kLaneWords, "rsp_dst_o: 16 lanes of 64 bits");
    static_assert(sizeof(m.req_id_i) == 4, "req_id_i: 32 bits");
    static_assert(sizeof(m.req_exec_i) == 2, "req_exec_i: 16 bits");
    static_assert(sizeof(m.rsp_write_o) == 2, "rsp_write_o: 16 bits");
    m.req_valid_i = message != nullptr;
    if (message == nullptr) return;
    In in{message};
    in.lanes(m.req_old_i);
    in.lanes(m.req_src2_i);
    in.lanes(m.req_src1_i);
    in.lanes(m.req_src0_i);
    in.bits(16, m.req_mask_i);
    in.bits(16, m.req_exec_i);
    in.bits(2, m.req_sdwa_unused_i);
    in.bits(3, m.req_sdwa_dst_i);
    in.bits(3, m.req_sdwa_src1_i);
    in.bits(3, m.req_sdwa_src0_i);
    in.bits(2, m.req_sext_i);
    in.bits(1, m.req_clamp_i);
    in.bits(2, m.req_omod_i);
    in.bits(3, m.req_op_sel_hi_i);
    in.bits(4, m.req_op_sel_i);
    in.bits(3, m.req_neg_hi_i);
    in.bits(3, m.req_neg_i);
    in.bits(3, m.req_abs_i);
    in.bits(1, m.req_fp16_ovfl_i);
    in.bits(1, m.req_ieee_i);
    in.bits(1, m.req_dx10_clamp_i);
    in.bits(2, m.req_denorm_hd_i);
    in.bits(2, m.req_denorm_i);
    in.bits(2, m.req_round_hd_i);
    in.bits(2, m.req_round_i);
    in.bits(1, m.req_pass_i);
    in.bits(2, m.req_beat_i);
    in.bits(10, m.req_op_i);
    in.bits(32, m.req_id_i);
  }
  static void accept(Model& m, uint32_t, bool ready) { m.rsp_ready_i = ready; }
  static bool ready(const Model& m, uint32_t) { return m.req_ready_o != 0; }
  static bool sample(const Model& m, uint32_t, uint8_t* message) {
    if (m.rsp_valid_o == 0) return false;
    std::memset(message, 0, (kResponseBits + 7) / 8);
    Out out{message};
    out.bits(7, m.rsp_flags_o);
    out.bits(1, m.rsp_has_mask_o);
    out.bits(16, m.rsp_mask_o);
    out.bits(16, m.rsp_write_o);
    for (unsigned w = 0; w < kLaneWords; ++w) out.bits(32, m.rsp_dst_o[w]);
    out.bits(1, m.rsp_pass_o);
    out.bits(2, m.rsp_beat_o);
    out.bits(32, m.rsp_id_o);
    return true;
  }

 private:
  /// Ports from the last one, which is lowest, to the first.
  struct In {
    const uint8_t* message;
    size_t at = 0;
    template <class Port>
    void bits(unsigned width, Port& port) {
      port = static_cast<Port>(get_bits(message, at, width));
      at += width;
    }
    template <class Port>
    void lanes(Port& port) {
      for (unsigned w = 0; w < kLaneWords; ++w, at += 32) {
        port[w] = static_cast<uint32_t>(get_bits(message, at, 32));
      }
    }
  };
  struct Out {
    uint8_t* message;
    size_t at = 0;
    void bits(unsigned width, uint64_t value) {
      put_bits(message, at, width, value);
      at += width;
    }
  };
};

template <class Model, const Facts& kFacts>
const cuvette_dut_table* valu_table() {
  return table<Model, ValuPorts<Model>, kFacts>();
}

}  // namespace cuvette::ip::dut
