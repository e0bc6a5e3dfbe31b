// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Observation through cuvette.h beside the needs of drivers: memory of the host in place, changes
// of the description, counters, retired instructions of waves, registers of waves, arguments of
// kernels.
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "host_process.h"
#include "needed_kernels.h"

namespace {

using namespace cuvette_test;
using testing::HasSubstr;

using Counters = std::map<std::pair<std::string, std::string>, uint64_t>;  // of all instances

Counters counters_of(const Machine& m) {
  Counters found;
  EXPECT_EQ(cuvette_counters(
                m,
                [](void* context, const char* block, uint32_t, const char* name, uint64_t value) {
                  (*static_cast<Counters*>(context))[{block, name}] += value;
                },
                &found),
            CUVETTE_OK);
  return found;
}

struct Retired {
  uint64_t wave, order, pc, exec;
  std::string text;
  std::vector<uint32_t> words;
  std::vector<std::pair<uint32_t, uint32_t>> scalars;
  std::vector<std::pair<uint32_t, std::array<uint32_t, 64>>> vectors;
};

void keep(void* context, cuvette_machine*, const cuvette_retirement* r) {
  Retired out{r->wave, r->order, r->pc, r->exec, r->instruction, {}, {}, {}};
  out.words.assign(r->words, r->words + r->word_count);
  for (size_t i = 0; i < r->scalar_write_count; ++i) {
    out.scalars.emplace_back(r->scalar_writes[i].code, r->scalar_writes[i].value);
  }
  for (size_t i = 0; i < r->vector_write_count; ++i) {
    std::array<uint32_t, 64> lanes{};
    std::copy_n(r->vector_writes[i].data, 64, lanes.begin());
    out.vectors.emplace_back(r->vector_writes[i].index, lanes);
  }
  static_cast<std::vector<Retired>*>(context)->push_back(out);
}

class HostObserve : public testing::TestWithParam<const char*> {
 protected:
  /// The kernel kTriple, once, for kItems work-items; the first words of its input are 0, 5, 10 ...
  static void run_triple(const Machine& m, const Process& p) {
    const Arguments a(p);
    a.write(p);
    for (unsigned i = 0; i < kItems; ++i) p.put_word(a.in + 4 * i, 5 * i);
    p.load_triple(0);
    p.set_signals(1);
    p.activate(0, 20, kRing, kQueue, p.real(a.scratch));
    m.write(CUVETTE_REG_CP_MEC_CNTL, 0);
    m.hear_doorbells();
    p.submit(0, kItems, a.kernarg);
    EXPECT_EQ(cuvette_doorbell(m, 20, 0), CUVETTE_OK);
    ASSERT_EQ(cuvette_run_until_idle(m, 10'000'000), CUVETTE_OK);
    EXPECT_EQ(p.left(), 0u);
    for (unsigned i = 0; i < kItems; ++i) ASSERT_EQ(p.word(a.out + 4 * i), 15 * i);
  }
};

constexpr unsigned kWaves = kItems / 64;
constexpr unsigned kInstructions = 28;  // of kTriple, a wave

TEST_P(HostObserve, MemoryOfTheHostIsUsedInPlace) {
  const Machine m(GetParam());
  alignas(64) static std::array<uint32_t, 1024> memory;
  uint64_t address = 0;
  constexpr uint64_t kBytes = 4090;
  ASSERT_EQ(cuvette_memory_attach(m, memory.data(), kBytes, 0, 0, &address), CUVETTE_OK)
      << cuvette_error_text();
  EXPECT_EQ(address % 256, 0u);
  memory[3] = 0x01020304;
  uint32_t word = 0;
  EXPECT_EQ(cuvette_memory_read(m, address + 12, &word, 4), CUVETTE_OK);
  EXPECT_EQ(word, 0x01020304u);
  word = 99;
  EXPECT_EQ(cuvette_memory_write(m, address + 16, &word, 4), CUVETTE_OK);
  EXPECT_EQ(memory[4], 99u);
  // It ends after its bytes; what may be read ends at the next multiple of 64.
  EXPECT_EQ(cuvette_memory_write(m, address + 4088, &word, 2), CUVETTE_OK);
  EXPECT_EQ(cuvette_memory_write(m, address + 4088, &word, 4), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_read(m, address + 4092, &word, 4), CUVETTE_OK);
  EXPECT_EQ(cuvette_memory_read(m, address + 4096, &word, 4), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_free(m, address), CUVETTE_OK);
  EXPECT_EQ(cuvette_memory_read(m, address, &word, 4), CUVETTE_ERROR_MEMORY);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("freed"));
  EXPECT_EQ(cuvette_memory_free(m, address), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(memory[4], 99u);

  uint64_t again = 0;
  EXPECT_EQ(cuvette_memory_attach(m, memory.data(), 64, 0, CUVETTE_MEMORY_READ_ONLY, &again),
            CUVETTE_OK);
  EXPECT_NE(again, address);
  EXPECT_EQ(cuvette_memory_write(m, again, &word, 4), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_attach(m, nullptr, 64, 0, 0, &again), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_memory_attach(m, memory.data(), 0, 0, 0, &again), CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_attach(m, memory.data(), 64, 0, 64, &again), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_memory_attach(m, reinterpret_cast<char*>(memory.data()) + 1, 64, 0, 0, &again),
            CUVETTE_ERROR_MEMORY);
  EXPECT_EQ(cuvette_memory_attach(m, memory.data(), ~uint64_t{0} / 2, 0, 0, &again),
            CUVETTE_ERROR_MEMORY);
}

TEST_P(HostObserve, CountersAreThoseOfWhatRan) {
  const Machine m(GetParam());
  EXPECT_EQ(counters_of(m).at({"machine", "instructions"}), 0u);
  const Process p(m, 0, false);
  run_triple(m, p);
  const Counters c = counters_of(m);
  EXPECT_EQ(c.at({"machine", "waves"}), kWaves);
  EXPECT_EQ(c.at({"machine", "instructions"}), kWaves * kInstructions);
  EXPECT_EQ(c.at({"instruction", "s_waitcnt"}), kWaves * 6);
  EXPECT_EQ(c.at({"instruction", "flat_store_dword"}), kWaves);
  EXPECT_EQ(c.at({"command_processor", "packets"}), 1u);
  const bool has_units = std::string(GetParam()) != "golden";
  EXPECT_EQ(c.count({"compute_unit", "waves"}), has_units ? 1u : 0u);
  if (has_units) {
    EXPECT_EQ(c.at({"compute_unit", "instructions"}), kWaves * kInstructions);
  }
  EXPECT_EQ(c.count({"l2", "accesses"}), std::string(GetParam()) == "ca" ? 1u : 0u);
  EXPECT_EQ(cuvette_counters(m, nullptr, nullptr), CUVETTE_ERROR_ARGUMENT);
}

struct Named {
  double value = 0;
  std::string missing;
};

std::map<std::string, Named> named(const Machine& m, const std::vector<const char*>& names) {
  std::map<std::string, Named> out;
  EXPECT_EQ(cuvette_counters_by_name(
                m, names.data(), names.size(),
                [](void* context, const char* name, double value, const char* missing) {
                  auto& found = *static_cast<std::map<std::string, Named>*>(context);
                  found[name] = {value, missing != nullptr ? missing : ""};
                },
                &out),
            CUVETTE_OK)
      << cuvette_error_text();
  return out;
}

TEST_P(HostObserve, CountersHaveTheirPublicNames) {
  const Machine m(GetParam());
  const auto nobody = [](void*, const char*, double, const char*) {};
  const char* const one[] = {"SQ_WAVE"};
  if (std::string(GetParam()) == "golden") {
    EXPECT_EQ(cuvette_counters_by_name(m, one, 1, nobody, nullptr), CUVETTE_ERROR_CALL);
    return;
  }
  const Process p(m, 0, false);
  run_triple(m, p);
  const bool ca = std::string(GetParam()) == "ca";
  auto c = named(m, {"SQ_WAVES", "SQ_WAVES_sum", "SQ_WAVES[0]", "SQ_WAVES[1]", "TCC_HIT",
                     "TA_FLAT_WRITE_WAVEFRONTS", "Wavefronts", "VALUInsts", "SQ_INSTS_VALU"});
  EXPECT_EQ(c.size(), 9u);
  EXPECT_EQ(c["SQ_WAVES"].value, kWaves);
  EXPECT_EQ(c["SQ_WAVES_sum"].value, kWaves);
  EXPECT_EQ(c["SQ_WAVES[0]"].value, kWaves);
  EXPECT_EQ(c["SQ_WAVES[1]"].missing, "SQ_WAVES has 1 instances");
  EXPECT_TRUE(std::isnan(c["SQ_WAVES[1]"].value));
  EXPECT_EQ(c["TA_FLAT_WRITE_WAVEFRONTS"].value, kWaves);
  EXPECT_EQ(c["Wavefronts"].value, kWaves);
  EXPECT_EQ(c["VALUInsts"].value * kWaves, c["SQ_INSTS_VALU"].value);
  EXPECT_GT(c["VALUInsts"].value, 0);
  EXPECT_EQ(c["TCC_HIT"].missing,
            ca ? "" : "TCC_HIT: this engine, or a device in it, does not count it");
  // 28 hardware counters and 38 derived ones.
  EXPECT_EQ(named(m, {}).size(), 66u);
  EXPECT_EQ(cuvette_counters_by_name(m, one, 1, nobody, nullptr), CUVETTE_ERROR_ARGUMENT);
  EXPECT_NE(std::string(cuvette_error_text()).find("such as SQ_WAVES"), std::string::npos);
  EXPECT_EQ(cuvette_counters_by_name(m, nullptr, 1, nobody, nullptr), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_counters_by_name(m, one, 1, nullptr, nullptr), CUVETTE_ERROR_ARGUMENT);
  const char* const null[] = {nullptr};
  EXPECT_EQ(cuvette_counters_by_name(m, null, 1, nobody, nullptr), CUVETTE_ERROR_ARGUMENT);
  // From here on.
  EXPECT_EQ(cuvette_counters_mark(m), CUVETTE_OK);
  c = named(m, {"SQ_WAVES", "VALUInsts"});
  EXPECT_EQ(c["SQ_WAVES"].value, 0);
  EXPECT_EQ(c["VALUInsts"].missing, "division by 0");
}

TEST_P(HostObserve, RetirementsAreTold) {
  const Machine m(GetParam());
  const Process p(m, 0, false);
  std::vector<Retired> seen;
  ASSERT_EQ(cuvette_watch_retirements(m, keep, &seen), CUVETTE_OK) << cuvette_error_text();
  run_triple(m, p);
  ASSERT_EQ(seen.size(), kWaves * kInstructions);
  std::map<uint64_t, std::map<uint64_t, Retired>> by_wave;  // by the order of issue
  for (const auto& r : seen) by_wave[r.wave][r.order] = r;
  ASSERT_EQ(by_wave.size(), kWaves);
  const uint64_t entry = p.at(kCode) + kCodeOffset;
  unsigned wave = 0;
  for (const auto& [id, retired] : by_wave) {
    ASSERT_EQ(retired.size(), kInstructions);
    std::vector<uint32_t> words;
    for (const auto& [order, r] : retired) {
      EXPECT_EQ(r.pc, entry + 4 * words.size());
      EXPECT_EQ(r.exec, ~uint64_t{0});
      words.insert(words.end(), r.words.begin(), r.words.end());
    }
    EXPECT_EQ(words, kTriple);
    EXPECT_EQ(retired.at(kInstructions - 1).text, "s_endpgm");
    // s_movk_i32 s20, 0x1234, and v_mul_u32_u24 v3, 3, v3.
    EXPECT_THAT(retired.at(22).scalars, testing::ElementsAre(std::pair(20u, kMarker)));
    ASSERT_EQ(retired.at(18).vectors.size(), 1u) << retired.at(18).text;
    const auto& [index, lanes] = retired.at(18).vectors.front();
    EXPECT_EQ(index, 3u);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(lanes[i], 15 * (64 * wave + i)) << i;
    ++wave;
  }
  seen.clear();
  EXPECT_EQ(cuvette_watch_retirements(m, nullptr, nullptr), CUVETTE_OK);
}

TEST_P(HostObserve, RegistersOfWavesThatAreNotThere) {
  const Machine m(GetParam());
  cuvette_hang_wave wave{};
  uint32_t value = 0;
  EXPECT_EQ(cuvette_wave_read(m, &wave, 0x200, &value, 1), CUVETTE_ERROR_ARGUMENT);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("no wave"));
  wave.compute_unit = CUVETTE_NONE;
  EXPECT_EQ(cuvette_wave_read(m, &wave, 0x400, &value, 1), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_wave_read(m, &wave, 0x200, &value, 2), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_wave_read(m, &wave, 0x400, &value, 65), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_wave_read(m, nullptr, 0x400, &value, 1), CUVETTE_ERROR_ARGUMENT);
}

