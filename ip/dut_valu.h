// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include <verilated.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif

#include "ip/bit_field.h"
#include "ip/dut.h"

/// The plug-in side of block valu: a table (ip/dut.h) around a Verilated module with the ports of
/// docs/valu.md. Compiled into the user's shared module by cuvette_add_dut(), never into Cuvette.
namespace cuvette::ip::dut {

constexpr unsigned kLaneWords = 32;  // 16 lanes of 64 bits
constexpr uint32_t kRequestBits = 120 + 4 * 1024, kResponseBits = 75 + 1024;

/// What the module says about itself.
struct Facts {
  const char* name;
  const char* const* operations;  ///< mnemonics, null at the end; empty: all of valu_ops.csv
  uint32_t modifiers;             ///< CUVETTE_DUT_... ored
};

template <class Model>
class Valu {
 public:
  explicit Valu(uint64_t seed) {
#if VM_TRACE_FST
    context_.traceEverOn(true);
#endif
    context_.randReset(2);
    // Seed 0 would make the runtime draw one from the clock.
    context_.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    context_.fatalOnError(false);  // a failed assertion is told, the process goes on
    enter();
    model_ = std::make_unique<Model>(&context_);
    static_assert(sizeof(model_->req_src0_i) == 4 * kLaneWords, "req_src0_i: 16 lanes of 64 bits");
    static_assert(sizeof(model_->rsp_dst_o) == 4 * kLaneWords, "rsp_dst_o: 16 lanes of 64 bits");
    static_assert(sizeof(model_->req_id_i) == 4, "req_id_i: 32 bits");
    static_assert(sizeof(model_->req_exec_i) == 2, "req_exec_i: 16 bits");
    static_assert(sizeof(model_->rsp_write_o) == 2, "rsp_write_o: 16 bits");
  }
  ~Valu() {
    enter();
    trace(nullptr);
    model_->final();
    model_.reset();
    Verilated::threadContextp(nullptr);
  }

  void reset(bool active) { model_->rst_ni = !active; }

  void drive(const uint8_t* message) {
    Model& m = *model_;
    changed_ = true;
    m.clk_i = 0;
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
  void accept(bool ready) {
    changed_ = true;
    model_->clk_i = 0;
    model_->rsp_ready_i = ready;
  }
  bool ready() {
    settle();
    return model_->req_ready_o != 0;
  }
  bool sample(uint8_t* message) {
    settle();
    const Model& m = *model_;
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
  void clock() {
    settle();
    enter();
    model_->clk_i = 1;
    model_->eval();
    dump();
  }
  const char* failure() const {
    return context_.gotError() ? "an assertion of the device failed" : nullptr;
  }
  int trace(const char* file) {
#if VM_TRACE_FST
    enter();
    if (waves_ != nullptr) waves_->close();
    waves_.reset();
    if (file == nullptr) return 0;
    waves_ = std::make_unique<VerilatedFstC>();
    model_->trace(waves_.get(), 99);
    waves_->open(file);
    return waves_->isOpen() ? 0 : -1;
#else
    return file == nullptr ? 0 : -1;
#endif
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

  /// The runtime takes the context of errors and of destruction from the thread, not from the
  /// model.
  void enter() { Verilated::threadContextp(&context_); }
  void settle() {
    if (!changed_) return;
    changed_ = false;
    enter();
    model_->eval();
    dump();
  }
  void dump() {
#if VM_TRACE_FST
    if (waves_ != nullptr) waves_->dump(context_.time());
#endif
    context_.timeInc(1);  // half cycles
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> waves_;
#endif
  bool changed_ = true;
};

/// The table around it. One per module.
template <class Model, const Facts& kFacts>
const cuvette_dut_table* valu_table() {
  using Device = Valu<Model>;
  struct Of {
    static Device& device(cuvette_dut_instance* i) { return *reinterpret_cast<Device*>(i); }
    static int implements(cuvette_dut_instance*, const char* mnemonic, uint32_t modifiers) {
      if ((modifiers & ~kFacts.modifiers) != 0) return 0;
      const char* const* o = kFacts.operations;
      if (*o == nullptr) return 1;
      while (*o != nullptr && std::strcmp(*o, mnemonic) != 0) ++o;
      return *o != nullptr;
    }
  };
  static const cuvette_dut_channel channels[] = {{"request", kRequestBits, 1},
                                                 {"response", kResponseBits, 0}};
  static const cuvette_dut_table table = {
      CUVETTE_DUT_VERSION,
      sizeof(cuvette_dut_table),
      "valu",
      kFacts.name,
      2,
      channels,
      [](const char*, uint64_t seed) {
        return reinterpret_cast<cuvette_dut_instance*>(new Device(seed));
      },
      [](cuvette_dut_instance* i) { delete &Of::device(i); },
      [](cuvette_dut_instance* i, int active) { Of::device(i).reset(active != 0); },
      &Of::implements,
      [](cuvette_dut_instance* i, uint32_t, const uint8_t* data) { Of::device(i).drive(data); },
      [](cuvette_dut_instance* i, uint32_t, int ready) { Of::device(i).accept(ready != 0); },
      [](cuvette_dut_instance* i, uint32_t) { return Of::device(i).ready() ? 1 : 0; },
      [](cuvette_dut_instance* i, uint32_t, uint8_t* data) {
        return Of::device(i).sample(data) ? 1 : 0;
      },
      [](cuvette_dut_instance* i) { Of::device(i).clock(); },
      [](cuvette_dut_instance* i) { return Of::device(i).failure(); },
      [](cuvette_dut_instance* i, const char* file) { return Of::device(i).trace(file); },
  };
  return &table;
}

}  // namespace cuvette::ip::dut
