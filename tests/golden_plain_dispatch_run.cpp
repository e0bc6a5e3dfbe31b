// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_run.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cuvette::golden::plain {
namespace {

constexpr uint64_t kCodeBytes = 4096;

using testing::HasSubstr;
using testing::StartsWith;

hsa::KernelInfo info_of(const Kernel& kernel, const Setup& setup) {
  hsa::KernelInfo info;
  info.name = "kernel";
  info.target = hsa::default_machine(static_cast<hsa::Processor>(kernel.target));
  info.entry = setup.entry;
  info.vgpr_count = kVgprs;
  info.sgpr_count = kSgprs;
  info.rsrc1.round_32 = kernel.modes.round;
  info.rsrc1.denorm_32 = kernel.modes.denorm;
  info.rsrc1.ieee = kernel.modes.ieee;
  info.rsrc1.dx10_clamp = kernel.modes.dx10_clamp;
  info.rsrc2.user_sgpr_count = static_cast<uint8_t>(kernel.group_sgpr());
  info.rsrc2.workgroup_id_x = true;
  info.rsrc2.workgroup_id_y = kernel.id_y;
  info.rsrc2.workitem_id = kernel.id_y ? 1 : 0;
  info.user_sgprs.private_segment_buffer = kernel.buffer;
  info.user_sgprs.dispatch_ptr = kernel.packet;
  info.user_sgprs.kernarg_segment_ptr = true;
  return info;
}

/// Device memory with these contents.
std::unique_ptr<hsa::DeviceMemory> device_of(const Memory& memory) {
  auto backing = std::make_unique<hsa::SparseMemory>();
  auto space = std::make_unique<hsa::AddressSpace>();
  for (const Chunk& chunk : memory.chunks) {
    EXPECT_TRUE(backing->reserve(chunk.pa, chunk.bytes.size()).ok());
    EXPECT_TRUE(backing->write(chunk.pa, chunk.bytes.data(), chunk.bytes.size()));
  }
  for (const Piece& piece : memory.pieces) {
    hsa::AddressSpace::Range range;
    range.va = piece.va;
    range.bytes = piece.bytes;
    range.pa = memory.chunks[piece.chunk].pa + piece.offset;
    range.permitted = piece.permitted;
    EXPECT_TRUE(space->map(range).ok());
  }
  return std::make_unique<hsa::DeviceMemory>(std::move(backing), std::move(space),
                                             hsa::DeviceAllocator::Config{});
}

enum class Way {
  Plain,
  Observed,
  Stopping,  ///< stands still at many places, and goes on by pieces
};

/// A machine with memory of its own.
class Device {
 public:
  Device(const Case& one, const Memory& memory, Way way)
      : setup_(one.setup),
        info_(info_of(one.kernel, one.setup)),
        memory_(device_of(memory)),
        way_(way),
        machine_(*memory_, config_of(one)) {
    if (way == Way::Observed) machine_.observe([this](const auto&) { ++records_; });
  }

  Report run(const Dispatch& dispatch) {
    if (!dispatch.ops.empty()) {
      const auto words = words_of(dispatch.ops);
      EXPECT_TRUE(memory_->write(setup_.entry, words.data(), 4 * words.size()).ok());
    }
    if (dispatch.unmapped != 0) {
      EXPECT_TRUE(memory_->space().unmap(dispatch.unmapped).ok());
    }
    const auto& words = dispatch.arguments;
    EXPECT_TRUE(memory_->write(setup_.kernarg, words.data(), 4 * words.size()).ok());
    DispatchRequest request;
    request.kernel = &info_;
    request.grid = dispatch.grid;
    request.workgroup = dispatch.workgroup;
    request.start = dispatch.start;
    request.kernarg = setup_.kernarg;
    request.packet_address = setup_.packet;
    stop_soon();
    auto report = machine_.run(request);
    EXPECT_TRUE(report.ok());
    if (!report) return Report{};
    while (report->stands) {
      EXPECT_EQ(way_, Way::Stopping);
      EXPECT_TRUE(machine_.stands());
      (void)machine_.waves();
      stop_.go_on();
      stop_soon();
      report = machine_.go_on(stops_ % 3 == 0 ? 1000 : 0);
    }
    EXPECT_FALSE(machine_.stands());
    return std::move(*report);
  }

  uint64_t records() const { return records_; }  ///< that the observer saw

