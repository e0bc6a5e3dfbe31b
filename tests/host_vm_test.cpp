// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Kernels in VMIDs with page tables, and doorbells rung by their stores, behind cuvette.h: the same
// expectations on every engine. Bits of page entries are those that vm_contexts_test.cpp names;
// packets and queues are written out by the HSA layouts that hsa_layout_test.cpp checks.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host_machine.h"

namespace {

using cuvette_test::Machine;
using cuvette_test::options;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kBase = 0x700000000000;  // of every VMID with page tables
constexpr uint32_t kVmid = 3;
constexpr uint64_t kAperture = 0x7e0000000000;  // no memory is there
constexpr uint64_t kMegabytes2 = 0x200000;
constexpr uint64_t kMemoryFault = 0x20000000;
constexpr uint64_t kValid = 1, kExecute = 16, kRead = 32, kWrite = 64;
constexpr uint64_t kData = kValid | kRead | kWrite;

// What the pages of a process are for, from kBase on.
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

constexpr uint32_t kItems = 128;
constexpr uint32_t kPrivateBytes = 8, kScratchOfWave = 1024;
constexpr uint32_t kMarker = 0x1234;
// Arrays that begin in one page and end in the next; work-items 32 and 48 are the first behind.
constexpr uint64_t kInOffset = kPage - 4 * 32, kOutOffset = kPage - 4 * 48;

// out[i] = 3 in[i], by way of the private dword 1; the counter behind the third pointer counts
// work-items, the word 8 bytes behind it gets a marker. gfx908, assembled with llvm-mc 19. Every
// kind of access there is but images.
const std::vector<uint32_t> kTriple = {
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
constexpr unsigned kNops = 50;
constexpr uint64_t kCodeOffset = kPage - 256;

// Stores 32 bits to the first pointer, then 64 bits to the second: a header, and its doorbell.
const std::vector<uint32_t> kPut = {
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

uint32_t low(uint64_t v) {
  return static_cast<uint32_t>(v);
}
uint32_t high(uint64_t v) {
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
  void load_put() const { load(kPut, 0, 0x00ac0040, 0x84, 8); }

  /// A dispatch whose header is still INVALID; it is at slot `index` of the ring.
  void write_body(unsigned ring, unsigned index, uint32_t items, uint64_t kernarg) const {
    const uint64_t packet = at(ring, uint64_t{64} * index);
    put_word(packet + 4, 64 | 1 << 16);  // sizes of a work-group
    put_word(packet + 8, 1);
    put_word(packet + 12, items);
    put(packet + 16, 1 | uint64_t{1} << 32);
    put_word(packet + 24, kPrivateBytes);
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

/// Where the kernel finds its memory.
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

class HostVm : public testing::TestWithParam<const char*> {
 protected:
  HostVm() {
    auto o = options(GetParam());
    o.context = this;
    o.on_interrupt = [](void* context, cuvette_machine*, const cuvette_interrupt* i) {
      static_cast<HostVm*>(context)->heard_.push_back(*i);
    };
    machine_ = std::make_unique<Machine>(o);
    machine_->write(CUVETTE_REG_CP_MEC_CNTL, 0);
    machine_->hear_doorbells();
  }
  const Machine& m() const { return *machine_; }
  void settle() const {
    ASSERT_EQ(cuvette_run_until_idle(m(), 1'000'000), CUVETTE_OK) << cuvette_error_text();
  }
  void ring(uint32_t doorbell, uint64_t value) const {
    EXPECT_EQ(cuvette_doorbell(m(), doorbell, value), CUVETTE_OK);
  }
  uint32_t read(uint32_t offset) const {
    uint32_t value = 0;
    EXPECT_EQ(cuvette_register_read(m(), offset, &value), CUVETTE_OK);
    return value;
  }
  std::string reports() const {
    std::array<char, 2048> text;
    EXPECT_EQ(cuvette_take_reports(m(), text.data(), text.size()), CUVETTE_OK);
    return text.data();
  }
  void remove(unsigned slot) const {
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, Process::slot_bits(slot));
    m().write(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 1);
    settle();
    EXPECT_EQ(read(CUVETTE_REG_CP_HQD_ACTIVE) & 1, 0u);
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
  }
  void place_doorbells(bool there) const {
    m().write(CUVETTE_REG_CUVETTE_DOORBELL_APERTURE,
              there ? low(kAperture / kMegabytes2) | 1u << 31 : 0);
  }
  void expect_fault(const Process& p, uint64_t address, uint32_t status, const char* what);

  std::unique_ptr<Machine> machine_;
  std::vector<cuvette_interrupt> heard_;
};

/// Input of a process, different for each.
uint32_t input(uint32_t process, uint32_t item) {
  return 1000 * process + 7 * item;
}

TEST_P(HostVm, EveryAccessOfAKernelGoesThroughTheTables) {
  const Process processes[] = {Process(m(), kVmid), Process(m(), kVmid + 1)};
  for (uint32_t i = 0; i < 2; ++i) {
    const Process& p = processes[i];
    const Arguments a(p);
    p.load_triple();
    a.write(p);
    p.set_signals(1);
    for (uint32_t item = 0; item < kItems; ++item) p.put_word(a.in + 4 * item, input(i, item));
    p.activate(i, 20 + i, kRing, kQueue, a.scratch);
    p.submit(0, kItems, a.kernarg);
  }
  for (uint32_t i = 0; i < 2; ++i) ring(20 + i, 0);
  settle();
  EXPECT_EQ(reports(), "");
  EXPECT_TRUE(heard_.empty());
  for (uint32_t i = 0; i < 2; ++i) {
    const Process& p = processes[i];
    const Arguments a(p);
    EXPECT_EQ(p.left(), 0u) << i;
    for (uint32_t item = 0; item < kItems; ++item) {
      ASSERT_EQ(p.word(a.out + 4 * item), 3 * input(i, item)) << i << ", " << item;
      // Dword 1 of a lane lies 256 bytes behind dword 0, lanes 4 bytes apart.
      const uint64_t mine = a.scratch + item / 64 * kScratchOfWave + 256 + 4 * (item % 64);
      ASSERT_EQ(p.word(mine), input(i, item)) << i << ", " << item;
    }
    EXPECT_EQ(p.word(a.counter), kItems) << i;
    EXPECT_EQ(p.word(a.counter + 8), kMarker) << i;
  }
  // A page moves: tables are looked up anew, and nobody writes to the old one.
  const Process& p = processes[1];
  const Arguments a(p);
  uint64_t moved = 0;
  ASSERT_EQ(cuvette_memory_allocate(m(), kPage, kPage, 0, &moved), CUVETTE_OK);
  p.entry(kOut + 1, moved | kData);
  for (uint32_t item = 0; item < kItems; ++item) p.put_word(a.in + 4 * item, item);
  p.set_signals(1);
  p.submit(1, kItems, a.kernarg);
  ring(21, 1);
  settle();
  EXPECT_EQ(p.left(), 0u);
  constexpr uint32_t kFirst = (kPage - kOutOffset) / 4;  // behind the border
  for (uint32_t item = kFirst; item < kItems; ++item) {
    ASSERT_EQ(p.word_in_memory(moved + 4 * (item - kFirst)), 3 * item);
    ASSERT_EQ(p.word(a.out + 4 * item), 3 * input(1, item));
  }
  EXPECT_EQ(reports(), "");
}

/// The queue has stopped for an access at `address`, and everything says so. `status`: of
/// VM_L2_PROTECTION_FAULT_STATUS, without the VMID.
void HostVm::expect_fault(const Process& p, uint64_t address, uint32_t status, const char* what) {
  EXPECT_EQ(p.left(), 1u) << what;
  EXPECT_EQ(p.error(), kMemoryFault) << what;
  ASSERT_EQ(heard_.size(), 1u) << what;
  EXPECT_EQ(heard_[0].source, kMemoryFault) << what;
  EXPECT_EQ(heard_[0].context, address) << what << std::hex << ": " << heard_[0].context;
  EXPECT_EQ(read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS), status | kVmid << 20) << what;
  EXPECT_EQ(read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_LO32), low(address >> 12)) << what;
  EXPECT_EQ(read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_HI32), high(address >> 12) & 0xf) << what;
  EXPECT_NE(reports(), "") << what;
  m().write(CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL,
            CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL__RESET | 1);
  heard_.clear();
}

TEST_P(HostVm, FaultsAreThoseOfTheTables) {
  const Process p(m(), kVmid);
  const Arguments good(p);
  constexpr uint32_t kNoPage = 1u << 4, kOutside = 1u << 4 | 1u << 1, kNotRead = 2u << 4,
                     kNotWritten = 4u << 4 | 1u << 18;
  struct Case {
    const char* what;
    uint64_t Arguments::*where;  // null: nothing
    uint64_t to;
    uint64_t address;
    uint32_t status;
    uint64_t code[2] = {kValid | kRead | kExecute, kValid | kRead | kExecute};  // flags
  };
  const Case cases[] = {
      {"a store to a page that may only be read", &Arguments::out, p.at(kReadOnly),
       p.at(kReadOnly), kNotWritten},
      {"a store to a page without an entry", &Arguments::out, p.at(kHole), p.at(kHole), kNoPage},
      {"a store that ends in a page without an entry", &Arguments::out, p.at(kBehindPlain) - 64,
       p.at(kBehindPlain), kNoPage},
      {"a store with a dword in two pages, one without an entry", &Arguments::out,
       p.at(kBehindPlain) - 66, p.at(kBehindPlain), kNoPage},
      {"a store behind the last page", &Arguments::out, p.at(kPages), p.at(kPages), kOutside},
      {"a load from a page that may only be written", &Arguments::in, p.at(kWriteOnly),
       p.at(kWriteOnly), kNotRead},
      {"an atomic on a page that may only be read", &Arguments::counter, p.at(kReadOnly, 16),
       p.at(kReadOnly, 16), kNotWritten},
      {"a scalar load from a page without an entry", &Arguments::kernarg, p.at(kHole, 32),
       p.at(kHole, 32), kNoPage},
      {"scratch without an entry", &Arguments::scratch, p.at(kHole), p.at(kHole, 256), kNoPage},
      // What the entry has is asked when the interrupt leaves: it permits reading.
      {"code that may not be executed", nullptr, 0, p.at(kCode, kCodeOffset), kNotWritten,
       {kValid | kRead, kValid | kRead}},
      {"code that goes on in a page without an entry", nullptr, 0, p.at(kCode + 1), kNoPage,
       {kValid | kRead | kExecute, 0}},
  };
  p.load_triple(kNops + 1);  // an instruction begins with the second page
  unsigned slot = 0;
  for (const Case& c : cases) {
    Arguments a = good;
    if (c.where != nullptr) a.*c.where = c.to;
    a.write(p);
    p.set_flags(kCode, c.code[0]);
    p.set_flags(kCode + 1, c.code[1]);
    p.set_signals(1);
    p.activate(slot, 20 + slot, kRing, kQueue, a.scratch);
    p.submit(0, 64, a.kernarg);
    ring(20 + slot, 0);
    settle();
    expect_fault(p, c.address, c.status, c.what);
    remove(slot);
    ++slot;
  }
  // The machine works on.
  p.set_flags(kCode, kValid | kRead | kExecute);
  p.set_flags(kCode + 1, kValid | kRead | kExecute);
  good.write(p);
  for (uint32_t item = 0; item < kItems; ++item) p.put_word(good.in + 4 * item, item + 1);
  p.set_signals(1);
  p.activate(slot, 20 + slot, kRing, kQueue, good.scratch);
  p.submit(0, kItems, good.kernarg);
  ring(20 + slot, 0);
  settle();
  EXPECT_EQ(p.left(), 0u);
  for (uint32_t item = 0; item < kItems; ++item) {
    ASSERT_EQ(p.word(good.out + 4 * item), 3 * (item + 1));
  }
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(reports(), "");
}

/// Dispatches kPut in queue 0 as packet `index`.
void put_by_kernel(const Process& p, unsigned index, uint64_t packet, uint32_t header,
                   uint64_t doorbell, uint64_t value) {
  const uint64_t kernarg = p.at(kArguments, uint64_t{64} * index);
  p.put(kernarg, packet);
  p.put(kernarg + 8, header);
  p.put(kernarg + 16, doorbell);
  p.put(kernarg + 24, value);
  p.submit(index, 1, kernarg);
}

TEST_P(HostVm, DoorbellsOfWavesRingQueues) {
  place_doorbells(true);
  unsigned first_slot = 0;
  for (const bool tables : {true, false}) {
    SCOPED_TRACE(tables ? "page tables" : "no page tables");
    const Process p(m(), tables ? kVmid : kVmid + 1, tables);
    const uint64_t doorbells = tables ? p.at(kDoorbells) : kAperture;
    const unsigned mine = first_slot, other = first_slot + 1;
    first_slot += 2;
    const uint32_t doorbell = 20 + mine;
    p.load_put();
    p.set_signals(4);
    p.activate(mine, doorbell, kRing, kQueue);
    p.activate(other, doorbell + 1, kOtherRing, kOtherQueue);
    settle();  // queues look once by themselves
    // Packets of the other queue: barriers with nothing to wait for, complete but for the headers.
    constexpr uint32_t kBarrier = 3 | 1 << 8 | 2 << 9 | 2 << 11;
    for (const uint64_t packet : {0, 64}) p.put(p.at(kOtherRing, packet + 56), p.at(kSignals));
    p.put_word(p.at(kOtherRing), kBarrier);
    settle();
    EXPECT_EQ(p.left(), 4u) << "nobody has told of the packet";
    // A kernel puts the second one and tells of both.
    put_by_kernel(p, 0, p.at(kOtherRing, 64), kBarrier, doorbells + 8 * (doorbell + 1), 1);
    ring(doorbell, 0);
    settle();
    EXPECT_EQ(p.left(), 1u) << "the dispatch and both packets";
    EXPECT_EQ(p.get(p.at(kOtherQueue, 128)), 2u) << "read index";
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, Process::slot_bits(other));
    EXPECT_EQ(read(CUVETTE_REG_CP_HQD_PQ_WPTR_LO), 16u);
    EXPECT_NE(read(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL) &
                  CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_HIT__MASK,
              0u);
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
    // A kernel puts the next packet of its own queue.
    put_by_kernel(p, 2, p.at(kPlain), 5, doorbells + 8 * 50, 99);
    p.put_word(p.at(kRing, 128), 1);  // not yet
    p.set_signals(2);
    put_by_kernel(p, 1, p.at(kRing, 128), Process::kHeader, doorbells + 8 * doorbell, 2);
    ring(doorbell, 1);
    settle();
    EXPECT_EQ(p.left(), 0u);
    EXPECT_EQ(p.word(p.at(kPlain)), 5u) << "the second kernel has run";
    // It rang a doorbell that no queue has.
    ASSERT_EQ(heard_.size(), 1u);
    EXPECT_EQ(heard_[0].source, CUVETTE_INTERRUPT_UNKNOWN_DOORBELL);
    EXPECT_EQ(heard_[0].queue, 50u);
    EXPECT_EQ(heard_[0].context, 99u);
    heard_.clear();
    EXPECT_EQ(reports(), "");
    remove(mine);
    remove(other);
  }
}

