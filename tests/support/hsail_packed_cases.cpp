// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_packed_cases.h"

#include <cmath>

#include "hsail_packed_numbers.h"

namespace cuvette::hsail_packed {

namespace {

// --- Cases ---

const Shape kIntegers[] = {{'u', 8, 4},  {'u', 8, 8},  {'u', 8, 16}, {'u', 16, 2}, {'u', 16, 4},
                           {'u', 16, 8}, {'u', 32, 2}, {'u', 32, 4}, {'u', 64, 2}, {'s', 8, 4},
                           {'s', 8, 8},  {'s', 8, 16}, {'s', 16, 2}, {'s', 16, 4}, {'s', 16, 8},
                           {'s', 32, 2}, {'s', 32, 4}, {'s', 64, 2}};
const Shape kFloats[] = {{'f', 16, 2}, {'f', 16, 4}, {'f', 16, 8},
                         {'f', 32, 2}, {'f', 32, 4}, {'f', 64, 2}};

std::vector<Shape> all_shapes() {
  std::vector<Shape> all(std::begin(kIntegers), std::end(kIntegers));
  all.insert(all.end(), std::begin(kFloats), std::end(kFloats));
  return all;
}

class Maker {
 public:
  std::vector<Case> run() {
    for (const Shape& s : kIntegers) integer(s);
    for (const Shape& s : kFloats) floating(s);
    for (const Shape& s : all_shapes()) {
      moves(s);
      if (s.total() <= 64) shuffles(s);
    }
    conversions();
    multimedia();
    return std::move(cases_);
  }

 private:
  Case& add(Case c) {
    cases_.push_back(std::move(c));
    return cases_.back();
  }

  void unary(const std::string& id, const std::string& name, const std::string& control,
             const Shape& s, const Unary& f, bool exact) {
    Case c{id, name + "_" + control + "_" + s.text(), s, {s}, "", exact, Domain::kAny, true, {}};
    c.expected = [=](const std::vector<Value>& in, const Value& before) {
      Value out = control == "s" ? before : Value{};
      for (unsigned i = 0; i < (control == "s" ? 1 : s.count); ++i) {
        out.set(s.bits, i, f(s, in[0].get(s.bits, i)));
      }
      return out;
    };
    add(std::move(c));
  }
  /// `control` is pp, ps, sp or ss.
  void binary(const std::string& id, const std::string& name, const std::string& control,
              const std::string& sat, const Shape& s, const Binary& f, bool exact) {
    Case c{
        id, name + "_" + control + sat + "_" + s.text(), s, {s, s}, "", exact, Domain::kAny, true,
        {}};
    c.expected = [=](const std::vector<Value>& in, const Value& before) {
      Value out = control == "ss" ? before : Value{};
      for (unsigned i = 0; i < (control == "ss" ? 1 : s.count); ++i) {
        const uint64_t a = in[0].get(s.bits, control[0] == 's' ? 0 : i);
        const uint64_t b = in[1].get(s.bits, control[1] == 's' ? 0 : i);
        out.set(s.bits, i, f(s, a, b));
      }
      return out;
    };
    add(std::move(c));
  }

