// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Engine ca against golden: the same buffers, byte for byte. One process per test.
#include <gmock/gmock.h>

#include "ca_testing.h"
#include "gpu/configs.h"
#include "gpu/cycle_time.h"

namespace cuvette {
namespace {

using namespace testing_support;
using testing::HasSubstr;

class CaAgainstGolden : public testing::TestWithParam<const char*> {};

TEST_P(CaAgainstGolden, SameBuffers) {
  const auto file = dispatch_file(GetParam());
  const auto expected = on_golden(file);
  const auto got = on_systemc(file, description("small"));
  EXPECT_EQ(got.buffers, expected.buffers);
  EXPECT_EQ(got.report.waves, expected.report.waves);
  EXPECT_GT(got.report.cycles, 0u);
  EXPECT_GT(got.checked_elements, 0u);
}

INSTANTIATE_TEST_SUITE_P(Kernels, CaAgainstGolden,
                         testing::Values("histogram", "mfma_gemm", "mixed", "reduce", "saxpy",
                                         "sgemm", "stencil", "transpose", "vector_add"),
                         [](const auto& c) { return std::string(c.param); });

TEST(Ca, Mi100GivesTheSameBuffers) {
  const auto file = dispatch_file("reduce");
  EXPECT_EQ(on_systemc(file, description("mi100")).buffers, on_golden(file).buffers);
}

run::DispatchFile inline_file(const std::string& body, const std::string& launch) {
  auto f = run::parse_dispatch_file("code: {hsail: \"" + body + "\"}\n" + launch, "inline.yaml");
  EXPECT_TRUE(f.ok()) << f.error().str();
  return *f;
}

std::vector<std::string> failures(const run::DispatchFile& file, uint64_t watchdog = 0) {
  run::EngineOptions options;
  options.watchdog = watchdog;
  const auto d = description("small");
  auto engine = run::make_timed_engine(options, d, [&](hsa::DeviceMemory& m) {
    return run::make_ca_gpu("gpu", d, std::make_shared<gpu::Registries>(gpu::tlm_registries()), m,
                            {});
  });
  EXPECT_TRUE(engine.ok());
  auto r = run::run_session(file, **engine);
  EXPECT_TRUE(r.ok()) << r.error().str();
  return r.ok() ? r->report.failures : std::vector<std::string>{};
}

TEST(Ca, AWildStoreEndsTheDispatchWithItsAddress) {
  const auto file = inline_file(
      "module &m:1:0:$full:$large:$default; prog kernel &k(kernarg_u64 %p) { ld_kernarg_align(8)_"
      "width(all)_u64 $d0, [%p]; st_global_u32 7, [$d0+4096]; ret; };",
      "kernel: \"&k\"\ngrid: [64]\nworkgroup: [64]\nargs:\n  - buffer: {name: b, type: u32, count: "
      "64}\n");
  const auto text = failures(file);
  ASSERT_FALSE(text.empty());
  EXPECT_THAT(text.front(), HasSubstr("wave"));
}

TEST(Ca, AnEndlessKernelMeetsTheWatchdogAndTheReportNamesItsWaves) {
  const auto file = inline_file(
      "module &m:1:0:$full:$large:$default; prog kernel &k(kernarg_u64 %p) { ld_kernarg_align(8)_"
      "width(all)_u64 $d0, [%p]; @again: ld_global_u32 $s0, [$d0]; cmp_ne_b1_u32 $c0, $s0, 1; "
      "cbr_b1 $c0, @again; ret; };",
      "kernel: \"&k\"\ngrid: [64]\nworkgroup: [64]\nargs:\n  - buffer: {name: b, type: u32, count: "
      "64}\n");
  const auto text = failures(file, 30000);
  ASSERT_GE(text.size(), 2u);
  EXPECT_THAT(text[0], HasSubstr("watchdog"));
  EXPECT_THAT(text[1], HasSubstr("pc 0x"));
  EXPECT_THAT(text[1], HasSubstr("waits for"));
}

TEST(Ca, ImplementationsThatCannotBeAreBadInput) {
  std::optional<run::NotBuilt> missing;
  run::EngineOptions options;
  options.implementations = {"simd=fast"};
  EXPECT_FALSE(run::make_ca_engine(options, description("small"), missing).ok());
  options.implementations = {"texture=rtl"};
  EXPECT_FALSE(run::make_ca_engine(options, description("small"), missing).ok());
  options.implementations = {"simd"};
  EXPECT_FALSE(run::make_ca_engine(options, description("small"), missing).ok());
  options.implementations = {"command_processor=rtl"};
  const auto engine = run::make_ca_engine(options, description("small"), missing);
  ASSERT_FALSE(engine.ok());
  EXPECT_THAT(engine.error().str(), HasSubstr("valu"));  // a block that has one
  EXPECT_FALSE(missing.has_value());
}

TEST(Ca, RegisterFilesAreThoseOfTheTarget) {
  const auto told = [](const char* target, uint32_t rows, uint32_t acc_rows) -> std::string {
    machine::GpuConfig d = description("small");
    d.target = target;
    d.sramecc = false;
    d.compute_unit.vgpr_rows = rows;
    d.compute_unit.accvgpr_rows = acc_rows;
    const auto found = gpu::described_target(d);
    return found ? "" : found.error().what;
  };
  EXPECT_EQ(told("gfx900", 256, 0), "");
  EXPECT_EQ(told("gfx908", 256, 256), "");
  EXPECT_EQ(told("gfx942", 512, 0), "");
  EXPECT_THAT(told("gfx906", 256, 256), HasSubstr("found 256 and 256"));
  EXPECT_THAT(told("gfx908", 512, 0), HasSubstr("has vgpr_rows 256 and accvgpr_rows 256"));
  EXPECT_THAT(told("gfx90a", 256, 256), HasSubstr("has vgpr_rows 512 and accvgpr_rows 0"));
  EXPECT_THAT(told("gfx1030", 256, 0), HasSubstr("unknown target 'gfx1030'"));
  std::optional<run::NotBuilt> missing;
  machine::GpuConfig d = description("small");
  d.target = "gfx90a";
  EXPECT_FALSE(run::make_ca_engine({}, d, missing).ok());
}

/// A picosecond is a whole period up to 1 THz; above that periods would round up to it.
TEST(Ca, TheResolutionIsBelowAPeriod) {
  EXPECT_TRUE(gpu::check_resolution(1502).ok());
  EXPECT_TRUE(gpu::check_resolution(1e6).ok());
  EXPECT_FALSE(gpu::check_resolution(1.2e6).ok());
}

/// Writes the doorbell window of a GPU as a bus would.
TEST(Ca, TheDoorbellWindowChecksItsAccesses) {
  hsa::DeviceMemory memory;
  const auto registries = gpu::tlm_registries();
  auto gpu = gpu::Gpu::create("gpu", description("small"), registries, memory.backing(),
                              memory.space(), {});
  ASSERT_TRUE(gpu.ok());
  run::HostModule host("host");
  host.mmio.bind((*gpu)->doorbells);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  uint64_t value = 5;
  const auto access = [&](tlm::tlm_command command, uint64_t address, unsigned bytes) {
    tlm::tlm_generic_payload t;
    sc_core::sc_time delay;
    t.set_command(command);
    t.set_address(address);
    t.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    t.set_data_length(bytes);
    t.set_streaming_width(bytes);
    host.mmio->b_transport(t, delay);
    return t.get_response_status();
  };
  EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 16, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 16, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 16, 2), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 12, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, uint64_t{8} << 32, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE)
      << "its number has 33 bits";
  EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 16, 8), tlm::TLM_COMMAND_ERROR_RESPONSE);
  value = 0;
  tlm::tlm_generic_payload t;
  t.set_command(tlm::TLM_READ_COMMAND);
  t.set_address(16);
  t.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  t.set_data_length(8);
  EXPECT_EQ(host.mmio->transport_dbg(t), 8u);
  EXPECT_EQ(value, 5u);
}

TEST(Ca, WithNothingToDoTheSimulationHasNoEvents) {
  hsa::DeviceMemory memory;
  const auto registries = gpu::tlm_registries();
  auto gpu = gpu::Gpu::create("gpu", description("mi100"), registries, memory.backing(),
                              memory.space(), {});
  ASSERT_TRUE(gpu.ok());
  run::HostModule host("host");
  host.mmio.bind((*gpu)->doorbells);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_FALSE(sc_core::sc_pending_activity());
  EXPECT_TRUE((*gpu)->idle());
  ASSERT_TRUE(host.ring(0, 0).ok());
  EXPECT_TRUE(sc_core::sc_pending_activity());
  sc_core::sc_start();
  EXPECT_TRUE((*gpu)->idle()) << "nobody's doorbell";
  EXPECT_EQ((*gpu)->cycle(), 8u) << "it arrives after front_end_cycles";
}

}  // namespace
}  // namespace cuvette