INSTANTIATE_TEST_SUITE_P(Engines, HostObserve, testing::Values("golden", "lt", "ca"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST(HostSettings, ChangeTheDescription) {
  const char* const settings[] = {"memory.bytes=1048576"};
  auto o = options("golden");
  o.settings = settings;
  o.setting_count = 1;
  const Machine m(o);
  uint64_t address = 0;
  EXPECT_EQ(cuvette_memory_allocate(m, 1 << 20, 0, 0, &address), CUVETTE_OK);
  EXPECT_EQ(cuvette_memory_allocate(m, 1, 0, 0, &address), CUVETTE_ERROR_MEMORY);
  char target[16];
  EXPECT_EQ(cuvette_target(m, target, sizeof target), CUVETTE_OK);
  EXPECT_STREQ(target, "gfx908");
  EXPECT_EQ(cuvette_target(m, target, 4), CUVETTE_OK);
  EXPECT_STREQ(target, "gfx");
  EXPECT_EQ(cuvette_target(nullptr, target, 4), CUVETTE_ERROR_ARGUMENT);
}

TEST(HostSettings, BadOnesAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"memory.bites=1", "--set memory.bites=1"},
      {"memory.bytes=some", "--set memory.bytes=some"},
      {"memory.bytes", "PATH=VALUE"}};
  for (const auto& [setting, words] : cases) {
    auto o = options("golden");
    o.settings = &setting;
    o.setting_count = 1;
    cuvette_machine* m = nullptr;
    EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_DESCRIPTION);
    EXPECT_THAT(cuvette_error_text(), HasSubstr(words));
  }
  auto o = options("golden");
  o.setting_count = 1;
  cuvette_machine* m = nullptr;
  EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_ARGUMENT);
  // Options of a program that does not know settings.
  o = options("golden");
  o.size = offsetof(cuvette_options, settings);
  ASSERT_EQ(cuvette_open(&o, &m), CUVETTE_OK);
  EXPECT_EQ(cuvette_close(m), CUVETTE_OK);
}

