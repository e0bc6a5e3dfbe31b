// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/recorder.h"

#include <algorithm>
#include <cstring>

#include "hsa/packet.h"

namespace cuvette::thunk {

using Stage = command_processor::CommandProcessor::Stage;

namespace {

/// Byte of kernel_code_entry_byte_offset, in amd_kernel_code_t as in a kernel descriptor.
constexpr size_t kEntryOffset = 16;

}  // namespace

void Recorder::add_queue(uint32_t number, uint64_t ring, uint32_t packets) {
  rings_[number] = {ring, packets, {}};
}

void Recorder::remove_queue(uint32_t number) {
  rings_.erase(number);
  std::erase_if(under_way_, [number](const auto& entry) { return entry.first.first == number; });
}

void Recorder::step(machine::Cycle now, uint32_t queue, uint64_t packet, Stage stage) {
  if (stage == Stage::Ready) prepare(queue, packet);
  if (stage == Stage::Started) start(now, queue, packet);
  if (stage == Stage::Ended) end(now, queue, packet);
}

/// The last step at which the packet still has its header.
void Recorder::prepare(uint32_t queue, uint64_t packet) {
  const auto ring = rings_.find(queue);
  if (ring == rings_.end()) return;
  Ring& r = ring->second;
  const uint64_t slot = r.address + packet % r.packets * hsa::kPacketBytes;
  std::memcpy(static_cast<void*>(&r.next), reinterpret_cast<const void*>(slot), sizeof r.next);
}

void Recorder::start(machine::Cycle now, uint32_t queue, uint64_t packet) {
  const auto ring = rings_.find(queue);
  if (ring == rings_.end()) return;
  const hsa::KernelDispatchPacket& p = ring->second.next;
  if (hsa::decode_header(p.header).type != hsa::PacketType::KernelDispatch) return;
  ++dispatches_;
  Kernel& k = kernels_[p.kernel_object];
  if (k.dispatches++ == 0) {
    k.name = names_.of(p.kernel_object);
    int64_t offset = 0;
    std::memcpy(&offset, reinterpret_cast<const char*>(p.kernel_object) + kEntryOffset,
                sizeof offset);
    objects_[p.kernel_object + static_cast<uint64_t>(offset)] = p.kernel_object;
  }
  const auto groups = [](uint64_t grid, uint64_t size) { return (grid + size - 1) / size; };
  // Sizes were checked before the packet was started.
  k.workgroups += groups(p.grid_size_x, p.workgroup_size_x) *
                  groups(p.grid_size_y, p.workgroup_size_y) *
                  groups(p.grid_size_z, p.workgroup_size_z);
  under_way_[{queue, packet}] = {now, p.kernel_object};
}

void Recorder::end(machine::Cycle now, uint32_t queue, uint64_t packet) {
  const auto found = under_way_.find({queue, packet});
  if (found == under_way_.end()) return;
  Kernel& k = kernels_[found->second.kernel_object];
  const uint64_t cycles = now - found->second.start;
  k.cycles += cycles;
  k.least = std::min(k.least, cycles);
  k.most = std::max(k.most, cycles);
  under_way_.erase(found);
}

std::string Recorder::name_at(uint64_t entry) const {
  const auto object = objects_.find(entry);
  return object == objects_.end() ? "" : kernels_.at(object->second).name;
}

std::vector<Recorder::Kernel> Recorder::kernels() const {
  // Objects that were loaded twice are one kernel to people.
  std::map<std::string, Kernel> by_name;
  for (const auto& [object, k] : kernels_) {
    Kernel& sum = by_name[k.name];
    sum.name = k.name;
    sum.dispatches += k.dispatches;
    sum.workgroups += k.workgroups;
    sum.cycles += k.cycles;
    sum.least = std::min(sum.least, k.least);
    sum.most = std::max(sum.most, k.most);
  }
  std::vector<Kernel> out;
  for (auto& [name, k] : by_name) out.push_back(std::move(k));
  std::sort(out.begin(), out.end(), [](const Kernel& x, const Kernel& y) {
    return x.cycles != y.cycles ? x.cycles > y.cycles : x.name < y.name;
  });
  return out;
}

}  // namespace cuvette::thunk
