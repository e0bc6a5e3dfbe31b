// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "cache/cache.h"
#include "crossbar/crossbar_messages.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "memory/memory_messages.h"

/// Contract of the crossbar block (docs/reference/crossbar.md): the network between everything that
/// misses and the L2 slices.
namespace cuvette::crossbar {

/// Ordering: a slice takes requests in order of their arrival at it, then of source number; those
/// of one source to one slice, and their answers as the slice gives them, stay in order. Invalidate
/// and Writeback go to every slice and are answered when all have answered, with the first fault.
/// Ids of requests leave the highest id_source_bits() free, where slices see the source. Lockstep
/// classes: data and order at the slices `exact`; time `time`.
class Crossbar : public machine::Core {
 public:
  /// Without depth limits: senders are bound by their credits.
  using Port = cache::Cache::Port;
  virtual unsigned sources() const = 0;
  virtual Port& source(unsigned index) = 0;
  virtual unsigned slices() const = 0;
  virtual Port& slice(unsigned index) = 0;
  machine::Channel<Aperture> aperture{machine::kUnbounded};
  virtual machine::Channel<memory::MemReq>& aperture_store(unsigned slice) = 0;

  /// The owner calls notice() whenever a source has sent something, so that no cycle has to look at
  /// all sources. Before the first tick.
  virtual void rely_on_notices() {}
  /// `source(index).request` has got something that is visible from `sent` on. The answer is the
  /// cycle of the first tick() that does anything about it, kNever when that depends on others.
  virtual machine::Cycle notice(unsigned /*index*/, machine::Cycle sent) { return sent; }
  /// So many cycles a source may be ahead of tick(): its requests are looked at no earlier, its
  /// answers are stamped so much later.
  virtual machine::Cycle lookahead() const { return 1; }

  /// Slices (`request`, `aperture_store`) and sources (`response`) that got something since the
  /// last call, in place of what was there: the others need no look. All of them, when the
  /// implementation does not keep count.
  virtual void take_sent(std::vector<unsigned>& to_slices, std::vector<unsigned>& to_sources) {
    to_slices.resize(slices());
    std::iota(to_slices.begin(), to_slices.end(), 0u);
    to_sources.resize(sources());
    std::iota(to_sources.begin(), to_sources.end(), 0u);
  }

  /// Cycles with a request at a slice, up to `now`: from when it is given until it is answered.
  virtual uint64_t busy_cycles(machine::Cycle now) const = 0;
};

struct Config {
  unsigned sources = 1;             ///< first-level caches and the command processor
  unsigned slices = 1;              ///< of the L2
  uint32_t interleave_bytes = 256;  ///< addresses change the slice after so many bytes
  uint32_t latency_cycles = 2;      ///< one way
  unsigned depth = 64;
  uint64_t seed = 1;  ///< of uninitialised state in RTL; no meaning for the model
};
using Registry = machine::Registry<Crossbar, Config>;

/// Highest bits of an id at a slice that number the source.
constexpr unsigned id_source_bits(unsigned sources) {
  unsigned bits = kSourceBits;
  while (bits < 32 && uint64_t{sources} > uint64_t{1} << bits) ++bits;
  return bits;
}

}  // namespace cuvette::crossbar
