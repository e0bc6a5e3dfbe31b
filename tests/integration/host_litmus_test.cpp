// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Litmus kernels between the host and a running kernel, through the C interface, in both directions
// (memory_semantics.md "Host and kernel"). The HSA memory model says which result is weak; LLVM's
// memory models of gfx6-gfx9, gfx90a and gfx942 (AMDGPU backend user guide) say which sequences and
// memory types rule it out. Engine ca shows the weak result where bits or type are
// missing, no engine shows it where they are there. One process per test.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "finalizer_testing.h"
extern "C" {
#include "gpu_driver.h"
}

namespace {

constexpr uint32_t kCoarse = 0, kFine = CUVETTE_MEMORY_FINE_GRAINED;
constexpr uint64_t kLong = 4'000'000;  // cycles: more than any of these kernels takes

/// &k(x, y, out, turns) with the arguments in $d0, $d1, $d2 and $s0.
std::string kernel(const std::string& body) {
  return "module &m:1:0:$full:$large:$default;\n"
         "prog kernel &k(kernarg_u64 %x, kernarg_u64 %y, kernarg_u64 %out, kernarg_u32 %turns)\n{\n"
         "ld_kernarg_align(8)_u64 $d0, [%x];\nld_kernarg_align(8)_u64 $d1, [%y];\n"
         "ld_kernarg_align(8)_u64 $d2, [%out];\nld_kernarg_align(4)_u32 $s0, [%turns];\n" +
         body + "ret;\n};\n";
}
/// At most $s0 turns until the word at `address` is not 0: $s8.
std::string poll(const std::string& access, const std::string& address) {
  return "@spin:\natomic_ld_global_" + access + "_b32 $s8, " + address +
         ";\ncmp_ne_b1_u32 $c1, $s8, 0;\ncbr_b1 $c1, @seen;\nsub_u32 $s0, $s0, 1;\n"
         "cmp_ne_b1_u32 $c1, $s0, 0;\ncbr_b1 $c1, @spin;\n@seen:\n";
}
/// $s0 turns of a loop, with a load that keeps the finalizer from leaving it out.
const std::string kDelay =
    "@wait:\ncmp_eq_b1_u32 $c1, $s0, 0;\ncbr_b1 $c1, @over;\nsub_u32 $s0, $s0, 1;\n"
    "atomic_ld_global_rlx_wave_b32 $s10, [$d2+16];\nbr @wait;\n@over:\n";
/// A load without bits, into the vector L1. An ordinary one may become a scalar load.
std::string warm(const std::string& address) {
  return "atomic_ld_global_rlx_wave_b32 $s6, " + address +
         ";\nst_global_align(4)_u32 $s6, [$d2+8];\n";
}

class HostLitmus : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  struct Arguments {
    uint64_t x = 0, y = 0, out = 0;
    uint32_t turns = 0;
  };
  struct Pair {
    uint32_t first, second;
  };

  HostLitmus() {
    cuvette_options o{};
    o.size = sizeof o;
    o.engine = engine();
    const std::string name = target() == "gfx908" ? "small" : "small_" + target();
    const std::string folder = CUVETTE_SOURCE_DIR "/config";
    o.machine = name.c_str();
    o.machine_dir = folder.c_str();
    o.quantum = 100;
    EXPECT_EQ(cuvette_open(&o, &machine_), CUVETTE_OK) << cuvette_error_text();
    EXPECT_EQ(gpu_start(&gpu_, machine_, 8, 1), 0);
    EXPECT_EQ(gpu_queue_create(&gpu_, &queue_, 1, 0, 2, 16), 0);
  }
  ~HostLitmus() override { EXPECT_EQ(cuvette_close(machine_), CUVETTE_OK); }

  static const char* engine() { return std::get<0>(GetParam()); }
  static std::string target() { return std::get<1>(GetParam()); }
  static bool ca() { return std::string(engine()) == "ca"; }
  static bool golden() { return std::string(engine()) == "golden"; }
  /// The system scope of instructions writes back and invalidates the L2.
  static bool maintains_l2() { return target() == "gfx90a" || target() == "gfx942"; }

