// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Kernels in machine code that use the global data share, on golden, lt and ca, and on ca with the
// block in RTL, in lockstep. One process per test.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/file.h"
#include "ca_testing.h"
#include "finalizer/assembler.h"
#include "isa/encode.h"
#include "run/engine_ca.h"
#include "run/engine_lt.h"
#include "wave_fixture.h"

namespace cuvette {
namespace {

using namespace testing_support;
using isa::Role;
using testing::AllOf;
using testing::HasSubstr;
using wave::testing::vgpr;

std::string path_of(const std::string& kernels, const std::string& target) {
  return std::string(CUVETTE_BINARY_DIR) + "/kernels/gds_" + kernels + "." + target + ".co";
}

run::DispatchFile parsed(const std::string& text) {
  auto f = run::parse_dispatch_file(text, "gds.yaml");
  EXPECT_TRUE(f.ok()) << f.error().str();
  return *f;
}

/// The file that `cuvette run` has in tests/dispatches/gds, with another number of missing waves.
run::DispatchFile meet(const std::string& target, unsigned waves = 36) {
  std::ifstream in(std::string(CUVETTE_GDS_DISPATCHES) + "/meet." + target + ".yaml");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (size_t at = 0; (at = text.find("u32: 36", at)) != std::string::npos; ++at) {
    text.replace(at + 5, 2, std::to_string(waves));
  }
  return parsed(text);
}

run::DispatchFile alone(const std::string& kernel, unsigned items = 64) {
  return parsed("code: " + path_of("alone", "gfx908") + "\nkernel: " + kernel + "\ngrid: [" +
                std::to_string(items) +
                "]\nworkgroup: [64]\nargs:\n  - buffer: {name: out, type: u32, count: 64}\n");
}

/// A machine of gfx900: no matrix core.
machine::GpuConfig vega() {
  auto d = description("small");
  d.target = "gfx900";
  d.sramecc = false;
  d.compute_unit.accvgpr_rows = 0;
  return d;
}

/// "golden", "lt", "ca", and "lockstep", which is ca with the block in RTL.
base::Result<std::unique_ptr<run::Engine>> make(const std::string& engine,
                                                const machine::GpuConfig& d) {
  run::EngineOptions options;
  options.target = d.target;
  if (engine == "golden") return run::make_golden_engine(options, d);
  if (engine == "lockstep") {
    auto compared = d;
    compared.implementations["gds"] = "lockstep-check";
    std::optional<run::NotBuilt> not_built;
    auto made = run::make_ca_engine(options, compared, not_built);
    if (not_built) return base::Error("not part of this build: " + not_built->what);
    return made;
  }
  return run::make_timed_engine(options, d, [&](hsa::DeviceMemory& m) {
    const auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
    return engine == "ca" ? run::make_ca_gpu("gpu", d, registries, m, {}, {})
                          : run::make_lt_gpu("gpu", d, registries, m, {}, {});
  });
}

/// The parameters of a test, with those of engine "lockstep" where this build has RTL.
template <class Parameter>
std::vector<Parameter> with_lockstep(std::vector<Parameter> all,
                                     [[maybe_unused]] const std::vector<Parameter>& lockstep) {
#ifdef CUVETTE_WITH_RTL
  all.insert(all.end(), lockstep.begin(), lockstep.end());
#endif
  return all;
}

struct Place {
  const char* engine;
  const char* machine;
};
std::ostream& operator<<(std::ostream& out, const Place& p) {
  return out << p.engine << " " << p.machine;
}
std::string name_of_place(const testing::TestParamInfo<Place>& c) {
  return std::string(c.param.engine) + "_" + c.param.machine;
}
machine::GpuConfig machine_of(const Place& p) {
  const std::string name = p.machine;
  auto d = name == "vega"                       ? vega()
           : name == "uneven" || name == "four" ? uneven()
                                                : description(name);
  if (name == "four") d.compute_units = 4;
  return d;
}

// The expected bytes are of tests/dispatches/gds/make_expected.py; session() compares them.

class GdsMeet : public testing::TestWithParam<Place> {};

TEST_P(GdsMeet, WorkgroupsOfManyComputeUnitsShareTheGds) {
  const auto d = machine_of(GetParam());
  auto engine = make(GetParam().engine, d);
  ASSERT_TRUE(engine.ok()) << engine.error().str();
  const auto result = session(meet(d.target), **engine);
  EXPECT_EQ(result.checked_elements, 5377u);
  EXPECT_EQ(result.report.lockstep_mismatches, 0u);
  EXPECT_EQ(result.report.waves, 38u);  // one prepares
  if (std::string(GetParam().engine) != "lockstep") return;
  // The model has the times of the RTL.
  EXPECT_EQ(result.report.cycles, on_plain(meet(d.target), d, {}).report.cycles);
}

INSTANTIATE_TEST_SUITE_P(Engines, GdsMeet,
                         testing::ValuesIn(with_lockstep<Place>(
                             {{"golden", "small"},
                              {"golden", "vega"},
                              {"lt", "small"},
                              {"lt", "uneven"},
                              {"lt", "vega"},
                              {"ca", "small"},
                              {"ca", "uneven"},
                              {"ca", "vega"},
                              {"ca", "mi100"}},
                             {{"lockstep", "small"}, {"lockstep", "four"}, {"lockstep", "vega"}})),
                         name_of_place);

TEST(GdsTimes, DependOnNothingButTheMachine) {
  const auto d = uneven();
  const auto file = meet("gfx908");
  gpu::Chip::Options reference;
  reference.lookahead = 1;
  reference.never_skip = true;
  const auto expected = on_plain(file, d, reference);
  for (uint32_t lookahead = 1; lookahead <= d.links.smallest(); ++lookahead) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      gpu::Chip::Options o;
      o.lookahead = lookahead;
      o.order_seed = seed;
      const auto got = on_plain(file, d, o);
      EXPECT_EQ(got.report.cycles, expected.report.cycles) << lookahead << " " << seed;
      EXPECT_EQ(got.buffers, expected.buffers) << lookahead << " " << seed;
    }
  }
  EXPECT_EQ(on_systemc(file, d).report.cycles, expected.report.cycles);
}

