// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu_dut.h"

#include <string>
#include <utility>

#include "ip/dut_instance.h"
#include "ip/valu/valu_message.h"
#include "isa/operands.h"

namespace cuvette::ip {
namespace {

/// Anything but 16-bit operands in low halves, or packed ones in both.
bool picks_halves(const isa::Row& row, const isa::Modifiers& m) {
  if (!row.has(isa::kOpSel)) return false;
  // V_MAD_MIX and V_FMA_MIX: OP_SEL_HI says which sources are halves at all, NEG_HI is abs.
  if (isa::is_mix(row)) return m.op_sel_hi != 0;
  if (m.op_sel != 0 || m.neg_hi != 0) return true;
  if (row.format != isa::Format::Vop3p) return false;
  unsigned sources = 0;
  while (sources < 3 && row.src[sources].type != isa::Type::None) ++sources;
  const unsigned all = (1u << sources) - 1;
  return (m.op_sel_hi & all) != all;
}

class ValuDut final : public ValuDevice {
 public:
  ValuDut(std::shared_ptr<const DutLibrary> library, cuvette_dut_instance* instance)
      : device_(std::move(library), instance) {
    reset();
  }

  void set_reset(bool active) override { device_.reset(active); }
  void drive(const valu::Request* request, uint16_t op, bool response_ready) override {
    if (request != nullptr) message_ = pack(*request, op);
    device_.drive(kRequest, request != nullptr ? &message_ : nullptr);
    device_.accept(kResponse, response_ready);
    request_ready_ = device_.ready(kRequest);
    response_valid_ = device_.sample(kResponse, answer_);
  }
  bool request_ready() const override { return request_ready_; }
  bool response_valid() const override { return response_valid_; }
  void response(valu::Response& out) const override { out = unpack(answer_); }
  void clock() override { device_.clock(); }

  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& m) const override {
    const uint32_t modifiers =
        ((m.abs | m.neg) != 0 ? CUVETTE_DUT_SIGN : 0) | (m.omod != 0 ? CUVETTE_DUT_OMOD : 0) |
        (m.clamp ? CUVETTE_DUT_CLAMP : 0) | (picks_halves(row, m) ? CUVETTE_DUT_HALVES : 0) |
        (encoding == isa::Encoding::Sdwa ? CUVETTE_DUT_SDWA : 0);
    return device_.implements(row, modifiers);
  }
  std::optional<DeviceFailure> failure() const override { return device_.failure(); }
  base::Status trace(const std::string& path) override { return device_.trace(path); }

 private:
  enum Channel : uint32_t { kRequest, kResponse };
  DutInstance device_;
  ValuRequestMessage message_{};
  ValuResponseMessage answer_{};
  bool request_ready_ = false, response_valid_ = false;
};

}  // namespace

base::Result<std::shared_ptr<const DutLibrary>> load_valu_dut(const std::string& path) {
  return DutLibrary::load(
      path, "valu", {{"request", kValuRequestBits, true}, {"response", kValuResponseBits, false}});
}

std::unique_ptr<ValuDevice> make_valu_dut(std::shared_ptr<const DutLibrary> library,
                                          isa::Target target, uint64_t seed) {
  return make_dut<ValuDut>(std::move(library), target, seed);
}

}  // namespace cuvette::ip
