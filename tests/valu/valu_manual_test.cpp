// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu_manual.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ip/valu/valu_device.h"
#include "test_vectors.h"
#include "valu/lane_beat.h"
#include "valu/operations.h"
#include "valu_devices.h"
#include "valu_oracle.h"
#include "valu_vectors.h"

// rtl/valu, and the lane semantics of layer wave beside it, against valu_manual.h: the rows that
// valu_rtl_test's oracle does not know, written from the manuals a second time.
namespace cuvette {
namespace {

constexpr uint64_t kSeed = 8086;

/// Encodings and modifiers that the row has: what others would do is no question to the manuals.
void draw_modifiers(const isa::Row& row, std::mt19937_64& random, valu::Request& q) {
  isa::Modifiers m;
  const uint64_t r = random();
  const bool floats = row.has(isa::kFloatModes) ||
                      row.mnemonic.find("_class_") != std::string_view::npos ||
                      row.mnemonic.substr(0, 5) == "v_cmp";
  if (row.format == isa::Format::Vop3p) {
    m.op_sel_hi = 7;
    const bool whole =
        row.mnemonic.substr(0, 6) == "v_dot4" || row.mnemonic.substr(0, 6) == "v_dot8";
    if (!whole && (r & 3) != 0) {
      m.op_sel = r >> 8 & 7;
      m.op_sel_hi = r >> 12 & 7;
    }
    if (floats && (r >> 2 & 1) != 0) {
      m.neg = r >> 16 & 7;
      m.neg_hi = r >> 20 & 7;
    }
    // Low halves of products and shifted bits have no bounds to hold.
    const bool bounded = row.mnemonic.find("mul_lo") == std::string_view::npos &&
                         row.mnemonic.find("rev_b16") == std::string_view::npos &&
                         row.mnemonic.find("rev_i16") == std::string_view::npos;
    m.clamp = bounded && (r >> 24 & 3) == 0;
  } else if ((r & 3) != 0 &&
             (row.vop3_opcode[isa::index_of(isa::Target::Gfx908)] != isa::kAbsent ||
              row.format == isa::Format::Vop3a || row.mnemonic == "v_div_scale_f64")) {
    if (floats && !row.has(isa::kNoAbsNeg) && row.mnemonic.substr(0, 7) != "v_dot2c" &&
        (r >> 4 & 1) != 0) {
      m.abs = r >> 8 & 7;
      m.neg = r >> 12 & 7;
      // An integer beside a number has no sign to change.
      for (unsigned s = 0; s < 3; ++s) {
        const isa::Type t = row.src[s].type;
        const bool number = t == isa::Type::F16 || t == isa::Type::F32 || t == isa::Type::F64;
        const bool count = s == 1 && row.mnemonic.find("ldexp") != std::string_view::npos;
        if (number && !count) continue;
        m.abs = static_cast<uint8_t>(m.abs & ~(1u << s));
        m.neg = static_cast<uint8_t>(m.neg & ~(1u << s));
      }
      const bool accumulates = row.dst[0].read;
      if (accumulates) m.abs &= 3, m.neg &= 3;
      if (row.format == isa::Format::Vop3b) m.abs = 0;  // VOP3B has a scalar destination there
    }
    const bool multiplies = !row.has(isa::kNoOmod) && row.mnemonic.substr(0, 7) != "v_dot2c";
    if (multiplies && (r >> 5 & 3) == 0) m.omod = r >> 16 & 3;
    // Packing changes no number, and of what CLAMP reports beside floor(x + 0.5) the manual is
    // silent.
    const bool clamps = !row.has(isa::kNoClamp) && row.mnemonic != "v_pack_b32_f16" &&
                        row.mnemonic.substr(0, 7) != "v_dot2c" &&
                        row.mnemonic != "v_cvt_rpi_i32_f32";
    m.clamp = clamps && (r >> 20 & 3) == 0;
    if (row.has(isa::kOpSel)) m.op_sel = r >> 24 & 15;
  }
  q.modifiers = m;
}

/// True for operations of the other oracle.
bool is_known_elsewhere(const valu::Operation& op) {
  if (op.format == isa::Format::Vop3p) return false;
  try {
    static_cast<void>(valu_oracle::expected(std::string(op.mnemonic), {}, {}));
    return true;
  } catch (const std::out_of_range&) {
    return false;
  }
}

struct Checked {
  size_t lanes = 0;
  std::string difference;
};

/// One beat, from the device and from layer wave.
Checked check(const isa::Row& row, isa::Target target, const valu::Request& q,
              const valu::Response& got) {
  Checked checked;
  unsigned flags = 0;
  uint16_t mask = 0;
  bool writes = true, has_mask = false;
  const auto differs = [&](const std::string& what, uint64_t expected, uint64_t actual,
                           unsigned l) {
    char text[400];
    std::snprintf(
        text, sizeof text,
        "%s mode %08x abs %u neg %u neg_hi %u sel %u sel_hi %u omod %u clamp %d lane %u src "
        "%llx %llx "
        "%llx old %llx: expected %llx, got %llx",
        what.c_str(), q.mode, q.modifiers.abs, q.modifiers.neg, q.modifiers.neg_hi,
        q.modifiers.op_sel, q.modifiers.op_sel_hi, q.modifiers.omod, q.modifiers.clamp, l,
        static_cast<unsigned long long>(q.src[0][l]), static_cast<unsigned long long>(q.src[1][l]),
        static_cast<unsigned long long>(q.src[2][l]), static_cast<unsigned long long>(q.old[l]),
        static_cast<unsigned long long>(expected), static_cast<unsigned long long>(actual));
    checked.difference = isa::row_id(row) + " " + text;
  };
  unsigned last = 0;
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    if ((q.exec >> l & 1) == 0) continue;
    last = l;
    const valu_manual::Lane lane = {
        {q.src[0][l], q.src[1][l], q.src[2][l]}, q.old[l], (q.mask_in >> l & 1) != 0, target};
    const auto e = valu_manual::expected(row, q, lane);
    if (!e) return checked;
    ++checked.lanes;
    flags |= e->flags;
    writes = e->writes;
    has_mask = e->has_mask;
    if (e->mask) mask = static_cast<uint16_t>(mask | 1u << l);
    if (e->writes && got.dst[l] != e->dst) {
      differs("dst", e->dst, got.dst[l], l);
      return checked;
    }
  }
  if (checked.lanes == 0) return checked;
  if (got.write != (writes ? q.exec : 0)) differs("write", q.exec, got.write, last);
  if (got.has_mask != has_mask || got.mask != mask) differs("mask", mask, got.mask, last);
  if (got.flags != flags) differs("flags", flags, got.flags, last);
  return checked;
}

/// Targets on which an operation is judged: one, or all that have it when they differ.
std::vector<isa::Target> targets_of(const valu::Operation& op) {
  const bool differs = op.mnemonic == "v_dot2_f32_f16" || op.mnemonic == "v_dot2c_f32_f16";
  if (!differs) return {home_of(op)};
  std::vector<isa::Target> targets;
  for (const isa::Target target : isa::kAllTargets) {
    if (op.on(target)) targets.push_back(target);
  }
  return targets;
}

/// Drawn beats of an operation on one target: the lanes that the oracle knows.
size_t judge(const valu::Operation& op, const isa::Row& row, isa::Target target,
             ValuDevices& devices, std::string& difference) {
  ValuPins* device = &devices.of(target);
  valu::LaneBeat wave(target);
  std::mt19937_64 random(kSeed + op.code);
  size_t mine = 0;
  for (unsigned mode = 0; mode < 16 && difference.empty(); ++mode) {
    for (int n = 0; n < test::vectors(320) && difference.empty(); n += valu::kLanes) {
      valu::Request q;
      valu_vectors::draw(row, random, q);
      q.exec = n % 5 == 0 ? static_cast<uint16_t>(random()) : 1u << (random() & 15);
      if (n % 3 == 0) q.exec = 0xffff;
      q.pass = row.mnemonic == "v_mqsad_u32_u8" ? n / valu::kLanes & 1 : 0;
      const auto others_bits = static_cast<uint32_t>(random()) & (3u << 8 | 1u << 23);
      q.mode = (mode & 3) | (3 - (mode & 3)) << 2 | (mode >> 2) << 4 | ((mode >> 2) ^ 1) << 6 |
               others_bits;
      draw_modifiers(row, random, q);
      device->drive(&q, op.code, true);
      device->clock();
      valu::Response got;
      for (unsigned cycle = 0; cycle < 8; ++cycle) {
        device->drive(nullptr, 0, true);
        const bool answered = device->response_valid();
        if (answered) device->response(got);
        device->clock();
        if (answered) break;
      }
      const Checked one = check(row, target, q, got);
      mine += one.lanes;
      difference = one.difference;
      if (one.lanes == 0 || !difference.empty()) continue;
      valu::Response reference;
      wave.compute(q, reference);
      const Checked two = check(row, target, q, reference);
      if (!two.difference.empty()) difference = "layer wave: " + two.difference;
    }
  }
  return mine;
}

TEST(ValuManual, RowsOfTheSecondOracle) {
  ValuDevices devices;
  std::map<std::string, size_t> rows;
  std::vector<std::string> others;
  size_t lanes = 0;
  for (const valu::Operation& op : valu::operations()) {
    if (is_known_elsewhere(op)) continue;
    const isa::Row& row = *isa::find_row(op.mnemonic, op.format);
    size_t mine = 0;
    std::string difference;
    for (const isa::Target target : targets_of(op)) {
      if (!difference.empty()) break;
      mine += judge(op, row, target, devices, difference);
    }
    if (!difference.empty()) ADD_FAILURE() << difference;
    if (mine != 0) {
      ++rows[std::string(isa::name_of(op.format))];
      lanes += mine;
    } else {
      others.push_back(isa::row_id(row));
    }
  }
  size_t all = 0;
  for (const auto& [format, count] : rows) all += count;
  std::printf("%zu rows, %zu lane vectors; %zu rows without a second oracle:", all, lanes,
              others.size());
  for (const std::string& row : others) std::printf(" %s", row.c_str());
  std::printf("\n");
  EXPECT_EQ(all, 302u);
}

}  // namespace
}  // namespace cuvette
