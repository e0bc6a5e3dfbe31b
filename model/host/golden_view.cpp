// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/golden_view.h"

#include <algorithm>

namespace cuvette::host {

/// Addresses of the VMID at hand, whatever the VMID asked for.
class GoldenView::Space final : public hsa::AddressSpace {
 public:
  explicit Space(const GoldenView& view) : view_(view) {}
  hsa::Translation translate(uint32_t, uint64_t va, hsa::Access access) const override {
    return view_.contexts_.translate(view_.vmid_, va, access);
  }
  hsa::CodeExtent code_at(uint32_t, uint64_t va) const override {
    return view_.contexts_.code_at(view_.vmid_, va);
  }
  std::string place_of(uint32_t, uint64_t va, uint64_t bytes) const override {
    return view_.contexts_.place_of(view_.vmid_, va, bytes);
  }

 private:
  const GoldenView& view_;
};

/// Memory, but for stores to the doorbell aperture.
class GoldenView::Bytes final : public hsa::Backing {
 public:
  Bytes(hsa::Backing& memory, GoldenView& view) : memory_(memory), view_(view) {}

  uint8_t* host_pointer(uint64_t pa, size_t bytes) override {
    return touches_doorbells(pa, bytes) ? nullptr : memory_.host_pointer(pa, bytes);
  }
  bool read(uint64_t pa, void* out, size_t bytes) const override {
    return memory_.read(pa, out, bytes);
  }
  bool write(uint64_t pa, const void* data, size_t bytes) override {
    if (!touches_doorbells(pa, bytes)) return memory_.write(pa, data, bytes);
    const auto* const from = static_cast<const uint8_t*>(data);
    for (size_t i = 0; i < bytes; ++i) {
      if (!view_.contexts_.doorbells().covers(pa + i)) {
        if (!memory_.write(pa + i, from + i, 1)) return false;
        continue;
      }
      Block& block = view_.block_at(pa + i);
      const uint64_t inside = pa + i - block.address;
      block.mask |= uint64_t{1} << inside;
      block.data[inside] = from[i];
    }
    return true;
  }

 private:
  /// No access is as long as the aperture.
  bool touches_doorbells(uint64_t pa, size_t bytes) const {
    const gpu::DoorbellAperture& doorbells = view_.contexts_.doorbells();
    return doorbells.covers(pa) || doorbells.covers(pa + bytes - 1);
  }

  hsa::Backing& memory_;
  GoldenView& view_;
};

GoldenView::GoldenView(hsa::Backing& memory, const gpu::VmContexts& contexts)
    : contexts_(contexts),
      seen_(std::make_unique<Bytes>(memory, *this), std::make_unique<Space>(*this), {}) {}

GoldenView::~GoldenView() = default;

bool GoldenView::stays() const {
  return !has_page_tables();
}

GoldenView::Block& GoldenView::block_at(uint64_t address) {
  const uint64_t first = address - address % Block{}.data.size();
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [first](const Block& b) { return b.address == first; });
  if (found != blocks_.end()) return *found;
  Block& added = blocks_.emplace_back();
  added.address = first;
  return added;
}

void GoldenView::stored() {
  for (const Block& b : blocks_) {
    for (const auto& d : contexts_.doorbells().rung(b.address, b.data.data(), b.mask)) {
      rung_.push_back(d);
    }
  }
  blocks_.clear();
}

}  // namespace cuvette::host
