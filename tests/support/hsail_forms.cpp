// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_forms.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace cuvette::hsail_forms {

namespace {

const std::vector<std::string> kInts = {"u32", "s32", "u64", "s64"};
const std::vector<std::string> kAllInts = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
const std::vector<std::string> kFloats = {"f16", "f32", "f64"};

char letter(const std::string& type) {
  if (type == "f16") return 'f';
  if (type == "f32") return 'e';
  if (type == "f64") return 'd';
  if (type == "b1") return 'c';
  return type.find("64") != std::string::npos ? 'q' : 'w';
}

void add_integer_forms(std::vector<Form>& forms) {
  auto form = [&](const std::string& opcode, char result, const std::string& operands) {
    forms.push_back({opcode, result, operands});
  };
  for (const std::string& t : kInts) {
    const char r = letter(t);
    const std::string one(1, r);
    const std::string two(2, r);
    for (const char* op :
         {"add", "sub", "mul", "mulhi", "min", "max", "div", "rem", "borrow", "carry"})
      form(op + ("_" + t), r, two);
    form("mad_" + t, r, two + one);
    form("shl_" + t, r, one + "n");
    form("shr_" + t, r, one + "n");
    form("bitextract_" + t, r, one + "nn");
    form("bitinsert_" + t, r, two + "nn");
    form("firstbit_u32_" + t, 'w', one);
    form("lastbit_u32_" + t, 'w', one);
    if (t[0] == 's') {
      form("abs_" + t, r, one);
      form("neg_" + t, r, one);
    }
  }
  for (const std::string& t : kAllInts) {
    const std::string two(2, letter(t));
    form("add_sat_" + t, two[0], two);
    form("sub_sat_" + t, two[0], two);
    form("mad_sat_" + t, two[0], two + two[0]);
  }
  for (const std::string t : {"b32", "b64"}) {
    const char r = letter(t);
    const std::string two(2, r);
    for (const char* op : {"and", "or", "xor"}) form(op + ("_" + t), r, two);
    form("not_" + t, r, std::string(1, r));
    form("bitselect_" + t, r, two + r);
    form("bitrev_" + t, r, std::string(1, r));
    form("bitmask_" + t, r, "nn");
    form("popcount_u32_" + t, 'w', std::string(1, r));
    form("cmov_" + t, r, "c" + two);
  }
  form("bitalign_b32", 'w', "wwn");
  form("bytealign_b32", 'w', "wwn");
  for (const std::string op : {"and_b1", "or_b1", "xor_b1"}) form(op, 'c', "cc");
  form("not_b1", 'c', "c");
}

void add_float_forms(std::vector<Form>& forms) {
  for (const std::string& t : kFloats) {
    const char r = letter(t);
    const std::string one(1, r);
    const std::string two(2, r);
    for (const std::string ftz : {"", "ftz_"}) {
      for (const char* op : {"add", "sub", "mul", "div", "min", "max"})
        forms.push_back({op + ("_" + ftz + t), r, two});
      for (const char* op : {"sqrt", "ceil", "floor", "trunc", "rint", "fract"})
        forms.push_back({op + ("_" + ftz + t), r, one});
      forms.push_back({"fma_" + ftz + t, r, two + one});
      forms.push_back({"mad_" + ftz + t, r, two + one});
    }
    forms.push_back({"nfma_" + t, r, two + one});
    forms.push_back({"abs_" + t, r, one});
    forms.push_back({"neg_" + t, r, one});
    forms.push_back({"copysign_" + t, r, two});
    forms.push_back({"class_b1_" + t, 'c', one + "w"});
  }
}

void add_compare_forms(std::vector<Form>& forms) {
  const std::vector<std::string> results = {"b1", "u32", "s32", "u64", "s64", "f16", "f32", "f64"};
  unsigned turn = 0;  // spreads the result types over the comparisons
  for (const std::string& t : kInts)
    for (const std::string op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      const std::string& to = results[turn++ % results.size()];
      forms.push_back({"cmp_" + op + "_" + to + "_" + t, letter(to), std::string(2, letter(t))});
    }
  for (const std::string& t : kFloats)
    for (const std::string op :
         {"eq",   "ne",   "lt",   "le",   "gt",   "ge",   "equ",  "neu", "ltu", "leu",
          "gtu",  "geu",  "num",  "nan",  "seq",  "sne",  "slt",  "sle", "sgt", "sge",
          "sequ", "sneu", "sltu", "sleu", "sgtu", "sgeu", "snum", "snan"}) {
      const std::string& to = results[turn++ % results.size()];
      forms.push_back({"cmp_" + op + "_" + (turn % 3 == 0 ? "ftz_" : "") + to + "_" + t, letter(to),
                       std::string(2, letter(t))});
    }
}

unsigned width(const std::string& type) {
  return static_cast<unsigned>(std::stoul(type.substr(1)));
}

void add_convert_forms(std::vector<Form>& forms) {
  auto form = [&](const std::string& modifiers, const std::string& to, const std::string& from) {
    forms.push_back(
        {"cvt_" + modifiers + to + "_" + from, letter(to), std::string(1, letter(from))});
  };
  for (const std::string& to : kAllInts) {
    for (const std::string& from : kAllInts) {
      if (to == from) continue;
      if (width(to) != width(from)) form("", to, from);
      if (width(to) <= width(from)) form("sat_", to, from);
    }
    form("", to, "b1");
    form("", "b1", to);
    for (const std::string& from : kFloats) {
      for (const char* round : {"", "upi_", "downi_", "zeroi_", "neari_", "supi_", "sdowni_",
                                "szeroi_", "sneari_", "ftz_upi_"})
        form(round, to, from);
      for (const char* round : {"upi_sat_", "downi_sat_", "zeroi_sat_", "neari_sat_"})
        form(round, to, from);
    }
  }
  for (const std::string& to : kFloats) {
    for (const std::string& from : kAllInts) form("", to, from);
    for (const std::string& from : kFloats)
      if (to != from) {
        form("", to, from);
        form("ftz_", to, from);
      }
    form("", to, "b1");
    form("", "b1", to);
    form("ftz_", "b1", to);
  }
}

}  // namespace

