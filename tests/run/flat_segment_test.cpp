// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Where FLAT accesses go, on the engines of the probe and all targets: the address in the VGPRs
// says which segment is meant, the offset is added behind that and leads to no other one (decision
// D54). The apertures are those of the Linux driver, 4 GiB from 2^48 and from 2^49.
#include "probe_door.h"

namespace cuvette {
namespace {

using namespace probe_door;

constexpr char kNothing[] = "0x00000000", kViolation[] = "0x00000100";

/// A page of memory at 0, where scratch begins (FLAT_SCRATCH is 0), and one at 0x100000; LDS.
const json kFlatDefaults = json::parse(R"({
  "exec": 1,
  "vgpr": {"5": "0xddccbbaa"},
  "mem": {"0x0": "a0a1a2a3a4a5a6a7", "0x100": "b0b1b2b3", "0x200": "c0c1c2c3",
          "0x100000": "0102030405060708090a0b0c0d0e0f10"},
  "lds": {"0": "101112131415161718191a1b1c1d1e1f"}
})");

struct Address {
  const char* what;
  uint32_t high, low;
  unsigned offset;
  const char* loaded;  ///< dword; null: a violation
};
const Address kAddresses[] = {
    {"memory", 0, 0x100000, 4, "0x08070605"},
    {"LDS", 0x10000, 0, 0, "0x13121110"},
    {"LDS with an offset", 0x10000, 4, 8, "0x1f1e1d1c"},
    {"into LDS", 0xffff, 0xfffffffc, 4, nullptr},
    {"into LDS, further", 0xffff, 0xfffffff8, 16, nullptr},
    {"over the border of LDS", 0xffff, 0xfffffffe, 0, nullptr},
    {"out of LDS", 0x10000, 0xfffffffc, 4, nullptr},
    {"out of LDS, further", 0x10000, 0xfffffff8, 4095, nullptr},
    {"over the end of LDS", 0x10000, 0xfffffffe, 0, nullptr},
    {"behind the allocation", 0x10000, 0xfffe, 0, nullptr},
    {"behind the allocation by the offset", 0x10000, 0xf000, 4095, nullptr},
    // Dwords of lane 0 are 256 bytes apart.
    {"scratch", 0x20000, 0, 0, "0xa3a2a1a0"},
    {"scratch with an offset", 0x20000, 4, 4, "0xc3c2c1c0"},
    {"into scratch", 0x1ffff, 0xfffffffc, 4, nullptr},
    {"into scratch, further", 0x1ffff, 0xfffffff8, 16, nullptr},
    {"over the border of scratch", 0x1ffff, 0xfffffffe, 0, nullptr},
    {"out of scratch", 0x20000, 0xfffffffc, 4, nullptr},
    {"over the end of scratch", 0x20000, 0xfffffffe, 0, nullptr},
    {"no memory", 0x20001, 0, 4, nullptr},
};

class FlatSegment : public ProbeDoor {
 protected:
  static json in_lane0(const char* value, const char* others) {
    json row(std::vector<json>(wave::kLanes, others));
    row[0] = value;
    return row;
  }
  json object(const Address& a, const std::string& text) {
    const std::string offset = a.offset == 0 ? "" : " offset:" + std::to_string(a.offset);
    return {{"asm", {text + offset}}, {"vgpr", {{"2", a.low}, {"3", a.high}}}};
  }
  void check(const Address& a, const json& object, json expected) {
    expected["trapsts"] = a.loaded == nullptr ? kViolation : kNothing;
    ProbeDoor::check(std::string(a.what) + " " + object["asm"][0].get<std::string>(), object,
                     kFlatDefaults, expected);
  }
};

TEST_P(FlatSegment, Loads) {
  for (const Address& a : kAddresses) {
    json load = object(a, "flat_load_dword v4, v[2:3]");
    load["vgpr"]["4"] = "0x55555555";
    check(a, load, {{"v4", in_lane0(a.loaded == nullptr ? kNothing : a.loaded, "0x55555555")}});
  }
}

/// A forbidden access changes nothing anywhere.
TEST_P(FlatSegment, StoresAndAtomics) {
  const auto bytes = [](const char* word) {
    const std::string hex(word);
    return hex.substr(8, 2) + hex.substr(6, 2) + hex.substr(4, 2) + hex.substr(2, 2);
  };
  const std::pair<const char*, std::string> memory[] = {
      {"mem:0x0:8", "a0a1a2a3a4a5a6a7"},
      {"mem:0x100:4", "b0b1b2b3"},
      {"mem:0x200:4", "c0c1c2c3"},
      {"mem:0x100000:16", "0102030405060708090a0b0c0d0e0f10"},
      {"lds:0:16", "101112131415161718191a1b1c1d1e1f"}};
  for (const Address& a : kAddresses) {
    json after = json::object(), swapped = json::object();
    for (const auto& [key, before] : memory) {
      std::string now = before;
      // Every dword of the case is there once.
      if (a.loaded != nullptr) {
        if (const auto at = now.find(bytes(a.loaded)); at != now.npos)
          now.replace(at, 8, "aabbccdd");
      }
      after[key] = now;
    }
    check(a, object(a, "flat_store_dword v[2:3], v5"), after);
    json swap = object(a, "flat_atomic_swap v4, v[2:3], v5");
    swap["asm"][0] = swap["asm"][0].get<std::string>() + with_return();
    after["v4"] = in_lane0(a.loaded == nullptr ? kNothing : a.loaded, kNothing);
    check(a, swap, after);
  }
}

TEST_P(FlatSegment, Widths) {
  const Address into = {"into LDS", 0xffff, 0xffffffff, 1, nullptr};
  check(into, object(into, "flat_load_ubyte v4, v[2:3]"), {{"v4", kNothing}});
  check(into, object(into, "flat_load_dwordx4 v[8:11], v[2:3]"),
        {{"v8", kNothing}, {"v11", kNothing}});
  const Address inside = {"inside LDS", 0x10000, 0, 3, "0x13"};
  check(inside, object(inside, "flat_load_ubyte v4, v[2:3]"),
        {{"v4", in_lane0("0x00000013", kNothing)}});
  const Address last = {"last byte before it", 0xffff, 0xfffffff0, 15, nullptr};
  check(last, object(last, "flat_store_byte v[2:3], v5"), {{"lds:0:4", "10111213"}});
}

/// Each lane by its own address.
TEST_P(FlatSegment, LanesOfOneInstruction) {
  const uint32_t high[4] = {0x10000, 0xffff, 0, 0x20000};
  const uint32_t low[4] = {8, 0xfffffffc, 0x100008, 0};
  const char* const loaded[4] = {"0x1f1e1d1c", kNothing, "0x100f0e0d", "0xb7b6b5b4"};
  json rows[2], expected(std::vector<json>(wave::kLanes, kNothing));
  for (auto& row : rows) row = json(std::vector<json>(wave::kLanes, 0));
  for (unsigned lane = 0; lane < 4; ++lane) {
    rows[0][lane] = low[lane];
    rows[1][lane] = high[lane];
    expected[lane] = loaded[lane];
  }
  const json object = {{"asm", {"flat_load_dword v4, v[2:3] offset:4"}},
                       {"exec", 15},
                       {"vgpr", {{"2", rows[0]}, {"3", rows[1]}}},
                       // Lane 3: dword 1, byte 256 + 4 * 3.
                       {"mem", {{"0x10c", "b4b5b6b7"}}}};
  ProbeDoor::check("lanes", object, kFlatDefaults, {{"v4", expected}, {"trapsts", kViolation}});
}

/// GLOBAL looks at no aperture; what ends in that of LDS is a violation (Vega ISA 9.4).
TEST_P(FlatSegment, Global) {
  const auto one = [&](const char* what, uint32_t high, uint32_t low, int offset,
                       const char* loaded) {
    const Address a = {what, high, low, 0, loaded};
    check(a, object(a, "global_load_dword v4, v[2:3], off offset:" + std::to_string(offset)),
          {{"v4", in_lane0(loaded == nullptr ? kNothing : loaded, kNothing)}});
  };
  one("memory", 0, 0x100008, -4, "0x08070605");
  one("into LDS", 0xffff, 0xfffffffc, 4, nullptr);
  one("LDS", 0x10000, 4, 0, nullptr);
  one("scratch is no memory", 0x20000, 0, 0, nullptr);
}

/// The registers say the same apertures.
TEST_P(FlatSegment, Registers) {
  const json object = {{"asm",
                        {"s_mov_b64 s[0:1], src_shared_base", "s_mov_b64 s[2:3], src_private_base",
                         "s_getreg_b32 s4, hwreg(HW_REG_SH_MEM_BASES)"}}};
  ProbeDoor::check("bases", object, kFlatDefaults,
                   {{"s0", "0x00000000"},
                    {"s1", "0x00010000"},
                    {"s2", "0x00000000"},
                    {"s3", "0x00020000"},
                    {"s4", "0x00010002"}});
}

INSTANTIATE_TEST_SUITE_P(Doors, FlatSegment, all_doors(), name_of);

}  // namespace
}  // namespace cuvette
