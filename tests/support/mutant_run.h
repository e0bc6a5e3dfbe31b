// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "mutant_table.h"
#include "selected_mutant.h"
#include "test_vectors.h"

// Judging the mutants of tests/mutants/lockstep.csv one by one.
namespace cuvette {

/// Names of the checks that found something.
using Findings = std::set<std::string>;

/// One of six mutants for which `ours` is true, all with whole(), is selected and has to be found
/// by the check it names.
/// `caught_by(wanted)`: the findings now; it may end early when `wanted` is among them. There
/// are at least `least` of them, `least_rtl` in the RTL.
inline void expect_all_caught(const std::function<bool(const Mutant&)>& ours,
                              const std::function<Findings(const std::string&)>& caught_by,
                              size_t least, size_t least_rtl) {
  size_t caught = 0, judged = 0, rtl = 0, all = 0;
  for (const Mutant& m : mutants()) {
    if (!ours(m)) continue;
    if (m.file.rfind("rtl/", 0) == 0) ++rtl;
    if (!test::chosen(all++, 6)) continue;
    select_mutant(m.id);
    const Findings found = caught_by(m.check);
    std::string others;
    for (const std::string& f : found) others += " " + f;
    EXPECT_EQ(found.count(m.check), 1u)
        << m.id << " " << m.file << " " << m.place << ": " << m.change << ": " << m.check
        << " did not find it, but" << others;
    ++judged;
    caught += found.count(m.check);
  }
  select_mutant(0);
  std::printf("caught %zu of %zu from a table of %zu, %zu of them in the RTL\n", caught, judged,
              all, rtl);
  EXPECT_GE(all, least);
  EXPECT_GE(rtl, least_rtl);
}

}  // namespace cuvette
