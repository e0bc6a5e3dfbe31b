// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu_dut.h"

#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "ip/valu_message.h"
#include "isa/target.h"

namespace cuvette::ip {
namespace {

constexpr uint32_t kRequest = 0, kResponse = 1;  // channels

/// Anything but 16-bit operands in low halves, or packed ones in both.
bool picks_halves(const isa::Row& row, const isa::Modifiers& m) {
  if (!row.has(isa::kOpSel)) return false;
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
      : library_(std::move(library)), table_(library_->table()), instance_(instance) {
    reset();
  }
  ~ValuDut() override { table_.destroy(instance_); }

  void set_reset(bool active) override { table_.reset(instance_, active ? 1 : 0); }
  void drive(const valu::Request* request, uint16_t op, bool response_ready) override {
    if (request != nullptr) message_ = pack(*request, op);
    table_.drive(instance_, kRequest, request != nullptr ? message_.data() : nullptr);
    table_.accept(instance_, kResponse, response_ready ? 1 : 0);
    request_ready_ = table_.ready(instance_, kRequest) != 0;
    response_valid_ = table_.sample(instance_, kResponse, answer_.data()) != 0;
  }
  bool request_ready() const override { return request_ready_; }
  bool response_valid() const override { return response_valid_; }
  void response(valu::Response& out) const override { out = unpack(answer_); }
  void clock() override { table_.clock(instance_); }

  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& m) const override {
    const uint32_t modifiers =
        ((m.abs | m.neg) != 0 ? CUVETTE_DUT_SIGN : 0) | (m.omod != 0 ? CUVETTE_DUT_OMOD : 0) |
        (m.clamp ? CUVETTE_DUT_CLAMP : 0) | (picks_halves(row, m) ? CUVETTE_DUT_HALVES : 0) |
        (encoding == isa::Encoding::Sdwa ? CUVETTE_DUT_SDWA : 0);
    const std::string_view mnemonic = row.mnemonic;
    // Asked for every instruction that is issued; the answer never changes.
    const auto [entry, fresh] = known_.try_emplace({mnemonic.data(), modifiers}, false);
    if (fresh) {
      entry->second = table_.implements(instance_, std::string(mnemonic).c_str(), modifiers) != 0;
    }
    return entry->second;
  }

  std::optional<DeviceFailure> failure() const override {
    const char* text = table_.failure(instance_);
    if (text == nullptr) return std::nullopt;
    return DeviceFailure{"assertion", text};
  }

  base::Status trace(const std::string& path) override {
    if (!std::ofstream(path)) return base::Error("cannot write waveforms", {path});
    if (table_.trace(instance_, path.c_str()) == 0) return {};
    return base::Error("the device module has no waveforms", {path});
  }

 private:
  std::shared_ptr<const DutLibrary> library_;
  const cuvette_dut_table& table_;
  cuvette_dut_instance* instance_;
  ValuRequestMessage message_{};
  ValuResponseMessage answer_{};
  bool request_ready_ = false, response_valid_ = false;
  /// By the mnemonic of a row, which lives as long as the program, and modifiers. Never iterated.
  mutable std::map<std::pair<const char*, uint32_t>, bool> known_;
};

}  // namespace

base::Result<std::shared_ptr<const DutLibrary>> load_valu_dut(const std::string& path) {
  return DutLibrary::load(
      path, "valu", {{"request", kValuRequestBits, true}, {"response", kValuResponseBits, false}});
}

std::unique_ptr<ValuDevice> make_valu_dut(std::shared_ptr<const DutLibrary> library,
                                          isa::Target target, uint64_t seed) {
  const std::string name(isa::name_of(target));
  cuvette_dut_instance* instance = library->table().create(name.c_str(), seed);
  if (instance == nullptr) return nullptr;
  return std::make_unique<ValuDut>(std::move(library), instance);
}

}  // namespace cuvette::ip
