// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A machine of any engine with AQL queues and finalized HSAIL kernels, driven packet by packet.
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "finalizer_testing.h"
#include "golden_gpu.h"
#include "hsa/code_object.h"
#include "hsa/queue.h"
#include "hsa/queue_error.h"
#include "hsa/signal.h"
#include "machine/gpu_config.h"
#include "plain_gpu.h"
#include "run/engine_lt.h"

namespace cuvette::testing_support {

using hsa::FenceScope;

/// Small: two compute units and two L2 slices, so that caches differ.
inline machine::GpuConfig two_units() {
  auto d = *machine::load_description(CUVETTE_SOURCE_DIR "/config/small.yaml");
  d.compute_units = 2;
  d.l2.slices = 2;
  return d;
}

/// Engines "ca", "lt" (one in a process) and "golden".
inline std::unique_ptr<run::TimedGpu> make_gpu(const std::string& engine,
                                               const machine::GpuConfig& description,
                                               hsa::DeviceMemory& memory) {
  if (engine == "golden") return std::make_unique<GoldenGpu>(description, memory);
  if (engine == "ca") {
    auto made = PlainGpu::make(description, memory, {});
    return std::move(*made);
  }
  auto registries = std::make_shared<gpu::Registries>(gpu::tlm_registries());
  auto made = run::make_lt_gpu("gpu", description, registries, memory, {});
  return std::move(*made);
}

class QueueRig {
 public:
  explicit QueueRig(const std::string& engine, unsigned count = 2)
      : description(two_units()), gpu(make_gpu(engine, description, memory)) {
    gpu->on_interrupt([this](const command_processor::Interrupt& i) { interrupts.push_back(i); });
    for (unsigned i = 0; i < count; ++i) add_queue();
  }

  struct UserQueue {
    std::unique_ptr<hsa::Queue> ring;
    uint64_t inactive = 0;
    uint32_t number = 0;  // of the binding, and its doorbell + 100
  };
  /// `shared`: object and ring lie in memory that is cached nowhere, for producers on the device.
  void add_queue(bool shared = false) {
    UserQueue q;
    q.ring =
        std::make_unique<hsa::Queue>(shared ? shared_queue() : *hsa::Queue::create(memory, {}));
    q.inactive = signal(0);
    EXPECT_TRUE(memory.write_value(
        q.ring->address() + offsetof(hsa::AmdQueue, queue_inactive_signal), q.inactive));
    command_processor::QueueBinding b;
    b.queue_address = q.ring->address();
    b.doorbell = static_cast<uint32_t>(queues.size());
    q.number = gpu->bind(b);
    queues.push_back(std::move(q));
  }

  uint64_t signal(int64_t value) { return hsa::Signal::create(memory, value)->handle(); }
  int64_t value(uint64_t signal) { return *hsa::Signal(memory, signal).load(); }
  int64_t error(unsigned queue) { return value(queues[queue].inactive); }
  uint64_t allocate_shared(uint64_t bytes) {
    hsa::DeviceMemory::Options options;
    options.type = hsa::MemoryType::Uncached;
    options.place = hsa::Place::Within4Gib;
    return *memory.allocate(bytes, options);
  }
  template <class T>
  T read(uint64_t address) {
    T out{};
    EXPECT_TRUE(memory.read_value(address, &out)) << std::hex << address;
    return out;
  }
  uint64_t allocate(uint64_t bytes) {
    auto at = memory.allocate(bytes);
    EXPECT_TRUE(at.ok());
    return *at;
  }

  /// The only kernel of a module.
  hsa::KernelInfo kernel(const std::string& text) {
    auto object = finalizer::finalize(finalizer_testing::load(text), {"gfx908", 4});
    EXPECT_TRUE(object.ok()) << object.error().str() << text;
    if (!object.ok()) return {};
    auto loaded = hsa::load_code_object(*object, "kernel.co", memory,
                                        hsa::default_machine(hsa::Processor::Gfx908));
    EXPECT_TRUE(loaded.ok()) << loaded.error().str();
    return loaded.ok() ? loaded->kernels.at(0) : hsa::KernelInfo{};
  }

  hsa::KernelDispatchPacket packet(const hsa::KernelInfo& kernel, uint32_t grid, uint16_t group,
                                   const void* arguments, size_t bytes) {
    hsa::KernelDispatchPacket p;
    p.header = hsa::encode(
        {hsa::PacketType::KernelDispatch, false, FenceScope::System, FenceScope::System});
    p.setup = 1;
    p.workgroup_size_x = group;
    p.workgroup_size_y = p.workgroup_size_z = 1;
    p.grid_size_x = grid;
    p.grid_size_y = p.grid_size_z = 1;
    p.group_segment_size = kernel.group_bytes;
    p.private_segment_size = kernel.private_bytes;
    p.kernel_object = kernel.descriptor;
    p.kernarg_address = allocate(std::max<size_t>(64, bytes));
    EXPECT_TRUE(memory.write(p.kernarg_address, arguments, bytes));
    return p;
  }
  template <class Packet>
  void submit(unsigned queue, const Packet& packet) {
    auto index = queues[queue].ring->submit(&packet);
    ASSERT_TRUE(index.ok()) << index.error().str();
    EXPECT_TRUE(gpu->ring(queue, *index).ok());
  }
  /// Until nothing is left to happen.
  void run(machine::Cycle most = 50'000'000) {
    gpu->simulate(most);
    EXPECT_TRUE(gpu->starved()) << "within " << most << " cycles";
  }

  hsa::Queue shared_queue() {
    constexpr uint32_t kPackets = 64;
    hsa::AmdQueue contents;
    contents.hsa_queue.base_address = allocate_shared(kPackets * hsa::kPacketBytes);
    contents.hsa_queue.size = kPackets;
    contents.queue_properties = hsa::kQueueIsPtr64;
    const std::vector<hsa::KernelDispatchPacket> empty(kPackets);
    EXPECT_TRUE(memory.write(contents.hsa_queue.base_address, empty.data(),
                             empty.size() * hsa::kPacketBytes));
    const uint64_t address = allocate_shared(sizeof contents);
    EXPECT_TRUE(memory.write_value(address, contents));
    return *hsa::Queue::open(memory, address);
  }

  hsa::DeviceMemory memory;
  machine::GpuConfig description;
  std::unique_ptr<run::TimedGpu> gpu;
  std::vector<UserQueue> queues;
  std::vector<command_processor::Interrupt> interrupts;
};

/// A header with these fences, and the barrier bit.
inline uint16_t header(hsa::PacketType type, bool barrier, FenceScope acquire, FenceScope release) {
  return hsa::encode({type, barrier, acquire, release});
}

}  // namespace cuvette::testing_support
