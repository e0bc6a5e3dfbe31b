// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every row of the checklist of packets (tests/ledger/gfx9_packets.csv): a field has an effect that
// the outcome of some packet shows, or is refused by name, or is said to mean nothing and does not.
#include <set>
#include <tuple>

#include "sdma/packet_table.h"
#include "sdma_bench.h"

namespace cuvette::sdma {
namespace {

using sdma_packets::copy;
using sdma_packets::fence;
using sdma_packets::ledger;
using sdma_packets::LedgerField;
using sdma_packets::poll;
using Builder = sdma_packets::Packet;

constexpr uint64_t kLedgerAt = Bench::kData;
constexpr uint64_t kBuffer = kLedgerAt + 0x8000;  // an indirect buffer
constexpr machine::Cycle kEnd = 20'000;

/// A packet, what comes before it and behind it.
struct Sample {
  std::vector<uint32_t> words;
  std::vector<uint32_t> before, behind = fence(kLedgerAt + 0x7000, 0x11).words();
};

struct Outcome {
  std::vector<uint8_t> bytes;
  std::vector<std::string> errors;
  std::vector<std::tuple<int, uint64_t, uint8_t>> interrupts;
  machine::Cycle end = 0;
  uint64_t polls = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(const Sample& sample) {
  Bench bench(1, {4, 7, 8});
  bench.store<uint64_t>(kLedgerAt, 0x51);
  bench.store<uint64_t>(kLedgerAt + 8, 0x1'0000'0007);
  std::vector<uint32_t> buffer = fence(kLedgerAt + 0x6000, 0x22).words();
  const auto trap = Builder("TRAP").set("int_context", 5).words();
  buffer.insert(buffer.end(), trap.begin(), trap.end());
  buffer.insert(buffer.end(), 2, 0);  // NOP
  for (size_t i = 0; i < buffer.size(); ++i) bench.store(kBuffer + 4 * i, buffer[i]);
  auto q = bench.bind();
  for (const auto* part : {&sample.before, &sample.words, &sample.behind}) bench.put(q, *part);
  bench.ring(q);
  bench.run(kEnd);
  Outcome out;
  out.bytes.resize(Bench::kDataBytes);
  EXPECT_TRUE(bench.memory().read(kLedgerAt, out.bytes.data(), out.bytes.size()));
  out.errors = bench.engines().take_errors();
  for (const auto& i : bench.interrupts) {
    out.interrupts.emplace_back(static_cast<int>(i.kind), i.context, i.vmid);
  }
  out.end = bench.now;
  out.polls = bench.engines().counters().polls;
  return out;
}

Builder time_to(const char* name, uint64_t to) {
  return Builder(name)
      .set("write_addr_31_3", static_cast<uint32_t>(to) >> 3)
      .set("write_addr_63_32", static_cast<uint32_t>(to >> 32));
}

/// Packets of a kind that are carried out, chosen so that every field with an effect shows it.
std::vector<Sample> samples(const std::string& name) {
  const auto one = [](const Builder& b) { return std::vector<Sample>{{b.words(), {}}}; };
  if (name == "COPY_LINEAR") return one(copy(kLedgerAt + 64, kLedgerAt + 4096, 100));
  if (name == "COPY_BROADCAST_LINEAR") {
    return one(Builder(name)
                   .set("count", 99)
                   .set64("src_addr", kLedgerAt + 64)
                   .set64("dst1_addr", kLedgerAt + 4096)
                   .set64("dst2_addr", kLedgerAt + 5000));
  }
  if (name == "COPY_LINEAR_SUBWIN") {
    Builder b(name);
    for (const std::string side : {"src", "dst"}) {
      b.set64(side + "_addr", kLedgerAt + (side == "src" ? 0x10000 : 0x20000));
      b.set(side + "_x", 2).set(side + "_y", 4).set(side + "_z", 2);
      b.set(side + "_pitch", 30).set(side + "_slice_pitch", 400);
    }
    return one(b.set("elementsize", 2).set("rect_x", 6).set("rect_y", 4).set("rect_z", 2));
  }
  if (name == "WRITE_UNTILED") {
    return one(Builder(name).set64("dst_addr", kLedgerAt + 4096).set("count", 2).append({1, 2, 3}));
  }
  if (name == "WRITE_INCR") {
    return one(Builder(name)
                   .set64("dst_addr", kLedgerAt + 4096)
                   .set("mask_dw0", 0x70)
                   .set("init_dw0", 0x1000)
                   .set("incr_dw0", 0x1000)
                   .set("count", 4));
  }
  if (name == "INDIRECT") return one(Builder(name).set64("ib_base", kBuffer).set("ib_size", 8));
  if (name == "FENCE") return one(fence(kLedgerAt + 4096, 8));
  if (name == "COND_EXE") {
    const auto two = [&](uint32_t reference) {
      Sample s{Builder(name)
                   .set64("addr", kLedgerAt)
                   .set("reference", reference)
                   .set("exec_count", 4)
                   .words(),
               {}};
      const auto more = fence(kLedgerAt + 0x7100, 3).words();
      s.behind.insert(s.behind.end(), more.begin(), more.end());
      return s;
    };
    return {two(0x51), two(0x52)};
  }
  if (name == "CONSTANT_FILL") {
    return one(Builder(name)
                   .set64("dst_addr", kLedgerAt + 4096)
                   .set("src_data_31_0", 0xa1b2)
                   .set("count", 8));
  }
  if (name == "POLL_REGMEM") {
    const auto some = [](uint32_t function, uint32_t value) {
      return Sample{
          poll(kLedgerAt, function, value).set("retry_count", 6).set("interval", 40).words(), {}};
    };
    return {some(3, 0x51), some(3, 0x52), some(3, 0x50)};
  }
  if (name == "ATOMIC") {
    const auto some = [&](uint32_t op, uint32_t loop, uint64_t compare) {
      return Sample{Builder(name)
                        .set("atomic_op", op)
                        .set("loop", loop)
                        .set("loop_interval", 16)
                        .set64("addr", kLedgerAt + 8)
                        .set64("src_data", 0x100)
                        .set64("cmp_data", compare)
                        .words(),
                    {}};
    };
    return {some(0x2f, 0, 0), some(0x28, 0, 0x1'0000'0007), some(0x28, 1, 6)};
  }
  if (name == "TIMESTAMP_SET") {
    Sample s{Builder(name).set64("init_data", 0x1000).words(), {}};
    s.behind = time_to("TIMESTAMP_GET", kLedgerAt + 4096).words();
    return {s};
  }
  if (name == "TIMESTAMP_GET") {
    return {{time_to("TIMESTAMP_GET", kLedgerAt + 4096).words(),
             Builder("TIMESTAMP_SET").set64("init_data", 0x5000).words()}};
  }
  if (name == "TIMESTAMP_GET_GLOBAL") {
    return {{time_to(name.c_str(), kLedgerAt + 4096).words(),
             Builder("TIMESTAMP_SET").set64("init_data", 0x5000).words()}};
  }
  if (name == "TRAP") return one(Builder(name).set("int_context", 12));
  if (name == "NOP")
    return {{Builder(name).words(), {}}, {Builder(name).set("count", 1).append({4}).words(), {}}};
  if (name == "HDP_FLUSH") return one(Builder(name).set("reference", 4).set("mask", 4));
  return {};
}

std::vector<uint32_t> flip(std::vector<uint32_t> words, const LedgerField& f) {
  words.at(f.dword) ^= 1u << f.low;
  return words;
}

const Row* row_of(const std::string& packet, const LedgerField& f) {
  for (const Row& row : kRows) {
    if (packet == row.name && f.name == row.field_name && f.dword == row.field.dword &&
        f.low == row.field.low && f.high == row.field.high) {
      return &row;
    }
  }
  return nullptr;
}

TEST(SdmaLedger, TheTableHasEveryRowAndNoOther) {
  size_t rows = 0;
  for (const auto& [name, packet] : ledger()) {
    for (const auto& f : packet.fields) {
      const Row* row = row_of(name, f);
      ASSERT_NE(row, nullptr) << name << " " << f.name;
      ++rows;
      if (packet.aql) continue;
      EXPECT_EQ(row->op, packet.op) << name;
      if (packet.sub_op >= 0) {
        EXPECT_EQ(row->sub_op, packet.sub_op) << name;
      }
    }
  }
  EXPECT_EQ(rows, kRows.size());
}

TEST(SdmaLedger, EveryFieldIsCarriedOutOrRefused) {
  std::set<Use> seen;
  for (const auto& [name, packet] : ledger()) {
    if (packet.aql) continue;
    for (const auto& f : packet.fields) {
      SCOPED_TRACE(name + " " + f.name);
      const Row* row = row_of(name, f);
      ASSERT_NE(row, nullptr);
      seen.insert(row->use);
      if (row->use == Use::Refused) {
        Builder b(name);
        if (f.name != "op" && f.name != "sub_op") b.words() = flip(b.words(), f);
        const Outcome o = outcome_of({b.words(), {}});
        ASSERT_EQ(o.errors.size(), 1u);
        EXPECT_NE(o.errors[0].find(": " + name + " (op "), std::string::npos) << o.errors[0];
        EXPECT_NE(o.errors[0].find("the packet is not executed"), std::string::npos);
        continue;
      }
      bool differs = false, checked = false;
      for (const Sample& s : samples(name)) {
        if (f.dword >= s.words.size()) continue;
        const Outcome plain = outcome_of(s);
        Sample changed = s;
        changed.words = flip(s.words, f);
        const Outcome other = outcome_of(changed);
        checked = true;
        if (row->use == Use::Any) {
          EXPECT_TRUE(plain == other);
        }
        if (row->use == Use::Zero) {
          ASSERT_EQ(other.errors.size(), 1u);
          EXPECT_NE(other.errors[0].find(name + " (op "), std::string::npos) << other.errors[0];
          EXPECT_NE(other.errors[0].find("expected " + f.name + " 0, found 1"), std::string::npos)
              << other.errors[0];
        }
        differs = differs || !(plain == other);
      }
      EXPECT_TRUE(checked) << "no sample has this field";
      if (row->use == Use::Used || row->use == Use::Key) {
        EXPECT_TRUE(differs) << "no outcome shows this field";
      }
    }
  }
  EXPECT_EQ(seen.size(), 5u);
}

/// Samples are good: they end without an error, but for those that show how a wait ends.
TEST(SdmaLedger, SamplesAreCarriedOut) {
  for (const auto& [name, packet] : ledger()) {
    if (packet.aql) continue;
    const auto all = samples(name);
    if (all.empty()) continue;
    EXPECT_TRUE(outcome_of(all[0]).errors.empty()) << name;
  }
}

TEST(SdmaLedger, AqlPacketsAreRefusedByName) {
  Ring ring;
  ring.base = Bench::kRings;
  ring.bytes = 1024;
  ring.aql = true;
  const std::string told = check(ring).error().what;
  for (const auto& [name, packet] : ledger()) {
    if (!packet.aql) continue;
    for (const auto& f : packet.fields) {
      ASSERT_NE(row_of(name, f), nullptr);
      EXPECT_EQ(row_of(name, f)->use, Use::Refused) << name << " " << f.name;
    }
    if (name != "AQL_HEADER") {
      EXPECT_NE(told.find(name), std::string::npos) << told;
    }
  }
}

}  // namespace
}  // namespace cuvette::sdma