std::vector<Form> integer_forms() {
  std::vector<Form> forms;
  add_integer_forms(forms);
  return forms;
}
std::vector<Form> float_forms() {
  std::vector<Form> forms;
  add_float_forms(forms);
  return forms;
}
std::vector<Form> machine_forms() {
  std::vector<Form> forms = {{"mul24_u32", 'w', "kk"},    {"mul24_s32", 'w', "jj"},
                             {"mul24hi_u32", 'w', "kk"},  {"mul24hi_s32", 'w', "jj"},
                             {"mad24_u32", 'w', "kkw"},   {"mad24_s32", 'w', "jjw"},
                             {"mad24hi_u32", 'w', "kkw"}, {"mad24hi_s32", 'w', "jjw"}};
  for (const std::string& t : kFloats)
    for (const char* op : {"nrcp_", "nrsqrt_", "nsqrt_"})
      forms.push_back({op + t, letter(t), std::string(1, letter(t))});
  for (const char* op : {"nsin_f32", "ncos_f32", "nexp2_f32", "nlog2_f32"})
    forms.push_back({op, 'e', "e"});
  return forms;
}
std::vector<Form> rounding_forms() {
  std::vector<Form> forms;
  for (const std::string round : {"up_", "down_", "zero_"})
    for (const std::string& t : kFloats) {
      const char r = letter(t);
      const std::string two(2, r);
      for (const std::string ftz : {"", "ftz_"}) {
        for (const std::string op : {"add_", "sub_", "mul_"})
          forms.push_back({op + ftz + round + t, r, two});
        for (const std::string op : {"fma_", "mad_"})
          forms.push_back({op + ftz + round + t, r, two + r});
        forms.push_back({"div_" + ftz + round + t, r, two});
        forms.push_back({"sqrt_" + ftz + round + t, r, std::string(1, r)});
        forms.push_back({"fract_" + ftz + round + t, r, std::string(1, r)});
      }
      for (const std::string& from : kAllInts)
        forms.push_back({"cvt_" + round + t + "_" + from, r, std::string(1, letter(from))});
      for (const std::string& from : kFloats)
        if (width(from) > width(t))
          forms.push_back({"cvt_" + round + t + "_" + from, r, std::string(1, letter(from))});
    }
  return forms;
}
std::vector<Form> compare_forms() {
  std::vector<Form> forms;
  add_compare_forms(forms);
  return forms;
}
std::vector<Form> convert_forms() {
  std::vector<Form> forms;
  add_convert_forms(forms);
  return forms;
}

