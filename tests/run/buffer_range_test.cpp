// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The range check of buffers, case by case from the words of decision D51 and MI100 ISA 9.1.5, on
// the engines of the probe and all targets.
#include "probe_door.h"

namespace cuvette {
namespace {

using namespace probe_door;

/// The buffer begins at 0x100000, where bytes 1, 2, 3 and so on are; s[8:11] is its descriptor with
/// format 32, s4 the scalar offset. Everything else is said by the case.
const json kDefaults = json::parse(R"({
  "sgpr": {"4": 0, "8": "0x100000", "9": 0, "10": 0, "11": "0x20000"},
  "mem": {"0x100000": "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40"}
})");

struct Case {
  const char* what;
  const char* object;
  const char* expected;
};

class BufferRange : public ProbeDoor {
 protected:
  void check_all(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      check(c.what, json::parse(c.object), kDefaults, json::parse(c.expected));
    }
  }
};

TEST_P(BufferRange, SoffsetCounts) {
  check_all({
      {"ends behind the buffer",
       R"({"asm":["buffer_load_dword v0, off, s[8:11], s4"],"sgpr":{"4":8,"10":8}})",
       R"({"v0":"0x00000000","trapsts":"0x00000000"})"},
      {"ends with the buffer",
       R"({"asm":["buffer_load_dword v0, off, s[8:11], s4"],"sgpr":{"4":8,"10":12}})",
       R"({"v0":"0x0c0b0a09"})"},
      {"with both offsets",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], s4 offen offset:4"],"vgpr":{"1":4},
           "sgpr":{"4":4,"10":16}})",
       R"({"v0":"0x100f0e0d"})"},
      {"one byte less",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], s4 offen offset:4"],"vgpr":{"1":4},
           "sgpr":{"4":4,"10":15}})",
       R"({"v0":"0x00000000"})"},
      {"a constant, inside", R"({"asm":["buffer_load_dword v0, off, s[8:11], 4"],"sgpr":{"10":8}})",
       R"({"v0":"0x08070605"})"},
      {"a constant, outside",
       R"({"asm":["buffer_load_dword v0, off, s[8:11], 4"],"sgpr":{"10":7}})",
       R"({"v0":"0x00000000"})"},
      {"the sum with it does not wrap",
       R"({"asm":["buffer_load_dword v0, off, s[8:11], s4 offset:8"],
           "sgpr":{"4":"0xfffffffc","10":16}})",
       R"({"v0":"0x00000000","trapsts":"0x00000000"})"},
  });
}

TEST_P(BufferRange, VoffsetAndTheImmediateWrapAt32Bits) {
  check_all({
      {"wraps to 4",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], 0 offen offset:8"],
           "vgpr":{"1":"0xfffffffc"},"sgpr":{"10":16}})",
       R"({"v0":"0x08070605"})"},
      {"wraps to 4, and 8 from the SGPR",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], s4 offen offset:8"],
           "vgpr":{"1":"0xfffffffc"},"sgpr":{"4":8,"10":16}})",
       R"({"v0":"0x100f0e0d"})"},
      {"does not wrap",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], 0 offen offset:8"],
           "vgpr":{"1":"0xfffffff0"},"sgpr":{"10":16}})",
       R"({"v0":"0x00000000","trapsts":"0x00000000"})"},
      {"in a structured buffer",
       R"({"asm":["buffer_load_dword v2, v[0:1], s[8:11], 0 idxen offen offset:8"],
           "vgpr":{"0":1,"1":"0xfffffffc"},"sgpr":{"9":"0x100000","10":2}})",
       R"({"v2":"0x18171615"})"},
  });
}

TEST_P(BufferRange, EveryDwordEndsInside) {
  check_all({
      {"begins inside, ends outside",
       R"({"asm":["buffer_load_dword v0, off, s[8:11], 0 offset:4"],"sgpr":{"10":6}})",
       R"({"v0":"0x00000000"})"},
      {"second of two",
       R"({"asm":["buffer_load_dwordx2 v[2:3], off, s[8:11], 0"],"sgpr":{"10":7}})",
       R"({"v2":"0x04030201","v3":"0x00000000"})"},
      {"third of three",
       R"({"asm":["buffer_load_dwordx3 v[2:4], off, s[8:11], 0"],"sgpr":{"10":11}})",
       R"({"v2":"0x04030201","v3":"0x08070605","v4":"0x00000000"})"},
      {"fourth of four",
       R"({"asm":["buffer_load_dwordx4 v[2:5], off, s[8:11], 0"],"sgpr":{"10":15}})",
       R"({"v2":"0x04030201","v3":"0x08070605","v4":"0x0c0b0a09","v5":"0x00000000"})"},
      {"all four", R"({"asm":["buffer_load_dwordx4 v[2:5], off, s[8:11], 0"],"sgpr":{"10":16}})",
       R"({"v2":"0x04030201","v3":"0x08070605","v4":"0x0c0b0a09","v5":"0x100f0e0d"})"},
      {"two of four behind an SGPR",
       R"({"asm":["buffer_load_dwordx4 v[2:5], off, s[8:11], s4"],"sgpr":{"4":8,"10":19}})",
       R"({"v2":"0x0c0b0a09","v3":"0x100f0e0d","v4":"0x00000000","v5":"0x00000000"})"},
  });
}

