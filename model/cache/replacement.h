// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "cache/cache.h"

namespace cuvette::cache {

/// Replacement policy of a set-associative cache: the way of a full set in which the next line
/// comes. Lines are numbered set * ways + way. Ways without a line are not its concern: they are
/// taken first, the lowest of them.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// The line is hit, or comes in.
  virtual void touch(size_t line) = 0;
  /// The way whose line is replaced; all ways of the set hold lines.
  virtual unsigned victim(size_t set) = 0;
};

/// Geometry that a policy is made for.
struct ReplacementShape {
  size_t sets = 1;    ///< of the cache
  uint32_t ways = 1;  ///< lines of each set; line = set * ways + way
  uint64_t seed = 0;  ///< of policies that draw
};

/// The policy with the name that machine descriptions give it (docs/reference/cache.md). Errors: no
/// such policy, with the names there are; a number of ways that the policy cannot have.
base::Result<std::unique_ptr<Replacement>> make_replacement(const std::string& name,
                                                            const ReplacementShape& shape);
/// True if the policy with the name draws, so that a seed has an effect.
bool replacement_draws(const std::string& name);
/// The seed of one cache: different for all caches of a machine that have the same
/// Config::replacement_seed; for vector L1 0 that seed itself.
uint64_t seed_of(const Config& config);

}  // namespace cuvette::cache