  void integer(const Shape& s) {
    const auto all = [&](const char* id, const char* name, const Binary& f, const Binary& sat) {
      for (const char* control : {"pp", "ps", "sp", "ss"}) {
        binary(id, name, control, "", s, f, true);
        if (sat) binary(id, name, control, "_sat", s, sat, true);
      }
    };
    all("HI-014", "add", on_integers(sum), saturating(sum));
    all("HI-020", "sub", on_integers(difference_of), saturating(difference_of));
    all("HI-017", "mul", on_integers(product), saturated_product);
    all("HI-018", "mulhi", high_product, {});
    all("HI-015", "max", on_integers([](Wide a, Wide b) { return a > b ? a : b; }), {});
    all("HI-016", "min", on_integers([](Wide a, Wide b) { return a < b ? a : b; }), {});
    if (s.kind == 's') {
      for (const char* control : {"p", "s"}) {
        unary(
            "HI-013", "abs", control, s,
            [](const Shape& e, uint64_t a) {
              const Wide x = integer_of(e, a);
              return bits_of(e, x < 0 ? -x : x);
            },
            true);
        unary(
            "HI-019", "neg", control, s,
            [](const Shape& e, uint64_t a) { return bits_of(e, -integer_of(e, a)); }, true);
      }
    }
    for (const bool left : {true, false}) {
      const Shape count{'u', 32, 1};
      Case c{left            ? "HI-027"
             : s.kind == 's' ? "HI-030"
                             : "HI-031",
             (left ? "shl_" : "shr_") + s.text(),
             s,
             {s, count},
             "",
             true,
             Domain::kAny,
             true,
             {}};
      c.expected = [=](const std::vector<Value>& in, const Value&) {
        const unsigned n = static_cast<unsigned>(in[1].word[0]) % s.bits;
        Value out;
        for (unsigned i = 0; i < s.count; ++i) {
          const Wide x = integer_of(s, in[0].get(s.bits, i));
          out.set(s.bits, i, bits_of(s, left ? x * (Wide{1} << n) : x >> n));
        }
        return out;
      };
      add(std::move(c));
    }
    for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      compare("HI-131", op, "", s, [=](uint64_t a, uint64_t b) {
        return integer_truth(op, integer_of(s, a), integer_of(s, b));
      });
    }
  }

  void compare(const std::string& id, const std::string& op, const std::string& ftz, const Shape& s,
               const std::function<bool(uint64_t, uint64_t)>& truth) {
    const Shape to{'u', s.bits, s.count};
    Case c{id,
           "cmp_" + op + ftz + "_pp_" + to.text() + "_" + s.text(),
           to,
           {s, s},
           "",
           true,
           Domain::kAny,
           true,
           {}};
    c.expected = [=](const std::vector<Value>& in, const Value&) {
      Value out;
      for (unsigned i = 0; i < s.count; ++i) {
        const bool is = truth(in[0].get(s.bits, i), in[1].get(s.bits, i));
        out.set(s.bits, i, is ? ~uint64_t{0} : 0);
      }
      return out;
    };
    add(std::move(c));
  }