  uint64_t allocate(uint32_t type) {
    uint64_t at = 0;
    EXPECT_EQ(cuvette_memory_allocate(machine_, 256, 0, type, &at), CUVETTE_OK);
    return at;
  }
  void put(uint64_t at, uint32_t value) {
    EXPECT_EQ(cuvette_memory_write(machine_, at, &value, sizeof value), CUVETTE_OK);
  }
  template <class T = uint32_t>
  T get(uint64_t at) {
    T value{};
    EXPECT_EQ(cuvette_memory_read(machine_, at, &value, sizeof value), CUVETTE_OK);
    return value;
  }
  void advance(uint64_t cycles) { EXPECT_EQ(cuvette_advance(machine_, cycles), CUVETTE_OK); }

  void start(const std::string& text, const Arguments& a, uint32_t items = 1) {
    auto& known = kernels_[text];
    if (known.object == 0) {
      const auto object =
          cuvette::finalizer::finalize(cuvette::finalizer_testing::load(text), {target(), 4});
      ASSERT_TRUE(object.ok()) << object.error().str() << text;
      ASSERT_EQ(gpu_load(&gpu_, object->data(), object->size(), &known), 0);
    }
    ASSERT_EQ(gpu_signal(&gpu_, 1, 0, &done_), 0);
    ASSERT_EQ(gpu_dispatch(&gpu_, &queue_, &known, items, 64, &a, sizeof a, done_), 0);
  }
  bool running() {
    int64_t left = 0;
    EXPECT_EQ(gpu_signal_value(&gpu_, done_, &left), 0);
    return left != 0;
  }
  void finish() {
    cuvette_run_until_idle(machine_, kLong);
    EXPECT_FALSE(running());
    uint64_t error = 1;
    EXPECT_EQ(gpu_queue_error(&gpu_, &queue_, &error), 0);
    EXPECT_EQ(error, 0u);
  }
  /// Until the kernel is there. On golden a kernel runs as a whole, with nothing beside it: the
  /// host has its turn before, and the kernel has not begun.
  void let_it_run() {
    if (!golden()) advance(20000);
  }

  cuvette_machine* machine_ = nullptr;
  gpu_driver gpu_{};
  gpu_queue queue_{};
  uint64_t done_ = 0;
  std::map<std::string, gpu_kernel> kernels_;
};

// ---- host to kernel ----

TEST_P(HostLitmus, AKernelThatPollsSeesTheHostsStore) {
  // The kernel polls y, the host sets it: what the kernel saw.
  const auto run = [&](const std::string& access, uint32_t type) {
    Arguments a{allocate(type), allocate(type), allocate(kCoarse), 600};
    if (golden()) put(a.y, 5);
    start(kernel(poll(access, "[$d1]") + "st_global_align(4)_u32 $s8, [$d2];\n"), a);
    let_it_run();
    EXPECT_TRUE(running());
    put(a.y, 5);
    finish();
    return get(a.out);
  };
  for (const uint32_t type : {kFine, uint32_t{CUVETTE_MEMORY_UNCACHED}}) {
    EXPECT_EQ(run("scacq_system", type), 5u);
    EXPECT_EQ(run("rlx_system", type), 5u);
    // Scope of the work-group: the vector L1 may answer, and does.
    EXPECT_EQ(run("rlx_wg", type), ca() ? 0u : 5u);
  }
  // The L2 answers, unless BUFFER_INVL2 or BUFFER_INV sc0 sc1 of an acquire has told it to forget.
  EXPECT_EQ(run("rlx_system", kCoarse), ca() ? 0u : 5u);
  EXPECT_EQ(run("scacq_agent", kCoarse), ca() ? 0u : 5u);
  EXPECT_EQ(run("scacq_system", kCoarse), ca() && !maintains_l2() ? 0u : 5u);
}