namespace {

/// The registers that a matrix kernel fills: $s, $d and $q from 0 on, s100 and up and the last $d
/// are for addresses.
constexpr unsigned kNarrow = 72;
constexpr unsigned kWide = 24;
constexpr unsigned kQuad = 4;
constexpr unsigned kMatrixInputs = kNarrow + 2 * kWide + 4 * kQuad;

class MatrixMaker {
 public:
  explicit MatrixMaker(uint64_t seed) : random_(seed) {}

  MatrixForm make(const hsail::MatrixInst& inst, hsail::MatrixTarget target, size_t number) {
    const bool f64 = inst.result == hsail::Type::kF64;
    const unsigned results = inst.results();
    const std::vector<unsigned> to = some(f64 ? kWide : kNarrow, results);
    const char kind = f64 ? 'd' : 's';
    MatrixForm form;
    form.statement = std::string(inst.name) + " " + list(kind, to) + ", " +
                     source(inst.a_elements(), inst.a) + ", " + source(inst.b_elements(), inst.b) +
                     ", " + sum(inst, kind);
    if (inst.sparse) form.statement += ", $s" + std::to_string(below(kNarrow));
    if (inst.broadcast)
      form.statement += ", " + std::to_string(below(8)) + ", " + std::to_string(below(16));
    if (inst.permutes || inst.has_neg()) {
      const bool free =
          inst.has_neg() ? target == hsail::MatrixTarget::kGfx942 : inst.has_blgp(target);
      form.statement += ", " + std::to_string(free ? below(8) : 0);
    }
    form.statement += ";\n";
    form.input_words = kMatrixInputs;
    form.output_words = results * (f64 ? 2 : 1);
    form.kernel = kernel(form, number, kind, to);
    return form;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  /// `count` different numbers below `n` in any order.
  std::vector<unsigned> some(unsigned n, unsigned count) {
    std::vector<unsigned> all(n);
    std::iota(all.begin(), all.end(), 0u);
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(count);
    return all;
  }

  static std::string list(char kind, const std::vector<unsigned>& numbers) {
    std::string text;
    for (const unsigned n : numbers)
      text += (text.empty() ? "$" : ", $") + std::string(1, kind) + std::to_string(n);
    return numbers.size() == 1 ? text : "(" + text + ")";
  }

  std::string source(unsigned elements, hsail::MatrixFormat format) {
    switch (elements * hsail::element_bits(format) / 32) {
      case 1:
        return "$s" + std::to_string(below(kNarrow));
      case 2:
        return "$d" + std::to_string(below(kWide));
      default:
        return "$q" + std::to_string(below(kQuad));
    }
  }

  std::string sum(const hsail::MatrixInst& inst, char kind) {
    if (inst.results() == 1 || below(4) != 0)
      return list(kind, some(kind == 'd' ? kWide : kNarrow, inst.results()));
    char text[24];
    const uint64_t bits = random_();
    if (inst.result == hsail::Type::kS32) return std::to_string(bits & 0x7fffffff);
    if (kind == 'd')
      std::snprintf(text, sizeof text, "0d%016llx", static_cast<unsigned long long>(bits));
    else
      std::snprintf(text, sizeof text, "0f%08x", static_cast<unsigned>(bits));
    return text;
  }

  static std::string kernel(const MatrixForm& form, size_t number, char kind,
                            const std::vector<unsigned>& to) {
    std::string text = "prog kernel &m" + std::to_string(number) +
                       "(kernarg_u64 %in, kernarg_u64 %out)\n{\nrequirenopartialwavefronts;\n"
                       "workitemabsid_u32 $s101, 0;\n";
    const auto place = [&](const char* argument, unsigned words) {
      text += "ld_kernarg_align(8)_u64 $d30, [" + std::string(argument) +
              "];\nmul_u32 $s102, $s101, " + std::to_string(4 * words) +
              ";\ncvt_u64_u32 $d31, $s102;\nadd_u64 $d30, $d30, $d31;\n";
    };
    unsigned at = 0;
    const auto load = [&](const char* type, char letter, unsigned count, unsigned bytes) {
      for (unsigned i = 0; i < count; ++i, at += bytes)
        text += "ld_global_align(4)_" + std::string(type) + " $" + letter + std::to_string(i) +
                ", [$d30+" + std::to_string(at) + "];\n";
    };
    place("%in", form.input_words);
    load("u32", 's', kNarrow, 4);
    load("u64", 'd', kWide, 8);
    load("b128", 'q', kQuad, 16);
    text += form.statement;
    place("%out", form.output_words);
    for (size_t i = 0; i < to.size(); ++i)
      text += "st_global_align(4)_" + std::string(kind == 'd' ? "u64 $d" : "u32 $s") +
              std::to_string(to[i]) + ", [$d30+" + std::to_string((kind == 'd' ? 8 : 4) * i) +
              "];\n";
    return text + "};\n";
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<MatrixForm> matrix_forms(hsail::MatrixTarget target, uint64_t seed, unsigned turns) {
  MatrixMaker maker(seed);
  std::vector<MatrixForm> forms;
  for (const hsail::InstRow& row : hsail::matrix_rows()) {
    const hsail::MatrixInst& inst = *hsail::matrix_inst(row.opcode);
    if (!inst.on(target)) continue;
    for (unsigned i = 0; i < turns; ++i) forms.push_back(maker.make(inst, target, forms.size()));
  }
  return forms;
}

uint32_t Source::matrix_word() {
  switch (random_() % 4) {
    case 0:
      return static_cast<uint32_t>(value('f') | value('f') << 16);
    case 1:
      return static_cast<uint32_t>(value('e'));
    case 2:
      return static_cast<uint32_t>(value('d') >> 32);
    default:
      return static_cast<uint32_t>(random_());
  }
}

Form restricted(Form form) {
  const std::string& op = form.opcode;
  auto begins = [&](const char* prefix) { return op.rfind(prefix, 0) == 0; };
  if ((begins("div_") || begins("rem_")) && form.result != 'f' && form.result != 'e' &&
      form.result != 'd')
    form.operands[1] = form.operands[1] == 'q' ? 'Q' : 'W';
  if (begins("bitextract") || begins("bitinsert") || begins("bitmask"))
    for (char& kind : form.operands)
      if (kind == 'n') kind = 'o';
  if (begins("cvt_") && op.find("_sat") == std::string::npos && form.result != 'c') {
    const size_t last = op.rfind('_');
    const char to = op[op.rfind('_', last - 1) + 1];
    const std::string from = op.substr(last + 1);
    if (from[0] == 'f' && to != 'f') {
      const size_t size = from == "f16" ? 0 : from == "f32" ? 1 : 2;
      form.operands[0] = (to == 's' ? "GHI" : "FED")[size];
    }
  }
  return form;
}

uint64_t Source::small_float(char kind) {
  const bool is_signed = kind == 'G' || kind == 'H' || kind == 'I';
  // Eighths are exact in every format.
  double number = static_cast<double>(random_() % 801) / 8.0;
  if (is_signed && random_() % 2 != 0) number = -number;
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  if (kind == 'D' || kind == 'I') return bits;
  const auto narrow = static_cast<float>(number);
  uint32_t word = 0;
  std::memcpy(&word, &narrow, sizeof narrow);
  if (kind == 'E' || kind == 'H') return word;
  if ((word & 0x7fffffff) == 0) return word >> 16;
  // Rebias the exponent (127 to 15) and drop 13 zero bits of the fraction.
  return ((word >> 16) & 0x8000) | (((word & 0x7fffffff) - 0x38000000) >> 13);
}

uint64_t Source::value(char kind) {
  switch (kind) {
    case 'W':
    case 'Q':
      return (value(kind == 'W' ? 'w' : 'q') & 0x7fffffff) | 1;
    case 'o':
      return random_() % 16;
    case 'k':
      return value('w') & 0xffffff;
    case 'j': {
      const uint64_t low = value('w') & 0xffffff;
      return ((low ^ 0x800000) - 0x800000) & 0xffffffff;  // sign-extended
    }
    case 'F':
    case 'E':
    case 'D':
    case 'G':
    case 'H':
    case 'I':
      return small_float(kind);
    case 'n':
      return random_() % 70;
    case 'c':
      return random_() % 2;
    case 'f':
      return pick({0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc00,
                   0x3e00, 0x4248, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfd01,
                   0x5640, 0x57f8, 0x3800, 0xd800, 0x4100, 0xb800}) &
             0xffff;
    case 'e':
      return pick({0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x3f800000,
                   0xbf800000, 0x3fc00000, 0x40490fdb, 0x7f7fffff, 0x7f800000, 0xff800000,
                   0x7fc00000, 0xff800001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f7fffff,
                   0x437f8000, 0x42ff0000, 0x3f000000, 0x5effffff, 0x5f000000, 0x33800000,
                   0x40200000, 0xbf000000}) &
             0xffffffff;
    case 'd':
      return pick({0,
                   0x8000000000000000,
                   1,
                   0x800fffffffffffff,
                   0x0010000000000000,
                   0x3ff0000000000000,
                   0xbff8000000000000,
                   0x400921fb54442d18,
                   0x7fefffffffffffff,
                   0x7ff0000000000000,
                   0xfff0000000000000,
                   0x7ff8000000000000,
                   0xfff0000000000001,
                   0x41dfffffffc00000,
                   0x41e0000000000000,
                   0xc1e0000000000000,
                   0x41efffffffe00000,
                   0x43dfffffffffffff,
                   0x43e0000000000000,
                   0x3e70000000000000,
                   0x36a0000000000000,
                   0x47efffffe0000000,
                   0x47effffff0000000,
                   0x40effc0000000000});
    case 'q':
      return pick({0, 1, ~uint64_t{0}, uint64_t{1} << 63, ~uint64_t{0} >> 1, 0x80000000, 255, 7});
    default:
      return pick({0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 128, 255, 0xffff8000, 7}) & 0xffffffff;
  }
}

uint64_t Source::pick(std::initializer_list<uint64_t> edges) {
  const uint64_t r = random_();
  if (r % 2 == 0) return edges.begin()[(r / 2) % edges.size()];
  return random_();
}
bool is_nan(char kind, uint64_t v) {
  switch (kind) {
    case 'f':
      return (v & 0x7fff) > 0x7c00;
    case 'e':
      return (v & 0x7fffffff) > 0x7f800000;
    case 'd':
      return (v & ~(uint64_t{1} << 63)) > 0x7ff0000000000000;
    default:
      return false;
  }
}

}  // namespace cuvette::hsail_forms