  void floating(const Shape& s) {
    const auto all = [&](const char* id, const std::string& name, const Binary& f, bool exact) {
      for (const char* control : {"pp", "ps", "sp", "ss"})
        binary(id, name, control, "", s, f, exact);
    };
    const auto plus = [](double a, double b) { return a + b; };
    const auto minus = [](double a, double b) { return a - b; };
    const auto times = [](double a, double b) { return a * b; };
    const auto over = [](double a, double b) { return a / b; };
    all("HI-085", "add", on_floats(plus), false);
    all("HI-085", "add_near", on_floats(plus), false);
    all("HI-095", "sub", on_floats(minus), false);
    all("HI-092", "mul", on_floats(times), false);
    all("HI-087", "div", on_floats(over), false);
    binary("HI-085", "add_ftz", "pp", "", s, on_floats(plus, true), false);
    binary("HI-095", "sub_ftz", "ps", "", s, on_floats(minus, true), false);
    all("HI-090", "max", extreme(true), false);
    all("HI-091", "min", extreme(false), false);
    all(
        "HI-103", "copysign",
        [](const Shape& e, uint64_t a, uint64_t b) {
          return (a ^ sign_bit(e.bits, a)) | sign_bit(e.bits, b);
        },
        true);
    for (const char* control : {"p", "s"}) {
      unary("HI-086", "ceil", control, s, on_float(std::ceil), false);
      unary("HI-088", "floor", control, s, on_float(std::floor), false);
      unary("HI-096", "trunc", control, s, on_float(std::trunc), false);
      unary("HI-093", "rint", control, s, on_float(std::nearbyint), false);
      unary("HI-094", "sqrt", control, s, on_float(std::sqrt), false);
      unary("HI-089", "fract", control, s, fract, false);
      unary(
          "HI-102", "abs", control, s,
          [](const Shape& e, uint64_t a) { return a ^ sign_bit(e.bits, a); }, true);
      unary(
          "HI-104", "neg", control, s,
          [](const Shape& e, uint64_t a) { return a ^ (uint64_t{1} << (e.bits - 1)); }, true);
    }
    for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
                           "geu", "num", "nan", "seq", "slt", "sgeu", "snan"}) {
      compare("HI-132", op, "", s, [=](uint64_t a, uint64_t b) {
        return float_truth(op, number_of(s.bits, a), number_of(s.bits, b));
      });
    }
    compare("HI-132", "eq", "_ftz", s, [=](uint64_t a, uint64_t b) {
      return number_of(s.bits, flushed(s.bits, a)) == number_of(s.bits, flushed(s.bits, b));
    });
  }

  void moves(const Shape& s) {
    const Shape mask{'u', s.bits, s.count};
    Case select{"HI-071", "cmov_" + s.text(), s, {mask, s, s}, "", true, Domain::kAny, true, {}};
    select.expected = [=](const std::vector<Value>& in, const Value&) {
      Value out;
      for (unsigned i = 0; i < s.count; ++i) {
        out.set(s.bits, i, in[in[0].get(s.bits, i) != 0 ? 1 : 2].get(s.bits, i));
      }
      return out;
    };
    add(std::move(select));
    const bool is_float = s.kind == 'f';
    const Shape scalar{s.kind, is_float ? s.bits : std::max(32u, s.bits), 1};
    const Shape index{'u', 32, 1};
    Case in_place{is_float ? "HI-067" : "HI-066",
                  "pack_" + s.text() + "_" + scalar.text(),
                  s,
                  {s, scalar, index},
                  "",
                  true,
                  Domain::kAny,
                  true,
                  {}};
    in_place.expected = [=](const std::vector<Value>& in, const Value&) {
      Value out = in[0];
      out.set(s.bits, static_cast<unsigned>(in[2].word[0] % s.count), in[1].word[0]);
      return out;
    };
    add(std::move(in_place));
    Case taken{is_float ? "HI-069" : "HI-068",
               "unpack_" + scalar.text() + "_" + s.text(),
               scalar,
               {s, index},
               "",
               true,
               Domain::kAny,
               true,
               {}};
    taken.expected = [=](const std::vector<Value>& in, const Value&) {
      const uint64_t raw = in[0].get(s.bits, static_cast<unsigned>(in[1].word[0] % s.count));
      Value out;
      out.set(scalar.bits, 0, is_float ? raw : bits_of(scalar, integer_of(s, raw)));
      return out;
    };
    add(std::move(taken));
  }

  void shuffles(const Shape& s) {
    unsigned selector_bits = 0;
    while (1u << selector_bits < s.count) ++selector_bits;
    for (const uint32_t selectors : {0u, 0x1bu, 0x39u, 0xfac688u, 0x53977u}) {
      Case c{"HI-063", "shuffle_" + s.text(), s,    {s, s}, std::to_string(selectors),
             true,     Domain::kAny,          true, {}};
      c.expected = [=](const std::vector<Value>& in, const Value&) {
        Value out;
        for (unsigned i = 0; i < s.count; ++i) {
          const unsigned from = selectors >> (i * selector_bits) & (s.count - 1);
          out.set(s.bits, i, in[i < s.count / 2 ? 0 : 1].get(s.bits, from));
        }
        return out;
      };
      add(std::move(c));
    }
    for (const bool high : {false, true}) {
      Case c{high ? "HI-065" : "HI-064",
             (high ? "unpackhi_" : "unpacklo_") + s.text(),
             s,
             {s, s},
             "",
             true,
             Domain::kAny,
             true,
             {}};
      c.expected = [=](const std::vector<Value>& in, const Value&) {
        Value out;
        for (unsigned i = 0; i < s.count; ++i) {
          out.set(s.bits, i, in[i % 2].get(s.bits, i / 2 + (high ? s.count / 2 : 0)));
        }
        return out;
      };
      add(std::move(c));
    }
  }

  void conversion(const std::string& id, const std::string& modifiers, const Shape& to,
                  const Shape& from, const Unary& f, Domain domain = Domain::kAny) {
    Case c{id,     "cvt_" + modifiers + "_" + to.text() + "_" + from.text(),
           to,     {from},
           "",     to.kind != 'f',
           domain, to.kind == 's',
           {}};
    c.expected = [=](const std::vector<Value>& in, const Value&) {
      Value out;
      for (unsigned i = 0; i < to.count; ++i) out.set(to.bits, i, f(to, in[0].get(from.bits, i)));
      return out;
    };
    add(std::move(c));
  }

  void conversions() {
    for (const Shape& to : all_shapes()) {
      for (const Shape& from : all_shapes()) {
        if (to.count != from.count || to.text() == from.text()) continue;
        if (to.kind != 'f' && from.kind != 'f') {
          if (to.bits != from.bits) {
            conversion("HI-149", "pp", to, from,
                       [=](const Shape& s, uint64_t a) { return bits_of(s, integer_of(from, a)); });
          }
          if (to.bits <= from.bits) {
            conversion("HI-150", "pp_sat", to, from, [=](const Shape& s, uint64_t a) {
              return bits_of(s, clamped(s, integer_of(from, a)));
            });
          }
        } else if (to.kind == 'f' && from.kind != 'f') {
          conversion("HI-151", "pp", to, from, [=](const Shape& s, uint64_t a) {
            return encode(s.bits, static_cast<long double>(integer_of(from, a)));
          });
        } else if (to.kind == 'f') {
          conversion("HI-151", "pp", to, from, [=](const Shape& s, uint64_t a) {
            return encode(s.bits, static_cast<long double>(number_of(from.bits, a)));
          });
          conversion("HI-151", "ftz_pp", to, from, [=](const Shape& s, uint64_t a) {
            const uint64_t raw = encode(
                s.bits, static_cast<long double>(number_of(from.bits, flushed(from.bits, a))));
            return flushed(s.bits, raw);
          });
        } else {
          const auto rounded = [=](double (*round)(double), uint64_t a) {
            return round(number_of(from.bits, a));
          };
          conversion(
              "HI-151", "pp", to, from,
              [=](const Shape& s, uint64_t a) {
                return bits_of(s, static_cast<Wide>(rounded(std::trunc, a)));
              },
              Domain::kSmall);
          conversion(
              "HI-151", "upi_pp", to, from,
              [=](const Shape& s, uint64_t a) {
                return bits_of(s, static_cast<Wide>(rounded(std::ceil, a)));
              },
              Domain::kSmall);
          conversion("HI-151", "neari_sat_pp", to, from, [=](const Shape& s, uint64_t a) {
            const double value = rounded(std::nearbyint, a);
            if (std::isnan(value)) return uint64_t{0};
            if (value <= static_cast<double>(lowest(s))) return bits_of(s, lowest(s));
            if (value >= static_cast<double>(highest(s))) return bits_of(s, highest(s));
            return bits_of(s, static_cast<Wide>(value));
          });
        }
      }
    }
  }

  void multimedia() {
    const Shape bytes{'u', 8, 4};
    const Shape halves{'u', 16, 2};
    const Shape word{'u', 32, 1};
    const Shape real{'f', 32, 1};
    Case mean{"HI-115",     "lerp_u8x4", bytes, {bytes, bytes, bytes}, "", true,
              Domain::kAny, true,        {}};
    mean.expected = [=](const std::vector<Value>& in, const Value&) {
      Value out;
      for (unsigned i = 0; i < 4; ++i) {
        out.set(8, i, (in[0].get(8, i) + in[1].get(8, i) + (in[2].get(8, i) & 1)) / 2);
      }
      return out;
    };
    add(std::move(mean));
    Case joined{
        "HI-116", "packcvt_u8x4_f32", bytes, {real, real, real, real}, "", true, Domain::kAny, true,
        {}};
    joined.expected = [=](const std::vector<Value>& in, const Value&) {
      Value out;
      for (unsigned i = 0; i < 4; ++i) {
        const double x = std::nearbyint(number_of(32, in[i].word[0]));
        out.set(8, i, std::isnan(x) || x < 0 ? 0 : x > 255 ? 255 : static_cast<uint64_t>(x));
      }
      return out;
    };
    add(std::move(joined));
    for (unsigned i = 0; i < 4; ++i) {
      Case c{"HI-117", "unpackcvt_f32_u8x4", real, {bytes}, std::to_string(i),
             true,     Domain::kAny,         true, {}};
      c.expected = [=](const std::vector<Value>& in, const Value&) {
        return Value{{encode(32, static_cast<long double>(in[0].get(8, i))), 0}};
      };
      add(std::move(c));
    }
    const auto differences = [&](const char* id, const std::string& name, const Shape& from,
                                 const Shape& to, unsigned up) {
      Case c{id, name, to, {from, from, to}, "", true, Domain::kAny, true, {}};
      c.expected = [=](const std::vector<Value>& in, const Value&) {
        uint64_t total = 0;
        for (unsigned i = 0; i < from.count; ++i) {
          const uint64_t a = in[0].get(from.bits, i);
          const uint64_t b = in[1].get(from.bits, i);
          total += a > b ? a - b : b - a;
        }
        return Value{{((total << up) + in[2].word[0]) & 0xffffffff, 0}};
      };
      add(std::move(c));
    };
    differences("HI-118", "sad_u32_u32", word, word, 0);
    differences("HI-119", "sad_u32_u16x2", halves, word, 0);
    differences("HI-120", "sad_u32_u8x4", bytes, word, 0);
    differences("HI-121", "sadhi_u16x2_u8x4", bytes, halves, 16);
  }

  std::vector<Case> cases_;
};

