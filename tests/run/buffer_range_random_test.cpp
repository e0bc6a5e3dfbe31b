// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Random descriptors and buffer instructions on the engines of the probe and all targets, against a
// loop over lanes and bytes that is written from MI100 ISA 9.1.5 and the words of decision D51 and
// shares nothing with the model.
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "probe_door.h"
#include "test_vectors.h"

namespace cuvette {
namespace {

using namespace probe_door;
using wave::kLanes;

constexpr uint64_t kMemory = 0x100000;
constexpr size_t kMemoryAnswer = 5, kLdsAnswer = 6;  ///< among what is read
constexpr unsigned kMemoryBytes = 16384, kLdsAt = 64, kLdsBytes = 4 * kLanes;

enum class Act : uint8_t { Load, Store, Add, ToLds };
struct Kind {
  const char* mnemonic;  ///< its data register follows
  Act act;
  unsigned bytes;      ///< of the access in memory
  unsigned registers;  ///< of data
  bool whole = false;  ///< all or nothing
  unsigned data_format = 0;
  bool is_signed = false;
  const char* format = "";  ///< what a typed instruction says behind the scalar offset
};
constexpr char kTyped1[] = " format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_UINT]";
constexpr char kTyped2[] = " format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_UINT]";
constexpr Kind kKinds[] = {
    {"buffer_load_ubyte", Act::Load, 1, 1},
    {"buffer_load_sbyte", Act::Load, 1, 1, false, 0, true},
    {"buffer_load_ushort", Act::Load, 2, 1},
    {"buffer_load_dword", Act::Load, 4, 1},
    {"buffer_load_dwordx2", Act::Load, 8, 2},
    {"buffer_load_dwordx3", Act::Load, 12, 3},
    {"buffer_load_dwordx4", Act::Load, 16, 4},
    {"buffer_store_byte", Act::Store, 1, 1},
    {"buffer_store_short", Act::Store, 2, 1},
    {"buffer_store_dword", Act::Store, 4, 1},
    {"buffer_store_dwordx2", Act::Store, 8, 2},
    {"buffer_store_dwordx3", Act::Store, 12, 3},
    {"buffer_store_dwordx4", Act::Store, 16, 4},
    {"buffer_load_format_x", Act::Load, 1, 1, true, 1},
    {"buffer_load_format_xy", Act::Load, 8, 2, true, 11},
    {"buffer_load_format_xyzw", Act::Load, 16, 4, true, 14},
    {"buffer_store_format_x", Act::Store, 2, 1, true, 2},
    {"buffer_store_format_xyzw", Act::Store, 16, 4, true, 14},
    {"tbuffer_load_format_x", Act::Load, 2, 1, true, 0, false, kTyped1},
    {"tbuffer_load_format_xy", Act::Load, 8, 2, true, 0, false, kTyped2},
    {"tbuffer_store_format_xy", Act::Store, 8, 2, true, 0, false, kTyped2},
    {"buffer_atomic_add", Act::Add, 4, 1, true},
    {"buffer_atomic_add_x2", Act::Add, 8, 2, true},
    {"buffer_load_ubyte", Act::ToLds, 1, 0},
    {"buffer_load_sshort", Act::ToLds, 2, 0, false, 0, true},
    {"buffer_load_dword", Act::ToLds, 4, 0},
};

struct RandomCase {
  Kind kind;
  bool idxen = false, offen = false, add_tid = false, swizzle = false;
  uint64_t exec = 0;
  uint32_t low_base = 0, stride = 0, records = 0, soffset = 0, immediate = 0, index_stride = 8;
  bool constant_soffset = false;
  std::array<uint32_t, kLanes> index{}, offset{};
  std::array<std::array<uint32_t, kLanes>, 4> data{};
};

struct Memory {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(kMemoryBytes);
  std::vector<uint8_t> lds = std::vector<uint8_t>(kLdsBytes);
};
struct After : Memory {
  std::array<std::array<uint32_t, kLanes>, 4> data{};
};

/// The place of one byte among those that the probe maps.
std::optional<size_t> place_of(const RandomCase& c, unsigned lane, unsigned byte) {
  const uint64_t index = (c.idxen ? c.index[lane] : 0) + uint64_t{c.add_tid ? lane : 0u};
  uint64_t offset = (c.offen ? c.offset[lane] : 0u) + uint64_t{c.immediate};
  offset &= 0xffffffff;
  // Dwords begin at multiples of four.
  const uint64_t origin = kMemory + c.low_base + c.soffset;
  uint64_t address;
  if (c.swizzle) {
    // Elements of four bytes lie 4 * index_stride apart; `origin` is a multiple of four here.
    if (c.kind.bytes >= 4) offset &= ~uint64_t{3};
    offset += byte;
    const uint64_t row = index / c.index_stride * c.stride + offset / 4 * 4;
    address = origin + row * c.index_stride + index % c.index_stride * 4 + offset % 4;
  } else {
    address = origin + index * c.stride + offset;
    if (c.kind.bytes >= 4) address &= ~uint64_t{3};
    address += byte;
  }
  if (address < kMemory || address >= kMemory + kMemoryBytes) return std::nullopt;
  return address - kMemory;
}

/// True if the `bytes` bytes of a lane's access from byte `first` on pass the range check.
bool passes(const RandomCase& c, unsigned lane, unsigned first, unsigned bytes) {
  if (c.add_tid && !c.idxen) return true;
  if (c.idxen && c.stride != 0) return c.index[lane] < c.records;
  const uint32_t wrapped = (c.offen ? c.offset[lane] : 0) + c.immediate;
  return uint64_t{c.soffset} + wrapped + first + bytes <= c.records;
}

/// Nothing where an access that passes is not among the mapped bytes, or where two lanes write one
/// byte: the check says nothing about either.
std::optional<After> expected(const RandomCase& c, const Memory& before) {
  After after{before, c.data};
  std::vector<bool> written(kMemoryBytes);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((c.exec >> lane & 1) == 0) continue;
    // Parts of an access that are judged on their own.
    const unsigned part = c.kind.whole ? c.kind.bytes : std::min(c.kind.bytes, 4u);
    std::array<uint32_t, 4> loaded{};
    for (unsigned first = 0; first < c.kind.bytes; first += part) {
      if (!passes(c, lane, first, part)) continue;
      std::array<size_t, 16> place{};
      for (unsigned b = 0; b < part; ++b) {
        const auto at = place_of(c, lane, first + b);
        if (!at) return std::nullopt;
        if (c.kind.act != Act::Load && c.kind.act != Act::ToLds) {
          if (written[*at]) return std::nullopt;
          written[*at] = true;
        }
        place[b] = *at;
      }
      uint64_t carry = 0;
      for (unsigned b = 0; b < part; ++b) {
        const unsigned byte = first + b;
        const uint8_t old = before.bytes[place[b]];
        loaded[byte / 4] |= uint32_t{old} << byte % 4 * 8;
        const auto data = static_cast<uint8_t>(c.data[byte / 4][lane] >> byte % 4 * 8);
        if (c.kind.act == Act::Store) after.bytes[place[b]] = data;
        if (c.kind.act == Act::Add) {
          carry += uint64_t{old} + data;
          after.bytes[place[b]] = static_cast<uint8_t>(carry);
          carry >>= 8;
        }
      }
    }
    if (c.kind.is_signed) {
      const unsigned unused = 32 - 8 * c.kind.bytes;
      loaded[0] = static_cast<uint32_t>(static_cast<int32_t>(loaded[0] << unused) >> unused);
    }
    if (c.kind.act == Act::ToLds) std::memcpy(&after.lds[4 * lane], loaded.data(), 4);
    if (c.kind.act != Act::Load && c.kind.act != Act::Add) continue;
    for (unsigned r = 0; r < c.kind.registers; ++r) after.data[r][lane] = loaded[r];
  }
  return after;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Memory memory() {
    Memory m;
    for (uint8_t& b : m.bytes) b = static_cast<uint8_t>(random_());
    for (uint8_t& b : m.lds) b = static_cast<uint8_t>(random_());
    return m;
  }
  RandomCase next() {
    RandomCase c;
    c.kind = kKinds[pick(std::size(kKinds))];
    c.idxen = pick(3) == 0;
    c.offen = pick(3) != 0;
    c.add_tid = pick(5) == 0;
    c.swizzle = pick(5) == 0;
    // Eight bytes that are apart are no atomic.
    if (c.kind.act == Act::Add && c.kind.bytes == 8) c.swizzle = false;
    c.exec = pick(3) == 0 ? random_() : ~uint64_t{0} >> pick(64);
    c.stride = pick(3) == 0 ? 0 : 4 * pick(20);
    c.index_stride = 8u << pick(4);
    c.low_base = 4 * pick(16) + (c.swizzle ? 0 : pick(4));
    c.soffset = pick(3) == 0 ? 0 : c.swizzle ? 4 * pick(64) : pick(256);
    c.constant_soffset = c.soffset <= 64 && pick(2) == 0;
    if (pick(20) == 0) {
      c.soffset = 0xffffff00 + 4 * pick(64);
      c.constant_soffset = false;
    }
    c.immediate = pick(2) == 0 ? 0 : pick(64);
    const unsigned step = c.kind.act == Act::Load ? pick(24) : c.kind.bytes * (1 + pick(2));
    uint32_t start = pick(3) == 0 ? 0u - pick(128) : pick(64);
    if (c.kind.act == Act::Add && c.kind.bytes == 8) {
      // Anything but multiples of eight is misaligned.
      for (uint32_t* part : {&c.stride, &c.low_base, &c.soffset, &c.immediate, &start}) {
        *part &= ~uint32_t{7};
      }
    }
    const unsigned repeat = 1 + pick(3);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      c.index[lane] = c.kind.act == Act::Load ? pick(80) : lane / repeat;
      c.offset[lane] = start + lane * step;
      for (auto& row : c.data) row[lane] = static_cast<uint32_t>(random_());
      if (c.kind.data_format == 2) c.data[0][lane] &= 0xffff;  // it would be saturated
    }
    switch (pick(6)) {
      case 0:
        c.records = 0xffffffff;
        break;
      case 1:
        c.records = 4 * pick(400);
        break;
      default:
        c.records = pick(c.idxen && c.stride != 0 ? 80 : 800);
    }
    return c;
  }