TEST(HostSettings, LogsHaveTheDescriptionAsItIs) {
  const char* const settings[] = {"memory.bytes=1048576"};
  auto o = options("golden");
  o.settings = settings;
  o.setting_count = 1;
  o.log = "host_observe.log";
  cuvette_machine* m = nullptr;
  EXPECT_EQ(cuvette_open(&o, &m), CUVETTE_ERROR_ARGUMENT);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("log"));
  o.setting_count = 0;
  ASSERT_EQ(cuvette_open(&o, &m), CUVETTE_OK);
  alignas(64) std::array<uint64_t, 8> memory{};
  uint64_t address = 0;
  EXPECT_EQ(cuvette_memory_attach(m, memory.data(), 64, 0, 0, &address), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_watch_retirements(m, keep, nullptr), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_close(m), CUVETTE_OK);
}

TEST(HostKernels, AreListedWithTheirArguments) {
  CUVETTE_NEED_KERNELS();
  std::ifstream file(CUVETTE_BINARY_DIR "/kernels/reduce.gfx908.v5.co", std::ios::binary);
  const std::vector<char> elf{std::istreambuf_iterator<char>(file), {}};
  const Machine m("golden");
  cuvette_object* object = nullptr;
  ASSERT_EQ(cuvette_load(m, elf.data(), elf.size(), &object), CUVETTE_OK) << cuvette_error_text();
  std::vector<std::string> names;
  cuvette_kernel kernel{};
  kernel.size = sizeof kernel;
  char name[64];
  while (cuvette_kernel_at(object, static_cast<uint32_t>(names.size()), &kernel, name,
                           sizeof name) == CUVETTE_OK) {
    names.emplace_back(name);
  }
  EXPECT_THAT(names, testing::Contains("reduce_dynamic"));
  ASSERT_EQ(cuvette_find_kernel(object, "reduce_dynamic", &kernel), CUVETTE_OK);
  cuvette_argument_info info{};
  EXPECT_EQ(cuvette_argument_at(&kernel, 0, &info), CUVETTE_ERROR_ARGUMENT) << "no size";
  info.size = sizeof info;
  std::vector<std::string> types;
  for (uint32_t i = 0; i < kernel.arguments; ++i) {
    ASSERT_EQ(cuvette_argument_at(&kernel, i, &info), CUVETTE_OK);
    types.push_back(std::string(info.kind) + " " + info.type + " " + std::to_string(info.bytes));
  }
  EXPECT_THAT(types, testing::ElementsAre("global_buffer int* 8", "global_buffer int* 8",
                                          "dynamic_shared_pointer int* 4"));
  EXPECT_EQ(cuvette_argument_at(&kernel, kernel.arguments, &info), CUVETTE_ERROR_ARGUMENT);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("'reduce_dynamic' has 3"));
}

}  // namespace
