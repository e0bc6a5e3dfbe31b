// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Everything a packet or a wave can do wrong, on every engine, one after the other in one machine:
// the queue stops with the right code and place, its packet completes nothing, another queue goes
// on meanwhile, and a new queue works afterwards (HSAIL PRM 12.2; Compute ABI;
// docs/reference/command_processor.md "Errors").
#include <algorithm>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>

#include "command_processor/pm4.h"
#include "finalizer/assembler.h"
#include "hsa/kernel_code.h"
#include "hsa/kernel_descriptor.h"
#include "queue_rig.h"

namespace cuvette {
namespace {

using hsa::KernelDispatchPacket;
using testing_support::FenceScope;
using testing_support::header;
using testing_support::QueueRig;

constexpr uint64_t kNowhere = 0x765432100000;

/// Stores its second argument + work-item into the word of the work-item.
constexpr const char* kMark = R"(module &m:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %out, kernarg_u32 %value)
{
  workitemabsid_u32 $s0, 0;
  shl_u32 $s1, $s0, 2;
  cvt_u64_u32 $d1, $s1;
  ld_kernarg_align(8)_u64 $d0, [%out];
  add_u64 $d0, $d0, $d1;
  ld_kernarg_align(4)_u32 $s2, [%value];
  add_u32 $s2, $s2, $s0;
  st_global_align(4)_u32 $s2, [$d0];
};
)";

class QueueErrors : public testing::TestWithParam<const char*> {
 protected:
  QueueErrors() { mark_ = rig_.kernel(kMark); }

  /// 128 work-items in two work-groups.
  struct Work {
    uint64_t out, signal;
    uint32_t value;
  };
  KernelDispatchPacket good(Work& w) {
    w.out = rig_.allocate(512);
    w.value = ++value_ * 1000;
    w.signal = rig_.signal(1);
    struct {
      uint64_t out;
      uint32_t value, padding;
    } arguments{w.out, w.value, 0};
    auto p = rig_.packet(mark_, 128, 64, &arguments, sizeof arguments);
    p.completion_signal = w.signal;
    return p;
  }
  void expect_done(const Work& w, const std::string& what) {
    EXPECT_EQ(rig_.value(w.signal), 0) << what;
    for (uint32_t i = 0; i < 128; ++i) {
      ASSERT_EQ(rig_.read<uint32_t>(w.out + 4 * i), w.value + i) << what;
    }
  }

  /// One packet that has to stop its queue with `code` and, when that is not 0, `address`.
  template <class Packet>
  void provoke(const std::string& what, Packet bad, uint32_t code, uint64_t address = 0) {
    rig_.add_queue();
    const auto broken = static_cast<unsigned>(rig_.queues.size() - 1);
    Work before, behind, beside[3];
    const auto first = good(before);
    auto last = good(behind);
    if (bad.completion_signal == 0) bad.completion_signal = rig_.signal(1);
    const uint64_t untouched = bad.completion_signal;
    last.header =
        header(hsa::PacketType::KernelDispatch, true, FenceScope::System, FenceScope::System);
    rig_.interrupts.clear();
    rig_.submit(0, good(beside[0]));
    rig_.submit(broken, first);
    rig_.run();
    rig_.submit(0, good(beside[1]));
    rig_.submit(broken, bad);
    rig_.submit(broken, last);
    rig_.submit(0, good(beside[2]));
    rig_.run();
    said_.clear();
    for (const auto& line : rig_.gpu->take_errors()) said_ += line + "\n";

    expect_done(before, what + ": the packet before it");
    for (const Work& w : beside) expect_done(w, what + ": the other queue");
    EXPECT_EQ(rig_.error(broken), int64_t{code}) << what;
    unsigned told = 0;
    for (const auto& i : rig_.interrupts) {
      if (i.queue != rig_.queues[broken].number) continue;
      ++told;
      EXPECT_EQ(i.source, code) << what;
      if (address != 0) {
        EXPECT_EQ(i.context, address) << what << std::hex << " " << i.context;
      }
    }
    EXPECT_EQ(told, 1u) << what;
    if (untouched % 64 == 0 && untouched != kNowhere) {
      EXPECT_EQ(rig_.value(untouched), 1) << what << ": its completion signal";
    }
    EXPECT_EQ(rig_.value(behind.signal), 1) << what << ": the packet behind it";
    EXPECT_EQ(rig_.read<uint32_t>(behind.out), 0u) << what << ": the packet behind it";
    // A packet that did its work and could not say so is over.
    EXPECT_EQ(*rig_.queues[broken].ring->load_read_index(), untouched == kNowhere ? 2u : 1u)
        << what;

    rig_.gpu->unbind(rig_.queues[broken].number);
    rig_.add_queue();
    Work after;
    rig_.submit(static_cast<unsigned>(rig_.queues.size() - 1), good(after));
    rig_.run();
    expect_done(after, what + ": a queue afterwards");
    EXPECT_EQ(rig_.error(0), 0) << what;
  }
  void provoke(const std::string& what, uint32_t code,
               const std::function<void(KernelDispatchPacket&)>& spoil, uint64_t address = 0) {
    Work w;
    auto p = good(w);
    spoil(p);
    provoke(what, p, code, address);
  }

