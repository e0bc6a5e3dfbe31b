// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Packets as bytes. Positions as in the HSA Runtime specification ("Architected Queuing Language"),
// vendor packets and PM4 as in tests/ledger/gfx9_packets.csv.
#include <cstring>

#include "host_stress.h"

namespace stress {
namespace {

// Every work-item adds 1 to the qword's low dword at the first argument; gfx908, llvm-mc 19.
constexpr uint32_t kCode[] = {
    0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0
    0x7e000280,              // v_mov_b32 v0, 0
    0x7e020281,              // v_mov_b32 v1, 1
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xdd088000, 0x00040100,  // global_atomic_add v0, v1, s[4:5]
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xbf810000,              // s_endpgm
};
constexpr uint64_t kNowhere = 0x765432100000;

template <class T>
void put(uint8_t* bytes, size_t at, T value) {
  std::memcpy(bytes + at, &value, sizeof value);
}

uint64_t allocate(cuvette_machine* machine, uint64_t bytes, uint32_t flags = 0) {
  uint64_t address = 0;
  STRESS_EXPECT(cuvette_memory_allocate(machine, bytes, 0, flags, &address) == CUVETTE_OK,
                cuvette_error_text());
  return address;
}

void write(cuvette_machine* machine, uint64_t address, const void* data, size_t bytes) {
  STRESS_EXPECT(cuvette_memory_write(machine, address, data, bytes) == CUVETTE_OK,
                cuvette_error_text());
}

uint16_t header(const Packet& p, unsigned type) {
  return static_cast<uint16_t>(type | unsigned{p.barrier} << 8 | 2u << 9 | 2u << 11);
}

void dispatch(const Packet& p, uint32_t number, const Arena& arena, uint8_t* b) {
  put<uint16_t>(b, 0, header(p, 2));
  put<uint16_t>(b, 2, 1);
  for (const size_t at : {4, 6, 8}) put<uint16_t>(b, at, at == 4 ? uint16_t{kItems} : uint16_t{1});
  for (const size_t at : {12, 16, 20}) put<uint32_t>(b, at, at == 12 ? uint32_t{kItems} : 1u);
  put<uint64_t>(b, 32, arena.kernel());
  put<uint64_t>(b, 40, arena.kernarg(number));
}

/// A dispatch, spoiled.
void spoil(const Packet& p, const Arena& arena, uint8_t* b) {
  switch (p.fault) {
    case 0:
      b[0] = 9;
      break;
    case 1:
      put<uint32_t>(b, 12, 0);
      break;
    case 2:
      put<uint64_t>(b, 32, 0);
      break;
    case 3:
      put<uint64_t>(b, 32, kNowhere);
      break;
    case 4:
      put<uint16_t>(b, 0, header(p, 0));
      b[2] = 0x7f;
      break;
    case 5:
      put<uint64_t>(b, 56, arena.signal(p.group) + 8);
      break;
    case 6:
      put<uint16_t>(b, 4, 1025);
      break;
    default:
      put<uint64_t>(b, 40, arena.wild_kernarg());
  }
}

}  // namespace

void Arena::create(cuvette_machine* machine, uint32_t packets) {
  signals_ = allocate(machine, uint64_t{64} * packets, CUVETTE_MEMORY_FINE_GRAINED);
  cells_ = allocate(machine, uint64_t{8} * packets);
  kernargs_ = allocate(machine, uint64_t{16} * packets, CUVETTE_MEMORY_FINE_GRAINED);
  buffers_ = allocate(machine, uint64_t{32} * packets);
  std::vector<uint64_t> kernargs(size_t{2} * packets);
  std::vector<uint32_t> buffers(size_t{8} * packets);
  for (uint32_t i = 0; i < packets; ++i) {
    kernargs[2 * i] = cell(i);
    // WRITE_DATA of two dwords to memory, with confirmation.
    const uint32_t words[] = {3u << 30 | 4u << 16 | 0x37u << 8,
                              5u << 8 | 1u << 20,
                              static_cast<uint32_t>(cell(i)),
                              static_cast<uint32_t>(cell(i) >> 32),
                              i + 1,
                              0,
                              0x80000000,
                              0x80000000};
    std::memcpy(&buffers[size_t{8} * i], words, sizeof words);
  }
  write(machine, kernargs_, kernargs.data(), 8 * kernargs.size());
  write(machine, buffers_, buffers.data(), 4 * buffers.size());
  wild_ = allocate(machine, 64);
  write(machine, wild_, &kNowhere, sizeof kNowhere);

  kernel_ = allocate(machine, 512, CUVETTE_MEMORY_EXECUTABLE);
  uint8_t bytes[512] = {};
  put<uint32_t>(bytes, 8, 16);           // kernarg segment
  put<uint64_t>(bytes, 16, 256);         // entry
  put<uint32_t>(bytes, 48, 0x00ac0040);  // compute_pgm_rsrc1: 4 VGPRs, 16 SGPRs
  put<uint32_t>(bytes, 52, 0x84);        // compute_pgm_rsrc2: two user SGPRs, work-group id x
  put<uint16_t>(bytes, 56, 8);           // kernarg segment pointer
  std::memcpy(bytes + 256, kCode, sizeof kCode);
  write(machine, kernel_, bytes, sizeof bytes);
}

uint64_t Arena::done(const Packet& packet, uint32_t number) {
  switch (packet.kind) {
    case Kind::Dispatch:
      return kItems;
    case Kind::Agent:
      return 1;
    case Kind::Pm4:
      return uint64_t{number} + 1;
    case Kind::BarrierAnd:
    case Kind::BarrierOr:
    case Kind::BarrierValue:
    case Kind::Bad:
      break;
  }
  return 0;
}

void encode(const Packet& p, uint32_t number, const Arena& arena, uint8_t* b) {
  std::memset(b, 0, GPU_PACKET_BYTES);
  put<uint64_t>(b, 56, arena.signal(p.group));
  switch (p.kind) {
    case Kind::Dispatch:
      return dispatch(p, number, arena, b);
    case Kind::BarrierAnd:
    case Kind::BarrierOr:
      put<uint16_t>(b, 0, header(p, p.kind == Kind::BarrierAnd ? 3 : 5));
      for (size_t i = 0; i < p.waits.size(); ++i) put<uint64_t>(b, 8 + 8 * i, p.waits[i]);
      return;
    case Kind::Agent:
      put<uint16_t>(b, 0, header(p, 4));
      put<uint16_t>(b, 2, 5);
      put<uint64_t>(b, 16, number);
      return;
    case Kind::BarrierValue:
      put<uint16_t>(b, 0, header(p, 0));
      b[2] = 2;
      put<uint64_t>(b, 8, p.waits[0]);
      put<int64_t>(b, 16, 1);   // less than 1
      put<int64_t>(b, 24, -1);  // mask
      put<uint32_t>(b, 32, 2);
      return;
    case Kind::Pm4:
      put<uint16_t>(b, 0, header(p, 0));
      put<uint16_t>(b, 2, 1);
      put<uint32_t>(b, 4, 3u << 30 | 2u << 16 | 0x3fu << 8);
      put<uint64_t>(b, 8, arena.pm4(number));
      put<uint32_t>(b, 16, 8 | 1u << 23);
      put<uint32_t>(b, 20, 10);
      return;
    case Kind::Bad:
      dispatch(p, number, arena, b);
      return spoil(p, arena, b);
  }
}

}  // namespace stress