TEST_P(HostVm, DoorbellsAreForStoresAndWhereTheApertureIs) {
  struct Case {
    const char* what;
    bool tables, aperture, load;
    uint32_t status;
  };
  constexpr uint32_t kNoPage = 1u << 4, kNotRead = 2u << 4;
  const Case cases[] = {
      {"a load, no page tables", false, true, true, kNotRead},
      {"no aperture, no page tables", false, false, false, kNoPage},
      {"a page that may not be read", true, true, true, kNotRead},
      {"an entry that is not valid", true, true, false, kNoPage},
  };
  unsigned slot = 0;
  for (const Case& c : cases) {
    place_doorbells(c.aperture);
    const Process p(m(), kVmid, c.tables);
    if (!c.tables) {
      m().write(CUVETTE_REG_VM_CONTEXT0_CNTL + 4 * kVmid, CUVETTE_REG_VM_CONTEXT0_CNTL__RESET);
    } else {
      p.entry(kDoorbells, c.load ? kAperture | kValid | kWrite : 0);
    }
    const uint64_t doorbell = (c.tables ? p.at(kDoorbells) : kAperture) + 8 * 50;
    Arguments a(p);
    p.set_signals(1);
    p.activate(slot, 20 + slot, kRing, kQueue, a.scratch);
    if (c.load) {
      a.in = doorbell;
      a.write(p);
      p.load_triple();
      p.submit(0, 64, a.kernarg);
    } else {
      p.load_put();
      put_by_kernel(p, 0, p.at(kPlain), 1, doorbell, 3);
    }
    ring(20 + slot, 0);
    settle();
    expect_fault(p, doorbell, c.status, c.what);
    remove(slot);
    ++slot;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, HostVm, testing::Values("golden", "lt", "ca"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