  uint64_t allocate(uint64_t bytes, hsa::Access permitted) {
    hsa::DeviceMemory::Options options;
    options.permitted = permitted;
    return *rig_.memory.allocate(bytes, options);
  }
  /// A kernel object of this descriptor with these words at its entry, 256 bytes behind.
  uint64_t object(hsa::KernelDescriptor descriptor, const std::vector<uint32_t>& words,
                  hsa::Access permitted = hsa::Access::All) {
    const uint64_t at = allocate(256 + 4 * words.size() + 64, permitted);
    if (descriptor.kernel_code_entry_byte_offset == 0) {
      descriptor.kernel_code_entry_byte_offset = 256;
    }
    EXPECT_TRUE(rig_.memory.poke(at, &descriptor, sizeof descriptor).ok());
    EXPECT_TRUE(rig_.memory.poke(at + 256, words.data(), 4 * words.size()).ok());
    return at;
  }
  static hsa::KernelDescriptor descriptor() {
    hsa::KernelDescriptor kd;
    kd.compute_pgm_rsrc1 = 3u | 2u << 6;  // 16 VGPRs, 48 SGPRs
    kd.compute_pgm_rsrc2 = 2u << 1;
    kd.kernel_code_properties = 8;  // s[0:1]: kernarg
    return kd;
  }
  static std::vector<uint32_t> assemble(std::vector<std::string> lines) {
    lines.push_back("s_endpgm");
    auto words = finalizer::assemble(lines, "gfx908");
    EXPECT_TRUE(words.ok()) << words.error().str();
    return *words;
  }
  /// A dispatch of 64 work-items of machine code; s[0:1] points at `argument`.
  KernelDispatchPacket code(const std::vector<uint32_t>& words, uint64_t argument) {
    Work w;
    auto p = good(w);
    p.grid_size_x = 64;
    p.kernel_object = object(descriptor(), words);
    EXPECT_TRUE(rig_.memory.write_value(p.kernarg_address, argument));
    return p;
  }

  QueueRig rig_{GetParam(), 1};
  /// Expects the message of the error that provoke() has provoked.
  void expect_said(const std::string& text) {
    EXPECT_NE(said_.find(text), std::string::npos) << text << " in:\n" << said_;
  }