 private:
  uint32_t pick(uint64_t n) { return static_cast<uint32_t>(random_() % n); }
  std::mt19937_64 random_;
};

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (const uint8_t b : bytes) out += fmt::format("{:02x}", b);
  return out;
}
json row_of(const std::array<uint32_t, kLanes>& row) {
  json out = json::array();
  for (const uint32_t value : row) out.push_back(fmt::format("0x{:08x}", value));
  return out;
}

/// Data in v[4:7], index and offset in v0 and v1 or the one of them in v0, M0 behind kLdsAt by what
/// the immediate adds there.
json object_of(const RandomCase& c, const Memory& before, const std::string& with_return) {
  const bool typed = *c.kind.format != 0;
  const bool to_lds = c.kind.act == Act::ToLds;
  std::string text = c.kind.mnemonic;
  if (!to_lds) {
    text += c.kind.registers == 1 ? " v4," : fmt::format(" v[4:{}],", 3 + c.kind.registers);
  }
  text += c.idxen && c.offen ? " v[0:1]," : c.idxen || c.offen ? " v0," : " off,";
  text += " s[8:11], " + (c.constant_soffset ? std::to_string(c.soffset) : "s4");
  if (typed) text += c.kind.format;
  if (c.idxen) text += " idxen";
  if (c.offen) text += " offen";
  if (c.immediate != 0) text += " offset:" + std::to_string(c.immediate);
  if (c.kind.act == Act::Add) text += with_return;
  if (to_lds) text += " lds";

  const uint64_t base = kMemory + c.low_base;
  // Destination selection XYZW, unsigned integers; format 32 where none is asked for. With thread
  // ids it is the upper part of the stride unless the instruction has a format.
  const bool formatted = typed || c.kind.data_format != 0;
  const unsigned format = c.kind.data_format != 0   ? c.kind.data_format
                          : c.add_tid && !formatted ? 0
                                                    : 4;
  const unsigned log_stride = static_cast<unsigned>(__builtin_ctz(c.index_stride)) - 3;
  const uint32_t word3 =
      0xfac | 4u << 12 | format << 15 | log_stride << 21 | (c.add_tid ? 1u << 23 : 0);
  json object = {
      {"asm", {text}},
      {"exec", fmt::format("{:#x}", c.exec)},
      {"m0", kLdsAt - (to_lds ? c.immediate : 0)},
      {"sgpr",
       {{"4", c.soffset},
        {"8", static_cast<uint32_t>(base)},
        {"9", c.stride << 16 | (c.swizzle ? 0x80000000u : 0)},
        {"10", c.records},
        {"11", word3}}},
      {"mem", {{fmt::format("{:#x}", kMemory), hex(before.bytes)}}},
      {"lds", {{std::to_string(kLdsAt), hex(before.lds)}}},
      {"read",
       {"v4", "v5", "v6", "v7", "trapsts", fmt::format("mem:{:#x}:{}", kMemory, kMemoryBytes),
        fmt::format("lds:{}:{}", kLdsAt, kLdsBytes)}}};
  object["vgpr"][c.idxen ? "1" : "0"] = row_of(c.offset);
  if (c.idxen) object["vgpr"]["0"] = row_of(c.index);
  for (unsigned r = 0; r < 4; ++r) object["vgpr"][std::to_string(4 + r)] = row_of(c.data[r]);
  return object;
}

