// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory, queues and kernels of a VMID with page tables of its own, behind cuvette.h. Bits of page
// entries are those that vm_contexts_test.cpp names; packets and queues are written out by the HSA
// layouts that hsa_layout_test.cpp checks.
#include <vector>

#include "host_machine.h"

namespace cuvette_test {

inline constexpr uint64_t kPage = 4096;
inline constexpr uint64_t kBase = 0x700000000000;  // of every VMID with page tables
inline constexpr uint32_t kVmid = 3;
inline constexpr uint64_t kAperture = 0x7e0000000000;  // no memory is there
inline constexpr uint64_t kMegabytes2 = 0x200000;
inline constexpr uint64_t kMemoryFault = 0x20000000;
inline constexpr uint64_t kValid = 1, kExecute = 16, kRead = 32, kWrite = 64;
inline constexpr uint64_t kData = kValid | kRead | kWrite;

// Pages of a process, from kBase on.
enum PageOf : unsigned {
  kRing = 0,
  kQueue = 1,
  kSignals = 2,
  kCode = 3,       // two, may be executed and read
  kArguments = 5,  // two; a counter and a word in the second
  kOut = 7,        // two
  kIn = 9,         // two
  kScratch = 11,   // two
  kReadOnly = 13,
  kWriteOnly = 14,
  kHole = 15,
  kPlain = 16,
  kBehindPlain = 17,  // a hole
  kDoorbells = 18,    // of the aperture
  kOtherRing = 19,
  kOtherQueue = 20,
  kPages = 21,
};

inline constexpr uint32_t kItems = 128;
inline constexpr uint32_t kPrivateBytes = 8, kScratchOfWave = 1024;
inline constexpr uint32_t kMarker = 0x1234;
// Arrays that begin in one page and end in the next; work-items 32 and 48 are the first behind.
inline constexpr uint64_t kInOffset = kPage - 4 * 32, kOutOffset = kPage - 4 * 48;

// out[i] = 3 in[i], by way of the private dword 1; the counter behind the third pointer counts
// work-items, the word 8 bytes behind it gets a marker. gfx908, assembled with llvm-mc 19. Every
// kind of access there is but images.
inline const std::vector<uint32_t> kTriple = {
    0xc00a0302, 0x00000000,  // s_load_dwordx4 s[12:15], s[4:5], 0x0    out, in
    0xc0060402, 0x00000010,  // s_load_dwordx2 s[16:17], s[4:5], 0x10   counter
    0x80660906,              // s_add_u32 flat_scratch_lo, s6, s9
    0x82678007,              // s_addc_u32 flat_scratch_hi, s7, 0
    0x8e088608,              // s_lshl_b32 s8, s8, 6
    0x68000008,              // v_add_u32 v0, s8, v0
    0x24020082,              // v_lshlrev_b32 v1, 2, v0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xdc508000, 0x020e0001,  // global_load_dword v2, v1, s[14:15]
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xe0700004, 0x09000200,  // buffer_store_dword v2, off, s[0:3], s9 offset:4
    0x7e0a0280,              // v_mov_b32 v5, 0
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xdc504004, 0x037f0005,  // scratch_load_dword v3, v5, off offset:4
    0x7e08020d,              // v_mov_b32 v4, s13
    0x320c020c,              // v_add_co_u32 v6, vcc, s12, v1
    0x380e0880,              // v_addc_co_u32 v7, vcc, 0, v4, vcc
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0x10060683,              // v_mul_u32_u24 v3, 3, v3
    0xdc700000, 0x00000306,  // flat_store_dword v[6:7], v3
    0x7e100281,              // v_mov_b32 v8, 1
    0xdd088000, 0x00100805,  // global_atomic_add v5, v8, s[16:17]
    0xb0141234,              // s_movk_i32 s20, 0x1234
    0xc0420508, 0x00000008,  // s_store_dword s20, s[16:17], 0x8
    0xbf8c0070,              // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xc0840000, 0x00000000,  // s_dcache_wb
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbf810000,              // s_endpgm
};
// Instructions that do nothing before kTriple: the second dword of buffer_store_dword, or the
// instruction itself, is the first in the second page of code.
inline constexpr unsigned kNops = 50;
inline constexpr uint64_t kCodeOffset = kPage - 256;

// Stores 32 bits to the first pointer, then 64 bits to the second: a header, and its doorbell.
inline const std::vector<uint32_t> kPut = {
    0xc00e0100, 0x00000000,  // s_load_dwordx8 s[4:11], s[0:1], 0x0
    0x7e000280,              // v_mov_b32 v0, 0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0x7e020206,              // v_mov_b32 v1, s6
    0xdc708000, 0x00040100,  // global_store_dword v0, v1, s[4:5]
    0x7e04020a,              // v_mov_b32 v2, s10
    0x7e06020b,              // v_mov_b32 v3, s11
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xdc748000, 0x00080200,  // global_store_dwordx2 v0, v[2:3], s[8:9]
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xbf810000,              // s_endpgm
};

/// The same by scalar stores.
inline const std::vector<uint32_t> kPutScalar = {
    0xc00e0100, 0x00000000,  // s_load_dwordx8 s[4:11], s[0:1], 0x0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xc0420182, 0x00000000,  // s_store_dword s6, s[4:5], 0x0
    0xc0840000, 0x00000000,  // s_dcache_wb
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xc0460284, 0x00000000,  // s_store_dwordx2 s[10:11], s[8:9], 0x0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbf810000,              // s_endpgm
};

inline uint32_t low(uint64_t v) {
  return static_cast<uint32_t>(v);
}
inline uint32_t high(uint64_t v) {
  return static_cast<uint32_t>(v >> 32);
}

/// A VMID's memory. With tables its pages lie behind one another at kBase, and in memory the other
/// way round; without, they are where they are in memory.
class Process {
 public:
  Process(const Machine& m, uint32_t vmid, bool tables = true)
      : m_(m), vmid_(vmid), tables_(tables) {
    EXPECT_EQ(cuvette_memory_allocate(m, kPages * kPage, kPage,
                                      tables ? 0 : CUVETTE_MEMORY_EXECUTABLE, &block_),
              CUVETTE_OK);
    m.write(CUVETTE_REG_GRBM_GFX_CNTL, vmid << CUVETTE_REG_GRBM_GFX_CNTL__VMID__SHIFT);
    m.write(CUVETTE_REG_SH_MEM_BASES, 0x00010002);
    m.write(CUVETTE_REG_SH_MEM_CONFIG, 3u << CUVETTE_REG_SH_MEM_CONFIG__ALIGNMENT_MODE__SHIFT);
    m.write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
    if (tables) use_tables();
    for (const unsigned page : {kRing, kOtherRing}) {
      for (unsigned slot = 0; slot < kPage / 64; ++slot) put(at(page) + 64 * slot, 1);  // INVALID
    }
  }

