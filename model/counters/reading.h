// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "counters/expression.h"
#include "counters/sample.h"
#include "counters/table.h"

namespace cuvette::counters {

/// As the profiler counts them.
unsigned instances_of(Block block, const MachineShape& shape);

/// Counters of one target with their expressions, ready to be evaluated.
class Catalogue {
 public:
  explicit Catalogue(isa::Target target);
  isa::Target target() const { return target_; }

  struct Hardware {
    const HardwareCounter* row = nullptr;
    Expression source, accumulated;
  };
  struct Derived {
    const DerivedCounter* row = nullptr;
    Expression expression;
  };
  /// By name, or by block and event number: "SQ_WAVES", "SQ:4".
  const Hardware* hardware(const std::string& name) const;
  const Derived* derived(const std::string& name) const;
  /// The hardware counter of NAME, NAME_sum or NAME[INSTANCE].
  const Hardware* hardware_of(const std::string& name) const;

  /// A counter's name; of a hardware counter BLOCK:EVENT, NAME_sum or NAME[INSTANCE] as well. An
  /// error names the nearest one.
  base::Status check(const std::string& name) const;
  /// Exactness of a name that check() takes: the worst of its parts, with the reason.
  struct Worth {
    Exactness exactness = Exactness::Exact;
    std::string limits;
  };
  Worth worth(const std::string& name) const;

 private:
  void find_worth(const std::string& name, unsigned depth, Worth& worth) const;

  isa::Target target_;
  std::map<std::string, Hardware, std::less<>> hardware_;
  std::map<std::string, Derived, std::less<>> derived_;
};

/// Values of counters between two samples. Errors say why there is none: the model does not count
/// it, a division by 0.
class Reading {
 public:
  /// `sample`: a difference of two. Both outlive the reading.
  Reading(const Catalogue& catalogue, const Sample& sample);
  ~Reading();

  /// NAME, the sum of its instances; NAME_sum; NAME[INSTANCE]; a derived counter. An accumulator
  /// is the one of the last level that was read before.
  base::Result<double> value(const std::string& name);
  /// Values of a hardware counter, by instance.
  base::Result<std::vector<double>> instances(const std::string& name);

 private:
  class Names;
  base::Result<std::vector<double>> evaluate(const Catalogue::Hardware& counter,
                                             const Expression& source) const;
  base::Result<double> value(const std::string& name, unsigned depth);

  const Catalogue& catalogue_;
  const Sample& sample_;
  const Catalogue::Hardware* level_ = nullptr;  // read before
  std::map<std::string, base::Result<std::vector<double>>> known_;
};

}  // namespace cuvette::counters