/// A run on the domains alone; `look` sees the machine before it starts and after it has ended.
template <class Look>
run::SessionResult run_plain(const run::DispatchFile& file, const machine::GpuConfig& d,
                             const gpu::Chip::Options& o, Look look) {
  PlainGpu* gpu = nullptr;
  auto engine = run::make_timed_engine(
      {}, d, [&](hsa::DeviceMemory& m) -> base::Result<std::unique_ptr<run::TimedGpu>> {
        auto made = PlainGpu::make(d, m, o);
        gpu = static_cast<PlainGpu*>(made->get());
        look(gpu->chip());
        return made;
      });
  EXPECT_TRUE(engine.ok());
  auto result = session(file, **engine);
  look(gpu->chip());
  return result;
}

TEST(GdsTimes, NoCoreActsBeforeItsNextEvent) {
  gpu::Chip::Options o;
  o.check_next_event = true;
  run_plain(meet("gfx908"), uneven(), o,
            [](gpu::Chip& machine) { EXPECT_THAT(machine.early_ticks(), testing::IsEmpty()); });
}

/// gds.md, Timing. Issued at t, the request is visible to the compute unit's link at t + 1 and to
/// the gds 8 later. Its beats come from t + 9 to t + 12 and it acts at t + 13; EXP_CNT falls 1 + 8
/// cycles later, at t + 22. It is in the banks from t + 14 on; without conflicts the four beats of
/// its answer go from 64 cycles later on, to t + 81, and LGKM_CNT falls at t + 90. A wave goes on
/// when its SIMD has its turn, every fourth cycle, t being one of these.
TEST(GdsTimes, OfOneAccessInAnIdleMachine) {
  const auto d = description("mi100");
  ASSERT_EQ(d.links.front_end_cycles, 8u);
  ASSERT_EQ(d.gds.latency_cycles, 64u);
  ASSERT_EQ(d.gds.bytes_per_cycle, 128u);
  std::vector<std::pair<std::string, machine::Cycle>> issued;
  uint64_t busy = 0;
  run_plain(alone("alone"), d, {}, [&](gpu::Chip& machine) {
    busy = machine.gds().counters().busy_cycles;
    for (unsigned i = 0; i < machine.compute_units(); ++i) {
      machine.compute_unit(i).watch([&](const compute_unit::Activity& a) {
        if (a.kind != compute_unit::Activity::Kind::Issue) return;
        issued.emplace_back(a.instruction->row->mnemonic, a.time);
      });
    }
  });
  const auto at = std::find_if(issued.begin(), issued.end(),
                               [](const auto& i) { return i.first == "ds_add_u32"; });
  ASSERT_LE(6, std::distance(at, issued.end()));
  // 64 lanes add to dwords 16 bytes apart, which are in eight banks: of each group of 32 lanes four
  // in each, which one cycle would serve in all 32 banks. 6 conflict cycles: t + 22 and t + 96.
  EXPECT_EQ(at[1].second - at[0].second, 24u);
  EXPECT_EQ(at[2].second - at[0].second, 96u);
  // 64 lanes of 16 bytes side by side, without conflicts: t + 22 and t + 90.
  ASSERT_EQ(at[3].first, "ds_write_b128");
  EXPECT_EQ(at[4].second - at[3].second, 24u);
  EXPECT_EQ(at[5].second - at[3].second, 92u);
  EXPECT_EQ(busy, 8u);
}

