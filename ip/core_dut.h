// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ip/dut.h"
#include "ip/lockstep/core_device.h"

/// The plug-in side of a block in C++: a table (ip/dut.h) around a class with the channels of its
/// contract. Compiled into the user's shared module, never into Cuvette.
namespace cuvette::ip::dut {

/// The one table of a module. `Core` is derived from the class of its block, or has a function
/// visit_channels() of its own (CacheCore); `make` gives a fresh one. `block`: of a cache, its role
/// or "cache". `ports`: of the channels that have several.
///
///     const cuvette_dut_table* cuvette_dut() {
///       return core_table<spi::Spi>("spi", "mine", spi::kChannels, 1,
///                                   [] { return std::make_unique<MySpi>(); });
///     }
template <class Core, size_t kKinds>
const cuvette_dut_table* core_table(const char* block, const char* name,
                                    const contract::ChannelInfo (&channels)[kKinds],
                                    const contract::PortCounts& ports,
                                    std::unique_ptr<Core> (*make)()) {
  using Device = CoreDevice<Core>;
  static const std::vector<PinChannel> pins = pin_channels(channels, ports);
  static const auto make_core = make;
  static const std::vector<cuvette_dut_channel> kinds = [&channels] {
    std::vector<cuvette_dut_channel> all;
    for (const PinChannel& pin : pins) {
      all.push_back({channels[pin.channel].name, pin.bits, static_cast<uint8_t>(pin.to_device)});
    }
    return all;
  }();
  static const char* const kNone[] = {nullptr};
  struct As {
    static Device& device(cuvette_dut_instance* i) { return *reinterpret_cast<Device*>(i); }
  };
  static const cuvette_dut_table made = {
      CUVETTE_DUT_VERSION,
      sizeof(cuvette_dut_table),
      block,
      name,
      static_cast<uint32_t>(kinds.size()),
      kinds.data(),
      [](const char*, uint64_t) {
        auto device =
            std::make_unique<Device>([] { return make_core(); },
                                     [](Core& core, Device& d) { visit_channels(core, d); }, pins);
        return reinterpret_cast<cuvette_dut_instance*>(device.release());
      },
      [](cuvette_dut_instance* i) { delete &As::device(i); },
      [](cuvette_dut_instance* i, int active) { As::device(i).set_reset(active != 0); },
      [](cuvette_dut_instance*, const char*, uint32_t) { return 1; },
      [](cuvette_dut_instance* i, uint32_t c, const uint8_t* data) {
        As::device(i).drive(c, data);
      },
      [](cuvette_dut_instance* i, uint32_t c, int ready) { As::device(i).accept(c, ready != 0); },
      [](cuvette_dut_instance* i, uint32_t c) { return As::device(i).ready(c) ? 1 : 0; },
      [](cuvette_dut_instance* i, uint32_t c, uint8_t* data) {
        return As::device(i).sample(c, data) ? 1 : 0;
      },
      [](cuvette_dut_instance* i) { As::device(i).clock(); },
      [](cuvette_dut_instance*) -> const char* { return nullptr; },
      [](cuvette_dut_instance*, const char* file) { return file == nullptr ? 0 : -1; },
      kNone,
      kNone,
  };
  return &made;
}

}  // namespace cuvette::ip::dut