  uint64_t at(unsigned page, uint64_t offset = 0) const {
    return (tables_ ? kBase + page * kPage : block_ + page * kPage) + offset;
  }
  /// In memory.
  uint64_t real(uint64_t address) const {
    if (!tables_) return address;
    const uint64_t page = (address - kBase) / kPage;
    return block_ + (kPages - 1 - page) * kPage + address % kPage;
  }
  void put(uint64_t address, uint64_t value) const { m_.write64(real(address), value); }
  uint64_t get(uint64_t address) const { return m_.read64(real(address)); }
  void put_word(uint64_t address, uint32_t value) const {
    EXPECT_EQ(cuvette_memory_write(m_, real(address), &value, 4), CUVETTE_OK);
  }
  uint32_t word(uint64_t address) const { return word_in_memory(real(address)); }
  uint32_t word_in_memory(uint64_t address) const {
    uint32_t value = 0;
    EXPECT_EQ(cuvette_memory_read(m_, address, &value, 4), CUVETTE_OK);
    return value;
  }
  void entry(unsigned page, uint64_t value) const { m_.write64(table_ + 8 * page, value); }
  void set_flags(unsigned page, uint64_t flags) const { entry(page, real(at(page)) | flags); }

  /// A queue of 64 packets in a slot of the first micro engine.
  void activate(unsigned slot, uint32_t doorbell, unsigned ring, unsigned queue,
                uint64_t scratch = 0) const {
    const uint64_t descriptor = at(queue);
    put(descriptor + 8, at(ring));
    put(descriptor + 24, 64);
    put_word(descriptor + 136, 128);
    // Swizzled, 64 lanes of 4 bytes, thread id added (Vega ISA 8.1.5).
    put(descriptor + 144, scratch | uint64_t{1} << 63);
    put(descriptor + 152, 0xffffffff | uint64_t{0x00e80000} << 32);
    put(descriptor + 160, scratch);
    put(descriptor + 168, scratch != 0 ? kItems / 64 * kScratchOfWave : 0);
    put_word(descriptor + 176, scratch != 0 ? kPrivateBytes : 0);
    put(descriptor + 192, at(kSignals, 64));  // tells why the queue stopped
    put(descriptor + 128, 0);                 // read index
    m_.write(CUVETTE_REG_GRBM_GFX_CNTL, slot_bits(slot));
    m_.write(CUVETTE_REG_CP_HQD_VMID, vmid_);
    m_.write(CUVETTE_REG_CP_HQD_PQ_BASE, low(at(ring) >> 8));
    m_.write(CUVETTE_REG_CP_HQD_PQ_BASE_HI, low(at(ring) >> 40));
    m_.write(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, low(descriptor + 128));
    m_.write(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, high(descriptor + 128));
    m_.write(CUVETTE_REG_CP_HQD_PQ_CONTROL, 9u << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT);
    m_.write(CUVETTE_REG_CP_HQD_AQL_CONTROL, 1u << CUVETTE_REG_CP_HQD_AQL_CONTROL__CONTROL0__SHIFT);
    m_.write(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL,
             doorbell * 2 << 2 | CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN__MASK);
    m_.write(CUVETTE_REG_CP_HQD_ACTIVE, 1);
    m_.write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
  }
  static uint32_t slot_bits(unsigned slot) {
    return 1u << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT | slot % 4 |
           slot / 4 << CUVETTE_REG_GRBM_GFX_CNTL__QUEUEID__SHIFT;
  }

