// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_lockstep.h"

#include <utility>

#include "ip/coverage/coverage_samples.h"
#include "ip/valu/valu_report.h"
#include "ip/valu/valu_timing.h"

namespace cuvette::ip {
namespace {

using valu::Request;
using valu::Response;

constexpr unsigned kRequest = 0, kResponse = 1;  // channels of the contract
constexpr machine::Cycle kStages = 3;            // of our pipeline

/// The lane semantics of layer wave without time.
class Reference final : public valu::Valu {
 public:
  explicit Reference(isa::Target target) : lanes_(target) {}

  void tick(machine::Cycle now) override {
    for (const Request* asked = request.front(now); asked != nullptr; asked = request.front(now)) {
      lanes_.compute(*asked, response.push_in_place(now));
      request.drop(now);
    }
  }
  machine::Cycle next_event() const override { return request.next_event(); }
  bool implements(const isa::Row& row, isa::Encoding, const isa::Modifiers&) const override {
    return valu::LaneBeat::has(row);
  }

 private:
  valu::LaneBeat lanes_;
};

BlockPlace place_of(const valu::Config& config) {
  return {"valu", config.compute_unit, config.simd,
          "valu of compute unit " + std::to_string(config.compute_unit) + " SIMD " +
              std::to_string(config.simd),
          true};
}

}  // namespace

ValuLockstep::ValuLockstep(std::unique_ptr<PinDevice> device, const valu::Config& config,
                           const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : config_(config),
      kit_(valu::kChannels, *this, std::make_unique<Reference>(config.target), std::move(device),
           pin_channels(valu::kChannels), place_of(config), options, std::move(on_mismatch)) {
  kit_.keep_clock(kStages);
  kit_.expect_taking();
  auto& in = kit_.input<Request>(kRequest);
  auto& out = kit_.output<Response>(kResponse);
  in.admit([this](const Request& asked) { return admit(asked); });
  out.on_given([this](const Response& given, machine::Cycle) {
    if (Coverage* coverage = Coverage::current()) cover(*coverage, *asked(given), given.flags);
  });
  out.explain([this](const Response& want, const Response& got) { return explain(want, got); });
  kit_.schedule(std::make_unique<ValuTiming>(options.timing));
}

void ValuLockstep::tick(machine::Cycle now) {
  kit_.tick(now);
  if (Coverage* coverage = Coverage::current(); coverage != nullptr && kit_.now() == now) {
    const PinEnd &requests = kit_.end(kRequest), &responses = kit_.end(kResponse);
    cover_valu_cycle(*coverage, requests.at_pins(), requests.moved(), responses.ready());
  }
}

bool ValuLockstep::implements(const isa::Row& row, isa::Encoding encoding,
                              const isa::Modifiers& modifiers) const {
  return valu::LaneBeat::has(row) &&
         has_valu_circuit(kit_.device(), config_.target, row, encoding, modifiers);
}

const Request* ValuLockstep::asked(const Response& answer) const {
  const auto* entry = kit_.input<Request>(kRequest).log()->find(answer.id);
  return entry != nullptr ? &entry->message : nullptr;
}

std::string ValuLockstep::explain(const Response& want, const Response& got) const {
  const Request* sent = asked(want);
  return sent != nullptr ? difference_text(*sent, config_.target, want, got) : std::string();
}

std::string ValuLockstep::admit(const Request& asked) const {
  const uint16_t code = valu::operation_of(asked.row);
  const isa::Encoding encoding = valu::encoding_of(asked.modifiers);
  for (const isa::Row& row : isa::rows()) {
    const bool same = valu::operation_of(row, config_.target) == code;
    if (same && asked.row < valu::kUnknownRow && implements(row, encoding, asked.modifiers))
      return {};
  }
  return "'op' is no operation of the device";
}

}  // namespace cuvette::ip
