// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Retirement records of single instructions and random streams against an observer that knows
// nothing of how they are made (retire_observer.h).
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "isa/encode.h"
#include "isa/operands.h"
#include "isa_support/builder.h"
#include "retire_observer.h"
#include "test_vectors.h"

namespace cuvette::golden::testing {
namespace {

using isa::Encoding;
using isa::Instruction;
using isa::Target;

constexpr uint64_t kBase = uint64_t{1} << 32;
constexpr size_t kWindow = 64 << 10;
constexpr uint64_t kCode = kBase + (uint64_t{1} << 24);
constexpr uint64_t kSharedAperture = uint64_t{2} << 32;

/// One wave, 64 KiB of memory at 4 GiB, LDS.
class Bench {
 public:
  explicit Bench(Target target, uint64_t seed)
      : target_(target),
        memory_(own_memory()),
        observer_(*memory_, {{kBase, kWindow}}),
        program_(*memory_, target),
        port_(*memory_),
        wave_(target, 256, isa::has_accvgprs(target) ? 256 : 0),
        random_(seed) {
    group_.waves = 2;  // so that a barrier is one
    group_.lds.resize(4096);
    wave_.group = &group_;
    wave_.trap_on_violation = true;
  }

  static std::unique_ptr<hsa::DeviceMemory> own_memory() {
    auto backing = std::make_unique<hsa::SparseMemory>();
    auto space = std::make_unique<hsa::AddressSpace>();
    for (const Window& w : {Window{kBase, kWindow}, Window{kCode, 4096}}) {
      if (!backing->reserve(w.address, w.bytes) ||
          !space->map(w.address, w.bytes,
                      w.address == kCode ? hsa::Access::Execute : hsa::Access::ReadWrite)) {
        std::abort();
      }
    }
    return std::make_unique<hsa::DeviceMemory>(std::move(backing), std::move(space),
                                               hsa::DeviceAllocator::Config{});
  }

  /// Even registers hold small offsets, odd ones the upper half of an address: mostly memory,
  /// sometimes the shared aperture, seldom nothing.
  void randomize(bool numbers) {
    const auto upper = [this]() -> uint32_t {
      const auto r = random_() % 16;
      return r == 0 ? 3 : r <= 3 ? 2 : 1;
    };
    for (unsigned n = 0; n < 256; ++n) {
      for (uint32_t& lane : wave_.state.v.arch[n]) {
        lane = numbers      ? static_cast<uint32_t>(random_())
               : n % 2 != 0 ? upper()
                            : static_cast<uint32_t>(random_() % 3500);
        if (!numbers && n % 2 == 0 && random_() % 4 != 0) lane &= ~15u;
      }
      if (wave_.state.v.acc == nullptr) continue;
      for (uint32_t& lane : wave_.state.v.acc[n]) lane = static_cast<uint32_t>(random_());
    }
    auto& s = wave_.state.s;
    for (unsigned n = 0; n < 108; ++n) {
      s.sgpr[n] = numbers      ? static_cast<uint32_t>(random_())
                  : n % 4 == 2 ? 0x3000
                  : n % 2 != 0 ? 1
                               : static_cast<uint32_t>(random_() % 2048) & ~3u;
    }
    s.sgpr[isa::kM0] = static_cast<uint32_t>(random_()) & 0xf03f;
    s.set_vcc(random_());
    s.set_exec(random_() % 4 == 0 ? ~uint64_t{0} : random_());
    s.scc = random_() % 2 != 0;
    s.trapsts = 0;
    s.mode.raw = wave::kDefaultMode;
    if (random_() % 8 == 0) s.mode.raw |= 1u << 27;   // VGPR indexing
    if (random_() % 32 == 0) s.mode.raw |= 1u << 28;  // VSKIP
    auto& alloc = wave_.state.alloc;
    alloc.lds_bytes = static_cast<uint32_t>(group_.lds.size());
    alloc.shared_aperture = kSharedAperture;
    alloc.private_aperture = uint64_t{9} << 32;
    alloc.scratch_base = kBase + 0x8000;
    for (auto& byte : group_.lds) byte = static_cast<uint8_t>(random_());
    fill_memory();
  }
  void fill_memory() {
    std::vector<uint64_t> words(kWindow / 8);
    for (auto& word : words) word = random_();
    if (!memory_->write(kBase, words.data(), kWindow)) std::abort();
  }

  bool step(const Instruction& i, wave::RetireRecord& r) {
    if (!memory_->poke(kCode, i.words, 16)) std::abort();
    program_.renew();
    wave_.state.s.pc = kCode;
    wave_.state.s.status = 0;
    wave_.status = WaveStatus::Running;
    group_.at_barrier = 0;
    PortMemory memory(port_, group_.lds, serial_);
    return wave_.step(program_, memory, r);
  }