class BufferRangeRandom : public ProbeDoor {};

TEST_P(BufferRangeRandom, AsTheWordsSay) {
  const unsigned cases = cuvette::test::whole() ? 400 : 150;
  Generator generator(target() == "gfx900" ? 1 : target() == "gfx942" ? 2 : 3);
  const Memory before = generator.memory();
  std::map<std::string, unsigned> seen;
  unsigned cut = 0, done = 0;
  for (unsigned n = 0; done < cases && n < 100 * cases; ++n) {
    const RandomCase c = generator.next();
    // M0 cannot be below 0.
    if (c.kind.act == Act::ToLds && c.immediate > kLdsAt) continue;
    const auto want = expected(c, before);
    if (!want) continue;
    ++done;
    ++seen[c.kind.mnemonic];
    unsigned inside = 0, outside = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((c.exec >> lane & 1) == 0) continue;
      const bool all = passes(c, lane, 0, c.kind.bytes);
      ++(all ? inside : outside);
    }
    cut += inside != 0 && outside != 0;
    const json object = object_of(c, before, with_return());
    const json answer = ask(object);
    ASSERT_EQ(answer["status"], "ok") << answer.dump() << object["asm"].dump();
    const std::string what = object["asm"].dump() + object["sgpr"].dump() + " exec " +
                             object["exec"].dump() + " v0 " + object["vgpr"]["0"].dump();
    ASSERT_EQ(answer["trapsts"], "0x00000000") << what;
    for (unsigned r = 0; r < 4; ++r) {
      ASSERT_EQ(answer["v" + std::to_string(4 + r)], row_of(want->data[r])) << what;
    }
    ASSERT_EQ(answer[object["read"][kMemoryAnswer].get<std::string>()], hex(want->bytes)) << what;
    ASSERT_EQ(answer[object["read"][kLdsAnswer].get<std::string>()], hex(want->lds)) << what;
  }
  EXPECT_EQ(done, cases);
  EXPECT_GT(cut, cases / 5) << "cases with lanes on both sides";
  for (const Kind& k : kKinds) EXPECT_GT(seen[k.mnemonic], 0u) << k.mnemonic;
}

INSTANTIATE_TEST_SUITE_P(Doors, BufferRangeRandom, all_doors(), name_of);

}  // namespace
}  // namespace cuvette
