// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cache/cache.h"
#include "ip/cache/cache_seat.h"

namespace cuvette::ip {

/// Parameters of the Verilated build of rtl/cache for a role (ip/rtl_sources.cmake): those of the
/// machine descriptions. `up_ports` are the most that a machine may have.
cache::Config cache_build(cache::Role role);

/// A Verilated build for a role, with the up ports of cache_build(): for speed; for checking, every
/// bit starting at values drawn from `seed`.
std::unique_ptr<PinDevice> make_cache_fast(cache::Role role);
std::unique_ptr<PinDevice> make_cache_check(cache::Role role, uint64_t seed);

/// Differences between a cache and the build of its role, as text; empty: none.
std::string refuse_cache(const cache::Config& config);

/// Our RTL as a cache, checked. `checks`: with assertions, random start values and monitors. Null:
/// refuse_cache() refuses it.
std::unique_ptr<CacheSeat> make_cache_rtl(const cache::Config& config, bool checks, uint64_t seed,
                                          const LockstepOptions& options,
                                          CacheSeat::Kit::OnMismatch on_mismatch);

}  // namespace cuvette::ip
