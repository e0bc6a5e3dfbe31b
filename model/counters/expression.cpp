// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "counters/expression.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

namespace cuvette::counters {

using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr size_t kLongest = 10000;  // characters
constexpr unsigned kDeepest = 100;  // parentheses and signs in each other
constexpr double kMostInstances = 100000;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

/// Recursive descent, a function per level of binding.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Expression> parse() {
    if (text_.size() > kLongest) {
      return Error(fmt::format("an expression of {} characters, expected {} at most", text_.size(),
                               kLongest));
    }
    if (auto s = sum(0); !s.ok()) return s.error();
    skip();
    if (at_ != text_.size()) return wrong("an operator");
    return std::move(out_);
  }

 private:
  using Kind = Expression::Kind;

  Error wrong(const char* expected) const {
    const std::string found =
        at_ < text_.size() ? fmt::format("'{}'", text_[at_]) : std::string("the end");
    return Error(fmt::format("column {}: {}, expected {}", at_ + 1, found, expected));
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void emit(Kind kind, double number = 0, uint32_t name = 0) {
    out_.steps_.push_back({kind, number, name});
  }
  uint32_t add_name(std::string_view name) {
    out_.names_.emplace_back(name);
    return static_cast<uint32_t>(out_.names_.size() - 1);
  }

  Status sum(unsigned depth) {
    if (auto s = product(depth); !s.ok()) return s;
    for (;;) {
      const Kind kind = take('+') ? Kind::Add : take('-') ? Kind::Subtract : Kind::Number;
      if (kind == Kind::Number) return {};
      if (auto s = product(depth); !s.ok()) return s;
      emit(kind);
    }
  }
  Status product(unsigned depth) {
    if (auto s = factor(depth); !s.ok()) return s;
    for (;;) {
      const Kind kind = take('*') ? Kind::Multiply : take('/') ? Kind::Divide : Kind::Number;
      if (kind == Kind::Number) return {};
      if (auto s = factor(depth); !s.ok()) return s;
      emit(kind);
    }
  }
  Status factor(unsigned depth) {
    if (depth > kDeepest) return wrong("less nesting");
    if (take('-')) {
      if (auto s = factor(depth + 1); !s.ok()) return s;
      emit(Kind::Negate);
      return {};
    }
    if (take('(')) {
      if (auto s = sum(depth + 1); !s.ok()) return s;
      return take(')') ? Status() : wrong("')'");
    }
    skip();
    if (at_ >= text_.size()) return wrong("a number, a name or '('");
    if (is_digit(text_[at_])) return number();
    if (is_letter(text_[at_])) return name();
    return wrong("a number, a name or '('");
  }
  Status number() {
    double value = 0;
    const char* const first = text_.data() + at_;
    const auto read =
        std::from_chars(first, text_.data() + text_.size(), value, std::chars_format::fixed);
    if (read.ec != std::errc()) return wrong("a number");
    at_ += static_cast<size_t>(read.ptr - first);
    emit(Kind::Number, value);
    return {};
  }
  std::string_view word() {
    const size_t first = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) {
      ++at_;
    }
    return text_.substr(first, at_ - first);
  }
  Status name() {
    const std::string_view found = word();
    if (!take('(')) {
      emit(Kind::Name, 0, add_name(found));
      return {};
    }
    const Kind kind = found == "sum"   ? Kind::Sum
                      : found == "avr" ? Kind::Average
                      : found == "max" ? Kind::Maximum
                      : found == "min" ? Kind::Minimum
                                       : Kind::Number;
    if (kind == Kind::Number) {
      return Error(
          fmt::format("column {}: function '{}', expected sum, avr, max or min", at_, found));
    }
    skip();
    if (at_ >= text_.size() || !is_letter(text_[at_])) return wrong("a name");
    const uint32_t of = add_name(word());
    if (!take(',')) return wrong("','");
    skip();
    unsigned count = 0;
    const char* const first = text_.data() + at_;
    const auto read = std::from_chars(first, text_.data() + text_.size(), count);
    if (read.ec != std::errc() || count == 0 || count > kMostInstances) {
      return wrong("a number of instances");
    }
    at_ += static_cast<size_t>(read.ptr - first);
    if (!take(')')) return wrong("')'");
    emit(kind, count, of);
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
  Expression out_;
};

Result<Expression> Expression::parse(std::string_view text) {
  return Parser(text).parse();
}

/// Reduction over the first `number` instances.
Result<double> Expression::reduce(const Step& step, const Values& values) const {
  auto found = values.instances(names_[step.name]);
  if (!found) return found.error();
  std::vector<double>& all = *found;
  all.resize(std::min(all.size(), static_cast<size_t>(step.number)));
  if (all.empty()) return Error(fmt::format("{} has no instance", names_[step.name]));
  switch (step.kind) {
    case Kind::Maximum:
      return *std::max_element(all.begin(), all.end());
    case Kind::Minimum:
      return *std::min_element(all.begin(), all.end());
    default:
      break;
  }
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  return step.kind == Kind::Sum ? sum : sum / static_cast<double>(all.size());
}

Result<double> Expression::evaluate(const Values& values) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Kind::Number:
        stack.push_back(step.number);
        continue;
      case Kind::Name: {
        const auto value = values.value(names_[step.name]);
        if (!value) return value.error();
        stack.push_back(*value);
        continue;
      }
      case Kind::Sum:
      case Kind::Average:
      case Kind::Maximum:
      case Kind::Minimum: {
        const auto value = reduce(step, values);
        if (!value) return value.error();
        stack.push_back(*value);
        continue;
      }
      case Kind::Negate:
        stack.back() = -stack.back();
        continue;
      default:
        break;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    switch (step.kind) {
      case Kind::Add:
        left += right;
        break;
      case Kind::Subtract:
        left -= right;
        break;
      case Kind::Multiply:
        left *= right;
        break;
      default:
        if (right == 0) return Error("division by 0");
        left /= right;
        break;
    }
  }
  return stack.back();
}

}  // namespace cuvette::counters
