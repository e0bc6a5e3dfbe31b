// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/dut_library.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <dlfcn.h>

#include "base/shared_module.h"
#include "isa/row.h"

namespace cuvette::ip {
namespace {

using base::Error;
using base::Status;

Status check_names(const cuvette_dut_table& t, const std::string& file) {
  const auto rows = isa::rows();
  for (const char* const* o = t.operations; *o != nullptr; ++o) {
    const std::string_view name = *o;
    const bool known = std::any_of(rows.begin(), rows.end(),
                                   [name](const isa::Row& row) { return row.mnemonic == name; });
    if (!known)
      return Error("the device names '" + std::string(name) + "', expected mnemonics", {file});
  }
  for (const char* const* target = t.targets; *target != nullptr; ++target) {
    if (isa::target_from_name(*target)) continue;
    return Error("the device names the target '" + std::string(*target) +
                     "', expected gfx900, gfx906, gfx908, gfx90a or gfx942",
                 {file});
  }
  return {};
}

/// The first kind of channel of which the device has another number of ports.
Status check_ports(const cuvette_dut_table& t, const std::vector<DutChannel>& channels,
                   const std::string& file) {
  for (size_t at = 0; at < channels.size() && at < t.channel_count;) {
    if (t.channels[at].name == nullptr || channels[at].name != t.channels[at].name) break;
    const std::string& name = channels[at].name;
    size_t want = 0, have = 0;
    while (at + want < channels.size() && channels[at + want].name == name) ++want;
    while (at + have < t.channel_count && t.channels[at + have].name != nullptr &&
           t.channels[at + have].name == name) {
      ++have;
    }
    if (want != have) {
      return Error("the device has " + std::to_string(have) + " ports of channel " + name +
                       ", the machine " + std::to_string(want),
                   {file});
    }
    at += want;
  }
  return Error("the device has " + std::to_string(t.channel_count) + " channels, the contract " +
                   std::to_string(channels.size()),
               {file});
}

Status check(const cuvette_dut_table& t, const std::string& block, const std::string& role,
             const std::vector<DutChannel>& channels, const std::string& file) {
  const auto wrong = [&file](const std::string& what) { return Error(what, {file}); };
  if (t.version != CUVETTE_DUT_VERSION) {
    return wrong("the device table is of version " + std::to_string(t.version) + ", expected " +
                 std::to_string(CUVETTE_DUT_VERSION));
  }
  if (t.size < sizeof t) {
    return wrong("the device table has " + std::to_string(t.size) + " bytes, expected " +
                 std::to_string(sizeof t));
  }
  if (t.block == nullptr || t.name == nullptr || t.channels == nullptr || t.create == nullptr ||
      t.destroy == nullptr || t.reset == nullptr || t.implements == nullptr || t.drive == nullptr ||
      t.accept == nullptr || t.ready == nullptr || t.sample == nullptr || t.clock == nullptr ||
      t.failure == nullptr || t.trace == nullptr || t.operations == nullptr ||
      t.targets == nullptr) {
    return wrong("the device table has empty members");
  }
  if (block != t.block && (role.empty() || role != t.block)) {
    return wrong("a device for block " + std::string(t.block) + ", expected one for block " +
                 (role.empty() ? block : block + ", in role " + role + " or in any"));
  }
  if (t.channel_count != channels.size()) return check_ports(t, channels, file);
  for (size_t i = 0; i < channels.size(); ++i) {
    const cuvette_dut_channel& have = t.channels[i];
    const DutChannel& want = channels[i];
    const bool same = have.name != nullptr && want.name == have.name && want.bits == have.bits &&
                      want.to_device == (have.to_device != 0);
    if (same) continue;
    return wrong("channel " + std::to_string(i) + " of the device is " +
                 (have.name != nullptr ? have.name : "nameless") + " with " +
                 std::to_string(have.bits) + " bits " + (have.to_device != 0 ? "to" : "from") +
                 " the device, expected " + want.name + " with " + std::to_string(want.bits) +
                 " bits " + (want.to_device ? "to" : "from") + " it");
  }
  return check_names(t, file);
}

}  // namespace

base::Result<std::shared_ptr<const DutLibrary>> DutLibrary::load(
    const std::string& path, const std::string& block, const std::vector<DutChannel>& channels,
    const std::string& role) {
  std::error_code ignored;
  const std::string file = std::filesystem::absolute(path, ignored).string();
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return Error("no such file, expected the shared module of a device", {path});
  }
  const auto module = base::load_module(file, path);
  if (!module) return module.error();
  const auto function = reinterpret_cast<cuvette_dut_function>(dlsym(*module, "cuvette_dut"));
  const cuvette_dut_table* table = function != nullptr ? function() : nullptr;
  if (table == nullptr) {
    return Error("the module has no function cuvette_dut that gives a device table", {path});
  }
  if (auto s = check(*table, block, role, channels, path); !s.ok()) return s.error();
  return std::shared_ptr<const DutLibrary>(new DutLibrary(path, *table));
}

Status DutLibrary::check_target(isa::Target target) const {
  std::string names;
  for (const char* const* name = table_->targets; *name != nullptr; ++name) {
    if (isa::target_from_name(*name) == target) return {};
    names += (names.empty() ? "" : ", ") + std::string(*name);
  }
  if (names.empty()) return {};
  return Error(
      "the device is for " + names + ", the machine is of " + std::string(isa::name_of(target)),
      {path_});
}

}  // namespace cuvette::ip