  hsa::KernelInfo mark_;
  uint32_t value_ = 0;
  std::string said_;
};

TEST_P(QueueErrors, HeadersAndSizes) {
  using P = KernelDispatchPacket;
  provoke("unknown type", 32, [](P& p) { p.header = (p.header & 0xff00) | 6; });
  provoke("highest type", 32, [](P& p) { p.header |= 0xff; });
  provoke("reserved header bits", 32, [](P& p) { p.header |= 1 << 13; });
  provoke("acquire scope 3", 32, [](P& p) { p.header |= 3 << 9; });
  provoke("release scope 3", 32, [](P& p) { p.header |= 3 << 11; });
  provoke("misaligned signal", 32, [](P& p) { p.completion_signal += 32; });
  provoke("no dimensions", 2, [](P& p) { p.setup = 0; });
  provoke("reserved setup bits", 2, [](P& p) { p.setup |= 1 << 2; });
  provoke("no grid in x", 2, [](P& p) { p.grid_size_x = 0; });
  provoke("no grid in y", 2, [](P& p) { p.grid_size_y = 0; });
  provoke("no grid in z", 2, [](P& p) { p.grid_size_z = 0; });
  provoke("no group in x", 2, [](P& p) { p.workgroup_size_x = 0; });
  provoke("no group in y", 2, [](P& p) { p.workgroup_size_y = 0; });
  provoke("no group in z", 2, [](P& p) { p.workgroup_size_z = 0; });
  provoke("y in one dimension", 2, [](P& p) { p.grid_size_y = 2; });
  provoke("z in two dimensions", 2, [](P& p) {
    p.setup = 2;
    p.workgroup_size_z = 2;
  });
  provoke("1025 work-items", 64, [](P& p) { p.workgroup_size_x = 1025; });
  provoke("33 by 32 work-items", 64, [](P& p) {
    p.setup = 2;
    p.workgroup_size_x = 33;
    p.workgroup_size_y = 32;
  });
  provoke("group segment", 4, [](P& p) { p.group_segment_size = 65537; });
  provoke("private segment", 1, [](P& p) { p.private_segment_size = 131057; });
}

TEST_P(QueueErrors, Kernels) {
  using P = KernelDispatchPacket;
  provoke("no kernel", 8, [](P& p) { p.kernel_object = 0; });
  provoke("misaligned kernel", 8, [](P& p) { p.kernel_object += 32; });
  provoke("unmapped kernel", 8, [](P& p) { p.kernel_object = kNowhere; }, kNowhere);
  const auto with = [&](const std::function<void(hsa::KernelDescriptor&)>& spoil) {
    auto kd = descriptor();
    spoil(kd);
    const uint64_t at = object(kd, assemble({}));
    return [at](P& p) { p.kernel_object = at; };
  };
  provoke("wave32", 8, with([](auto& kd) { kd.kernel_code_properties |= 1 << 10; }));
  provoke("reserved bytes", 8, with([](auto& kd) { kd.reserved1[3] = 1; }));
  provoke("misaligned entry", 8, with([](auto& kd) { kd.kernel_code_entry_byte_offset = 320; }));
  hsa::AmdKernelCode foreign;
  foreign.amd_machine_version_major = 9;
  foreign.amd_machine_version_stepping = 6;
  const uint64_t at = allocate(512, hsa::Access::All);
  ASSERT_TRUE(rig_.memory.write_value(at, foreign));
  provoke("code of gfx906", 8, [at](P& p) { p.kernel_object = at; });
  provoke("256 SGPRs", 128, with([](auto& kd) { kd.compute_pgm_rsrc1 |= 15 << 6; }));
}

TEST_P(QueueErrors, OtherPackets) {
  hsa::AgentDispatchPacket agent;
  agent.header = header(hsa::PacketType::AgentDispatch, false, FenceScope::None, FenceScope::None);
  // The rig of the other engines has nobody to say so; registers_gpu_test has.
  if (std::string(GetParam()) == "lt") provoke("agent dispatch that nobody serves", agent, 32);
  hsa::BarrierPacket barrier;
  barrier.header = header(hsa::PacketType::BarrierOr, false, FenceScope::None, FenceScope::None);
  barrier.dep_signal[4] = kNowhere;
  provoke("barrier on an unmapped signal", barrier, 0x20000000, kNowhere + 8);
  hsa::BarrierValuePacket value;
  value.header = header(hsa::PacketType::VendorSpecific, false, FenceScope::None, FenceScope::None);
  value.condition = 4;
  provoke("condition of a barrier-value", value, 256);
  value.condition = 0;
  value.signal = kNowhere;
  provoke("barrier-value on an unmapped signal", value, 0x20000000, kNowhere + 8);
  value.format = 9;
  value.signal = 0;
  provoke("vendor format", value, 256);
  namespace pm4 = command_processor::pm4;
  hsa::Pm4IbPacket ib;
  ib.header = value.header;
  ib.jump[0] = pm4::header(pm4::Opcode::IndirectBuffer, 3);
  ib.jump[1] = static_cast<uint32_t>(kNowhere);
  ib.jump[2] = static_cast<uint32_t>(kNowhere >> 32);
  ib.jump[3] = 4 | pm4::kIbValid;
  provoke("unmapped indirect buffer", ib, 0x20000000, kNowhere);
  const uint64_t buffer = rig_.allocate(64);
  ib.jump[1] = static_cast<uint32_t>(buffer);
  ib.jump[2] = static_cast<uint32_t>(buffer >> 32);
  ASSERT_TRUE(rig_.memory.write_value(buffer, uint32_t{0xc000ff00}));
  provoke("unknown PM4 packet", ib, 256);
  Work w;
  auto p = good(w);
  p.completion_signal = kNowhere;
  provoke("unmapped completion signal", p, 0x20000000, kNowhere);
}

TEST_P(QueueErrors, Waves) {
  const auto read_only = allocate(64, hsa::Access::Read);
  const std::vector<std::string> load_pointer{"s_load_dwordx2 s[2:3], s[0:1], 0x0",
                                              "v_mov_b32 v0, 0", "s_waitcnt lgkmcnt(0)"};
  const auto with = [&](std::vector<std::string> more) {
    auto lines = load_pointer;
    lines.insert(lines.end(), more.begin(), more.end());
    lines.push_back("s_waitcnt vmcnt(0) lgkmcnt(0)");
    return assemble(lines);
  };
  constexpr uint32_t kFault = 0x20000000;
  const auto store = with({"global_store_dword v0, v0, s[2:3] offset:8"});
  provoke("wild store", code(store, kNowhere), kFault, kNowhere + 8);
  provoke("store where only reads are permitted", code(store, read_only), kFault, read_only + 8);
  provoke("wild load", code(with({"global_load_dword v1, v0, s[2:3] offset:16"}), kNowhere), kFault,
          kNowhere + 16);
  provoke("wild atomic", code(with({"global_atomic_add v0, v0, s[2:3]"}), kNowhere), kFault,
          kNowhere);
  provoke("wild scalar load", code(with({"s_load_dword s4, s[2:3], 0x20"}), kNowhere), kFault,
          kNowhere + 0x20);
  provoke("wild jump", code(with({"s_setpc_b64 s[2:3]"}), kNowhere), kFault, kNowhere);

  auto p = code(with({}), 0);
  p.kernel_object = object(descriptor(), with({}), hsa::Access::ReadWrite);
  provoke("code that must not be executed", p, kFault, p.kernel_object + 256);

  // Nobody handles traps here (LLVM AMDGPUUsage, "Trap Handler ABI"); the object says nothing of
  // it.
  constexpr uint32_t kTrap = 0x80000000;
  provoke("abort", code(with({"s_mov_b64 exec, 0x30", "s_trap 2"}), 0), kTrap);
  expect_said("s_trap 2: trap 2 (abort: llvm.trap) without a trap handler, lanes 4 to 5");
  provoke("debugtrap", code(with({"s_trap 3"}), 0), kTrap);
  expect_said("s_trap 3: trap 3 (llvm.debugtrap) without a trap handler, lanes 0 to 63");
  provoke("another trap", code(with({"s_trap 0x21"}), 0), kTrap);
  expect_said("trap 33 without a trap handler, lanes 0 to 63");

  // Reserved encodings (MI100 ISA 12): SOP1 opcode 255, SOPP opcode 127.
  provoke("illegal SOP1", code({0xbe80ff00, 0xbf810000}, 0), 0x40000000);
  provoke("illegal SOPP", code({0xbfff0000, 0xbf810000}, 0), 0x40000000);
}

/// Straight-line execution leaves the code of its kernel: into the padding behind it, into the next
/// kernel, out of an object.
TEST_P(QueueErrors, EndsOfCode) {
  const auto code_of = [&](const std::vector<hsa::CodeRange>& functions) {
    Work w;
    auto p = good(w);
    p.grid_size_x = 64;
    const auto words = assemble({"s_nop 0", "v_mov_b32 v0, 0", "s_nop 0", "s_nop 0"});
    p.kernel_object = object(descriptor(), words);
    std::vector<hsa::CodeRange> at;
    for (const auto& f : functions) {
      at.push_back({p.kernel_object + 256 + f.begin, p.kernel_object + 256 + f.end, f.name});
    }
    rig_.memory.space().code().add(at);
    return p;
  };
  constexpr uint32_t kIllegal = 0x40000000;
  provoke("into padding", code_of({{0, 8, "short_kernel"}}), kIllegal);
  expect_said("runs past the end of the code of 'short_kernel'");
  expect_said("into what is no function");
  provoke("into another kernel", code_of({{0, 12, "one"}, {12, 20, "other"}}), kIllegal);
  expect_said("runs past the end of the code of 'one'");
  expect_said("into 'other'");
  provoke("into an object", code_of({{16, 20, "behind"}}), kIllegal);
  expect_said("from code without a symbol into 'behind'");
  // Work that ends in time is not disturbed.
  Work w;
  auto p = good(w);
  const auto fine = code_of({{0, 20, "fine"}});
  p.kernel_object = fine.kernel_object;
  rig_.submit(0, p);
  rig_.run();
  EXPECT_EQ(rig_.value(w.signal), 0);
}

/// Doubles a value by way of an array in private memory, whose index nobody knows beforehand: more
/// than 512 bytes of a work-item.
constexpr const char* kPrivate = R"(module &m:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %out, kernarg_u32 %index)
{
  align(4) private_u32 %array[128];
  workitemabsid_u32 $s0, 0;
  ld_kernarg_align(4)_u32 $s5, [%index];
  and_b32 $s1, $s0, 127;
  shl_u32 $s1, $s1, 2;
  shl_u32 $s2, $s0, 1;
  st_private_align(4)_u32 $s2, [%array][$s1];
  add_u32 $s3, $s0, 1;
  and_b32 $s3, $s3, 127;
  shl_u32 $s3, $s3, 2;
  st_private_align(4)_u32 77, [%array][$s3];
  barrier;
  add_u32 $s3, $s0, $s5;
  and_b32 $s3, $s3, 127;
  shl_u32 $s3, $s3, 2;
  ld_private_align(4)_u32 $s3, [%array][$s3];
  shl_u32 $s4, $s0, 2;
  cvt_u64_u32 $d1, $s4;
  ld_kernarg_align(8)_u64 $d0, [%out];
  add_u64 $d0, $d0, $d1;
  st_global_align(4)_u32 $s3, [$d0];
};
)";

