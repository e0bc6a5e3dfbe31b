// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Code objects behind cuvette.h: what clang has compiled is loaded, relocated, found by name, and
// its hidden arguments are filled, on every engine and for every version of code objects.
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "host_process.h"
#include "needed_kernels.h"

namespace {

using namespace cuvette_test;
using testing::HasSubstr;

std::vector<char> bytes_of(const std::string& name) {
  std::ifstream file(std::string(CUVETTE_BINARY_DIR) + "/kernels/" + name + ".co",
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

cuvette_launch launch_of(uint32_t items, uint32_t group) {
  cuvette_launch l{};
  l.size = sizeof l;
  l.dimensions = 1;
  for (uint32_t& g : l.grid) g = 1;
  for (uint32_t& w : l.workgroup) w = 1;
  l.grid[0] = items;
  l.workgroup[0] = group;
  return l;
}

cuvette_kernel find(cuvette_object* object, const char* name) {
  cuvette_kernel k{};
  k.size = sizeof k;
  EXPECT_EQ(cuvette_find_kernel(object, name, &k), CUVETTE_OK) << cuvette_error_text();
  return k;
}

template <class T>
cuvette_argument argument(const T& value) {
  return {&value, sizeof value};
}

template <class T>
T at(const std::vector<uint8_t>& segment, size_t offset) {
  T value{};
  std::memcpy(&value, segment.data() + offset, sizeof value);
  return value;
}

class HostLoad : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { CUVETTE_NEED_KERNELS(); }
  /// One packet on a queue of its own.
  static void run(const Machine& m, const cuvette_kernel& kernel, const cuvette_launch& launch,
                  const std::vector<cuvette_argument>& arguments) {
    const Process p(m, 0, false);
    p.set_signals(1);
    p.activate(0, 20, kRing, kQueue);
    std::vector<uint8_t> segment(kernel.kernarg_bytes);
    ASSERT_EQ(cuvette_kernarg(&kernel, &launch, arguments.data(), arguments.size(), segment.data(),
                              segment.size()),
              CUVETTE_OK)
        << cuvette_error_text();
    const uint64_t kernarg = p.at(kArguments);
    ASSERT_EQ(cuvette_memory_write(m, kernarg, segment.data(), segment.size()), CUVETTE_OK);
    p.write_body(kRing, 0, launch.grid[0], kernarg);
    const uint64_t packet = p.at(kRing);
    p.put_word(packet + 4, launch.workgroup[0] | 1 << 16);
    p.put_word(packet + 24, kernel.private_bytes);
    p.put_word(packet + 28, kernel.group_bytes + launch.dynamic_group_bytes);
    p.put(packet + 32, kernel.kernel_object);
    m.write(CUVETTE_REG_CP_MEC_CNTL, 0);
    m.hear_doorbells();
    p.put_word(packet, Process::kHeader);
    EXPECT_EQ(cuvette_doorbell(m, 20, 0), CUVETTE_OK);
    ASSERT_EQ(cuvette_run_until_idle(m, 10'000'000), CUVETTE_OK) << cuvette_error_text();
    std::vector<char> text(4096);
    EXPECT_EQ(cuvette_take_reports(m, text.data(), text.size()), CUVETTE_OK);
    EXPECT_STREQ(text.data(), "");
    EXPECT_EQ(p.left(), 0u);
    EXPECT_EQ(p.error(), 0u);
  }
};

/// Sums of work-groups in dynamic group memory: the size of a work-group is a hidden argument in
/// version 5 and stands in the packet before.
TEST_P(HostLoad, KernelsRunWithTheirHiddenArguments) {
  const std::vector<std::pair<std::string, std::string>> objects = {
      {"reduce.gfx908.v5", "small"},
      {"reduce.gfx908.v4", "small"},
      {"reduce.gfx908sramecc+xnack-.v3", "small"}};
  // SystemC comes once per process.
  const bool golden = std::string(GetParam()) == "golden";
  const Machine m(GetParam());
  for (const auto& [name, machine] : objects) {
    const auto elf = bytes_of(name);
    if (elf.empty() && name.back() == '3') continue;  // no clang-15
    ASSERT_FALSE(elf.empty()) << name;
    cuvette_object* object = nullptr;
    ASSERT_EQ(cuvette_load(m, elf.data(), elf.size(), &object), CUVETTE_OK) << cuvette_error_text();
    const cuvette_kernel kernel = find(object, "reduce_dynamic");
    EXPECT_EQ(kernel.arguments, 3u);
    EXPECT_EQ(kernel.group_bytes, 0u);
    auto launch = launch_of(1024, 256);
    launch.dynamic_group_bytes = 1024;
    std::vector<int32_t> in(1024);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int32_t>(i * i % 1013) - 400;
    const uint64_t input = m.allocate(4096), output = m.allocate(64);
    ASSERT_EQ(cuvette_memory_write(m, input, in.data(), 4096), CUVETTE_OK);
    const uint32_t local = 0;
    run(m, kernel, launch, {argument(input), argument(output), argument(local)});
    int32_t out[4] = {};
    ASSERT_EQ(cuvette_memory_read(m, output, out, sizeof out), CUVETTE_OK);
    for (int g = 0; g < 4; ++g) {
      EXPECT_EQ(out[g], std::accumulate(in.begin() + 256 * g, in.begin() + 256 * (g + 1), 0))
          << name << ", group " << g;
    }
    EXPECT_EQ(cuvette_unload(object), CUVETTE_OK);
    uint64_t word = 0;
    EXPECT_EQ(cuvette_memory_read(m, kernel.kernel_object, &word, 8), CUVETTE_ERROR_MEMORY);
    if (!golden) break;  // the queue of slot 0 is taken
    m.write(CUVETTE_REG_GRBM_GFX_CNTL, Process::slot_bits(0));
    m.write(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 1);
    EXPECT_EQ(cuvette_advance(m, 10'000), CUVETTE_OK);
    m.write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
  }
}

/// A pointer in constant memory to a variable: relocations and globals.
TEST_P(HostLoad, GlobalsAreThereAndRelocated) {
  const auto elf = bytes_of("tables.gfx908.v5");
  ASSERT_FALSE(elf.empty());
  const Machine m(GetParam());
  cuvette_object* object = nullptr;
  ASSERT_EQ(cuvette_load(m, elf.data(), elf.size(), &object), CUVETTE_OK) << cuvette_error_text();
  uint64_t values = 0, bytes = 0;
  ASSERT_EQ(cuvette_find_symbol(object, "values", &values, &bytes), CUVETTE_OK)
      << cuvette_error_text();
  EXPECT_EQ(bytes, 16u);
  int32_t words[4] = {};
  ASSERT_EQ(cuvette_memory_read(m, values, words, sizeof words), CUVETTE_OK);
  EXPECT_THAT(words, testing::ElementsAre(10, 20, 30, 40));
  EXPECT_EQ(cuvette_find_symbol(object, "nothing", &values, nullptr), CUVETTE_ERROR_ARGUMENT);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("'nothing'"));
  const uint64_t out = m.allocate(64);
  const uint32_t index = 1;
  run(m, find(object, nullptr), launch_of(1, 1), {argument(out), argument(index)});
  EXPECT_EQ(m.read64(out) & 0xffffffff, 40u);
  ASSERT_EQ(cuvette_memory_read(m, values, words, sizeof words), CUVETTE_OK);
  EXPECT_EQ(words[0], 11);
}

INSTANTIATE_TEST_SUITE_P(Engines, HostLoad, testing::Values("golden", "lt", "ca"),
                         [](const auto& c) { return std::string(c.param); });

/// Offsets in version 5: implicit arguments begin behind the explicit ones, aligned to 8; block
/// counts 0, group sizes 12, remainders 18, global offsets 40, dimensions 64, dynamic LDS size 120,
/// apertures 192 (private) and 196 (shared), queue 200 (LLVM's AMDGPUUsage, code object V5; the
/// metadata of the object says where, which clang leaves out what is not used).
TEST(HostKernarg, TheValuesFollowFromTheLaunch) {
  CUVETTE_NEED_KERNELS();
  const auto elf = bytes_of("reduce.gfx908.v5");
  const Machine m("golden");
  cuvette_object* object = nullptr;
  ASSERT_EQ(cuvette_load(m, elf.data(), elf.size(), &object), CUVETTE_OK) << cuvette_error_text();
  const cuvette_kernel kernel = find(object, "reduce_dynamic.kd");
  ASSERT_EQ(kernel.kernarg_bytes, 280u) << "24 bytes of arguments and 256 hidden ones";
  auto launch = launch_of(1000, 64);
  launch.grid[1] = 9;
  launch.workgroup[1] = 2;
  launch.dimensions = 2;
  launch.dynamic_group_bytes = 512;
  launch.global_offset[0] = 0x123456789a;
  launch.queue = 0xabcdef0000;
  const uint64_t in = 1, out = 2;
  const uint32_t local = 3;
  std::vector<cuvette_argument> arguments = {argument(in), argument(out), argument(local)};
  std::vector<uint8_t> s(300, 0xee);
  ASSERT_EQ(cuvette_kernarg(&kernel, &launch, arguments.data(), 3, s.data(), s.size()), CUVETTE_OK)
      << cuvette_error_text();
  EXPECT_EQ(at<uint64_t>(s, 0), 1u);
  EXPECT_EQ(at<uint64_t>(s, 8), 2u);
  EXPECT_EQ(at<uint32_t>(s, 16), 3u);
  EXPECT_EQ(at<uint32_t>(s, 24), 15u) << "whole work-groups of 64 in 1000";
  EXPECT_EQ(at<uint32_t>(s, 28), 4u) << "of 2 in 9";
  EXPECT_EQ(at<uint16_t>(s, 24 + 12), 64u);
  EXPECT_EQ(at<uint16_t>(s, 24 + 14), 2u);
  EXPECT_EQ(at<uint16_t>(s, 24 + 18), 40u) << "work-items of the last, partial one";
  EXPECT_EQ(at<uint16_t>(s, 24 + 20), 1u);
  EXPECT_EQ(at<uint64_t>(s, 24 + 40), 0x123456789au);
  EXPECT_EQ(at<uint16_t>(s, 24 + 64), 2u);
  EXPECT_EQ(s[280], 0xee) << "nothing behind the segment";

  const auto refused = [&](const char* what) {
    EXPECT_EQ(
        cuvette_kernarg(&kernel, &launch, arguments.data(), arguments.size(), s.data(), s.size()),
        CUVETTE_ERROR_ARGUMENT);
    EXPECT_THAT(cuvette_error_text(), HasSubstr(what));
  };
  arguments.pop_back();
  refused("3");
  arguments = {argument(in), argument(out), argument(in)};
  refused("8 bytes");
  arguments[2] = argument(local);
  launch.workgroup[0] = 0;
  refused("size");
  launch.workgroup[0] = 64;
  const cuvette_hidden nobody = {"hidden_nobody", 1};
  launch.hidden = &nobody;
  launch.hidden_count = 1;
  refused("hidden_nobody");
  launch.hidden_count = 0;
  EXPECT_EQ(cuvette_kernarg(&kernel, &launch, arguments.data(), 3, s.data(), 279),
            CUVETTE_ERROR_ARGUMENT);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("280"));
}

TEST(HostLoadErrors, BadObjectsAndNamesAreToldInWords) {
  const Machine m("golden");
  cuvette_object* object = nullptr;
  EXPECT_EQ(cuvette_load(m, "junk", 4, &object), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(object, nullptr);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("ELF"));
  EXPECT_EQ(cuvette_load(m, nullptr, 4, &object), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_load(nullptr, "junk", 4, &object), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_unload(nullptr), CUVETTE_ERROR_ARGUMENT);
  CUVETTE_NEED_KERNELS();
  auto elf = bytes_of("reduce.gfx90a.v5");
  EXPECT_EQ(cuvette_load(m, elf.data(), elf.size(), &object), CUVETTE_ERROR_ARGUMENT);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("gfx90a"));
  elf = bytes_of("reduce.gfx908.v5");
  ASSERT_EQ(cuvette_load(m, elf.data(), elf.size(), &object), CUVETTE_OK);
  cuvette_kernel k{};
  k.size = sizeof k;
  EXPECT_EQ(cuvette_find_kernel(object, "", &k), CUVETTE_ERROR_ARGUMENT);
  EXPECT_THAT(cuvette_error_text(),
              testing::AllOf(HasSubstr("reduce, reduce_dynamic"), testing::Not(HasSubstr("''"))));
  EXPECT_EQ(cuvette_find_kernel(object, "no_such", &k), CUVETTE_ERROR_ARGUMENT);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("'no_such'"));
  k.size = 3;
  EXPECT_EQ(cuvette_find_kernel(object, "reduce", &k), CUVETTE_ERROR_ARGUMENT);
}

}  // namespace