  void expect_memory(const Memory& wanted, const char* who) {
    std::vector<uint8_t> found;
    for (const Piece& piece : wanted.pieces) {
      const Chunk& chunk = wanted.chunks[piece.chunk];
      found.resize(piece.bytes);
      ASSERT_TRUE(memory_->backing().read(chunk.pa + piece.offset, found.data(), piece.bytes));
      const uint8_t* const want = chunk.bytes.data() + piece.offset;
      const auto at = std::mismatch(found.begin(), found.end(), want);
      if (at.first == found.end()) continue;
      const auto offset = static_cast<uint64_t>(at.first - found.begin()) & ~uint64_t{3};
      std::ostringstream out;
      out << who << " has other memory from " << std::hex << piece.va + offset << " on:";
      for (uint64_t n = offset; n < std::min(offset + 16, piece.bytes); ++n) {
        out << " " << unsigned{found[n]} << "/" << unsigned{want[n]};
      }
      FAIL() << out.str() << " (found/wanted)";
    }
  }

 private:
  /// A few places farther, another number every time.
  void stop_soon() {
    if (way_ == Way::Stopping) stop_.stop_at(stop_.passed() + 1 + stops_++ * 7 % 23, 1);
  }
  Config config_of(const Case& one) {
    const Setup& setup = one.setup;
    Config config;
    if (way_ == Way::Stopping) config.stop = &stop_;
    config.target = one.kernel.target;
    config.slice = setup.slice;
    config.resident_waves = setup.resident_waves;
    config.watchdog = setup.watchdog;
    config.threads = setup.threads;
    config.poison = setup.poison;
    return config;
  }

  Setup setup_;
  hsa::KernelInfo info_;
  std::unique_ptr<hsa::DeviceMemory> memory_;
  Way way_;
  base::StopPoint stop_;
  uint64_t stops_ = 0;
  Machine machine_;
  uint64_t records_ = 0;
};

std::map<std::string, uint64_t> rows_of(const Report& report) {
  std::map<std::string, uint64_t> out;
  for (const auto& [row, count] : report.by_row) out[std::string(row->mnemonic)] += count;
  return out;
}

void expect_wild(const Expected::Wild& wild, const Failure& found) {
  EXPECT_EQ(found.kind, Failure::Kind::WildAccess);
  EXPECT_EQ(found.address, wild.address);
  char text[100];
  snprintf(text, sizeof text, "wave %llu pc 0x%llx: ", static_cast<unsigned long long>(wild.wave),
           static_cast<unsigned long long>(wild.pc));
  EXPECT_THAT(found.message, StartsWith(text));
  snprintf(text, sizeof text, ": access %s 0x%llx (lanes 0x%016llx)",
           wild.mapped ? "not permitted at" : "to unmapped address",
           static_cast<unsigned long long>(wild.address),
           static_cast<unsigned long long>(wild.lanes));
  EXPECT_THAT(found.message, HasSubstr(text));
}

void expect_report(const Expected& want, const Report& found, uint64_t watchdog) {
  EXPECT_EQ(found.instructions, want.instructions);
  EXPECT_EQ(found.waves, want.waves);
  EXPECT_EQ(found.workgroups, want.workgroups);
  EXPECT_EQ(rows_of(found), want.rows);
  ASSERT_EQ(found.failures.size(), want.wild || want.watchdog ? 1u : 0u);
  if (want.wild) expect_wild(*want.wild, found.failures[0]);
  if (want.watchdog) {
    EXPECT_EQ(found.failures[0].kind, Failure::Kind::Watchdog);
    EXPECT_THAT(found.failures[0].message,
                StartsWith("watchdog: more than " + std::to_string(watchdog) + " instructions"));
  }
}

void expect_same(const Report& observed, const Report& found) {
  EXPECT_EQ(found.instructions, observed.instructions);
  EXPECT_EQ(found.waves, observed.waves);
  EXPECT_EQ(found.workgroups, observed.workgroups);
  EXPECT_TRUE(found.by_row == observed.by_row);
  ASSERT_EQ(found.failures.size(), observed.failures.size());
  for (size_t n = 0; n < found.failures.size(); ++n) {
    EXPECT_EQ(found.failures[n].kind, observed.failures[n].kind);
    EXPECT_EQ(found.failures[n].message, observed.failures[n].message);
    EXPECT_EQ(found.failures[n].address, observed.failures[n].address);
  }
}

/// What a case says of the host, as long as it runs.
class HostRules {
 public:
  explicit HostRules(const Case& one) : slow_(wave::lanes::subnormals_are_slow()) {
    wave::lanes::limit_host_level(one.level);
    wave::lanes::set_subnormals_slow(one.careful);
  }
  HostRules(const HostRules&) = delete;
  HostRules& operator=(const HostRules&) = delete;
  ~HostRules() {
    wave::lanes::limit_host_level(wave::lanes::HostLevel::Avx512);
    wave::lanes::set_subnormals_slow(slow_);
  }