TEST_P(BufferRange, ElementsOfLessThanADword) {
  check_all({
      {"a byte that is the last",
       R"({"asm":["buffer_load_ubyte v0, off, s[8:11], 0 offset:5"],"sgpr":{"10":6}})",
       R"({"v0":"0x00000006"})"},
      {"a byte behind it",
       R"({"asm":["buffer_load_ubyte v0, off, s[8:11], 0 offset:6"],"sgpr":{"10":6}})",
       R"({"v0":"0x00000000"})"},
      {"two bytes that are the last",
       R"({"asm":["buffer_load_ushort v0, off, s[8:11], 0 offset:4"],"sgpr":{"10":6}})",
       R"({"v0":"0x00000605"})"},
      {"one of two bytes outside",
       R"({"asm":["buffer_load_sshort v0, off, s[8:11], 0 offset:4"],"sgpr":{"10":5}})",
       R"({"v0":"0x00000000"})"},
      {"behind an SGPR",
       R"({"asm":["buffer_load_ubyte v0, off, s[8:11], s4 offset:1"],"sgpr":{"4":5,"10":6}})",
       R"({"v0":"0x00000000"})"},
      {"stored",
       R"({"asm":["buffer_store_short v1, off, s[8:11], 0 offset:4",
                  "buffer_store_short v1, off, s[8:11], 0 offset:6",
                  "buffer_store_byte v1, off, s[8:11], 0 offset:8"],
           "vgpr":{"1":"0xccddeeff"},"sgpr":{"10":7}})",
       R"({"mem:0x100000:12":"01020304ffee0708090a0b0c"})"},
  });
}

TEST_P(BufferRange, IndicesCountOnlyInStructuredBuffers) {
  check_all({
      {"an offset register alone: bytes",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], 0 offen"],"vgpr":{"1":4},
           "sgpr":{"9":"0x100000","10":7}})",
       R"({"v0":"0x00000000"})"},
      {"an offset register alone, inside",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], 0 offen"],"vgpr":{"1":4},
           "sgpr":{"9":"0x100000","10":8}})",
       R"({"v0":"0x08070605"})"},
      {"no register: bytes",
       R"({"asm":["buffer_load_dword v0, off, s[8:11], 0 offset:4"],
           "sgpr":{"9":"0x100000","10":7}})",
       R"({"v0":"0x00000000"})"},
      {"last index",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], 0 idxen offset:4"],"vgpr":{"1":1},
           "sgpr":{"9":"0x100000","10":2}})",
       R"({"v0":"0x18171615"})"},
      {"index behind it",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], 0 idxen"],"vgpr":{"1":2},
           "sgpr":{"9":"0x100000","10":2}})",
       R"({"v0":"0x00000000"})"},
      {"offsets beyond the stride and SOFFSET are not looked at",
       R"({"asm":["buffer_load_dwordx2 v[2:3], v[0:1], s[8:11], s4 idxen offen offset:8"],
           "vgpr":{"0":1,"1":8},"sgpr":{"4":16,"9":"0x100000","10":2}})",
       R"({"v2":"0x34333231","v3":"0x38373635"})"},
      {"an index without a stride: bytes",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], 0 idxen offset:4"],"vgpr":{"1":5},
           "sgpr":{"10":8}})",
       R"({"v0":"0x08070605"})"},
      {"an index without a stride, outside",
       R"({"asm":["buffer_load_dword v0, v1, s[8:11], 0 idxen offset:4"],"vgpr":{"1":0},
           "sgpr":{"10":7}})",
       R"({"v0":"0x00000000"})"},
  });
}

