// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "golden/cosim.h"

// A device for tests of Cosim. Machine words are gfx908's (MI100 ISA 12).
namespace cuvette::golden::testing {

using wave::MemoryKind;

using Words = std::vector<uint32_t>;
inline const Words kStore{0xdc708000, 0x00000200};      // global_store_dword v0, v2, s[0:1]
inline const Words kStoreByte{0xdc608000, 0x00000200};  // global_store_byte v0, v2, s[0:1]
inline const Words kLoad{0xdc508000, 0x01000000};       // global_load_dword v1, v0, s[0:1]
inline const Words kLoad2{0xdc548000, 0x04000000};      // global_load_dwordx2 v[4:5], v0, s[0:1]
inline const Words kAtomicAdd{0xdd098000, 0x01000200};  // global_atomic_add v1, v0, v2, s[0:1] glc
inline const Words kAtomicNoReturn{0xdd088000, 0x00000200};  // global_atomic_add v0, v2, s[0:1]
inline const Words kInvalidate{0xe0fc0000, 0x00000000};      // buffer_wbinvl1_vol
inline const Words kMove{0x7e060287};                        // v_mov_b32 v3, 7
inline const Words kScalarLoad{0xc0020100, 0x00000000};      // s_load_dword s4, s[0:1], 0x0
inline const Words kClock{0xc0900180, 0x00000000};           // s_memtime s[6:7]
inline const Words kLdsWrite{0xd81a0000, 0x00000200};        // ds_write_b32 v0, v2
inline const Words kLdsRead{0xd86c0000, 0x01000000};         // ds_read_b32 v1, v0
inline const Words kEnd{0xbf810000};                         // s_endpgm
inline const Words kLoadToLds{0xe0510000, 0x80020000};  // buffer_load_dword off, s[8:11], 0 lds
inline const Words kStoreLds{0xe0f50000, 0x80020000};   // buffer_store_lds_dword s[8:11], 0 lds
// image_sample v1, v[4:5], s[16:23], s[24:27] dmask:0x1
inline const Words kSample{0xf0800100, 0x00c40104};

inline constexpr uint64_t kX = 0x10000;  // memory; v0 is 0
inline constexpr uint32_t kMode = wave::kDefaultMode;

inline std::vector<uint8_t> bytes_of(uint32_t value) {
  std::vector<uint8_t> bytes(4);
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

/// A device that tells what it is told to tell. Lane 0 alone is active.
class Device {
 public:
  explicit Device(uint32_t memory = 0, const CosimOptions& options = {})
      : cosim(Cosim::create(options)) {
    std::vector<uint32_t> words(64, memory);
    EXPECT_TRUE(cosim->load(kX, words.data(), 256).ok());
  }

  /// v2 holds `value`. s[8:11]: a buffer of 256 bytes at kX. s[16:27]: an image of 8 x 4 floats
  /// there, 16 to a row, and a sampler with `filter` (MI100 ISA tables 45 and 46). v4: 1/8.
  void start(uint64_t id, uint32_t value, const std::vector<Words>& program, uint32_t workgroup = 0,
             uint32_t filter = 0) {
    const uint64_t code = 0x100000 + 0x1000 * id;
    Words all;
    for (const Words& w : program) {
      pcs_[id].push_back(code + 4 * all.size());
      all.insert(all.end(), w.begin(), w.end());
    }
    all.insert(all.end(), {0xbf810000, 0xbf810000, 0xbf810000, 0xbf810000});
    ASSERT_TRUE(cosim->load(code, all.data(), 4 * all.size()).ok());
    programs_[id] = program;
    CosimWave w;
    w.id = id;
    w.pc = code;
    w.exec = 1;
    w.mode = kMode;
    w.vgprs = 8;
    w.sgprs = 32;
    w.lds_bytes = 256;
    w.workgroup = workgroup;
    w.sgpr = {static_cast<uint32_t>(pointer), 0};
    w.sgpr.resize(32);
    w.sgpr[8] = uint32_t{kX};
    w.sgpr[10] = 256;
    w.sgpr[11] = 0x27fac;
    w.sgpr[16] = uint32_t{kX} >> 8;
    w.sgpr[17] = 4u << 20 | 7u << 26;
    w.sgpr[18] = 7 | 3 << 14;
    w.sgpr[19] = 0x90000fac;
    w.sgpr[20] = 15 << 13;
    w.sgpr[24] = 0x1092;
    w.sgpr[25] = 0xf00000;
    w.sgpr[26] = filter << 20 | filter << 22 | 1 << 26;
    w.vgpr.resize(5);
    w.vgpr[2][0] = value;
    w.vgpr[4][0] = 0x3e000000;
    ASSERT_TRUE(cosim->start(w).ok());
  }

  wave::RetireRecord record(uint64_t id) const {
    wave::RetireRecord r;
    r.wave = id;
    r.order = next_.count(id) == 0 ? 0 : next_.at(id);
    r.pc = pcs_.at(id).at(r.order);
    const Words& words = programs_.at(id).at(r.order);
    r.instruction.length = static_cast<uint8_t>(words.size());
    std::copy(words.begin(), words.end(), r.instruction.words);
    r.exec = 1;
    r.mode = kMode;
    return r;
  }
  bool retire(const wave::RetireRecord& r) {
    ++next_[r.wave];
    return cosim->retire(r);
  }

  static wave::MemoryAccess access(MemoryKind kind, uint32_t value, uint8_t size = 4) {
    wave::MemoryAccess a;
    a.kind = kind;
    a.size = size;
    a.address = kX;
    std::memcpy(a.bytes, &value, size);
    return a;
  }
  bool store(uint64_t id, uint32_t value, uint8_t size = 4) {
    auto r = record(id);
    r.accesses.push_back(access(MemoryKind::Store, value, size));
    return retire(r);
  }
  static wave::VectorWrite v(uint16_t index, uint32_t value) {
    wave::VectorWrite w;
    w.index = index;
    w.lanes = 1;
    w.data[0] = value;
    return w;
  }
  bool observe(uint64_t id, uint32_t value) {
    return cosim->observe_load(id, next_[id], 1, bytes_of(value));
  }
  bool retire_load(uint64_t id, uint32_t value) {
    auto r = record(id);
    r.vector_writes.push_back(v(1, value));
    r.accesses.push_back(access(MemoryKind::Load, value));
    return retire(r);
  }
  bool load(uint64_t id, uint32_t value) { return observe(id, value) && retire_load(id, value); }
  bool declare(uint64_t id, uint64_t order, uint64_t serial) {
    return cosim->observe_store(id, order, 0, serial);
  }
  bool atomic(uint64_t id, uint32_t operand, uint32_t old) {
    auto r = record(id);
    auto a = access(MemoryKind::AtomicReturn, operand);
    a.atomic = base::AtomicOp::Add;
    a.glc = true;
    a.scope = wave::AccessScope::Agent;
    std::memcpy(a.old_bytes, &old, 4);
    r.accesses.push_back(a);
    r.vector_writes.push_back(v(1, old));
    return retire(r);
  }
  bool move(uint64_t id, uint32_t value = 7) {
    auto r = record(id);
    r.vector_writes.push_back(v(3, value));
    return retire(r);
  }

  std::unique_ptr<Cosim> cosim;
  uint64_t pointer = kX;  // s[0:1] of waves that start, where they load and store

 private:
  std::map<uint64_t, std::vector<Words>> programs_;
  std::map<uint64_t, std::vector<uint64_t>> pcs_;
  std::map<uint64_t, uint64_t> next_;
};

#define GOOD(call) ASSERT_TRUE(call) << d.cosim->mismatch()

}  // namespace cuvette::golden::testing
