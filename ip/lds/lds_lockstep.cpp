// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/lds/lds_lockstep.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ip/common/share_access.h"
#include "ip/lockstep/module_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "lds/lds_model.h"

namespace cuvette::ip {
namespace {

constexpr unsigned kRequestChannel = 0;
/// Most bytes of a lane's store.
constexpr uint32_t kLaneBytes = 16;
constexpr uint32_t kWordBytes = 4;

BlockPlace place_of(const lds::Config& config) {
  const std::string unit = std::to_string(config.compute_unit);
  return {"lds", config.compute_unit, 0, "lds of compute unit " + unit};
}

/// A store of consecutive bytes from `address` on, `bytes` by each of the first lanes.
lds::Request store(uint32_t address, uint8_t bytes, unsigned lanes, const uint8_t* data) {
  lds::Request r;
  r.limit = lds::kBytes;
  r.kind = wave::MemoryKind::Store;
  r.bytes = bytes;
  r.exec = lanes == wave::kLanes ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
  for (unsigned l = 0; l < lanes; ++l) {
    r.offset[0][l] = address + l * bytes;
    for (unsigned d = 0; d * kWordBytes < bytes; ++d) {
      const unsigned count = std::min<unsigned>(kWordBytes, bytes - d * kWordBytes);
      std::memcpy(&r.data[d][l], data + l * bytes + d * kWordBytes, count);
    }
  }
  return r;
}

/// Error in a request of a recording; empty: none.
std::string admit(const lds::Request& r) {
  return share_access_error(r, r.operand_in_lds, "lds");
}

using Make = std::unique_ptr<PinDevice> (*)(const lds::Config&);

std::unique_ptr<PinDevice> fast(const lds::Config&) {
  return make_lds_fast();
}
std::unique_ptr<PinDevice> checked(const lds::Config& config) {
  return std::make_unique<PinMonitor>(make_lds_check(config.seed), pin_channels(lds::kChannels));
}

}  // namespace

LdsLockstep::LdsLockstep(std::unique_ptr<PinDevice> device, const lds::Config& config,
                         const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : kit_(lds::kChannels, *this, std::make_unique<lds::LdsModel>(config), std::move(device),
           pin_channels(lds::kChannels), place_of(config), options, std::move(on_mismatch)) {
  kit_.input<lds::Request>(kRequestChannel).admit(admit);
}

void LdsLockstep::peek(uint32_t address, uint8_t* bytes, uint32_t count) const {
  kit_.reference().peek(address, bytes, count);
  for (const lds::Request& r : kit_.injected<lds::Request>(kRequestChannel)) {
    for (unsigned l = 0; l < wave::kLanes && (r.exec >> l & 1) != 0; ++l) {
      for (unsigned b = 0; b < r.bytes; ++b) {
        const uint32_t at = r.offset[0][l] + b;
        if (at < address || at - address >= count) continue;
        bytes[at - address] = static_cast<uint8_t>(r.data[b / kWordBytes][l] >> b % kWordBytes * 8);
      }
    }
  }
}

void LdsLockstep::poke(uint32_t address, const uint8_t* bytes, uint32_t count) {
  while (count != 0) {
    const uint8_t width = count >= kLaneBytes ? kLaneBytes : 1;
    const unsigned lanes = std::min<uint32_t>(wave::kLanes, count / width);
    kit_.inject(kRequestChannel, store(address, width, lanes, bytes));
    address += lanes * width;
    bytes += lanes * width;
    count -= lanes * width;
  }
}

void register_lds(lds::Registry& registry, const LdsLockstep::Kit::OnMismatch& on_mismatch,
                  const LockstepOptions& options) {
  const auto add = [&](const std::string& suffix, Make make) {
    for (const char* name : {"rtl", "lockstep"}) {
      registry.add(name + suffix, [=](const lds::Config& config) -> std::unique_ptr<lds::Lds> {
        return std::make_unique<LdsLockstep>(make(config), config, options, on_mismatch);
      });
    }
  };
  add("", fast);
  add("-check", checked);
}

void register_lds_dut(lds::Registry& registry, const std::string& name,
                      const std::shared_ptr<const DutLibrary>& library,
                      const LdsLockstep::Kit::OnMismatch& on_mismatch,
                      const LockstepOptions& options) {
  registry.add("dut:" + name, [=](const lds::Config& config) -> std::unique_ptr<lds::Lds> {
    auto device = make_dut<ModuleDevice>(library, isa::Target::Gfx908, config.seed);
    if (device == nullptr) return nullptr;
    auto watched = std::make_unique<PinMonitor>(std::move(device), pin_channels(lds::kChannels));
    return std::make_unique<LdsLockstep>(std::move(watched), config, options, on_mismatch);
  });
}

}  // namespace cuvette::ip
