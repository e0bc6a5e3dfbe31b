// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/host_blocks.h"

#include "base/bits.h"

namespace cuvette::host {
namespace {

uint64_t rounded(uint64_t bytes) {
  return base::align_up(bytes, HostBlocks::kRoundedTo);
}

}  // namespace

base::Result<uint64_t> HostBlocks::add(void* host, uint64_t bytes,
                                       const hsa::DeviceMemory::Options& options) {
  if (bytes == 0) return base::Error("a block of no bytes");
  auto address = memory_.allocator().allocate(bytes, options.alignment, options.place);
  if (!address) return address;
  auto& sparse = static_cast<hsa::SparseMemory&>(memory_.backing());
  if (auto s = sparse.attach(*address, rounded(bytes), host); !s.ok()) return s.error();
  hsa::AddressSpace& space = memory_.space();
  hsa::AddressSpace::Range range;
  range.va = range.pa = *address;
  range.bytes = bytes;
  range.permitted = options.permitted;
  range.type = options.type;
  if (auto s = space.map(range); !s.ok()) return s.error();
  if (rounded(bytes) != bytes) {
    range.va = range.pa = *address + bytes;
    range.bytes = rounded(bytes) - bytes;
    range.permitted = hsa::Access::Read;
    if (auto s = space.map(range); !s.ok()) return s.error();
  }
  space.name(*address, bytes, "the allocation");
  blocks_[*address] = bytes;
  return address;
}

base::Status HostBlocks::remove(uint64_t address) {
  const auto found = blocks_.find(address);
  const uint64_t bytes = found->second;
  blocks_.erase(found);
  hsa::AddressSpace& space = memory_.space();
  if (auto s = space.unmap(address); !s.ok()) return s;
  if (rounded(bytes) != bytes) {
    if (auto s = space.unmap(address + bytes); !s.ok()) return s;
  }
  space.code().remove(address, address + bytes);
  space.forget(address);
  return static_cast<hsa::SparseMemory&>(memory_.backing()).release(address);
}

}  // namespace cuvette::host
