// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuvette::counters {

/// Arithmetic expression over counters: + - * / and parentheses, numbers, names, and sum, avr, max
/// and min of the first instances of a name: "100*max(TA_TA_BUSY,16)/GRBM_GUI_ACTIVE". Any text is
/// taken or refused with its column.
class Expression {
 public:
  static base::Result<Expression> parse(std::string_view text);

  /// Values of the names.
  class Values {
   public:
    virtual ~Values() = default;
    virtual base::Result<double> value(const std::string& name) const = 0;
    virtual base::Result<std::vector<double>> instances(const std::string& name) const = 0;
  };
  /// Errors: those of `values`, a division by 0, a function of no instance.
  base::Result<double> evaluate(const Values& values) const;

  /// In the order in which the text has them, as often as it has them.
  const std::vector<std::string>& names() const { return names_; }

 private:
  friend class Parser;
  enum class Kind : uint8_t {
    Number,
    Name,
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
    Sum,
    Average,
    Maximum,
    Minimum
  };
  /// Step of a stack machine.
  struct Step {
    Kind kind = Kind::Number;
    double number = 0;  // or how many instances
    uint32_t name = 0;  // in names_
  };
  base::Result<double> reduce(const Step& step, const Values& values) const;

  std::vector<Step> steps_;
  std::vector<std::string> names_;
};

}  // namespace cuvette::counters