  /// Descriptor and code; the entry is a multiple of 256.
  void load(const std::vector<uint32_t>& code, unsigned nops, uint32_t rsrc1, uint32_t rsrc2,
            uint16_t properties) const {
    const uint64_t kernel = at(kCode);
    put_word(kernel + 16, low(kCodeOffset));
    put_word(kernel + 48, rsrc1);
    put_word(kernel + 52, rsrc2);
    put_word(kernel + 56, properties);
    uint64_t to = kernel + kCodeOffset;
    for (unsigned i = 0; i < nops; ++i, to += 4) put_word(to, 0xbf800000);  // s_nop 0
    for (const uint32_t word : code) {
      put_word(to, word);
      to += 4;
    }
  }
  /// 12 VGPRs, 32 SGPRs; scratch descriptor, kernarg, flat scratch, work-group id, scratch offset.
  void load_triple(unsigned nops = kNops) const { load(kTriple, nops, 0x00ac0082, 0x91, 41); }
  void load_put(const std::vector<uint32_t>& code = kPut) const {
    load(code, 0, 0x00ac0040, 0x84, 8);
  }

  /// A dispatch whose header is still INVALID; it is at slot `index` of the ring.
  void write_body(unsigned ring, unsigned index, uint32_t items, uint64_t kernarg) const {
    const uint64_t packet = at(ring, uint64_t{64} * index);
    put_word(packet + 4, 64 | 1 << 16);  // sizes of a work-group
    put_word(packet + 8, 1);
    put_word(packet + 12, items);
    put(packet + 16, 1 | uint64_t{1} << 32);
    put_word(packet + 24, word(at(kQueue, 176)));  // as much private memory as there is
    put(packet + 32, at(kCode));
    put(packet + 40, kernarg);
    put(packet + 56, at(kSignals));
  }
  /// Dispatch, barrier bit, fences of system scope; one dimension.
  static constexpr uint32_t kHeader = 2 | 1 << 8 | 2 << 9 | 2 << 11 | 1 << 16;
  void submit(unsigned index, uint32_t items, uint64_t kernarg) const {
    write_body(kRing, index, items, kernarg);
    put_word(at(kRing, uint64_t{64} * index), kHeader);
  }

