// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ip/lockstep/module_device.h"
#include "ip/matrix_core/register_matrix.h"
#include "ip/simd/register_simd.h"
#include "ip/vrf/register_vrf.h"
#include "matrix_program.h"
#include "simd_program.h"
#include "vrf_stream.h"

// Our own RTL of matrix_core, simd and vrf as modules of a user: through the plug-in table every
// message arrives as it does without it, in lockstep and in the same cycles.
namespace cuvette {
namespace {

using ::testing::HasSubstr;

machine::TimingRule exact() {
  machine::TimingRule rule;
  rule.kind = machine::TimingRule::Kind::Exact;
  return rule;
}

base::Result<std::shared_ptr<const ip::DutLibrary>> load_matrix(const std::string& path) {
  return ip::DutLibrary::load(path, "matrix_core", ip::dut_channels(matrix_core::kChannels));
}

base::Result<std::shared_ptr<const ip::DutLibrary>> load_simd(const std::string& path) {
  return ip::DutLibrary::load(path, "simd", ip::dut_channels(simd::kChannels));
}

base::Result<std::shared_ptr<const ip::DutLibrary>> load_vrf(const std::string& path) {
  return ip::DutLibrary::load(path, "vrf", ip::dut_channels(vrf::kChannels));
}

TEST(BlockDut, MatrixCore) {
  const auto library = load_matrix(CUVETTE_MATRIX_DUT);
  ASSERT_TRUE(library.ok()) << library.error().str();
  matrix_core::Registry registry;
  ip::LockstepOptions options;
  options.timing = exact();
  ip::register_matrix_dut(registry, "mine", *library, {}, options);
  const auto block = registry.make("dut:mine", {});
  ASSERT_NE(block, nullptr);
  const auto program = matrix_program::mixed(120, 9);
  const auto run = matrix_program::run(*block, program, 6, 6, 1);
  const auto& lockstep = dynamic_cast<const ip::MatrixLockstep&>(*block);
  ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
  EXPECT_TRUE(run.complete);
  const auto items = lockstep.kit().items();
  EXPECT_GT(items.at("matrix_core results"), program.size());
  EXPECT_EQ(items.at("matrix_core times"), items.at("matrix_core results"));
}

TEST(BlockDut, Simd) {
  const auto library = load_simd(CUVETTE_SIMD_DUT);
  ASSERT_TRUE(library.ok()) << library.error().str();
  simd::Registry registry;
  ip::register_simd_dut(registry, "mine", *library, {}, {exact(), 1});
  const auto block = registry.make("dut:mine", {});
  ASSERT_NE(block, nullptr);
  const auto program = simd_program::mixed(*block, 1000, 4);
  auto& lockstep = dynamic_cast<ip::SimdLockstep&>(*block);
  simd_program::fill_rows(*block, 5);
  const auto run =
      simd_program::run(*block, program, 7, 7, 3, [&] { return lockstep.mismatch().has_value(); });
  ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(lockstep.kit().items().at("simd instructions"), program.size());
  EXPECT_GT(lockstep.kit().items().at("simd row_data"), 10u);
  simd::Config other;
  other.target = isa::Target::Gfx90a;
  EXPECT_EQ(registry.make("dut:mine", other), nullptr);
}

TEST(BlockDut, VrfAtItsPins) {
  const auto library = load_vrf(CUVETTE_VRF_DUT);
  ASSERT_TRUE(library.ok()) << library.error().str();
  auto device = ip::make_dut<ip::ModuleDevice>(*library, isa::Target::Gfx908, 3);
  ASSERT_NE(device, nullptr);
  VrfPins module(std::move(device)), rtl(ip::make_vrf_fast());
  const auto through = vrf_stream::run(module, 1, 4000);
  const auto direct = vrf_stream::run(rtl, 1, 4000);
  EXPECT_EQ(through.finding, "");
  EXPECT_GT(through.conflicts, 1000u);
  EXPECT_EQ(through.hash, direct.hash);
}

TEST(BlockDut, VrfInLockstep) {
  const auto library = load_vrf(CUVETTE_VRF_DUT);
  ASSERT_TRUE(library.ok());
  vrf::Registry registry;
  ip::LockstepOptions options;
  options.timing = exact();
  ip::register_vrf_dut(registry, "mine", *library, {}, options);
  vrf::Config config;
  config.rows = config.acc_rows = ip::kVrfRows;
  const auto block = registry.make("dut:mine", config);
  ASSERT_NE(block, nullptr);
  std::mt19937_64 random(5);
  for (unsigned n = 0; n < 400; ++n) {
    const vrf::RowAddress address{random() % 2 != 0, static_cast<uint16_t>(random() % 8)};
    wave::LaneRow row;
    for (uint32_t& lane : row) lane = static_cast<uint32_t>(random());
    block->write(static_cast<vrf::WritePort>(random() % vrf::kWritePorts), n, address, random(),
                 row);
    block->read(static_cast<vrf::ReadPort>(random() % vrf::kReadPorts), n, address, row);
  }
  const auto& lockstep = dynamic_cast<const ip::VrfLockstep&>(*block);
  ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
  EXPECT_EQ(lockstep.kit().seen(), 400u);
  config.rows = 512;
  EXPECT_EQ(registry.make("dut:mine", config), nullptr);
}

TEST(BlockDut, AModuleOfAnotherBlockIsRefused) {
  const auto wrong = [](const auto& loaded) {
    return loaded.ok() ? std::string("loaded") : loaded.error().str();
  };
  EXPECT_THAT(wrong(load_matrix(CUVETTE_SIMD_DUT)),
              HasSubstr("a device for block simd, expected one for block matrix_core"));
  EXPECT_THAT(wrong(load_simd(CUVETTE_VRF_DUT)),
              HasSubstr("a device for block vrf, expected one for block simd"));
  EXPECT_THAT(wrong(load_vrf(CUVETTE_MATRIX_DUT)),
              HasSubstr("a device for block matrix_core, expected one for block vrf"));
  EXPECT_THAT(wrong(load_vrf("none.so")), HasSubstr("no such file"));
}

}  // namespace
}  // namespace cuvette