/// Bit 119 of the descriptor: the thread id counts as an index, nothing is checked.
TEST_P(BufferRange, ThreadIdsAreNotChecked) {
  json ascending(std::vector<json>(wave::kLanes, "0xaaaaaaaa"));
  const char* const words[] = {"0x0c0b0a09", "0x14131211", "0x1c1b1a19", "0x24232221"};
  for (unsigned lane = 0; lane < 4; ++lane) ascending[lane] = words[lane];
  const json object = json::parse(
      R"({"asm":["buffer_load_dword v0, off, s[8:11], s4 offset:4"],"exec":"0xf",
          "vgpr":{"0":"0xaaaaaaaa"},"sgpr":{"4":4,"9":"0x80000","10":0,"11":"0x800000"}})");
  check("stride 8, no records", object, kDefaults, {{"v0", ascending}});
}

/// Formats 32_32_32_32, 32_32 and 8 of unsigned integers.
TEST_P(BufferRange, FormatsAreAllOrNothing) {
  check_all({
      {"an element that ends inside",
       R"({"asm":["buffer_load_format_xyzw v[0:3], off, s[8:11], 0"],
           "sgpr":{"10":16,"11":"0x74fac"}})",
       R"({"v0":"0x04030201","v1":"0x08070605","v2":"0x0c0b0a09","v3":"0x100f0e0d"})"},
      {"an element that does not",
       R"({"asm":["buffer_load_format_xyzw v[0:3], off, s[8:11], 0"],
           "sgpr":{"10":15,"11":"0x74fac"}})",
       R"({"v0":"0x00000000","v1":"0x00000000","v2":"0x00000000","v3":"0x00000000"})"},
      {"the element counts, not what is asked for",
       R"({"asm":["buffer_load_format_x v0, off, s[8:11], 0"],"sgpr":{"10":15,"11":"0x74fac"}})",
       R"({"v0":"0x00000000"})"},
      {"behind an SGPR",
       R"({"asm":["buffer_load_format_xy v[0:1], off, s[8:11], s4"],
           "sgpr":{"4":4,"10":11,"11":"0x5cfac"}})",
       R"({"v0":"0x00000000","v1":"0x00000000"})"},
      {"the last byte",
       R"({"asm":["buffer_load_format_x v0, off, s[8:11], s4"],
           "sgpr":{"4":3,"10":4,"11":"0xcfac"}})",
       R"({"v0":"0x00000004"})"},
      {"the byte behind it",
       R"({"asm":["buffer_load_format_x v0, off, s[8:11], s4"],
           "sgpr":{"4":4,"10":4,"11":"0xcfac"}})",
       R"({"v0":"0x00000000"})"},
      {"a selected 1 stays",
       R"({"asm":["buffer_load_format_xy v[0:1], off, s[8:11], 0"],
           "sgpr":{"10":7,"11":"0x5cf8c"}})",
       R"({"v0":"0x00000000","v1":"0x00000001"})"},
      {"the instruction's format",
       R"({"asm":["tbuffer_load_format_xyzw v[0:3], off, s[8:11], s4 format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_UINT]",
                  "tbuffer_load_format_xy v[4:5], off, s[8:11], s4 format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_UINT]"],
           "sgpr":{"4":4,"10":19}})",
       R"({"v0":"0x00000000","v1":"0x00000000","v2":"0x00000000","v3":"0x00000000",
           "v4":"0x08070605","v5":"0x0c0b0a09"})"},
      {"stores",
       R"({"asm":["buffer_store_format_xy v[0:1], off, s[8:11], 0",
                  "buffer_store_format_xy v[0:1], off, s[8:11], 0 offset:8",
                  "tbuffer_store_format_x v0, off, s[8:11], s4 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT] offset:4"],
           "vgpr":{"0":"0xf3f2f1f0","1":"0xf7f6f5f4"},"sgpr":{"4":8,"10":15,"11":"0x5cfac"}})",
       R"({"mem:0x100000:16":"f0f1f2f3f4f5f6f7090a0b0c0d0e0f10"})"},
  });
}

TEST_P(BufferRange, StoresDropTheDwordsOutside) {
  check_all({
      {"one",
       R"({"asm":["buffer_store_dword v0, off, s[8:11], 0 offset:4",
                  "buffer_store_dword v0, off, s[8:11], s4"],
           "vgpr":{"0":"0xf3f2f1f0"},"sgpr":{"4":4,"10":7}})",
       R"({"mem:0x100000:12":"0102030405060708090a0b0c"})"},
      {"two of three",
       R"({"asm":["buffer_store_dwordx3 v[0:2], off, s[8:11], s4"],
           "vgpr":{"0":"0xf3f2f1f0","1":"0xf7f6f5f4","2":"0xfbfaf9f8"},"sgpr":{"4":4,"10":15}})",
       R"({"mem:0x100000:16":"01020304f0f1f2f3f4f5f6f70d0e0f10"})"},
  });
}

