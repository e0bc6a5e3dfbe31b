// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_kernels.h"

#include <random>
#include <utility>

#include "hsail_forms.h"

namespace cuvette::hsail_kernels {

namespace {

using hsail_forms::Form;
using Kind = Piece::Kind;

// Data lies in $s0 to $s9, $d0 to $d4 and $c0 to $c2; the other registers have fixed uses:
// $s20 absolute id, $s21 id in the group, $s22 16 * $s21, $s23 size of the group, $s60 and up and
// $d30 and up temporary, $d20 output of the work-item, $d21 shared words, $d22 input.
constexpr unsigned kWords = 10, kWides = 5, kFlags = 3;
// Parts of the output: the words, the wides and the flags, and four words for atomics of its own.
constexpr unsigned kWidesAt = 4 * kWords, kFlagsAt = kWidesAt + 8 * kWides,
                   kOwnAt = kFlagsAt + 4 * kFlags + 4;
static_assert(kOwnAt + 32 <= kOutputBytes && kOwnAt % 8 == 0);

/// All forms whose results are defined for operands that `restricted` describes.
const std::vector<Form>& forms() {
  static const std::vector<Form> all = [] {
    std::vector<Form> found;
    for (const auto& family :
         {hsail_forms::integer_forms(), hsail_forms::integer_forms(), hsail_forms::float_forms(),
          hsail_forms::compare_forms(), hsail_forms::convert_forms(), hsail_forms::rounding_forms(),
          hsail_forms::machine_forms()}) {
      for (const Form& f : family) found.push_back(hsail_forms::restricted(f));
    }
    return found;
  }();
  return all;
}

std::string tangle_label(unsigned tangle, size_t block) {
  return "@tangle" + std::to_string(tangle) + "_" + std::to_string(block);
}

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 1) { kernel_.seed = seed; }