  /// One observed step. False when the instruction does not retire.
  bool observed_step(const Instruction& i) {
    wave_.state.s.pc = kCode;
    wave_.state.s.status = 0;
    const Snapshot before = observer_.take(wave_);
    wave::RetireRecord r;
    if (!step(i, r)) return false;
    const Snapshot after = observer_.take(wave_);
    const std::string wrong = observer_.check(before, r, after);
    EXPECT_EQ(wrong, "") << isa::name_of(target_) << " " << isa::text(i) << " ("
                         << isa::row_id(*i.row) << ")";
    EXPECT_EQ(r.order + 1, wave_.order);
    if (wrong.empty() && !reads_its_result(i, r)) recheck(i, before, r);
    return true;
  }

  std::mt19937_64& random() { return random_; }

 private:
  /// True if results depend on the old contents of their destination.
  static bool reads_its_result(const Instruction& i, const wave::RetireRecord& r) {
    const isa::RegisterSet read = isa::registers_read(i);
    for (const auto& w : r.vector_writes) {
      const auto file =
          w.kind == isa::OperandKind::Agpr ? isa::RegisterFile::Agpr : isa::RegisterFile::Vgpr;
      if (read.overlaps(isa::RegisterRange{file, 1, w.index})) return true;
      // Out-of-range sources read register 0, indexed ones anything.
      if (w.index == 0) return true;
    }
    return false;
  }

  /// Every listed lane is really written: it gets the same value when it held another one before.
  void recheck(const Instruction& i, const Snapshot& before, const wave::RetireRecord& first) {
    if (first.vector_writes.empty() || before.s.mode.gpr_idx_en()) return;
    const Snapshot end = observer_.take(wave_);
    restore(before);
    for (const auto& w : first.vector_writes) {
      auto* file = w.kind == isa::OperandKind::Agpr ? wave_.state.v.acc : wave_.state.v.arch;
      for (auto& lane : file[w.index]) lane = ~lane;
    }
    wave::RetireRecord second;
    EXPECT_TRUE(step(i, second));
    for (size_t n = 0; n < first.vector_writes.size() && n < second.vector_writes.size(); ++n) {
      EXPECT_EQ(first.vector_writes[n], second.vector_writes[n])
          << isa::name_of(target_) << " " << isa::text(i) << ": not written, or not alone decided";
    }
    restore(end);
  }

  void restore(const Snapshot& s) {
    wave_.state.s = s.s;
    std::copy(s.arch.begin(), s.arch.end(), wave_.state.v.arch);
    std::copy(s.acc.begin(), s.acc.end(), wave_.state.v.acc);
    group_.lds = s.lds;
    if (!memory_->write(kBase, s.memory[0].data(), kWindow)) std::abort();
  }

  Target target_;
  std::unique_ptr<hsa::DeviceMemory> memory_;
  RecordObserver observer_;
  Program program_;
  MemoryPort port_;
  Workgroup group_;
  Wave wave_;
  uint64_t serial_ = 0;
  std::mt19937_64 random_;
};

/// Every legal instruction the builder makes of a target's rows; images and such do not retire.
std::vector<Instruction> all_instructions(Target target) {
  std::vector<Instruction> all;
  for (const isa::Row& row : isa::rows()) {
    if (!row.on(target)) continue;
    for (const Encoding encoding :
         {Encoding::Native, Encoding::Literal, Encoding::Vop3, Encoding::Sdwa, Encoding::Dpp}) {
      const isa::test::Builder builder(row, target, encoding);
      if (!builder.exists()) continue;
      for (Instruction& i : builder.instructions()) {
        if (!isa::encode(i)) continue;
        const isa::Decoded d = isa::decode(target, i.words, i.length);
        if (d.status == isa::DecodeStatus::Legal) all.push_back(d.instruction);
      }
    }
  }
  return all;
}

class Records : public ::testing::TestWithParam<Target> {};

TEST_P(Records, OfEveryRow) {
  const uint64_t seed = 20261120;
  SCOPED_TRACE(seed);
  Bench bench(GetParam(), seed);
  std::set<const isa::Row*> retired;
  const auto all = all_instructions(GetParam());
  const isa::Row* row = nullptr;
  unsigned of_row = 0;
  for (const Instruction& i : all) {
    of_row = i.row == row ? of_row + 1 : 0;
    row = i.row;
    if (of_row > 2 && !test::chosen(of_row, 32)) continue;  // some rows have hundreds of forms
    bench.randomize(bench.random()() % 3 == 0);
    if (bench.observed_step(i)) retired.insert(i.row);
    if (HasFailure()) return;
  }
  EXPECT_GT(retired.size(), 850u);
}

TEST_P(Records, OfRandomStreams) {
  const uint64_t seed = 77;
  SCOPED_TRACE(seed);
  Bench bench(GetParam(), seed);
  const auto all = all_instructions(GetParam());
  unsigned retired = 0;
  for (unsigned n = 0; n < 3000; ++n) {
    if (n % 60 == 0) bench.randomize(false);
    if (bench.observed_step(all[bench.random()() % all.size()])) ++retired;
    if (HasFailure()) return;
  }
  EXPECT_GT(retired, 1500u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Records,
                         ::testing::Values(Target::Gfx900, Target::Gfx906, Target::Gfx908,
                                           Target::Gfx90a, Target::Gfx942),
                         [](const auto& target) {
                           return std::string(isa::name_of(target.param));
                         });

}  // namespace
}  // namespace cuvette::golden::testing
