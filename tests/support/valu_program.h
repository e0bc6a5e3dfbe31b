// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "valu/valu.h"

namespace cuvette::valu_program {

/// `count` requests over every row that `block` implements, in turn, with random modes, modifiers,
/// EXEC and corner-case operands. Ids count from 1.
std::vector<valu::Request> mixed(const valu::Valu& block, size_t count, uint64_t seed);

/// Result of a run.
struct Run {
  std::vector<valu::Response> responses;
  machine::Cycle cycles = 0;
  bool complete = false;  ///< every request was answered
};

/// Feeds `program` to `block` with the given chances (of 8) per cycle of offering a request and of
/// taking a response. Gives up after 64 cycles per request, or when `stop` says so.
Run run(valu::Valu& block, const std::vector<valu::Request>& program, unsigned offers,
        unsigned takes, uint64_t seed, const std::function<bool()>& stop = {});

}  // namespace cuvette::valu_program