uint64_t random_float(unsigned bits, std::mt19937_64& random) {
  const unsigned f = fraction_bits(bits);
  const uint64_t one = encode(bits, 1);
  const uint64_t infinity = (uint64_t{1} << (bits - 1)) - (uint64_t{1} << f);
  const uint64_t edges[] = {0,
                            1,
                            (uint64_t{1} << f) - 1,
                            uint64_t{1} << f,
                            one,
                            one + 1,
                            one - 1,
                            encode(bits, 2.5),
                            encode(bits, 300),
                            infinity,
                            infinity - 1,
                            infinity | uint64_t{1} << (f - 1),
                            infinity | 1};
  const uint64_t r = random();
  uint64_t magnitude = edges[r / 8 % std::size(edges)];
  if (r % 4 != 0) magnitude = random() & ((uint64_t{1} << (bits - 1)) - 1);
  // Numbers near one, so that sums do not only take the larger one.
  if (r % 4 >= 2) magnitude = one + magnitude % (uint64_t{8} << f);
  return magnitude | (r >> 2 & 1) << (bits - 1);
}

char register_of(const Shape& s) {
  return s.total() <= 32 ? 's' : s.total() == 64 ? 'd' : 'q';
}

}  // namespace

std::vector<Case> cases() {
  return Maker().run();
}