/// signal_wait in a loop: signals are fine-grained.
TEST_P(HostLitmus, AKernelThatWaitsForASignalSeesTheHostSetIt) {
  uint64_t signal = 0;
  ASSERT_EQ(gpu_signal(&gpu_, 1, 0, &signal), 0);
  const std::string text =
      "module &m:1:0:$full:$large:$default;\n"
      "prog kernel &k(kernarg_sig64 %s, kernarg_u64 %y, kernarg_u64 %out, kernarg_u32 %turns)\n{\n"
      "ld_kernarg_sig64 $d0, [%s];\nld_kernarg_align(8)_u64 $d1, [%out];\n"
      "@again:\nsignal_wait_eq_scacq_s64_sig64 $d2, $d0, 0;\ncmp_ne_b1_u64 $c0, $d2, 0;\n"
      "cbr_b1 $c0, @again;\ncvt_u32_u64 $s0, $d2;\nadd_u32 $s0, $s0, 77;\n"
      "atomicnoret_st_global_screl_system_b32 [$d1], $s0;\nret;\n};\n";
  Arguments a{signal, 0, allocate(kCoarse)};
  start(text, a);
  let_it_run();
  EXPECT_TRUE(running());
  const uint64_t zero = 0;
  ASSERT_EQ(cuvette_memory_write(machine_, signal + 8, &zero, sizeof zero), CUVETTE_OK);
  finish();
  EXPECT_EQ(get(a.out), 77u);
}

/// Message passing: the host writes x, then y; the kernel has x in its vector L1, polls y, loads x.
TEST_P(HostLitmus, MessagePassingFromTheHost) {
  const auto run = [&](const std::string& access, uint32_t type_of_x) {
    Arguments a{allocate(type_of_x), allocate(kFine), allocate(kCoarse), 600};
    if (golden()) put(a.x, 77), put(a.y, 1);
    start(kernel(warm("[$d0]") + poll(access, "[$d1]") +
                 "atomic_ld_global_rlx_wave_b32 $s9, [$d0];\n"
                 "st_v2_global_align(4)_u32 ($s8, $s9), [$d2];\n"),
          a);
    let_it_run();
    put(a.x, 77);
    put(a.y, 1);
    finish();
    const auto seen = get<Pair>(a.out);
    EXPECT_EQ(seen.first, 1u) << access;
    return seen.second;
  };
  EXPECT_EQ(run("scacq_system", kFine), 77u);
  EXPECT_EQ(run("rlx_system", kFine), ca() ? 0u : 77u) << "nothing has emptied the vector L1";
  EXPECT_EQ(run("scacq_agent", kCoarse), ca() ? 0u : 77u) << "the L2 has x";
  EXPECT_EQ(run("scacq_system", kCoarse), ca() && !maintains_l2() ? 0u : 77u);
}

// ---- kernel to host ----

/// Message passing: the kernel stores x, then y, and goes on for long; the host polls y, then reads
/// x. Nothing: y did not come before the end of the kernel.
TEST_P(HostLitmus, MessagePassingToTheHost) {
  constexpr uint32_t kNothing = ~0u;
  const auto run = [&](const std::string& access, uint32_t type_of_x, uint32_t type_of_y) {
    Arguments a{allocate(type_of_x), allocate(type_of_y), allocate(kFine), 200};
    start(kernel("st_global_align(4)_u32 77, [$d0];\natomicnoret_st_global_" + access +
                 "_b32 [$d1], 1;\n" + kDelay + "st_global_align(4)_u32 3, [$d2];\n"),
          a);
    uint32_t seen = kNothing;
    while (!golden() && seen == kNothing && get(a.out) == 0) {  // before the packet's release
      if (get(a.y) == 1) seen = get(a.x);
      advance(100);
    }
    finish();
    EXPECT_EQ(get(a.x), 77u) << "released by the packet";
    EXPECT_EQ(get(a.y), 1u) << "released by the packet";
    EXPECT_EQ(get(a.out), 3u);
    return golden() ? get(a.x) : seen;
  };
  EXPECT_EQ(run("screl_system", kFine, kFine), 77u);
  // Data of an L2 that nobody told to write it back. LLVM's release of system scope has
  // BUFFER_WBL2 on gfx90a and gfx942 alone.
  EXPECT_EQ(run("screl_agent", kCoarse, kFine), ca() ? 0u : 77u);
  EXPECT_EQ(run("screl_system", kCoarse, kFine), ca() && !maintains_l2() ? 0u : 77u);
  EXPECT_EQ(run("screl_system", kFine, kCoarse), ca() ? kNothing : 77u);
}

