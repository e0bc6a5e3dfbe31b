// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Writers of traces and graphs where runs of the program do not lead.
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "isa/row.h"
#include "run/trace/filter.h"
#include "run/trace/konata_writer.h"
#include "run/wait_graph.h"

namespace cuvette::run {
namespace {

using Kind = TraceEvent::Kind;

TEST(WaitGraph, EscapesEverything) {
  WaitGraph graph("a \"title\" \\ of\tone");
  const size_t a = graph.node("a", WaitGraph::Shape::Wave, "say \"x\"\nback\\slash \x01");
  const size_t b = graph.node("b", WaitGraph::Shape::Barrier, "};\n{");
  EXPECT_EQ(graph.node("a", WaitGraph::Shape::Queue, "other"), a) << "one node of a key";
  graph.edge(a, b, "\"5\" %", 0.5);
  graph.edge(b, a);
  EXPECT_EQ(graph.text(),
            "digraph waits {\n"
            "  label=\"a \\\"title\\\" \\\\ of?one\";\n"
            "  rankdir=LR;\n"
            "  n0 [shape=box, label=\"say \\\"x\\\"\\nback\\\\slash ?\"];\n"
            "  n1 [shape=octagon, label=\"};\\n{\"];\n"
            "  n0 -> n1 [label=\"\\\"5\\\" %\", penwidth=4.50];\n"
            "  n1 -> n0;\n"
            "}\n");
}

TEST(TraceFilter, KnowsKernelsWithAndWithoutTheirParameters) {
  const auto filter =
      TraceFilter::parse({"kernel=&scale,add(int, int),f<int, 2>,n::(anonymous)::g"});
  ASSERT_TRUE(filter.ok());
  const auto has = [&](const char* kernel) { return filter->has_wave(0, 0, kernel); };
  EXPECT_TRUE(has("scale.kd"));
  EXPECT_TRUE(has("scale(float*, int)"));
  EXPECT_TRUE(has("add(int, int)"));
  EXPECT_FALSE(has("add(int)")) << "the parameters were named";
  EXPECT_FALSE(has("add"));
  EXPECT_TRUE(has("void f<int, 2>(void (*)(int), int)"));
  EXPECT_FALSE(has("void f<int, 3>(int)"));
  EXPECT_TRUE(has("n::(anonymous)::g(int)"));
  EXPECT_FALSE(has("int"));
  EXPECT_FALSE(has(")"));
}

TraceEvent event_of(Kind kind, uint64_t wave, machine::Cycle time) {
  static const std::string kKernel = "k";
  TraceEvent e;
  e.kind = kind;
  e.block = TraceBlock::ComputeUnit;
  e.wave = wave;
  e.slot = static_cast<uint8_t>(wave);
  e.time = time;
  e.kernel = &kKernel;
  return e;
}

/// One wave waits while another issues more than the writer holds back: all is there and in order,
/// the wait as one stage with its reason in the text.
TEST(KonataWriter, ALongWaitIsOneStage) {
  const std::string path = testing::TempDir() + "cuvette_long_wait.kanata";
  TraceRun run;
  run.compute_units = 1;
  run.simds = 1;
  run.slots = 4;
  KonataWriter writer(path, run);
  const TraceCode code{0, 0x100, isa::rows().first, "text of it"};
  constexpr machine::Cycle kIssues = 60'000, kEnd = kIssues + 10;
  const auto issue = [&](uint64_t wave, machine::Cycle time, uint64_t number) {
    TraceEvent e = event_of(Kind::Issue, wave, time);
    e.code = &code;
    e.number = number;
    e.until = time + 1;
    writer.event(e);
  };
  writer.event(event_of(Kind::WaveBegin, 1, 5));
  writer.event(event_of(Kind::WaveBegin, 2, 5));
  for (machine::Cycle n = 0; n < kIssues; ++n) issue(2, 6 + n, n);
  TraceEvent stall = event_of(Kind::Stall, 1, kEnd);
  stall.stall = compute_unit::Stall::Barrier;
  stall.until = kEnd;
  stall.cycles = kEnd - 5;
  writer.event(stall);
  issue(1, kEnd, 0);
  writer.event(event_of(Kind::WaveEnd, 1, kEnd + 2));
  writer.event(event_of(Kind::WaveEnd, 2, kEnd + 2));
  ASSERT_TRUE(writer.finish(kEnd + 3, {}).ok());

  const auto text = base::read_text(path);
  ASSERT_TRUE(text.ok());
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "Kanata\t0004");
  machine::Cycle now = 0;
  uint64_t entries = 0, retired = 0;
  std::map<std::string, std::string> thread_of;  // by number
  std::map<std::string, machine::Cycle> begun;   // of waits of thread 1, by stage
  std::vector<std::string> notes;
  while (std::getline(lines, line)) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
    if (words[0] == "C=") now = std::stoull(words[1]);
    if (words[0] == "C") now += std::stoull(words[1]);
    if (words[0] == "I") {
      EXPECT_EQ(words[1], std::to_string(entries++));
      thread_of[words[1]] = words[3];
    }
    if (words[0] == "R") ++retired;
    if (words[0] == "S" && thread_of.at(words[1]) == "1") begun[words[3]] = now;
    if (words[0] == "L" && words[2] == "1" && thread_of.at(words[1]) == "1") {
      notes.push_back(words[3]);
    }
  }
  EXPECT_EQ(entries, kIssues + 1);
  EXPECT_EQ(retired, entries);
  const std::map<std::string, machine::Cycle> wanted{{"Wt", 5}, {"Is", kEnd}};
  EXPECT_EQ(begun, wanted);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("waited 60005 cycles: "), std::string::npos) << notes[0];
}

}  // namespace
}  // namespace cuvette::run
