// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/mutant.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "ip/register_valu.h"
#include "ip/valu_rtl.h"
#include "valu_faults.h"
#include "valu_program.h"

// The checks are proven by errors put in on purpose: every mutant of tests/mutants.csv has to be
// found, and by the check it names.
namespace cuvette {
namespace {

constexpr uint64_t kSeed = 4711;

struct Mutant {
  unsigned id = 0;
  std::string place, change, check;
};

std::vector<Mutant> mutants() {
  std::ifstream file(CUVETTE_SOURCE_DIR "/tests/mutants.csv");
  std::vector<Mutant> out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    std::string id;
    Mutant m;
    std::getline(fields, id, ',');
    std::getline(fields, m.place, ',');
    std::getline(fields, m.change, ',');
    std::getline(fields, m.check, ',');
    m.id = static_cast<unsigned>(std::stoul(id));
    out.push_back(m);
  }
  return out;
}

/// Programs are drawn once, with no mutant in.
const std::vector<valu::Request>& program() {
  static const auto requests = [] {
    ip::select_mutant(0);
    const ip::ValuRtl rtl(ip::make_valu_check(1));
    return valu_program::mixed(rtl, 4000, kSeed);
  }();
  return requests;
}

/// Lockstep with the lane semantics, without and with back-pressure; "" when nothing is found.
std::string lockstep_check() {
  for (const auto& [offers, takes] : {std::pair{8u, 8u}, {8u, 3u}}) {
    valu::Config config;
    config.seed = 3;
    valu::Registry registry;
    ip::register_valu(registry);
    const auto block = registry.make("lockstep-check", config);
    auto& lockstep = dynamic_cast<ip::ValuLockstep&>(*block);
    const auto run = valu_program::run(*block, program(), offers, takes, 5,
                                       [&] { return lockstep.mismatch().has_value(); });
    if (lockstep.mismatch()) return "lockstep." + lockstep.mismatch()->field;
    if (!run.complete) return "watchdog";
  }
  return "";
}

/// The times of docs/valu.md, without lockstep.
std::string timing_check() {
  ip::ValuRtl rtl(ip::make_valu_check(1));
  const std::vector<valu::Request> some(program().begin(), program().begin() + 50);
  const auto run = valu_program::run(rtl, some, 8, 8, 1);
  return run.complete && run.cycles == some.size() + 4 ? "" : "timing";
}

/// The checker on devices with known faults.
std::string self_test() {
  for (const valu_faults::Fault& fault : valu_faults::faults()) {
    if (valu_faults::reported(fault, program()) != fault.field) return "self-test." + fault.field;
  }
  return "";
}

/// The first check that finds something.
std::string caught_by() {
  for (const auto check : {lockstep_check, timing_check, self_test}) {
    const std::string found = check();
    if (!found.empty()) return found;
  }
  return "";
}

TEST(Mutants, UnmutatedControlPasses) {
  ASSERT_FALSE(program().empty());
  ip::select_mutant(0);
  EXPECT_EQ(caught_by(), "");
}

TEST(Mutants, EveryOneIsCaughtByTheCheckItNames) {
  ASSERT_FALSE(program().empty());
  const std::vector<Mutant> list = mutants();
  size_t caught = 0;
  for (const Mutant& m : list) {
    ip::select_mutant(m.id);
    const std::string found = caught_by();
    EXPECT_EQ(found, m.check) << m.id << " " << m.place << ": " << m.change;
    if (found == m.check) ++caught;
  }
  ip::select_mutant(0);
  std::printf("caught %zu of %zu\n", caught, list.size());
  EXPECT_GE(list.size(), 20u);
}

TEST(Mutants, TableAndSourcesNameTheSameOnes) {
  std::set<unsigned> listed, present;
  for (const Mutant& m : mutants()) {
    EXPECT_TRUE(listed.insert(m.id).second) << m.id << " is listed twice";
  }
  const std::regex use(R"(MUTANT\((\d+),)");
  for (const char* folder : {"/rtl", "/ip"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(CUVETTE_SOURCE_DIR) + folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      const std::string content = text.str();
      for (std::sregex_iterator it(content.begin(), content.end(), use), end; it != end; ++it) {
        present.insert(static_cast<unsigned>(std::stoul((*it)[1])));
      }
    }
  }
  EXPECT_EQ(listed, present);
}

}  // namespace
}  // namespace cuvette
