// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Visibility through caches (engines.md): the host changes memory behind the
// GPU; a kernel sees the old bytes unless its packet acquires them.
#include <array>
#include <ostream>

#include <gtest/gtest.h>

#include "ca_testing.h"
#include "finalizer/assembler.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/queue.h"
#include "hsa/signal.h"

namespace cuvette {
namespace {

using hsa::FenceScope;

/// Loads a vector and a scalar value, takes a third from its own code, stores all three.
const std::vector<std::string> kKernel{"s_load_dwordx4 s[4:7], s[0:1], 0x0",
                                       "s_load_dword s8, s[0:1], 0x10",
                                       "s_waitcnt lgkmcnt(0)",
                                       "v_mov_b32 v3, 0",
                                       "global_load_dword v0, v3, s[6:7]",
                                       "v_mov_b32 v1, s8",
                                       "v_mov_b32 v2, 0x11111111",
                                       "s_waitcnt vmcnt(0)",
                                       "global_store_dwordx3 v3, v[0:2], s[4:5]",
                                       "s_waitcnt vmcnt(0)",
                                       "s_endpgm"};

class Litmus : public testing::Test {
 protected:
  using Values = std::array<uint32_t, 3>;  // vector, scalar, instruction

  explicit Litmus(const std::string& config = "small", const std::string& target = "gfx908",
                  const std::vector<std::string>& first = {},
                  const std::vector<std::string>& last = {}) {
    auto d = testing_support::description(config);
    auto made = testing_support::PlainGpu::make(d, memory_, {});
    EXPECT_TRUE(made.ok());
    gpu_ = std::move(*made);
    gpu_->on_interrupt([this](const command_processor::Interrupt&) { gpu_->pause(); });
    std::vector<std::string> lines = first;
    lines.insert(lines.end(), kKernel.begin(), kKernel.end() - 1);
    lines.insert(lines.end(), last.begin(), last.end());
    lines.push_back(kKernel.back());
    auto words = finalizer::assemble(lines, target);
    EXPECT_TRUE(words.ok());
    hsa::DeviceMemory::Options executable;
    executable.permitted = hsa::Access::All;
    kernel_ = *memory_.allocate(0x1000, executable);
    hsa::KernelDescriptor kd;
    kd.kernel_code_entry_byte_offset = 256;
    kd.compute_pgm_rsrc1 = 1u << 6;  // 4 VGPRs, 16 SGPRs
    kd.compute_pgm_rsrc2 = 2u << 1;
    kd.kernel_code_properties = 8;
    EXPECT_TRUE(memory_.write_value(kernel_, kd));
    EXPECT_TRUE(memory_.write(kernel_ + 256, words->data(), words->size() * 4));
    for (size_t i = 0; i < words->size(); ++i) {
      if ((*words)[i] == 0x11111111) literal_ = kernel_ + 256 + i * 4;
    }
    EXPECT_NE(literal_, 0u);
    out_ = *memory_.allocate(64);
    in_ = *memory_.allocate(64);
    kernarg_ = *memory_.allocate(64);
    EXPECT_TRUE(memory_.write_value(kernarg_, out_));
    EXPECT_TRUE(memory_.write_value(kernarg_ + 8, in_));
    queue_ = std::make_unique<hsa::Queue>(*hsa::Queue::create(memory_, {}));
    gpu_->bind({queue_->address(), 0, 0, 0});
    mailbox_ = *memory_.allocate(8);
  }

  void put(uint32_t value) {
    EXPECT_TRUE(memory_.write_value(in_, value));
    EXPECT_TRUE(memory_.write_value(kernarg_ + 16, value + 1));
    EXPECT_TRUE(memory_.poke(literal_, &value, 4).ok());
  }
  Values run(FenceScope acquire, FenceScope release = FenceScope::System) {
    hsa::KernelDispatchPacket p;
    p.header = hsa::encode({hsa::PacketType::KernelDispatch, true, acquire, release});
    p.setup = 1;
    p.workgroup_size_x = 1;
    p.workgroup_size_y = p.workgroup_size_z = 1;
    p.grid_size_x = p.grid_size_y = p.grid_size_z = 1;
    p.kernel_object = kernel_;
    p.kernarg_address = kernarg_;
    hsa::Signal done = *hsa::Signal::create(memory_, 1);
    EXPECT_TRUE(done.set_event(mailbox_, 1).ok());
    p.completion_signal = done.handle();
    EXPECT_TRUE(queue_->submit(&p).ok());
    EXPECT_TRUE(gpu_->ring(0, 0).ok());
    gpu_->simulate(100000);
    EXPECT_EQ(*done.load(), 0);
    Values v{};
    EXPECT_TRUE(memory_.read_value(out_, &v));
    return v;
  }

