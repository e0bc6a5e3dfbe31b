// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "ip/valu/register_valu.h"
#include "ip/valu/valu_rtl.h"
#include "mutant_run.h"
#include "valu/operations.h"
#include "valu_devices.h"
#include "valu_faults.h"
#include "valu_pin_faults.h"
#include "valu_program.h"
#include "valu_vectors.h"

// The checks are proven by errors put in on purpose: every mutant of tests/mutants/lockstep.csv has
// to be found, and by the check it names.
namespace cuvette {
namespace {

constexpr uint64_t kSeed = 4711;

/// Programs are drawn once, with no mutant in.
const std::vector<valu::Request>& program() {
  static const auto requests = [] {
    select_mutant(0);
    const ip::ValuRtl rtl(ip::make_valu_check(1));
    return valu_program::mixed(rtl, 20000, kSeed);
  }();
  return requests;
}

/// Operations that gfx942 has beside gfx908.
const std::vector<valu::Request>& program_gfx942() {
  static const auto requests = [] {
    select_mutant(0);
    const ip::ValuRtl rtl(ip::make_valu_check(1, isa::Target::Gfx942), isa::Target::Gfx942);
    std::vector<valu::Request> all = valu_program::mixed(rtl, 30000, kSeed), out;
    for (const valu::Request& q : all) {
      if (!(isa::rows().begin() + q.row)->on(isa::Target::Gfx908)) out.push_back(q);
    }
    out.resize(out.size() / 200 * 200);
    return out;
  }();
  return requests;
}

/// Lockstep with the lane semantics, without and with back-pressure. A lockstep stops comparing at
/// its first difference, so the program goes in pieces, each with a fresh object. Ends early when
/// `wanted` is found. Findings begin with `name`.
void lockstep_check(const std::vector<valu::Request>& program, isa::Target target,
                    const std::string& name, Findings& found, const std::string& wanted) {
  constexpr size_t kPiece = 200;
  valu::Registry registry;
  ip::register_valu(registry);
  for (size_t first = 0; first < program.size(); first += kPiece) {
    const auto begin = program.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<valu::Request> piece(begin, begin + kPiece);
    valu::Config config;
    config.target = target;
    config.seed = first + 1;
    const auto block = registry.make("lockstep-check", config);
    auto& lockstep = dynamic_cast<ip::ValuLockstep&>(*block);
    const unsigned takes = first / kPiece % 2 == 0 ? 8 : 3;
    const auto run = valu_program::run(*block, piece, 8, takes, first,
                                       [&] { return lockstep.mismatch().has_value(); });
    if (lockstep.mismatch()) {
      found.insert(name + "." + lockstep.mismatch()->field);
    } else if (!run.complete) {
      found.insert("watchdog");
    }
    if (found.count(wanted) != 0) return;
  }
}
void lockstep_check(Findings& found, const std::string& wanted) {
  lockstep_check(program(), isa::Target::Gfx908, "lockstep", found, wanted);
}
void lockstep_check_gfx942(Findings& found, const std::string& wanted) {
  lockstep_check(program_gfx942(), isa::Target::Gfx942, "gfx942", found, wanted);
}

/// Operations that gfx908 lacks must not be computed.
void absent_check(Findings& found) {
  std::set<uint16_t> present;
  for (const valu::Operation& op : valu::operations()) {
    if (op.on(isa::Target::Gfx908)) present.insert(op.code);
  }
  std::mt19937_64 random(kSeed);
  ValuPins device(ip::make_valu_check(1));
  for (const valu::Operation& op : valu::operations()) {
    if (present.count(op.code) != 0) continue;
    valu::Request q;
    valu_vectors::draw(*isa::find_row(op.mnemonic, op.format), random, q);
    q.exec = 0xffff;
    valu::Response r;
    device.drive(&q, op.code, true);
    for (int cycle = 0; cycle < 3; ++cycle) {
      device.clock();
      device.drive(nullptr, 0, true);
    }
    device.response(r);
    device.clock();
    for (const uint64_t lane : r.dst) {
      if (lane != 0) found.insert("absent");
    }
  }
}

/// The times of docs/reference/valu.md, without lockstep.
void timing_check(Findings& found) {
  ip::ValuRtl rtl(ip::make_valu_check(1));
  const std::vector<valu::Request> some(program().begin(), program().begin() + 50);
  const auto run = valu_program::run(rtl, some, 8, 8, 1);
  if (!run.complete || run.cycles != some.size() + 4) found.insert("timing");
}

/// Start values of registers must not show: three seeds, compared with each other.
void seeds_check(Findings& found) {
  const std::vector<valu::Request> some(program().begin(), program().begin() + 50);
  std::set<std::string> seen;
  for (const uint64_t seed : {1u, 2u, 3u}) {
    ip::ValuRtl rtl(ip::make_valu_check(seed));
    const auto run = valu_program::run(rtl, some, 8, 8, 1);
    std::ostringstream text;
    text << run.complete << " " << run.cycles;
    for (const valu::Response& r : run.responses) {
      text << " " << r.id << " " << r.write << " " << r.mask << " " << unsigned{r.flags};
      for (unsigned l = 0; l < valu::kLanes; ++l)
        text << " " << ((r.write >> l & 1) != 0 ? r.dst[l] : 0);
    }
    seen.insert(text.str());
  }
  if (seen.size() != 1) found.insert("seeds");
}

/// The checker on devices with known faults.
void self_test(Findings& found) {
  for (const valu_faults::Fault& fault : valu_faults::faults()) {
    if (valu_faults::reported(fault, program()) != fault.field) {
      found.insert("self-test." + fault.field);
    }
  }
  using valu_pin_faults::Fault;
  if (!valu_pin_faults::seen(Fault::None, program()).first.empty())
    found.insert("self-test.protocol");
  for (const auto& fault : valu_pin_faults::faults()) {
    if (!valu_pin_faults::named(fault, program())) found.insert("self-test.protocol");
  }
  for (const auto& sequence : valu_pin_faults::sequences()) {
    if (valu_pin_faults::keeps_time(sequence) != sequence.good) found.insert("self-test.timing");
  }
  if (valu_pin_faults::sampled_of(program()) != program().size() / 4) {
    found.insert("self-test.sampling");
  }
}

/// Checks that find the selected mutant, `wanted` among them or not.
Findings caught_by(const std::string& wanted) {
  Findings found;
  if (wanted == "seeds") {
    seeds_check(found);
  } else if (wanted == "absent") {
    absent_check(found);
  } else if (wanted.rfind("gfx942", 0) == 0) {
    lockstep_check_gfx942(found, wanted);
  } else if (wanted.rfind("self-test", 0) != 0) {
    lockstep_check(found, wanted);
    timing_check(found);
  } else {
    self_test(found);
  }
  return found;
}

TEST(Mutants, UnmutatedControlPasses) {
  ASSERT_FALSE(program().empty());
  select_mutant(0);
  Findings found;
  lockstep_check(found, "");
  lockstep_check_gfx942(found, "");
  absent_check(found);
  timing_check(found);
  seeds_check(found);
  self_test(found);
  EXPECT_EQ(found, Findings{});
}

TEST(Mutants, EveryOneIsCaughtByTheCheckItNames) {
  ASSERT_FALSE(program().empty());
  ASSERT_FALSE(program_gfx942().empty());
  expect_all_caught(
      [](const Mutant& m) { return !m.of_matrix_core() && !m.of_simd() && !m.of_cell(); },
      caught_by, 150, 60);
}

/// Every file below a folder, with its text.
std::vector<std::pair<std::string, std::string>> texts_below(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    found.emplace_back(entry.path().string(), text.str());
  }
  return found;
}

TEST(Mutants, TableAndCopiesNameTheSameOnes) {
  std::set<unsigned> listed, present;
  for (const Mutant& m : mutants()) {
    EXPECT_TRUE(listed.insert(m.id).second) << m.id << " is listed twice";
  }
  const std::regex use(R"((?:mutant_is\(|cuvette_selected_mutant\(\) == 32'd)(\d+)\))");
  for (const auto& [path, text] : texts_below(CUVETTE_BINARY_DIR "/mutants/lockstep")) {
    for (std::sregex_iterator it(text.begin(), text.end(), use), end; it != end; ++it) {
      present.insert(static_cast<unsigned>(std::stoul((*it)[1])));
    }
  }
  EXPECT_EQ(listed, present);
}

TEST(Mutants, SourcesHaveNone) {
  for (const char* folder : {"/rtl", "/ip", "/model"}) {
    for (const auto& [path, text] : texts_below(std::string(CUVETTE_SOURCE_DIR) + folder)) {
      EXPECT_EQ(text.find("MUTANT"), std::string::npos) << path;
      EXPECT_EQ(text.find("selected_mutant"), std::string::npos) << path;
    }
  }
}

}  // namespace
}  // namespace cuvette