// ---- both ways ----

/// Store buffering: the kernel stores x and loads y, the host writes y and reads x, at many times.
TEST_P(HostLitmus, StoreBuffering) {
  const auto weak = [&](bool ordered) {
    const std::string store = ordered ? "st_global_screl_system" : "st_global_rlx_wg";
    const std::string load = ordered ? "ld_global_scacq_system" : "ld_global_rlx_wg";
    unsigned count = 0, kernel_first = 0, host_first = 0;
    for (unsigned n = 0; n < 42; ++n) {
      Arguments a{allocate(kFine), allocate(kFine), allocate(kCoarse), 2 * n};
      start(kernel(warm("[$d1]") + kDelay + "atomicnoret_" + store + "_b32 [$d0], 1;\n" +
                   (ordered ? "memfence_scar_system;\n" : "") + "atomic_" + load +
                   "_b32 $s9, [$d1];\nst_global_align(4)_u32 $s9, [$d2];\n"),
            a);
      if (!golden()) advance(4600 + 301 * (n % 14));
      put(a.y, 1);
      const uint32_t x = get(a.x);
      finish();
      const uint32_t y = get(a.out);
      count += x == 0 && y == 0;
      kernel_first += x == 1 && y == 0;
      host_first += x == 0 && y == 1;
    }
    if (ordered && !golden()) {
      EXPECT_GT(kernel_first, 0u);
      EXPECT_GT(host_first, 0u);
    }
    return count;
  };
  EXPECT_EQ(weak(true), 0u);
  const unsigned unordered = weak(false);  // the finalizer may exchange the accesses, too
  if (ca()) {
    EXPECT_GT(unordered, 0u);
  }
}

/// 64 work-items and the host count in one word.
TEST_P(HostLitmus, AtomicsOfBothSidesAddUp) {
  constexpr uint32_t kTurns = 40;
  const auto run = [&](uint32_t type) {
    Arguments a{allocate(type), allocate(type), allocate(kCoarse), kTurns};
    start(kernel("@more:\natomicnoret_add_global_rlx_system_u32 [$d0], 1;\n"
                 "sub_u32 $s0, $s0, 1;\ncmp_ne_b1_u32 $c0, $s0, 0;\ncbr_b1 $c0, @more;\n"),
          a, 64);
    uint32_t host = 0;
    uint64_t before = 0;
    for (unsigned n = 0; n < 20; ++n) {
      if (!golden()) advance(1500);
      uint64_t old = 0;
      EXPECT_EQ(cuvette_memory_atomic(machine_, CUVETTE_ATOMIC_ADD, 4, a.x, 100000, 0, &old),
                CUVETTE_OK);
      if (type == kFine) {
        EXPECT_GE(old, before);
      }
      before = old;
      host += 100000;
    }
    finish();
    return get(a.x) - host;
  };
  EXPECT_EQ(run(kFine), 64u * kTurns);
  if (ca()) {
    EXPECT_NE(run(kCoarse), 64u * kTurns) << "the L2 writes its own count back";
  } else {
    EXPECT_EQ(run(kCoarse), 64u * kTurns);
  }
}

TEST_P(HostLitmus, OneMemoryTypeAtMost) {
  uint64_t at = 0;
  EXPECT_EQ(cuvette_memory_allocate(machine_, 8, 0,
                                    CUVETTE_MEMORY_FINE_GRAINED | CUVETTE_MEMORY_UNCACHED, &at),
            CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(std::string(cuvette_error_text()),
            "memory that is fine-grained and uncached, expected one of them");
}

INSTANTIATE_TEST_SUITE_P(Engines, HostLitmus,
                         testing::Combine(testing::Values("ca", "lt", "golden"),
                                          testing::ValuesIn(cuvette::finalizer_testing::kTargets)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param);
                         });

}  // namespace
