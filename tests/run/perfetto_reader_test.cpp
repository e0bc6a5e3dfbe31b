// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Perfetto traces made by hand, and what is read of them; files that are cut, changed or of another
// form.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "hand_trace.h"
#include "run/trace/perfetto_writer.h"
#include "run/trace/trace_columns.h"

namespace cuvette::run {
namespace {

using protozero::pbf_writer;
using tests::compressed;
using tests::kBegin;
using tests::kEnd;
using tests::kInstant;
using Trace = tests::HandTrace;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string written(const std::string& bytes) {
  std::string path = testing::TempDir() + "cuvette_perfetto_reader_" +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + ".pftrace";
  std::filesystem::remove(path);  // a file that is cut to nothing is written back, which takes time
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

base::Result<TraceColumns> read(const std::string& bytes) {
  return read_perfetto(written(bytes));
}

std::string error_of(const std::string& bytes) {
  const auto columns = read(bytes);
  return columns.ok() ? "" : columns.error().str();
}

/// Slots 2 and 0 of compute unit 3, the second of them in use twice.
Trace waves() {
  Trace t;
  t.facts().process(1, 9, "compute unit 3").thread(2, 9, "simd 0 slot 2").lane(3, 2);
  t.thread(4, 9, "simd 0 slot 0");
  const auto wave = [](uint64_t number) {
    return tests::Arguments{{"wave", number}, {"dispatch", 6}, {"workgroup", 0}};
  };
  t.event(100, kBegin, 2, "residency", "k", wave(1));
  t.event(102, kBegin, 4, "residency", "k", wave(2));
  t.event(104, kBegin, 3, "vmem", "global_load_dword v1, v2, off", {{"pc", 0x40}});
  t.event(106, kBegin, 2, "valu", "v_add_f32_e32 v0, v1, v2", {{"pc", 0x48}});
  t.end(107, 2);
  t.event(109, kBegin, 4, "valu", "v_add_f32_e32 v0, v1, v2", {{"pc", 0x48}});
  t.end(110, 4).end(111, 4);
  t.event(111, kBegin, 4, "residency", "k", wave(3));
  t.event(111, kBegin, 4, "wave", "s_endpgm", {{"pc", 0x4c}});
  t.end(112, 4);
  t.end(120, 3).end(120, 2).end(121, 4);
  return t;
}

TEST(PerfettoReader, WavesAndWhatTheyIssue) {
  const auto c = read(waves().bytes());
  ASSERT_TRUE(c.ok()) << c.error().str();
  ASSERT_EQ(c->waves.size(), 3u);
  std::vector<uint64_t> numbers, starts, lengths, firsts, lasts;
  for (const auto& w : c->waves) {
    EXPECT_EQ(w.unit, 3u);
    EXPECT_EQ(w.simd, 0u);
    EXPECT_EQ(w.dispatch, 6u);
    numbers.push_back(w.number);
    starts.push_back(w.start);
    lengths.push_back(w.cycles);
    firsts.push_back(w.first);
    lasts.push_back(w.last);
  }
  EXPECT_THAT(numbers, ElementsAre(2, 3, 1)) << "by slot and start";
  EXPECT_THAT(starts, ElementsAre(102, 111, 100));
  EXPECT_THAT(lengths, ElementsAre(9, 10, 20));
  EXPECT_THAT(firsts, ElementsAre(0, 1, 2));
  EXPECT_THAT(lasts, ElementsAre(1, 2, 4));
  EXPECT_THAT(c->issue_times, ElementsAre(109, 111, 104, 106)) << "starts, not ends";
  EXPECT_THAT(c->issue_codes, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(c->rising, ElementsAre(0, 2));
  ASSERT_EQ(c->instructions.size(), 3u);
  const auto& add = c->instructions[0];
  EXPECT_EQ(add.pc, 0x48u);
  EXPECT_EQ(add.mnemonic, "v_add_f32");
  EXPECT_EQ(add.unit, "valu");
  EXPECT_EQ(add.issues, 2u);
  EXPECT_EQ(add.waited, (109u - 102u) + (106u - 105u));
  EXPECT_EQ(c->instructions[1].mnemonic, "s_endpgm");
  EXPECT_EQ(c->instructions[1].waited, 0u);
  EXPECT_EQ(c->instructions[2].mnemonic, "global_load_dword");
  EXPECT_EQ(c->clock_mhz, 1502.5);
}

TEST(PerfettoReader, IssuesOfWavesThatAreNotThereAreCounted) {
  Trace t;
  t.facts().process(1, 9, "compute unit 0").thread(2, 9, "simd 1 slot 0");
  t.event(5, kBegin, 2, "valu", "v_nop", {{"pc", 0x40}}).end(6, 2);
  t.event(7, kBegin, 2, "residency", "k", {{"wave", 1}, {"dispatch", 0}, {"workgroup", 0}});
  t.event(8, kBegin, 2, "valu", "v_other", {{"pc", 0x40}}).end(9, 2);
  const std::string open = t.bytes();
  const auto c =
      read(t.end(9, 2).event(11, kBegin, 2, "valu", "v_nop", {{"pc", 0x40}}).end(12, 2).bytes());
  ASSERT_TRUE(c.ok()) << c.error().str();
  EXPECT_THAT(c->issue_times, ElementsAre(5, 8, 11));
  ASSERT_EQ(c->waves.size(), 1u);
  EXPECT_EQ(c->waves[0].first, 1u);
  EXPECT_EQ(c->waves[0].last, 2u);
  ASSERT_EQ(c->instructions.size(), 1u) << "one address";
  EXPECT_EQ(c->instructions[0].mnemonic, "v_nop") << "named by the first one";
  EXPECT_EQ(c->instructions[0].issues, 3u);
  EXPECT_EQ(c->instructions[0].waited, 1u);
  const auto cut = read(open);
  ASSERT_TRUE(cut.ok());
  EXPECT_THAT(cut->waves, IsEmpty()) << "a slice without an end";
}

TEST(PerfettoReader, CachesMemoryAndDispatches) {
  Trace t;
  t.facts()
      .process(1, 9, "compute unit 4")
      .process(2, 7, "L2 slices")
      .process(3, 8, "memory channels");
  t.process(4, 5, "spi").thread(10, 9, "vector L1").thread(11, 7, "L2 slice 12");
  t.thread(12, 8, "channel 2").lane(13, 12).thread(14, 9, "memory requests").lane(15, 14);
  t.thread(16, 5, "dispatches")
      .thread(17, 7, "instruction cache 1")
      .thread(18, 9, "instruction fetches");
  t.event(1, kBegin, 16, "dispatch", "dispatch 0");
  t.event(2, kBegin, 14, "request", "read", {{"address", 64}});
  t.event(3, kBegin, 15, "request", "read", {{"address", 128}});
  t.event(3, kInstant, 10, "miss", "read miss");
  t.event(4, kBegin, 18, "fetch", "fetch", {{"pc", 0x40}}).end(5, 18);
  t.event(5, kInstant, 11, "hit", "read hit").event(5, kInstant, 11, "answer", "read answer");
  t.event(6, kInstant, 17, "hit", "read hit");
  t.event(7, kBegin, 12, "memory", "read").event(8, kBegin, 13, "memory", "read");
  t.end(9, 13).end(9, 12).end(10, 15).end(11, 14).end(20, 16);
  t.event(21, kInstant, 99, "run", "end of trace", {{"left_out_hits", 17}});
  for (const std::string& bytes : {t.bytes(), t.packed()}) {
    const auto c = read(bytes);
    ASSERT_TRUE(c.ok()) << c.error().str();
    EXPECT_THAT(c->misses.at("vector_l1").at(4), ElementsAre(3));
    EXPECT_THAT(c->hits.at("l2").at(12), ElementsAre(5));
    EXPECT_THAT(c->hits.at("instruction_cache").at(1), ElementsAre(6));
    EXPECT_THAT(c->accesses.at(2), ElementsAre(7, 8));
    EXPECT_THAT(c->requests.at(4).begins, ElementsAre(2, 3));
    EXPECT_THAT(c->requests.at(4).ends, ElementsAre(10, 11));
    ASSERT_EQ(c->dispatches.size(), 1u);
    EXPECT_EQ(c->dispatches[0].name, "dispatch 0");
    EXPECT_EQ(c->dispatches[0].cycles, 19u);
    EXPECT_EQ(c->left_out.at("hits"), 17u);
    EXPECT_EQ(c->left_out.at("waves"), 0u);
    EXPECT_THAT(c->issue_times, IsEmpty()) << "a fetch is no instruction";
  }
}

/// What the project's writer makes of events.
TEST(PerfettoReader, WhatTheWriterWrites) {
  const std::string path = written("");
  TraceRun run;
  run.clock_mhz = 1000;
  run.compute_units = 2;
  run.simds = 4;
  run.slots = 10;
  PerfettoWriter writer(path, run);
  const std::string kernel = "k";
  TraceEvent e;
  e.kind = TraceEvent::Kind::WaveBegin;
  e.block = TraceBlock::ComputeUnit;
  e.unit = 1;
  e.simd = 2;
  e.slot = 9;
  e.wave = 0x77;
  e.time = 40;
  e.kernel = &kernel;
  writer.event(e);
  e.kind = TraceEvent::Kind::WaveEnd;
  e.time = 90;
  writer.event(e);
  TraceCounts left;
  left.of[TraceCounts::kIssues] = 3;
  ASSERT_TRUE(writer.finish(100, left).ok());
  const auto c = read_perfetto(path);
  ASSERT_TRUE(c.ok()) << c.error().str();
  ASSERT_EQ(c->waves.size(), 1u);
  const auto& w = c->waves[0];
  EXPECT_THAT((std::vector<uint64_t>{w.unit, w.simd, w.slot, w.start, w.cycles, w.number}),
              ElementsAre(1, 2, 9, 40, 50, 0x77));
  EXPECT_EQ(c->left_out.at("issues"), 3u);
}

TEST(PerfettoReader, CutsAndChangesNeverBreakIt) {
  const std::string whole = waves().bytes();
  size_t errors = 0;
  for (size_t n = 0; n < whole.size(); ++n) errors += read(whole.substr(0, n)).ok() ? 0 : 1;
  EXPECT_GT(errors, whole.size() * 9 / 10) << "but for cuts between packets";
  const std::string packed = waves().packed();
  for (size_t n = 0; n < packed.size(); ++n) {
    EXPECT_THAT(error_of(packed.substr(0, n)), HasSubstr(".pftrace: error: not a trace of")) << n;
  }
  std::mt19937 dice(5);
  for (int n = 0; n < 2000; ++n) {
    std::string changed = whole;
    for (unsigned k = 0; k <= dice() % 4; ++k)
      changed[dice() % changed.size()] = static_cast<char>(dice());
    const std::string error = error_of(changed);
    if (!error.empty()) {
      EXPECT_THAT(error, HasSubstr(": error: not a trace of cuvette run --trace"));
    }
  }
  for (int n = 0; n < 500; ++n) {
    std::string noise(dice() % 200 + 1, '\0');
    for (char& byte : noise) byte = static_cast<char>(dice());
    EXPECT_NE(error_of(noise), "");
  }
}

/// A packet with one field, behind those of a good trace.
std::string with_packet(const std::function<void(pbf_writer&)>& fill) {
  return waves().packet(fill).bytes();
}

TEST(PerfettoReader, OtherFormsAreNamed) {
  const auto with_argument = [](const std::function<void(pbf_writer&)>& fill) {
    Trace t = waves();
    const uint64_t run = t.name(1, "run");
    return t
        .packet([&](pbf_writer& p) {
          pbf_writer event(p, 11);
          event.add_uint64(3, run);
          pbf_writer a(event, 4);
          fill(a);
        })
        .bytes();
  };
  std::string text_pc = [] {
    Trace t = waves();
    const uint64_t pc = t.name(3, "pc");
    return t
        .packet([&](pbf_writer& p) {
          pbf_writer event(p, 11);
          event.add_enum(9, kBegin);
          pbf_writer a(event, 4);
          a.add_uint64(1, pc);
          a.add_string(6, "0x40");
        })
        .bytes();
  }();
  const std::string bomb = [] {
    std::string out;
    pbf_writer trace(out);
    pbf_writer packet(trace, 1);
    packet.add_bytes(50, compressed(std::string(size_t{70} << 20, '\0')));
    packet.commit();
    return out;
  }();
  const std::string nested =
      with_packet([](pbf_writer& p) { p.add_bytes(50, compressed(waves().packed())); });
  Trace wave;
  wave.facts().process(1, 9, "compute unit 0").thread(2, 9, "simd 1 slot 0");
  wave.event(7, kBegin, 2, "residency", "k", {{"wave", 1}, {"dispatch", 0}}).end(8, 2);
  Trace cache;
  cache.facts()
      .process(1, 9, "disks")
      .thread(2, 9, "disk 1")
      .event(7, kInstant, 2, "miss", "read miss");
  Trace place;
  place.facts().thread(2, 9, "simd 1 slot 0");
  place.event(7, kBegin, 2, "valu", "v_nop", {{"pc", 0x40}}).end(8, 2);
  const std::initializer_list<std::pair<std::string, std::string>> cases = {
      {"", "there is no clock of the run"},
      {Trace().facts("fast").bytes(), "clock_mhz that is no number"},
      {Trace().facts("inf").bytes(), "clock_mhz that is no number"},
      {with_packet([](pbf_writer& p) { p.add_string(8, "now"); }), "field 8 has wire type 2"},
      {with_packet([](pbf_writer& p) { p.add_uint64(11, 1); }), "field 11 has wire type 0"},
      {with_packet([](pbf_writer& p) { p.add_uint64(8, UINT64_MAX); }), "more than 63 bits"},
      {with_packet([](pbf_writer& p) { p.add_string(50, "text"); }), "zlib does not know"},
      {nested, "compressed packets in compressed packets"},
      {bomb, "compressed packets of more than"},
      {std::string("\x0a\xff\xff\xff\xff\xff\x0f", 7), "a packet of"},
      {"\x0a" + std::string(10, char(0xff)) + "\1", "more than 64 bits"},
      {std::string("\x0a\x05\x40", 3), "breaks off"},
      {"no trace", "of the trace"},
      {waves().end(500, 2).bytes(), "an end without a begin"},
      {waves().event(500, kInstant, 77, "miss", "m").bytes(), "a cache ''"},
      {with_argument([](pbf_writer& a) { a.add_uint64(1, 12345); }), "no interned name 12345"},
      {with_argument([](pbf_writer& a) { a.add_uint64(3, 1); }), "argument without a name"},
      {text_pc, "pc that is no whole number"},
      {wave.bytes(), "no number, dispatch or work-group of a wave"},
      {cache.bytes(), "a cache 'disk 1'"},
      {place.bytes(), "there is no process"},
      {Trace().facts().event(1, kInstant, 1, "\xff", "x").bytes(), "no UTF-8"},
      {Trace().facts().event(1, kInstant, 1, "run", "x", {{"left_out_hits", UINT64_MAX}}).bytes(),
       "left_out_hits that is no count"}};
  for (const auto& [bytes, message] : cases) {
    const std::string error = error_of(bytes);
    EXPECT_THAT(error, HasSubstr(".pftrace: error: not a trace of cuvette run --trace")) << message;
    EXPECT_THAT(error, HasSubstr(message));
  }
  EXPECT_THAT(read_perfetto("/no/such.pftrace").error().str(),
              HasSubstr("/no/such.pftrace: error: cannot be read: No such file"));
  EXPECT_THAT(read_perfetto(testing::TempDir()).error().str(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace cuvette::run