  Kernel make() {
    static constexpr uint16_t kGroups[] = {64, 64, 128, 192, 256, 48, 100};
    kernel_.group = kGroups[below(7)];
    // Sometimes the last group is smaller than the others.
    kernel_.items = kernel_.group * (1 + below(3)) + (below(4) == 0 ? below(kernel_.group) : 0);
    const unsigned functions = below(4);
    for (unsigned i = 0; i < functions; ++i) {
      callable_ = i;
      in_function_ = true;
      kernel_.functions.push_back(pieces(3 + below(8), 1, false));
    }
    callable_ = functions;
    in_function_ = false;
    kernel_.body = pieces(8 + below(20), 0, true);
    return std::move(kernel_);
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  static std::string number(unsigned n) { return std::to_string(n); }
  std::string word() { return "$s" + number(below(kWords)); }
  std::string wide() { return "$d" + number(below(kWides)); }
  std::string flag() { return "$c" + number(below(kFlags)); }
  void has(const char* feature) { kernel_.features.insert(feature); }

  std::vector<Piece> pieces(unsigned count, unsigned depth, bool uniform) {
    std::vector<Piece> all;
    for (unsigned i = 0; i < count; ++i) all.push_back(piece(depth, uniform));
    return all;
  }

  /// `uniform`: all of the group come here together.
  Piece piece(unsigned depth, bool uniform) {
    const unsigned choice = below(100);
    if (choice < 8 && depth < 3) return branch(depth);
    if (choice < 12 && depth < 3) return table(depth);
    if (choice < 19 && depth < 3) return loop(depth, uniform);
    if (choice < 22 && in_loop_) return leave();
    if (choice < 24 && depth < 2) return tangle(depth);
    if (choice < 31 && callable_ > 0) return call();
    if (choice < 37) return own_slots();
    if (choice < 44 && !in_function_) return own_private();
    if (choice < 50 && !in_function_) return input();
    if (choice < 57 && !in_function_) return atomic();
    if (choice < 66 && uniform) return exchange();
    if (choice < 76 && ((uniform && depth == 0) || below(4) == 0)) return lanes();
    return operation();
  }

  Piece plain(std::string text) { return {Kind::Plain, std::move(text), "", {}, {}, {}, 0}; }

  /// A value for an operand letter of hsail_forms.h, in a register that `text` may fill.
  std::string operand(char letter, unsigned place, std::string& text) {
    const std::string s = "$s" + number(60 + place), d = "$d" + number(30 + place);
    const auto made = [&](const std::string& code, const std::string& where) {
      text += code;
      return where;
    };
    const std::string conversion = "and_b32 " + s + ", " + word() + ", 127;\n";
    switch (letter) {
      case 'q':
      case 'd':
        return wide();
      case 'c':
        return flag();
      case 'n':
        return made("and_b32 " + s + ", " + word() + ", 127;\n", s);
      case 'o':
        return made("and_b32 " + s + ", " + word() + ", 15;\n", s);
      case 'k':
        return made("and_b32 " + s + ", " + word() + ", 0xffffff;\n", s);
      case 'j':
        return made("shr_s32 " + s + ", " + word() + ", 8;\n", s);
      case 'W':
        return made(
            "and_b32 " + s + ", " + word() + ", 0x7fffffff;\nor_b32 " + s + ", " + s + ", 1;\n", s);
      case 'Q':
        return made(
            "and_b64 " + d + ", " + wide() + ", 0x7fffffff;\nor_b64 " + d + ", " + d + ", 1;\n", d);
      case 'f':
        return made("and_b32 " + s + ", " + word() + ", 0xffff;\n", s);
      case 'F':
      case 'E':
        return made(
            conversion + "cvt_f" + (letter == 'F' ? "16" : "32") + "_u32 " + s + ", " + s + ";\n",
            s);
      case 'G':
      case 'H':
        return made(conversion + "sub_s32 " + s + ", " + s + ", 64;\ncvt_f" +
                        (letter == 'G' ? "16" : "32") + "_s32 " + s + ", " + s + ";\n",
                    s);
      case 'D':
        return made(conversion + "cvt_f64_u32 " + d + ", " + s + ";\n", d);
      case 'I':
        return made(
            conversion + "sub_s32 " + s + ", " + s + ", 64;\ncvt_f64_s32 " + d + ", " + s + ";\n",
            d);
      default:
        return word();
    }
  }

  Piece operation() {
    const Form& form = forms()[below(static_cast<unsigned>(forms().size()))];
    std::string text, operands;
    for (unsigned i = 0; i < form.operands.size(); ++i) {
      operands += ", " + operand(form.operands[i], i, text);
    }
    const std::string to = form.result == 'c'                         ? flag()
                           : form.result == 'q' || form.result == 'd' ? wide()
                                                                      : word();
    text += form.opcode + " " + to + operands + ";\n";
    // The NaN that a float operation gives is not defined.
    if (form.result == 'd') {
      text += "class_b1_f64 $c6, " + to + ", 3;\ncmov_b64 " + to + ", $c6, 0, " + to + ";\n";
    } else if (form.result == 'e') {
      text += "class_b1_f32 $c6, " + to + ", 3;\ncmov_b32 " + to + ", $c6, 0, " + to + ";\n";
    } else if (form.result == 'f') {
      text += "class_b1_f16 $c6, " + to + ", 3;\ncmov_b32 " + to + ", $c6, 0, " + to +
              ";\nand_b32 " + to + ", " + to + ", 0xffff;\n";
    }
    has("operation");
    return plain(text);
  }

  /// Leaves a condition in $c7.
  std::string condition() {
    switch (below(4)) {
      case 0:
        return "or_b1 $c7, " + flag() + ", " + flag() + ";\n";
      case 1:
        return "and_b32 $s60, " + word() + ", " + number(1u << below(4)) +
               ";\ncmp_eq_b1_u32 $c7, $s60, 0;\n";
      case 2:
        return "cmp_lt_b1_s64 $c7, " + wide() + ", " + wide() + ";\n";
      default:
        return "cmp_gt_b1_u32 $c7, " + word() + ", " + word() + ";\n";
    }
  }

  Piece branch(unsigned depth) {
    Piece p;
    p.kind = Kind::If;
    p.text = condition();
    p.number = next_++;
    p.inside = pieces(1 + below(4), depth + 1, false);
    if (below(2) == 0) p.other = pieces(1 + below(3), depth + 1, false);
    has("branch");
    return p;
  }

  Piece table(unsigned depth) {
    Piece p;
    p.kind = Kind::Switch;
    p.text = "and_b32 $s60, " + word() + ", 3;\n";
    p.number = next_++;
    p.inside = pieces(4, depth + 1, false);
    has("switch");
    return p;
  }

  Piece loop(unsigned depth, bool uniform) {
    Piece p;
    p.kind = Kind::Loop;
    p.number = next_++;
    p.counter = "$s" + number(40 + depth);
    const bool same = uniform && below(2) == 0;  // so often for all work-items
    if (same) {
      p.text = "mov_b32 " + p.counter + ", " + number(1 + below(4)) + ";\n";
      has("uniform loop");
    } else {
      p.text = "and_b32 " + p.counter + ", " + word() + ", 3;\nadd_u32 " + p.counter + ", " +
               p.counter + ", 1;\n";
      has("loop");
    }
    const bool outer = std::exchange(in_loop_, !same);
    p.inside = pieces(1 + below(5), depth + 1, same);
    in_loop_ = outer;
    return p;
  }

  /// Three to six blocks, with one way in or two.
  Piece tangle(unsigned depth) {
    Piece p;
    p.kind = Kind::Irreducible;
    p.number = next_++;
    p.counter = "$s" + number(50 + depth);
    p.text = "and_b32 " + p.counter + ", " + word() + ", 7;\nadd_u32 " + p.counter + ", " +
             p.counter + ", 2;\n";
    const unsigned blocks = 3 + below(4);
    const auto anywhere = [&] { return tangle_label(p.number, below(blocks + 1)); };
    if (below(2) == 0) p.text += condition() + "cbr_b1 $c7, " + anywhere() + ";\n";
    for (unsigned i = 0; i < blocks; ++i) {
      if (below(4) == 0) {
        p.ways.push_back("and_b32 $s60, " + word() + ", 3;\nsbr_u32 $s60 [" + anywhere() + ", " +
                         anywhere() + ", " + anywhere() + ", " + anywhere() + "];\n");
      } else {
        p.ways.push_back(condition() + "cbr_b1 $c7, " + anywhere() + ";\nbr " + anywhere() + ";\n");
      }
    }
    p.ways.back() += tangle_label(p.number, blocks) + ":\n";
    p.inside = pieces(blocks, depth + 1, false);
    has("tangle");
    return p;
  }

  Piece leave() {
    Piece p;
    p.kind = Kind::Break;
    p.text = condition();
    has("break");
    return p;
  }

  Piece call() {
    const unsigned f = below(callable_);
    std::string text = "{\narg_u64 %w;\narg_u32 %a;\narg_u64 %b;\nst_arg_u32 " + word() +
                       ", [%a];\nst_arg_u64 " + wide() + ", [%b];\n";
    if (callable_ > 1 && below(2) == 0) {
      const unsigned other = below(callable_);
      text += "and_b32 $s60, " + word() + ", 1;\nscall_u32 $s60 (%w)(%a, %b) [&f" + number(f) +
              ", &f" + number(other) + "];\n";
      has("scall");
    } else {
      text += "call &f" + number(f) + "(%w)(%a, %b);\n";
      has("call");
    }
    const std::string result = wide();
    return plain(text + "ld_arg_u64 " + result + ", [%w];\n}\ncvt_u32_u64 " + word() + ", " +
                 result + ";\n");
  }

  /// Each work-item has four words of group memory; in functions, which see no group memory of the
  /// kernel, four of private memory.
  Piece own_slots() {
    std::string text = "and_b32 $s60, " + word() + ", 12;\n";
    if (in_function_) {
      has("private memory of functions");
      return plain(text + (below(2) == 0 ? "st_private_u32 " + word() + ", [%own][$s60];\n"
                                         : "ld_private_u32 " + word() + ", [%own][$s60];\n"));
    }
    text += "add_u32 $s60, $s60, $s22;\n";
    const unsigned way = below(6);
    if (way < 2) {
      has("flat address of group memory");
      text += "lda_group_u32 $s61, [%slots][$s60];\nstof_group_u64_u32 $d30, $s61;\n";
      return plain(text + (way == 0 ? "st_u32 " + word() + ", [$d30];\n"
                                    : "ld_u32 " + word() + ", [$d30];\n"));
    }
    if (way == 2) {
      has("group atomic of its own");
      return plain(text + "atomic_" + arithmetic() + "_group_rlx_wg_u32 " + word() +
                   ", [%slots][$s60], " + word() + ";\n");
    }
    has("group memory");
    return plain(text + (way == 3 ? "ld_group_u32 " + word() + ", [%slots][$s60];\n"
                                  : "st_group_u32 " + word() + ", [%slots][$s60];\n"));
  }

  std::string arithmetic() {
    static constexpr const char* kNames[] = {"add", "sub", "min", "max", "wrapinc", "wrapdec"};
    return kNames[below(6)];
  }

  Piece own_private() {
    const unsigned way = below(6);
    if (way < 2) {
      has("spill memory");
      return plain(way == 0 ? "st_spill_u64 " + wide() + ", [%spilled];\n"
                            : "ld_spill_u64 " + wide() + ", [%spilled];\n");
    }
    std::string text = "and_b32 $s60, " + word() + ", 28;\n";
    if (way < 4) {
      has("flat address of private memory");
      text += "lda_private_u32 $s61, [%own][$s60];\nstof_private_u64_u32 $d30, $s61;\n";
      return plain(text + (way == 2 ? "st_u32 " + word() + ", [$d30];\n"
                                    : "ld_u32 " + word() + ", [$d30];\n"));
    }
    has("private memory");
    return plain(text + (way == 4 ? "st_private_u32 " + word() + ", [%own][$s60];\n"
                                  : "ld_private_u32 " + word() + ", [%own][$s60];\n"));
  }

  Piece input() {
    has("input");
    static constexpr const char* kNarrow[] = {"u8", "s8", "u16", "s16", "u32", "u32"};
    const std::string at =
        "and_b32 $s60, " + word() + ", 1016;\ncvt_u64_u32 $d30, $s60;\nadd_u64 $d30, $d22, $d30;\n";
    if (below(3) == 0) return plain(at + "ld_global_u64 " + wide() + ", [$d30];\n");
    return plain(at + "ld_global_" + kNarrow[below(6)] + " " + word() + ", [$d30+4];\n");
  }

  /// On a word of its own, with the old value; or on a word of everybody, in any order, without.
  Piece atomic() {
    if (below(2) == 0) {
      has("global atomic of its own");
      const std::string to = "[$d20+" + number(kOwnAt + 4 * below(4)) + "]";
      static constexpr const char* kBits[] = {"and", "or", "xor", "exch"};
      switch (below(3)) {
        case 0:
          return plain("atomic_" + arithmetic() + "_global_rlx_agent_u32 " + word() + ", " + to +
                       ", " + word() + ";\n");
        case 1:
          return plain("atomic_" + std::string(kBits[below(4)]) + "_global_scar_system_b32 " +
                       word() + ", " + to + ", " + word() + ";\n");
        default:
          return plain("atomic_cas_global_scacq_wg_b32 " + word() + ", " + to + ", " + word() +
                       ", " + word() + ";\n");
      }
    }
    has("shared atomic");
    static constexpr const char* kShared[] = {"add_%_u32", "min_%_s32", "max_%_u32", "and_%_b32",
                                              "or_%_b32",  "xor_%_b32", "max_%_s32", "sub_%_u32"};
    const unsigned which = below(8);
    const bool group = below(2) == 0;
    std::string name = kShared[which];
    name.replace(name.find('%'), 1, group ? "group_rlx_wg" : "global_rlx_agent");
    return plain("atomicnoret_" + name + (group ? " [%tally][" : " [$d21+") + number(4 * which) +
                 "], " + word() + ";\n");
  }

  /// A word of another work-item of the group, between barriers; or what all have added up.
  Piece exchange() {
    if (below(3) == 0) {
      has("tally");
      return plain("barrier;\nld_group_u32 " + word() + ", [%tally][" + number(4 * below(8)) +
                   "];\nbarrier;\n");
    }
    has("exchange");
    return plain("shl_u32 $s60, $s21, 2;\nst_group_u32 " + word() +
                 ", [%swap][$s60];\nbarrier;\nrem_u32 $s60, " + word() +
                 ", $s23;\nshl_u32 $s60, $s60, 2;\nld_group_u32 " + word() +
                 ", [%swap][$s60];\nbarrier;\n");
  }

  Piece lanes() {
    switch (below(4)) {
      case 0:
        has("activelanecount");
        return plain("activelanecount_u32_b1 " + word() + ", " + flag() + ";\n");
      case 1:
        has("activelaneid");
        return plain("activelaneid_u32 " + word() + ";\n");
      case 2:
        has("activelanemask");
        return plain("activelanemask_v4_b64_b1 (" + wide() + ", $d31, $d32, $d33), " + flag() +
                     ";\n");
      default:
        has("activelanepermute");
        return plain("activelaneid_u32 $s60;\nactivelanecount_u32_b1 $s61, 1;\nrem_u32 $s60, " +
                     word() + ", $s61;\nactivelanepermute_b32 " + word() + ", " + word() +
                     ", $s60, " + word() + ", " + flag() + ";\n");
    }
  }

  std::mt19937_64 random_;
  Kernel kernel_;
  unsigned next_ = 0;
  unsigned callable_ = 0;
  bool in_function_ = false;
  bool in_loop_ = false;
};

void print(const std::vector<Piece>& pieces, const std::string& after_loop, std::string& out) {
  for (const Piece& p : pieces) {
    const std::string n = std::to_string(p.number);
    out += p.text;
    switch (p.kind) {
      case Kind::Plain:
        break;
      case Kind::If:
        out += "cbr_b1 $c7, @then" + n + ";\n";
        print(p.other, after_loop, out);
        out += "br @end" + n + ";\n@then" + n + ":\n";
        print(p.inside, after_loop, out);
        out += "@end" + n + ":\n";
        break;
      case Kind::Switch:
        out += "sbr_u32 $s60 [@case" + n + "_0, @case" + n + "_1, @case" + n + "_2, @case" + n +
               "_3];\n";
        for (size_t i = 0; i < 4; ++i) {
          out += "@case" + n + "_" + std::to_string(i) + ":\n";
          if (i < p.inside.size()) print({p.inside[i]}, after_loop, out);
          out += "br @end" + n + ";\n";
        }
        out += "@end" + n + ":\n";
        break;
      case Kind::Loop:
        out += "@loop" + n + ":\n";
        print(p.inside, "@end" + n, out);
        out += "sub_u32 " + p.counter + ", " + p.counter + ", 1;\ncmp_ne_b1_u32 $c7, " + p.counter +
               ", 0;\ncbr_b1 $c7, @loop" + n + ";\n@end" + n + ":\n";
        break;
      case Kind::Irreducible:
        for (size_t i = 0; i < p.ways.size(); ++i) {
          out += tangle_label(p.number, i) + ":\nsub_u32 " + p.counter + ", " + p.counter +
                 ", 1;\ncmp_eq_b1_u32 $c7, " + p.counter + ", 0;\ncbr_b1 $c7, " +
                 tangle_label(p.number, p.ways.size()) + ";\n";
          if (i < p.inside.size()) print({p.inside[i]}, after_loop, out);
          out += p.ways[i];
        }
        break;
      case Kind::Break:
        if (!after_loop.empty()) out += "cbr_b1 $c7, " + after_loop + ";\n";
        break;
    }
  }
}

size_t count(const std::vector<Piece>& pieces) {
  size_t n = pieces.size();
  for (const Piece& p : pieces) n += count(p.inside) + count(p.other);
  return n;
}

/// All registers of data from two given ones.
std::string spread() {
  std::string text;
  for (unsigned i = 1; i < kWords; ++i) {
    text += "mad_u32 $s" + std::to_string(i) + ", $s" + std::to_string(i - 1) + ", 0x9e3779b1, " +
            std::to_string(i) + ";\n";
  }
  for (unsigned i = 1; i < kWides; ++i) {
    text += "mad_u64 $d" + std::to_string(i) + ", $d" + std::to_string(i - 1) +
            ", 0x9e3779b97f4a7c15, " + std::to_string(i) + ";\n";
  }
  for (unsigned i = 0; i < kFlags; ++i) {
    text += "and_b32 $s60, $s" + std::to_string(i) + ", 4;\ncmp_ne_b1_u32 $c" + std::to_string(i) +
            ", $s60, 0;\n";
  }
  return text;
}

}  // namespace