 private:
  bool slow_;
};

void put_code(const Kernel& kernel, const Setup& setup, Memory& memory) {
  const auto words = words_of(kernel.ops);
  EXPECT_TRUE(memory.write(setup.entry, words.data(), 4 * static_cast<unsigned>(words.size())));
}

}  // namespace

Verdict judge(const Case& one, Memory* memory) {
  SCOPED_TRACE(text_of(one));
  const HostRules rules(one);
  Verdict out;
  Memory wanted = one.memory;
  wanted.add(one.setup.entry, kCodeBytes, hsa::Access::All);
  wanted.sort();
  Kernel kernel = one.kernel;
  put_code(kernel, one.setup, wanted);
  Device device(one, wanted, Way::Plain), observed(one, wanted, Way::Observed),
      stopping(one, wanted, Way::Stopping);
  for (size_t n = 0; n < one.dispatches.size() && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("dispatch " + std::to_string(n));
    const Dispatch& dispatch = one.dispatches[n];
    if (!dispatch.ops.empty()) {
      kernel.ops = dispatch.ops;
      put_code(kernel, one.setup, wanted);
    }
    std::erase_if(wanted.pieces, [&dispatch](const Piece& p) { return p.va == dispatch.unmapped; });
    wanted.write(one.setup.kernarg, dispatch.arguments.data(),
                 4 * static_cast<unsigned>(dispatch.arguments.size()));
    const Expected expected = evaluate(kernel, dispatch, one.setup, wanted);
    const Report found = device.run(dispatch);
    expect_report(expected, found, one.setup.watchdog);
    device.expect_memory(wanted, "golden");
    const uint64_t before = observed.records();
    expect_same(observed.run(dispatch), found);
    EXPECT_EQ(observed.records() - before, found.instructions);
    observed.expect_memory(wanted, "the observed machine");
    expect_report(expected, stopping.run(dispatch), one.setup.watchdog);
    stopping.expect_memory(wanted, "the machine that stands still");
    out.wild = out.wild || expected.wild.has_value();
    out.watchdog = out.watchdog || expected.watchdog;
    out.waves += expected.waves;
    out.items += expected.items;
    out.stores += expected.stores;
    out.race_bytes += found.race_bytes;
    out.restarted = out.restarted || !found.restarted.empty();
  }
  if (memory != nullptr) *memory = std::move(wanted);
  return out;
}

std::string text_of(const Case& one) {
  std::ostringstream out;
  out << text_of(one.kernel.ops, one.kernel.target) << isa::name_of(one.kernel.target) << " slice "
      << one.setup.slice << " resident " << one.setup.resident_waves << " watchdog "
      << one.setup.watchdog << " threads " << one.setup.threads << " poison " << one.setup.poison
      << " round " << static_cast<int>(one.kernel.modes.round) << " denorm "
      << static_cast<int>(one.kernel.modes.denorm) << " ieee " << one.kernel.modes.ieee << " level "
      << static_cast<int>(one.level) << " careful " << one.careful << std::hex << "\nkernarg "
      << one.setup.kernarg << " packet " << one.setup.packet << " memory";
  for (size_t n = 0; n < std::min<size_t>(one.memory.pieces.size(), 12); ++n) {
    const Piece& p = one.memory.pieces[n];
    out << " " << p.va << "+" << p.bytes
        << (hsa::includes(p.permitted, hsa::Access::Write) ? "" : "r") << "="
        << one.memory.chunks[p.chunk].pa + p.offset;
  }
  for (const Dispatch& d : one.dispatches) {
    out << std::dec << "\ngrid " << d.grid[0] << "x" << d.grid[1] << " of " << d.workgroup[0] << "x"
        << d.workgroup[1] << " from " << d.start[0] << "," << d.start[1] << " arguments"
        << std::hex;
    for (const uint32_t word : d.arguments) out << " " << word;
  }
  return out.str();
}

}  // namespace cuvette::golden::plain