TEST_P(BufferRange, AtomicsAreAllOrNothing) {
  const std::string rtn = with_return();
  const auto one = [&](const char* what, const std::string& text, unsigned records,
                       const json& expected) {
    json object = {{"asm", {text}},
                   {"exec", 1},
                   {"vgpr", {{"0", 1}, {"1", 0}, {"2", 0}, {"3", "0x04030201"}}},
                   {"sgpr", {{"4", 4}, {"10", records}}}};
    check(what, object, kDefaults, expected);
  };
  const auto lane0 = [](const char* value, const char* others) {
    json row(std::vector<json>(wave::kLanes, others));
    row[0] = value;
    return row;
  };
  one("ends outside", "buffer_atomic_add v0, off, s[8:11], 0 offset:4" + rtn, 7,
      {{"v0", lane0("0x00000000", "0x00000001")}, {"mem:0x100004:4", "05060708"}});
  one("ends inside", "buffer_atomic_add v0, off, s[8:11], 0 offset:4" + rtn, 8,
      {{"v0", lane0("0x08070605", "0x00000001")}, {"mem:0x100004:4", "06060708"}});
  one("behind an SGPR", "buffer_atomic_add v0, off, s[8:11], s4", 7,
      {{"mem:0x100004:4", "05060708"}});
  one("half of eight bytes", "buffer_atomic_add_x2 v[0:1], off, s[8:11], 0", 7,
      {{"mem:0x100000:8", "0102030405060708"}});
  one("eight bytes", "buffer_atomic_add_x2 v[0:1], off, s[8:11], 0", 8,
      {{"mem:0x100000:8", "0202030405060708"}});
  one("compared", "buffer_atomic_cmpswap v[2:3], off, s[8:11], 0", 3,
      {{"mem:0x100000:4", "01020304"}});
  one("compared, inside", "buffer_atomic_cmpswap v[2:3], off, s[8:11], 0", 4,
      {{"mem:0x100000:4", "00000000"}});
}

/// Lanes 0 to 3, dwords from LDS address 16 on.
TEST_P(BufferRange, LoadsToLdsWriteZeros) {
  json quads(std::vector<json>(wave::kLanes, 0));
  for (unsigned lane = 0; lane < 4; ++lane) quads[lane] = 4 * lane;
  const auto one = [&](const char* what, const std::string& text, unsigned records,
                       const char* expected) {
    json object = {{"asm", {"s_mov_b32 m0, 16", text}},
                   {"exec", "0xf"},
                   {"vgpr", {{"1", quads}}},
                   {"sgpr", {{"4", 4}, {"10", records}}},
                   {"lds", {{"16", "ffffffffffffffffffffffffffffffffffffffff"}}}};
    check(what, object, kDefaults, {{"lds:16:20", expected}});
  };
  one("two inside", "buffer_load_dword v1, s[8:11], 0 offen lds", 11,
      "01020304050607080000000000000000ffffffff");
  one("behind an SGPR", "buffer_load_dword v1, s[8:11], s4 offen lds", 12,
      "05060708090a0b0c0000000000000000ffffffff");
  one("bytes", "buffer_load_ubyte v1, s[8:11], 0 offen lds", 9,
      "010000000500000009000000"
      "00000000ffffffff");
  one("halves", "buffer_load_ushort v1, s[8:11], 0 offen lds", 9,
      "010200000506000000000000"
      "00000000ffffffff");
}

TEST_P(BufferRange, StoresFromLds) {
  if (!before("gfx90a")) return;  // gfx90a and gfx942 have no such instruction
  const json object = json::parse(
      R"({"asm":["s_mov_b32 m0, 16","buffer_store_lds_dword s[8:11], s4 offset:4 lds",
                 "s_mov_b32 m0, 16","buffer_store_lds_dword s[8:11], s4 offset:8 lds"],"exec":1,
          "sgpr":{"4":4,"10":15},"lds":{"20":"f0f1f2f3f4f5f6f7"}})");
  check("the second ends outside", object, kDefaults,
        {{"mem:0x100000:16", "0102030405060708f0f1f2f30d0e0f10"}});
}

INSTANTIATE_TEST_SUITE_P(Doors, BufferRange, all_doors(), name_of);

}  // namespace
}  // namespace cuvette