  hsa::DeviceMemory memory_;
  std::unique_ptr<run::TimedGpu> gpu_;
  std::unique_ptr<hsa::Queue> queue_;
  uint64_t kernel_ = 0, literal_ = 0, out_ = 0, in_ = 0, kernarg_ = 0, mailbox_ = 0;
};

TEST_F(Litmus, WithoutAcquireEveryCacheShowsTheOldBytes) {
  put(100);
  EXPECT_EQ(run(FenceScope::System), (Values{100, 101, 100}));
  put(200);
  EXPECT_EQ(run(FenceScope::None), (Values{100, 101, 100}));
}

TEST_F(Litmus, WithASystemAcquireEveryCacheShowsTheNewBytes) {
  put(100);
  EXPECT_EQ(run(FenceScope::System), (Values{100, 101, 100}));
  put(200);
  EXPECT_EQ(run(FenceScope::System), (Values{200, 201, 200}));
}

TEST_F(Litmus, AnAgentAcquireStopsAtTheL2) {
  put(100);
  EXPECT_EQ(run(FenceScope::System), (Values{100, 101, 100}));
  put(200);
  EXPECT_EQ(run(FenceScope::Agent), (Values{100, 101, 100})) << "the L2 still has them";
}

TEST_F(Litmus, WithoutReleaseTheHostDoesNotSeeTheStores) {
  put(100);
  EXPECT_EQ(run(FenceScope::System, FenceScope::None), (Values{0, 0, 0}));
  put(200);
  EXPECT_EQ(run(FenceScope::None, FenceScope::System), (Values{100, 101, 100}));
}

/// Fences in the kernel, none in its packets. The agent has one L2: what is for the agent ends
/// there (LLVM, memory models of gfx90a and gfx942).
struct InstructionFences {
  const char* target;
  std::vector<std::string> acquire, release;
  bool sees_new, is_seen;
};
std::ostream& operator<<(std::ostream& out, const InstructionFences& f) {
  out << f.target;
  for (const auto* lines : {&f.acquire, &f.release}) {
    out << " /";
    for (const std::string& line : *lines) out << " " << line;
  }
  return out;
}
class LitmusInstructions : public Litmus, public testing::WithParamInterface<InstructionFences> {
 protected:
  LitmusInstructions()
      : Litmus(std::string(GetParam().target) == "gfx908"
                   ? "small"
                   : "small_" + std::string(GetParam().target),
               GetParam().target, GetParam().acquire, GetParam().release) {}
};

TEST_P(LitmusInstructions, ReachAsFarAsTheirScope) {
  put(100);
  const Values first = run(FenceScope::None, FenceScope::None);
  EXPECT_EQ(first[0], GetParam().is_seen ? 100u : 0u);
  put(200);
  run(FenceScope::None, FenceScope::System);
  Values v{};
  EXPECT_TRUE(memory_.read_value(out_, &v));
  EXPECT_EQ(v[0], GetParam().sees_new ? 200u : 100u);
  EXPECT_EQ(v[1], 101u) << "no scalar cache is asked";
}

INSTANTIATE_TEST_SUITE_P(
    Fences, LitmusInstructions,
    testing::Values(
        InstructionFences{"gfx908", {}, {}, false, false},
        InstructionFences{"gfx908", {"buffer_wbinvl1_vol"}, {}, false, false},
        InstructionFences{"gfx90a", {}, {}, false, false},
        InstructionFences{"gfx90a", {"buffer_wbinvl1_vol"}, {}, false, false},
        InstructionFences{"gfx90a", {"buffer_invl2"}, {}, false, false},
        InstructionFences{"gfx90a", {"buffer_invl2", "buffer_wbinvl1_vol"}, {}, true, false},
        InstructionFences{"gfx90a", {}, {"buffer_wbl2", "s_waitcnt vmcnt(0)"}, false, true},
        InstructionFences{"gfx942", {"buffer_inv sc1"}, {}, false, false},
        InstructionFences{"gfx942", {"buffer_inv sc0 sc1"}, {}, true, false},
        InstructionFences{"gfx942", {}, {"buffer_wbl2 sc1", "s_waitcnt vmcnt(0)"}, false, false},
        InstructionFences{
            "gfx942", {}, {"buffer_wbl2 sc0 sc1", "s_waitcnt vmcnt(0)"}, false, true}));

}  // namespace
}  // namespace cuvette