Value random_value(const Shape& shape, const Case& c, std::mt19937_64& random) {
  Value v;
  for (unsigned i = 0; i < shape.count; ++i) {
    uint64_t raw = random();
    if (c.domain == Domain::kSmall) {
      const double number = static_cast<double>(raw % 801) / 8;
      raw = encode(shape.bits, c.is_signed && (raw >> 40 & 1) != 0 ? -number : number);
    } else if (shape.kind == 'f') {
      raw = random_float(shape.bits, random);
    } else if (raw % 3 == 0) {
      const uint64_t top = uint64_t{1} << (shape.bits - 1);
      const uint64_t edges[] = {0, 1, top, top - 1, ~uint64_t{0}, 2};
      raw = edges[raw / 3 % std::size(edges)];
    }
    v.set(shape.bits, i, raw);
  }
  return v;
}

std::string difference(const Case& c, const Value& expected, const Value& actual) {
  const Shape& s = c.result;
  const bool narrow = s.total() < 32;  // an f16: the upper half is undefined (4.19.1)
  const unsigned count = std::max(s.count, narrow ? 1 : std::max(32u, s.total()) / s.bits);
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t e = expected.get(s.bits, i);
    const uint64_t a = actual.get(s.bits, i);
    if (e == a) continue;
    if (s.kind == 'f' && !c.exact) {
      if (is_nan(s.bits, e) && is_nan(s.bits, a) && !is_signaling(s.bits, a)) continue;
      if (number_of(s.bits, e) == 0 && number_of(s.bits, a) == 0) continue;
    }
    char text[96];
    std::snprintf(text, sizeof text, "element %u is %llx, expected %llx", i,
                  static_cast<unsigned long long>(a), static_cast<unsigned long long>(e));
    return text;
  }
  return "";
}

