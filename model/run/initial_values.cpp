// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/initial_values.h"

#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "base/bits.h"
#include "base/file.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using base::Yaml;
using Bytes = std::vector<uint8_t>;

class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

/// One scalar of the element type at `key` of `map`; `fallback` when the key may be left out.
Result<uint64_t> element_at(const Yaml& map, const std::string& key, Element type,
                            std::optional<uint64_t> fallback) {
  auto node = map.get(key);
  if (!node) {
    if (fallback) return *fallback;
    return map.error(fmt::format("key '{}' is missing", key));
  }
  auto text = node->text();
  if (!text) return text.error();
  auto bits = parse_element(type, *text);
  if (!bits) return node->error(bits.error().what);
  return *bits;
}

Result<Bytes> fill(const Yaml& node, Element type, uint64_t count) {
  auto text = node.text();
  if (!text) return text.error();
  auto bits = parse_element(type, *text);
  if (!bits) return node.error(bits.error().what);
  Bytes out(count * size_of(type));
  for (uint64_t i = 0; i < count; ++i) store_element(type, *bits, &out[i * size_of(type)]);
  return out;
}

Result<Bytes> values(const Yaml& node, Element type, uint64_t count) {
  if (!node.is_sequence() || node.size() > count) {
    return node.error(fmt::format("expected a list of at most {} values", count));
  }
  Bytes out(count * size_of(type));
  for (size_t i = 0; i < node.size(); ++i) {
    auto text = node.at(i).text();
    if (!text) return text.error();
    auto bits = parse_element(type, *text);
    if (!bits) return node.at(i).error(bits.error().what);
    store_element(type, *bits, &out[i * size_of(type)]);
  }
  return out;
}

Result<Bytes> iota(const Yaml& node, Element type, uint64_t count) {
  if (!node.is_map()) return node.error("expected {start: ..., step: ...}");
  auto start = element_at(node, "start", type, 0);
  if (!start) return start.error();
  auto step = element_at(node, "step", type, element_from_double(type, 1));
  if (!step) return step.error();
  if (auto s = node.finish(); !s.ok()) return s.error();
  Bytes out(count * size_of(type));
  const double first = element_to_double(type, *start);
  const double by = element_to_double(type, *step);
  for (uint64_t i = 0; i < count; ++i) {
    // Integers wrap in their width; floats are computed in double and rounded once.
    const uint64_t bits = is_float(type)
                              ? element_from_double(type, first + static_cast<double>(i) * by)
                              : *start + i * *step;
    store_element(type, bits, &out[i * size_of(type)]);
  }
  return out;
}

Result<Bytes> random(const Yaml& node, Element type, uint64_t count) {
  if (!node.is_map()) return node.error("expected {seed: ..., low: ..., high: ...}");
  auto seed_node = node.need("seed");
  if (!seed_node) return seed_node.error();
  auto seed = seed_node->unsigned_in(0, UINT64_MAX);
  if (!seed) return seed.error();
  auto low = element_at(node, "low", type, std::nullopt);
  if (!low) return low.error();
  auto high = element_at(node, "high", type, std::nullopt);
  if (!high) return high.error();
  if (auto s = node.finish(); !s.ok()) return s.error();
  const double lowest = element_to_double(type, *low);
  const double highest = element_to_double(type, *high);
  if (!(lowest <= highest)) return node.error("expected low to be at most high");
  // In the width of the element: the bits of a negative number have no sign beyond it.
  const uint64_t width = ~uint64_t{0} >> (64 - 8 * size_of(type));
  const uint64_t span = ((*high - *low) & width) + 1;  // 0: the whole 64-bit range
  SplitMix64 source(*seed);
  Bytes out(count * size_of(type));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t word = source.next();
    uint64_t bits = 0;
    if (is_float(type)) {
      const double unit = static_cast<double>(word >> 11) * 0x1p-53;
      bits = element_from_double(type, lowest + unit * (highest - lowest));
    } else {
      bits = *low + (span == 0 ? word : word % span);
    }
    store_element(type, bits, &out[i * size_of(type)]);
  }
  return out;
}

Result<Bytes> hex(const Yaml& node, uint64_t bytes) {
  auto text = node.text();
  if (!text) return text.error();
  auto out = parse_hex_bytes(*text);
  if (!out) return node.error(out.error().what);
  if (out->size() > bytes) {
    return node.error(fmt::format("{} bytes, expected at most {}", out->size(), bytes));
  }
  out->resize(bytes);
  return std::move(*out);
}

Result<Bytes> file(const Yaml& node, uint64_t bytes,
                   const std::function<std::string(const std::string&)>& resolve) {
  auto path = node.text();
  if (!path) return path.error();
  auto out = base::read_binary(resolve(*path));
  if (!out) return node.error(fmt::format("file '{}': {}", *path, out.error().what));
  if (out->size() < bytes) {
    return node.error(
        fmt::format("file '{}' has {} bytes, expected at least {}", *path, out->size(), bytes));
  }
  out->resize(bytes);
  return std::move(*out);
}

}  // namespace

Result<Bytes> parse_hex_bytes(const std::string& text) {
  const Error wrong(fmt::format("expected an even number of hex digits, found '{}'", text));
  if (text.size() % 2 != 0) return wrong;
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    const int lower = std::tolower(static_cast<unsigned char>(c));
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  Bytes out;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return wrong;
    out.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  return out;
}

Result<Bytes> initial_values(const Yaml* init, Element type, uint64_t count,
                             const std::function<std::string(const std::string&)>& resolve) {
  const uint64_t bytes = count * size_of(type);
  if (init == nullptr) return Bytes(bytes);
  if (init->is_scalar()) {
    if (*init->text() == "zero") return Bytes(bytes);
    return init->error(fmt::format("unknown init '{}', expected zero or a map", *init->text()));
  }
  if (!init->is_map() || init->size() != 1) {
    return init->error("expected one of zero, fill, values, hex, iota, random, file");
  }
  const std::string kind = init->keys().front();
  const Yaml node = *init->get(kind);
  if (kind == "zero") return Bytes(bytes);
  if (kind == "fill") return fill(node, type, count);
  if (kind == "values") return values(node, type, count);
  if (kind == "iota") return iota(node, type, count);
  if (kind == "random") return random(node, type, count);
  if (kind == "hex") return hex(node, bytes);
  if (kind == "file") return file(node, bytes, resolve);
  return init->error(fmt::format(
      "unknown init '{}', expected one of zero, fill, values, hex, iota, random, file", kind));
}

}  // namespace cuvette::run
