// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Retirement records of whole kernels, step by step, against the observer of retire_observer.h:
// loads and stores of all kinds, LDS with barriers, global atomics, branches.
#include <gtest/gtest.h>

#include "base/file.h"
#include "finalizer/finalize.h"
#include "golden/launch.h"
#include "hsa/code_object.h"
#include "hsa/packet.h"
#include "hsail/text.h"
#include "retire_observer.h"

namespace cuvette::golden::testing {
namespace {

struct Arguments {
  uint64_t in = 0, out = 0;
  uint32_t count = 0, padding = 0;
};

/// Runs tests/kernels/NAME.hsail(in, out, n) with one work-group's waves in turn. The result: how
/// many instructions retired.
unsigned run(const std::string& name, const std::string& target) {
  const std::string file = std::string(CUVETTE_SOURCE_DIR) + "/tests/kernels/" + name + ".hsail";
  auto source = base::read_text(file);
  EXPECT_TRUE(source.ok());
  auto parsed = hsail::load_text(*source, file);
  EXPECT_TRUE(parsed.ok());
  auto object = finalizer::finalize(*parsed, finalizer::Options{target, 5});
  if (!object) {
    ADD_FAILURE() << object.error().str();
    return 0;
  }
  hsa::DeviceMemory memory;
  const auto id = hsa::default_machine(hsa::parse_target(target)->processor);
  auto code = hsa::load_code_object(*object, file, memory, id);
  auto kernel = code->find("");
  EXPECT_TRUE(kernel.ok());

  constexpr uint32_t kCount = 700, kBytes = 4096;
  Arguments arguments;
  arguments.in = *memory.allocate(kBytes);
  arguments.out = *memory.allocate(kBytes);
  arguments.count = kCount;
  for (uint32_t n = 0; n < kCount; ++n) {
    EXPECT_TRUE(memory.write_value(arguments.in + 4 * n, n * 2654435761u).ok());
  }
  const uint64_t kernarg = *memory.allocate(512);
  EXPECT_TRUE(memory.write_value(kernarg, arguments).ok());
  const uint64_t packet = *memory.allocate(sizeof(hsa::KernelDispatchPacket));
  hsa::KernelDispatchPacket contents;
  contents.workgroup_size_x = 256;
  contents.workgroup_size_y = contents.workgroup_size_z = 1;
  contents.grid_size_x = 512;
  contents.grid_size_y = contents.grid_size_z = 1;
  EXPECT_TRUE(memory.write_value(packet, contents).ok());
  const RecordObserver observer(
      memory,
      {{arguments.in, kBytes}, {arguments.out, kBytes}, {kernarg, 512}, {packet, sizeof contents}});

  DispatchRequest request;
  request.kernel = *kernel;
  request.grid = {512, 1, 1};
  request.workgroup = {256, 1, 1};
  request.kernarg = kernarg;
  request.group_bytes = (*kernel)->group_bytes;
  request.private_bytes = (*kernel)->private_bytes;
  request.packet_address = packet;
  Config config;
  config.target = *isa::target_from_name(target);
  auto plan = plan_launch(request, config);
  EXPECT_TRUE(plan.ok());
  Program program(memory, config.target);
  MemoryPort port(memory);
  uint64_t serial = 0;
  unsigned retired = 0;
  for (uint64_t group = 0; group < 2; ++group) {
    Workgroup shared;
    shared.lds.resize(request.group_bytes);
    shared.waves = 4;
    std::vector<std::unique_ptr<Wave>> waves;
    for (unsigned n = 0; n < 4; ++n) {
      waves.push_back(launch_wave(*plan, config, group, n));
      waves.back()->group = &shared;
    }
    for (bool progress = true; progress;) {
      progress = false;
      for (auto& w : waves) {
        for (unsigned n = 0; n < 5 && w->status == WaveStatus::Running; ++n) {
          PortMemory step_memory(port, shared.lds, serial);
          const Snapshot before = observer.take(*w);
          wave::RetireRecord r;
          if (!w->step(program, step_memory, r)) {
            ADD_FAILURE() << w->failure;
            return retired;
          }
          const std::string wrong = observer.check(before, r, observer.take(*w));
          EXPECT_EQ(wrong, "") << w->place(r.pc, &r.instruction);
          if (!wrong.empty()) return retired;
          ++retired;
          progress = true;
          if (w->status == WaveStatus::Ended) --shared.waves;
        }
        if (shared.at_barrier != 0 && shared.at_barrier == shared.waves) {
          for (auto& other : waves) {
            if (other->status == WaveStatus::AtBarrier) other->status = WaveStatus::Running;
          }
          shared.at_barrier = 0;
        }
      }
    }
    for (auto& w : waves) EXPECT_EQ(w->status, WaveStatus::Ended) << w->failure;
  }
  return retired;
}

TEST(KernelRecords, OfReduce) {
  for (const char* target : {"gfx900", "gfx908", "gfx942"}) {
    EXPECT_GT(run("reduce", target), 500u) << target;
  }
}

TEST(KernelRecords, OfHistogram) {
  for (const char* target : {"gfx906", "gfx90a"}) {
    EXPECT_GT(run("histogram", target), 200u) << target;
  }
}

}  // namespace
}  // namespace cuvette::golden::testing