std::string Kernel::text() const {
  std::string out = "module &m:1:0:$full:$large:$default;\n";
  for (size_t i = 0; i < functions.size(); ++i) {
    out += "prog function &f" + std::to_string(i) +
           "(arg_u64 %w)(arg_u32 %a, arg_u64 %b)\n{\nprivate_u32 %own[4];\n"
           "ld_arg_u32 $s0, [%a];\nld_arg_u64 $d0, [%b];\n" +
           spread();
    for (unsigned n = 0; n < 4; ++n) {
      out += "st_private_u32 $s" + std::to_string(n) + ", [%own][" + std::to_string(4 * n) + "];\n";
    }
    print(functions[i], "", out);
    out +=
        "combine_v2_b64_b32 $d1, ($s0, $s5);\nxor_b64 $d0, $d0, $d1;\n"
        "st_arg_u64 $d0, [%w];\nret;\n};\n";
  }
  const std::string size = std::to_string(group);
  out +=
      "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out, kernarg_u64 %shared)\n{\n"
      "group_u32 %slots[" +
      std::to_string(4 * group) + "];\ngroup_u32 %swap[" + size +
      "];\ngroup_u32 %tally[8];\nprivate_u32 %own[8];\nspill_u64 %spilled;\n"
      "workitemabsid_u32 $s20, 0;\nworkitemid_u32 $s21, 0;\nshl_u32 $s22, $s21, 4;\n"
      "currentworkgroupsize_u32 $s23, 0;\nld_kernarg_align(8)_u64 $d22, [%in];\n"
      "ld_kernarg_align(8)_u64 $d20, [%out];\nld_kernarg_align(8)_u64 $d21, [%shared];\n"
      "mul_u32 $s60, $s20, " +
      std::to_string(kOutputBytes) +
      ";\ncvt_u64_u32 $d30, $s60;\nadd_u64 $d20, $d20, $d30;\n"
      "mul_u32 $s60, $s20, 24;\nand_b32 $s60, $s60, 1016;\ncvt_u64_u32 $d30, $s60;\n"
      "add_u64 $d30, $d22, $d30;\nld_global_u32 $s0, [$d30];\nxor_b32 $s0, $s0, $s20;\n"
      "ld_global_u64 $d0, [$d30];\n" +
      spread();
  // Some registers keep edge values of the input as they are.
  out +=
      "ld_global_u32 $s4, [$d30+4];\nld_global_u32 $s7, [$d22+64];\n"
      "ld_global_u64 $d2, [$d22+128];\n";
  for (unsigned n = 0; n < 4; ++n) {
    const std::string at = std::to_string(4 * n), high = std::to_string(4 * n + 16);
    out += "st_group_u32 $s" + std::to_string(n) + ", [%slots][$s22+" + at + "];\n" +
           "st_private_u32 $s" + std::to_string(n) + ", [%own][" + at + "];\nst_private_u32 $s" +
           std::to_string(n + 4) + ", [%own][" + high + "];\n";
  }
  out += "st_spill_u64 $d1, [%spilled];\ncmp_ne_b1_u32 $c6, $s21, 0;\ncbr_b1 $c6, @cleared;\n";
  for (unsigned n = 0; n < kSharedWords; ++n) {
    out += "st_group_u32 0, [%tally][" + std::to_string(4 * n) + "];\n";
  }
  out += "@cleared:\nbarrier;\n";
  print(body, "", out);
  out += "barrier;\n";
  for (unsigned i = 0; i < kWords; ++i) {
    out += "st_global_u32 $s" + std::to_string(i) + ", [$d20+" + std::to_string(4 * i) + "];\n";
  }
  for (unsigned i = 0; i < kWides; ++i) {
    out += "st_global_u64 $d" + std::to_string(i) + ", [$d20+" + std::to_string(kWidesAt + 8 * i) +
           "];\n";
  }
  for (unsigned i = 0; i < kFlags; ++i) {
    out += "cvt_u32_b1 $s60, $c" + std::to_string(i) + ";\nst_global_u32 $s60, [$d20+" +
           std::to_string(kFlagsAt + 4 * i) + "];\n";
  }
  // Contents of its memory at the end.
  for (unsigned n = 0; n < 4; ++n) {
    out += "ld_group_u32 $s60, [%slots][$s22+" + std::to_string(4 * n) +
           "];\nld_private_u32 $s61, [%own][" + std::to_string(4 * n) +
           "];\nxor_b32 $s60, $s60, $s61;\nst_global_u32 $s60, [$d20+" +
           std::to_string(kOwnAt + 16 + 4 * n) + "];\n";
  }
  return out + "ret;\n};\n";
}

size_t Kernel::pieces() const {
  size_t n = count(body);
  for (const auto& f : functions) n += count(f);
  return n;
}

Kernel random_kernel(uint64_t seed) {
  return Maker(seed).make();
}

}  // namespace cuvette::hsail_kernels