/// A queue without enough scratch memory asks its host by the inactive signal, and goes on with the
/// same packet when the host has provided some and put the signal back to 0 (public runtime,
/// dynamic scratch). Four waves have room at a time here, sixteen need some.
TEST_P(QueueErrors, ScratchIsAskedOfTheHost) {
  constexpr uint32_t kItems = 1024, kBytesOfWave = 36 * 1024, kWaves = 4;
  const hsa::KernelInfo kernel = rig_.kernel(kPrivate);
  ASSERT_GE(kernel.private_bytes, 512u);
  ASSERT_LE(kernel.private_bytes, kBytesOfWave / 64);
  const uint64_t out = rig_.allocate(4 * kItems);
  const struct {
    uint64_t out;
    uint32_t index, padding;
  } arguments{out, 0, 0};
  auto p = rig_.packet(kernel, kItems, 128, &arguments, sizeof arguments);
  p.completion_signal = rig_.signal(1);
  Work beside;
  rig_.add_queue();
  rig_.interrupts.clear();
  rig_.submit(1, p);
  rig_.submit(0, good(beside));
  const auto number = rig_.queues[1].number;
  const auto asked = [&] {
    std::vector<uint64_t> contexts;
    for (const auto& i : rig_.interrupts) {
      if (i.queue == number && i.source == hsa::kQueueErrorScratch) contexts.push_back(i.context);
    }
    return contexts;
  };
  rig_.gpu->simulate(200'000);
  expect_done(beside, "the other queue goes on");
  EXPECT_EQ(rig_.error(1), 1);
  EXPECT_EQ(asked(), std::vector<uint64_t>{kernel.private_bytes});
  EXPECT_EQ(rig_.value(p.completion_signal), 1);
  EXPECT_EQ(rig_.read<uint32_t>(out + 4), 0u) << "nothing has run";
  said_.clear();
  for (const auto& line : rig_.gpu->take_errors()) said_ += line + "\n";
  expect_said(" bytes of scratch memory per work-item");
  expect_said("scratch_workitem_byte_size 0");

  // The memory behind is somebody else's.
  const uint64_t scratch = rig_.allocate(kWaves * kBytesOfWave + 4096);
  const uint64_t object = rig_.queues[1].ring->address();
  auto queue = rig_.read<hsa::AmdQueue>(object);
  queue.scratch_backing_memory_location = scratch;
  queue.scratch_backing_memory_byte_size = kWaves * kBytesOfWave;
  queue.scratch_workitem_byte_size = kBytesOfWave / 64;
  queue.compute_tmpring_size = kWaves | (kBytesOfWave / 1024) << 12;
  const uint32_t descriptor[4] = {static_cast<uint32_t>(scratch),
                                  static_cast<uint32_t>(scratch >> 32) | 1u << 31, 0xffffffff,
                                  0x00e80000};
  std::copy(std::begin(descriptor), std::end(descriptor), queue.scratch_resource_descriptor);
  ASSERT_TRUE(rig_.memory.write_value(object, queue));
  ASSERT_TRUE(rig_.memory.write_value(rig_.queues[1].inactive + offsetof(hsa::AmdSignal, value),
                                      int64_t{0}));
  rig_.run();
  EXPECT_EQ(rig_.value(p.completion_signal), 0);
  EXPECT_EQ(rig_.error(1), 0);
  EXPECT_EQ(asked().size(), 1u);
  for (uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(rig_.read<uint32_t>(out + 4 * i), 2 * i);
  for (uint32_t i = 0; i < 4096; i += 4) {
    ASSERT_EQ(rig_.read<uint32_t>(scratch + kWaves * kBytesOfWave + i), 0u) << "behind it, " << i;
  }
  EXPECT_TRUE(rig_.gpu->take_errors().empty());

  // More is asked for again; taken away while it waits.
  p.private_segment_size = kBytesOfWave / 64 + 4;
  p.completion_signal = rig_.signal(1);
  rig_.submit(1, p);
  rig_.gpu->simulate(200'000);
  EXPECT_EQ(asked().size(), 2u);
  EXPECT_EQ(rig_.error(1), 1);
  rig_.gpu->unbind(number);
  rig_.run();
  EXPECT_EQ(rig_.value(p.completion_signal), 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, QueueErrors, testing::Values("ca", "lt", "golden"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace cuvette