std::string kernel_text(const Case& c, const std::string& name) {
  std::string text = "prog kernel &" + name +
                     "(kernarg_u64 %in, kernarg_u64 %out)\n{\n"
                     "workitemabsid_u32 $s20, 0;\ncvt_u64_u32 $d20, $s20;\n"
                     "ld_kernarg_align(8)_u64 $d21, [%in];\nshl_u64 $d22, $d20, 6;\n"
                     "add_u64 $d21, $d21, $d22;\n"
                     "ld_kernarg_align(8)_u64 $d23, [%out];\nshl_u64 $d22, $d20, 4;\n"
                     "add_u64 $d23, $d23, $d22;\n";
  const auto load = [&](const Shape& s, const std::string& to, size_t slot) {
    const char kind = register_of(s);
    text += std::string("ld_global_align(4)_") +
            (kind == 's'   ? "u32"
             : kind == 'd' ? "u64"
                           : "b128") +
            " $" + kind + to + ", [$d21+" + std::to_string(slot) + "];\n";
  };
  std::string arguments;
  for (size_t i = 0; i < c.sources.size(); ++i) {
    // Four scalars share the place of one; the old destination comes last.
    load(c.sources[i], std::to_string(i + 1), c.sources.size() == 4 ? 4 * i : 16 * i);
    arguments += std::string(", $") + register_of(c.sources[i]) + std::to_string(i + 1);
  }
  load(c.result, "0", 48);
  const std::string to = std::string("$") + register_of(c.result) + "0";
  text += c.opcode + " " + to + arguments + (c.last.empty() ? "" : ", " + c.last) + ";\n";
  const char kind = register_of(c.result);
  text += std::string("st_global_align(4)_") +
          (kind == 's'   ? "u32 "
           : kind == 'd' ? "u64 "
                         : "b128 ") +
          to + ", [$d23];\n";
  return text + "ret;\n};\n";
}

Data data_for(const Case& c, unsigned count, std::mt19937_64& random) {
  Data data;
  for (unsigned lane = 0; lane < count; ++lane) {
    std::vector<Value> sources;
    uint64_t line[8] = {};
    for (size_t i = 0; i < c.sources.size(); ++i) {
      sources.push_back(random_value(c.sources[i], c, random));
      if (c.sources.size() == 4) {
        line[i / 2] |= sources[i].word[0] << (i % 2 * 32);
      } else {
        line[2 * i] = sources[i].word[0];
        line[2 * i + 1] = sources[i].word[1];
      }
    }
    const Value before = random_value(c.result, c, random);
    line[6] = before.word[0];
    line[7] = before.word[1];
    data.in.insert(data.in.end(), std::begin(line), std::end(line));
    data.expected.push_back(c.expected(sources, before));
  }
  return data;
}

}  // namespace cuvette::hsail_packed