// Waits that nobody ends.

class GdsStuck : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto made = make(GetParam(), description("small"));
    ASSERT_TRUE(made.ok()) << made.error().str();
    engine_ = std::move(*made);
  }
  std::string failures(const run::DispatchFile& file) {
    auto result = run::run_session(file, *engine_);
    EXPECT_TRUE(result.ok()) << result.error().str();
    std::string all;
    for (const auto& f : result->report.failures) all += f + "\n";
    return all;
  }

 private:
  std::unique_ptr<run::Engine> engine_;
};

TEST_P(GdsStuck, ABarrierThatLacksAWaveIsADeadlock) {
  const auto text = failures(meet("gfx908", 37));
  EXPECT_THAT(text, AllOf(HasSubstr("deadlock: "), HasSubstr("waits for a global wave sync")));
  EXPECT_THAT(text, testing::Not(HasSubstr("watchdog")));
}

TEST_P(GdsStuck, WhoWaitsForAWaveThatWaitsIsNamedToo) {
  const auto text = failures(alone("stuck", 256));
  EXPECT_THAT(text, AllOf(HasSubstr("deadlock: "), HasSubstr("waits for a global wave sync"),
                          HasSubstr("waits for earlier waves at an ordered count")));
}

TEST_P(GdsStuck, BytesBehindThoseOfM0AreAViolation) {
  const auto text = failures(alone("beyond"));
  EXPECT_THAT(text, testing::ContainsRegex("pc 0x[0-9a-f]+: ds_write_b32 .*out of bounds"));
}

INSTANTIATE_TEST_SUITE_P(Engines, GdsStuck,
                         testing::ValuesIn(with_lockstep<const char*>({"golden", "lt", "ca"},
                                                                      {"lockstep"})),
                         [](const auto& c) { return std::string(c.param); });

// Every row with the GDS bit. Golden's results are compared with scalar code elsewhere
// (golden_data_share_test).

constexpr unsigned kRowBytes = 5 * 1024;  ///< four result registers and 4 KiB

bool uses_gds(const isa::Row& row) {
  const std::string name(row.mnemonic);
  const auto has = [&](const char* part) { return name.find(part) != name.npos; };
  return row.format == isa::Format::Ds && row.on(isa::Target::Gfx908) &&
         *wave::memory_reason(row) == 0 && !has("permute") && !has("swizzle") &&
         !has("addtid");  // whose addresses begin where M0 says that the share ends
}

struct Program {
  std::vector<uint32_t> words;
  unsigned rows = 0;

  void text(const std::vector<std::string>& lines) {
    const auto made = finalizer::assemble(lines, "gfx908");
    ASSERT_TRUE(made) << made.error().str();
    words.insert(words.end(), made->begin(), made->end());
  }
  void row(const isa::Row& row) {
    wave::testing::Build b{std::string(row.mnemonic)};
    const std::map<Role, unsigned> registers = {
        {Role::Vdst, 16}, {Role::Addr, 2}, {Role::Data0, 4}, {Role::Data1, 8}};
    for (unsigned n = 0; n < 4; ++n) {
      const Role role = row.src[n].role;
      if (role != Role::None) b.src(n, vgpr(static_cast<uint16_t>(registers.at(role))));
    }
    if (row.dst[0].role != Role::None) b.dst(vgpr(16));
    const std::string name(row.mnemonic);
    const bool counts = name == "ds_append" || name == "ds_consume";
    const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
    const bool two = has("read2") || has("write2") || has("wrxchg2");
    b.i.mem.gds = true;
    b.i.mem.offset = name == "ds_ordered_count"                 ? 0x104
                     : name.find("_src2_") != std::string::npos ? 4
                     : counts || row.unit == isa::Unit::Gds     ? 8
                     : two                                      ? 0x504
                                                                : 0x508;
    const auto encoded = isa::encode(b.i);
    ASSERT_TRUE(encoded.ok()) << name << ": " << encoded.error().str();
    // The share is filled, with something else for every row; results start as all ones.
    std::vector<std::string> before = {"s_mov_b32 m0, 0x1000", "v_add_u32 v12, 0x1010305, v12"};
    for (unsigned k = 0; k < 16; ++k) {
      before.push_back("ds_write_b32 v13, v12 offset:" + std::to_string(256 * k) + " gds");
    }
    for (unsigned v = 16; v < 20; ++v) before.push_back("v_mov_b32 v" + std::to_string(v) + ", -1");
    before.emplace_back("s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)");
    before.emplace_back(counts ? "s_mov_b32 m0, 0x40" : "s_mov_b32 m0, 0x1000");
    before.emplace_back("s_nop 0");
    text(before);
    words.insert(words.end(), b.i.words, b.i.words + b.i.length);
    std::vector<std::string> after = {"s_waitcnt expcnt(0) lgkmcnt(0)", "s_mov_b32 m0, 0x1000",
                                      "global_store_dwordx4 v24, v[16:19], s[4:5]"};
    for (unsigned k = 0; k < 16; ++k) {
      after.push_back("ds_read_b32 v" + std::to_string(20 + k % 4) +
                      ", v13 offset:" + std::to_string(256 * k) + " gds");
      if (k % 4 != 3) continue;
      after.emplace_back("s_add_u32 s4, s4, 0x400");
      after.emplace_back("s_addc_u32 s5, s5, 0");
      after.emplace_back("s_waitcnt lgkmcnt(0)");
      after.emplace_back("global_store_dwordx4 v24, v[20:23], s[4:5]");
      after.emplace_back("s_waitcnt vmcnt(0)");
    }
    after.emplace_back("s_add_u32 s4, s4, 0x400");
    after.emplace_back("s_addc_u32 s5, s5, 0");
    text(after);
    ++rows;
  }
};

