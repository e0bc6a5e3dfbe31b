// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "ip/common/verilated_pins.h"
#include "ip/valu/valu_device.h"
#include "ip/valu/valu_message.h"

namespace cuvette::ip {

/// ValuDevice on one Verilated build. Private to the sources that include the build's header.
template <class Model, bool kTraces>
class ValuPins final : public VerilatedPins<ValuDevice, Model, kTraces> {
  using Base = VerilatedPins<ValuDevice, Model, kTraces>;
  using Base::begin;
  using Base::model_;

 public:
  explicit ValuPins(uint64_t seed) : Base(seed) {
    begin();  // others look at its outputs before they drive it
  }

  void drive(const valu::Request* request, uint16_t op, bool response_ready) override {
    Model& m = *model_;
    m.rsp_ready_i = response_ready;
    m.req_valid_i = request != nullptr;
    if (request != nullptr) {
      const valu::Request& r = *request;
      const isa::Modifiers mod = pin_modifiers(r);
      m.req_id_i = r.id;
      m.req_op_i = op;
      m.req_beat_i = r.beat & 3;
      m.req_pass_i = r.pass & 1;
      m.req_round_i = r.mode & 3;
      m.req_round_hd_i = r.mode >> 2 & 3;
      m.req_denorm_i = r.mode >> 4 & 3;
      m.req_denorm_hd_i = (r.mode >> 6) & 3;
      m.req_dx10_clamp_i = r.mode >> 8 & 1;
      m.req_ieee_i = r.mode >> 9 & 1;
      m.req_fp16_ovfl_i = r.mode >> 23 & 1;
      m.req_abs_i = mod.abs & 7;
      m.req_neg_i = mod.neg & 7;
      m.req_neg_hi_i = mod.neg_hi & 7;
      m.req_op_sel_i = mod.op_sel & 15;
      m.req_op_sel_hi_i = mod.op_sel_hi & 7;
      m.req_omod_i = mod.omod & 3;
      m.req_clamp_i = mod.clamp;
      m.req_sext_i = mod.sext & 3;
      m.req_sdwa_src0_i = static_cast<unsigned>(mod.sdwa_src[0]);
      m.req_sdwa_src1_i = static_cast<unsigned>(mod.sdwa_src[1]);
      m.req_sdwa_dst_i = static_cast<unsigned>(mod.sdwa_dst);
      m.req_sdwa_unused_i = static_cast<unsigned>(mod.sdwa_unused);
      m.req_exec_i = r.exec;
      m.req_mask_i = r.mask_in;
      copy_lanes(m.req_src0_i, r.src[0]);
      copy_lanes(m.req_src1_i, r.src[1]);
      copy_lanes(m.req_src2_i, r.src[2]);
      copy_lanes(m.req_old_i, r.old);
    }
    model_.settle();
  }
  bool request_ready() const override { return model_->req_ready_o != 0; }
  bool response_valid() const override { return model_->rsp_valid_o != 0; }

  void response(valu::Response& out) const override {
    const Model& m = *model_;
    out.id = m.rsp_id_o;
    out.beat = m.rsp_beat_o;
    out.pass = m.rsp_pass_o;
    static_assert(sizeof(m.rsp_dst_o) == sizeof(out.dst));
    std::memcpy(out.dst, &m.rsp_dst_o, sizeof(out.dst));
    out.write = m.rsp_write_o;
    out.mask = m.rsp_mask_o;
    out.has_mask = m.rsp_has_mask_o != 0;
    out.flags = m.rsp_flags_o;
  }

 private:
  template <class Port>
  static void copy_lanes(Port& port, const uint64_t (&lanes)[valu::kLanes]) {
    static_assert(sizeof(port) == sizeof(lanes));
    std::memcpy(&port, lanes, sizeof(lanes));  // little endian hosts: lane 0 in the low words
  }
};

}  // namespace cuvette::ip