  void set_signals(uint64_t completion) const {
    for (const uint64_t s : {at(kSignals), at(kSignals, 64)}) put(s, 1);  // a user signal
    put(at(kSignals, 8), completion);
    put(at(kSignals, 72), 0);
  }
  uint64_t left() const { return get(at(kSignals, 8)); }
  uint64_t error() const { return get(at(kSignals, 72)); }

 private:
  void use_tables() {
    EXPECT_EQ(cuvette_memory_allocate(m_, kPage, kPage, 0, &table_), CUVETTE_OK);
    for (unsigned page = 0; page < kPages; ++page) set_flags(page, kData);
    set_flags(kCode, kValid | kRead | kExecute);
    set_flags(kCode + 1, kValid | kRead | kExecute);
    set_flags(kReadOnly, kValid | kRead);
    set_flags(kWriteOnly, kValid | kWrite);
    set_flags(kHole, 0);
    set_flags(kBehindPlain, 0);
    entry(kDoorbells, kAperture | kData);
    const uint32_t pair = 8 * vmid_;
    const uint64_t first = kBase / kPage, last = first + kPages - 1;
    m_.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + pair, low(table_) | 1);
    m_.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + pair, high(table_));
    m_.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32 + pair, low(first));
    m_.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32 + pair, high(first));
    m_.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32 + pair, low(last));
    m_.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32 + pair, high(last));
    m_.write(CUVETTE_REG_VM_CONTEXT0_CNTL + 4 * vmid_, CUVETTE_REG_VM_CONTEXT0_CNTL__RESET | 1);
  }

  const Machine& m_;
  uint32_t vmid_;
  bool tables_;
  uint64_t block_ = 0, table_ = 0;
};

/// Addresses of the kernel's memory.
struct Arguments {
  uint64_t kernarg = 0, out = 0, in = 0, counter = 0, scratch = 0;

  explicit Arguments(const Process& p)
      : kernarg(p.at(kArguments, kPage - 16)),
        out(p.at(kOut, kOutOffset)),
        in(p.at(kIn, kInOffset)),
        counter(p.at(kArguments + 1, 256)),
        scratch(p.at(kScratch, kPage - kScratchOfWave)) {}
  void write(const Process& p) const {
    if (kernarg == p.at(kArguments, kPage - 16)) {
      p.put(p.at(kArguments, kPage - 16), out);
      p.put(p.at(kArguments, kPage - 8), in);
      p.put(p.at(kArguments + 1), counter);
    }
  }
};

/// Dispatches kPut, or kPutScalar, as packet `index` of the first ring.
inline void put_by_kernel(const Process& p, unsigned index, uint64_t packet, uint32_t header,
                          uint64_t doorbell, uint64_t value) {
  const uint64_t kernarg = p.at(kArguments, uint64_t{64} * index);
  p.put(kernarg, packet);
  p.put(kernarg + 8, header);
  p.put(kernarg + 16, doorbell);
  p.put(kernarg + 24, value);
  p.submit(index, 1, kernarg);
}

}  // namespace cuvette_test