Program every_row() {
  Program p;
  p.text({"v_lshlrev_b32 v2, 4, v0", "v_lshlrev_b32 v13, 2, v0", "v_lshlrev_b32 v24, 4, v0",
          "v_mul_u32_u24 v12, 0x35791, v0", "s_mov_b32 s12, 0x9e3779b1"});
  for (unsigned v : {4, 5, 6, 7, 8, 9, 10, 11}) {
    const std::string name = "v" + std::to_string(v);
    p.text({"v_add_u32 " + name + ", " + std::to_string(v) + ", v0",
            "v_mul_lo_u32 " + name + ", " + name + ", s12"});
  }
  for (const isa::Row& row : isa::rows()) {
    if (uses_gds(row)) p.row(row);
  }
  p.text({"s_waitcnt vmcnt(0)", "s_endpgm"});
  return p;
}

/// The code of kernel `room` with the program in place of its S_NOPs.
run::DispatchFile with_program(const Program& program) {
  auto object = base::read_binary(path_of("alone", "gfx908"));
  EXPECT_TRUE(object.ok());
  const std::vector<uint32_t> nops(16, 0xbf80000f);
  const auto* first = reinterpret_cast<const uint8_t*>(nops.data());
  const auto room = std::search(object->begin(), object->end(), first, first + 4 * nops.size());
  EXPECT_NE(room, object->end());
  EXPECT_LT(program.words.size(), 24000u);
  std::memcpy(&*room, program.words.data(), 4 * program.words.size());
  const std::string path = testing::TempDir() + "/gds_rows_" + std::to_string(getpid()) + ".co";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(object->data()),
             static_cast<std::streamsize>(object->size()));
  return parsed("code: " + path +
                "\nkernel: room\ngrid: [64]\nworkgroup: [64]\nargs:\n  - buffer: {name: out, type: "
                "u32, count: " +
                std::to_string(program.rows * kRowBytes / 4) + "}\n");
}

class GdsRows : public testing::TestWithParam<const char*> {};

TEST_P(GdsRows, AreCarriedOutAsOnGolden) {
  const Program program = every_row();
  EXPECT_GE(program.rows, 120u);
  const auto file = with_program(program);
  const auto expected = on_golden(file);
  auto engine = make(GetParam(), description("small"));
  ASSERT_TRUE(engine.ok());
  const auto got = session(file, **engine);
  EXPECT_EQ(got.report.instructions, expected.report.instructions);
  const auto& wanted = expected.buffers.at("out");
  const auto& found = got.buffers.at("out");
  ASSERT_EQ(found.size(), wanted.size());
  unsigned n = 0, changed = 0;
  for (const isa::Row& row : isa::rows()) {
    if (!uses_gds(row)) continue;
    const auto* w = &wanted[size_t{n} * kRowBytes];
    EXPECT_EQ(std::memcmp(w, &found[size_t{n} * kRowBytes], kRowBytes), 0) << row.mnemonic;
    changed += std::any_of(w, w + 1024, [](uint8_t byte) { return byte != 0xff; });
    ++n;
  }
  EXPECT_GE(changed, 60u) << "rows that return something";
}

INSTANTIATE_TEST_SUITE_P(Engines, GdsRows,
                         testing::ValuesIn(with_lockstep<const char*>({"lt", "ca"}, {"lockstep"})),
                         [](const auto& c) { return std::string(c.param); });

}  // namespace
}  // namespace cuvette
