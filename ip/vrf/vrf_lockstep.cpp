// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_lockstep.h"

#include <utility>
#include <vector>

#include "base/bits.h"
#include "ip/vrf/vrf_timing.h"

namespace cuvette::ip {
namespace {

constexpr unsigned kRead = 0, kReadData = 1;  // channels of the contract

/// Rows as host memory, with the lanes that were ever written.
class Reference final : public vrf::VrfPorts {
 public:
  explicit Reference(const vrf::Config& config) : arch_(config.rows), acc_(config.acc_rows) {}

  void tick(machine::Cycle now) override {
    // Reads give the value at the start of the cycle.
    for (unsigned p = 0; p < read_ports(); ++p) {
      if (const vrf::Read* asked = reads[p].front(now)) {
        answers[p].push(at(asked->address), now);
        reads[p].drop(now);
      }
    }
    for (auto& port : writes) {
      const vrf::Write* given = port.front(now);
      if (given == nullptr) continue;
      vrf::ReadData& row = at(given->address);
      for (unsigned l = 0; l < wave::kLanes; ++l) {
        if (base::bit(given->lanes, l)) row.data[l] = given->data[l];
      }
      row.known |= given->lanes;
      port.drop(now);
    }
  }
  machine::Cycle next_event() const override {
    machine::Cycle next = machine::kNever;
    for (const auto& port : reads) next = std::min(next, port.next_event());
    for (const auto& port : writes) next = std::min(next, port.next_event());
    return next;
  }

 private:
  vrf::ReadData& at(vrf::RowAddress address) {
    auto& file = address.acc && !acc_.empty() ? acc_ : arch_;
    return file[address.row % file.size()];
  }

  std::vector<vrf::ReadData> arch_, acc_;
};

BlockPlace place_of(const vrf::Config& config) {
  return {"vrf", config.compute_unit, config.simd,
          "vrf of compute unit " + std::to_string(config.compute_unit) + " SIMD " +
              std::to_string(config.simd),
          true};
}

std::string row_text(vrf::RowAddress address) {
  return (address.acc ? "acc row " : "row ") + std::to_string(address.row);
}

/// The row, and its wrong lanes.
std::string difference_text(vrf::RowAddress address, const vrf::ReadData& want,
                            const vrf::ReadData& got) {
  std::string text = row_text(address);
  for (unsigned l = 0; l < wave::kLanes; ++l) {
    if (!base::bit(want.known, l) || want.data[l] == got.data[l]) continue;
    text += "\n    lane " + std::to_string(l) + ": expected " + recording::hex(want.data[l]) +
            ", got " + recording::hex(got.data[l]);
  }
  return text;
}

}  // namespace

VrfLockstep::VrfLockstep(std::unique_ptr<PinDevice> device, const vrf::Config& config,
                         const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : kit_(vrf::kChannels, ports_, std::make_unique<Reference>(config), std::move(device),
           pin_channels(vrf::kChannels), place_of(config), options, std::move(on_mismatch)),
      access_(ports_, [this](machine::Cycle now) {
        kit_.tick(now);
        return !kit_.mismatch().has_value();
      }) {
  kit_.keep_clock(0);
  auto schedule = std::make_unique<VrfTiming>();
  for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
    auto& in = kit_.input<vrf::Read>(kRead, p);
    in.on_offered(
        [s = schedule.get(), p](const vrf::Read& asked, machine::Cycle) { s->offered(p, asked); });
    auto& out = kit_.output<vrf::ReadData>(kReadData, p);
    out.explain([s = schedule.get(), p](const vrf::ReadData& want, const vrf::ReadData& got) {
      return difference_text(s->asked(p), want, got);
    });
  }
  constexpr unsigned kWrite = 2;
  for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
    kit_.input<vrf::Write>(kWrite, p).on_offered(
        [s = schedule.get(), p](const vrf::Write& row, machine::Cycle) { s->offered(p, row); });
  }
  kit_.schedule(std::move(schedule));
}

void VrfLockstep::read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
                       wave::LaneRow& out) {
  access_.read(port, now, address, out);
  tell_unfinished();
}

void VrfLockstep::write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address,
                        uint64_t lanes, const wave::LaneRow& data) {
  access_.write(port, now, address, lanes, data);
  tell_unfinished();
}

void VrfLockstep::tell_unfinished() {
  if (const auto& failure = access_.failure()) kit_.fail(failure->field, failure->what);
}

}  // namespace cuvette::ip
