// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_mutations.h"

#include <cctype>
#include <set>

#include "test_vectors.h"

namespace cuvette::hsail::testing {

namespace {

/// Names that a statement may use: declarations of the module and of the kernel.
const char* const kModule =
    "extension \"IMAGE\";\nglobal_u32 &g;\nglobal_u32 &ga[4];\nreadonly_f32 &r;\ngroup_u32 &l;\n"
    "private_u32 &p;\nglobal_b8 &b[64];\nreadonly_b64 &rb[8];\nglobal_sig64 &s;\n"
    "readonly_roimg &i;\nreadonly_samp &sa;\ndecl prog function &f(arg_u32 %r)(arg_u32 %x);\n";
const char* const kKernel =
    "prog kernel &k(kernarg_u64 %a, kernarg_f32 %b, kernarg_sig64 %sig, kernarg_rwimg %img)\n{\n"
    "\tspill_u32 %sp;\n\tprivate_u32 %pr;\n\tgroup_f32 %gr;\n\tfbarrier %fb;\n@l:\n";

/// One of each form of instruction, right as it stands.
const char* const kStatements[] = {
    "add_u32 $s0, $s1, 5;",
    "add_ftz_near_f32 $s0, $s1, 1.5f;",
    "add_pp_sat_u8x4 $s0, $s1, $s2;",
    "sub_f64 $d0, $d1, 0x1.8p+3;",
    "mul_f16 $s0, $s1, 2.0h;",
    "neg_s64 $d0, $d1;",
    "mad_u32 $s0, $s1, $s2, WAVESIZE;",
    "mad24_s32 $s0, $s1, $s2, $s3;",
    "shl_u64 $d0, $d1, 3;",
    "shr_s16x2 $s0, $s1, 3;",
    "and_b1 $c0, $c1, 1;",
    "xor_b64 $d0, $d1, 0xff;",
    "popcount_u32_b64 $s0, $d1;",
    "bitextract_s32 $s0, $s1, 3, 4;",
    "bitinsert_u32 $s0, $s1, $s2, 3, 4;",
    "firstbit_u32_u64 $s0, $d1;",
    "combine_v2_b64_b32 $d0, ($s0, 1);",
    "expand_v4_b32_b128 ($s0, $s1, $s2, $s3), $q0;",
    "lda_global_u64 $d0, [&g];",
    "lda_group_u32 $s0, [%gr][$s1+4];",
    "mov_b32 $s0, 0f3f800000;",
    "mov_b1 $c0, 0;",
    "mov_roimg $d0, $d1;",
    "mov_sig64 $d0, $d1;",
    "mov_b128 $q0, u32x4(1, 2, 3, 4);",
    "shuffle_u8x4 $s0, $s1, $s2, 0x1b;",
    "unpacklo_u8x4 $s0, $s1, $s2;",
    "pack_u8x4_u32 $s0, $s1, $s2, 2;",
    "unpack_u32_u8x4 $s0, $s1, 2;",
    "cmov_b32 $s0, $c0, $s1, 7;",
    "cmov_u8x4 $s0, $s1, $s2, $s3;",
    "sqrt_ftz_up_f32 $s0, $s1;",
    "fma_f64 $d0, $d1, $d2, $d3;",
    "class_b1_f32 $c0, $s0, 3;",
    "class_b1_f64 $c0, $d0, $s1;",
    "nsin_f32 $s0, $s1;",
    "bitalign_b32 $s0, $s1, $s2, $s3;",
    "lerp_u8x4 $s0, $s1, $s2, $s3;",
    "packcvt_u8x4_f32 $s0, $s1, $s2, $s3, $s4;",
    "unpackcvt_f32_u8x4 $s0, $s1, 2;",
    "sad_u32_u8x4 $s0, $s1, $s2, $s3;",
    "segmentp_group_nonull_b1_u64 $c0, $d0;",
    "stof_group_u64_u32 $d0, $s0;",
    "cmp_lt_b1_f32 $c0, $s0, 1.0f;",
    "cmp_ne_u32_s64 $s0, $d0, -1;",
    "cmp_eq_pp_u8x4_u8x4 $s0, $s1, $s2;",
    "cvt_f32_u32 $s0, $s1;",
    "cvt_zeroi_sat_u8_f32 $s0, $s1;",
    "cvt_ftz_near_f16_f32 $s0, $s1;",
    "cvt_u64_s32 $d0, $s1;",
    "cvt_b1_f64 $c0, $d0;",
    "cvt_u32_b1 $s0, $c0;",
    "ld_global_align(4)_const_equiv(2)_width(64)_u32 $s0, [$d0+8];",
    "ld_v2_global_f32 ($s0, $s1), [&ga][4];",
    "ld_kernarg_u64 $d0, [%a];",
    "ld_kernarg_sig64 $d0, [%sig];",
    "ld_kernarg_rwimg $d0, [%img];",
    "ld_readonly_roimg $d0, [&i];",
    "ld_readonly_samp $d0, [&sa];",
    "ld_global_sig64 $d0, [&s];",
    "ld_spill_u32 $s0, [%sp];",
    "ld_private_u8 $s0, [%pr][$s1];",
    "ld_u32 $s0, [$d1+4];",
    "st_global_u16 5, [&g];",
    "st_spill_u32 $s0, [%sp];",
    "st_v4_group_u32 ($s0, 1, WAVESIZE, $s1), [$s2];",
    "st_global_sig64 sig64(0), [&s];",
    "st_f64 $d0, [$d1];",
    "atomic_add_global_rlx_agent_u32 $s0, [&g], 1;",
    "atomic_cas_group_scar_wg_b32 $s0, [&l], 1, $s2;",
    "atomicnoret_st_screl_system_b64 [$d0], $d1;",
    "memfence_scar_system;",
    "signal_wait_lt_rlx_s64_sig64 $d0, $d1, 5;",
    "signalnoret_add_rlx_u64_sig64 $d0, 1;",
    "rdimage_v4_2d_f32_roimg_f32 ($s0, $s1, $s2, $s3), $d0, $d1, ($s4, $s5);",
    "ldimage_v4_1d_u32_rwimg_u32 ($s0, $s1, $s2, $s3), $d0, $s4;",
    "queryimage_2d_width_u32_roimg $s0, $d0;",
    "querysampler_filter_u32 $s0, $d0;",
    "imagefence;",
    "br @l;",
    "cbr_width(64)_b1 $c0, @l;",
    "sbr_u32 $s0 [@l, @l];",
    "barrier_width(all);",
    "wavebarrier;",
    "joinfbar_width(64) %fb;",
    "ldf_u32 $s0, %fb;",
    "activelanecount_u32_b1 $s0, $c0;",
    "activelanepermute_b64 $d0, $d1, $s0, 0, $c0;",
    "{ arg_u32 %r; arg_u32 %x; st_arg_u32 1, [%x]; call &f(%r)(%x); ld_arg_u32 $s0, [%r]; }",
    "alloca_align(16)_u32 $s0, 24;",
    "workitemabsid_u32 $s0, 0;",
    "workitemflatabsid_u64 $d0;",
    "dim_u32 $s0;",
    "cleardetectexcept_u32 3;",
    "addqueuewriteindex_global_rlx_u64 $d0, [$d1], 1;",
    "clock_u64 $d0;",
    "nullptr_group_u32 $s0;",
    "debugtrap_u32 5;",
    "pragma \"x\", 5;",
    "loc 5 6 \"a\";",
};

/// Replacements of a token, by its first character.
const char* const kForRegisters[] = {"$c0", "$s9", "$d9", "$q9", "1", "1.0f", "WAVESIZE", "$s2048"};
const char* const kForNumbers[] = {"-1",
                                   "4",
                                   "256",
                                   "$s7",
                                   "WAVESIZE",
                                   ".1e40F",
                                   "1.0e309",
                                   "0x1.8p+2147483648",
                                   "1.0h",
                                   "1.0",
                                   "0x123456789",
                                   "u32(1)",
                                   "f32(1.0f)",
                                   "sig64(0)",
                                   "u8x4(1, 2, 3, 4)"};
const char* const kForWords[] = {"WAVESIZE2", "5"};
const char* const kForNames[] = {"&g", "&ga", "&l",  "&b",  "&rb", "&s", "&i", "&sa",
                                 "%a", "%sp", "%pr", "%gr", "%fb", "&f", "&k", "&none"};
/// For the pieces of a mnemonic.
const char* const kForPieces[] = {"u8",    "u32",   "s64",  "f16",   "f32",   "b1",   "b32",
                                  "b64",   "b128",  "u8x4", "f32x2", "roimg", "samp", "sig64",
                                  "ftz",   "near",  "sat",  "pp",    "zeroi", "v2",   "global",
                                  "group", "spill", "arg",  "rlx",   "wg",    "lt"};

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  const auto joins = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text[i] == '"') {
      end = text.find('"', end) + 1;
    } else if (joins(text[i]) || std::string("$&%@").find(text[i]) != std::string::npos) {
      while (end < text.size() && joins(text[end])) ++end;
      // The sign of an exponent.
      if ((text[end] == '+' || text[end] == '-') && std::isdigit(text[i]) != 0 &&
          (text[end - 1] == 'p' || text[end - 1] == 'P')) {
        ++end;
        while (end < text.size() && joins(text[end])) ++end;
      }
    }
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

std::vector<std::string> pieces_of(const std::string& word) {
  std::vector<std::string> pieces(1);
  for (const char c : word) {
    if (c == '_') {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}
std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : between) + parts[i];
  return text;
}

class Maker {
 public:
  std::vector<Mutation> run() {
    for (const char* statement : kAlways) add(statement, true);
    for (const char* statement : kStatements) add(statement, true);
    for (const char* statement : kStatements) {
      tokens_ = tokens_of(statement);
      for (at_ = 0; at_ < tokens_.size(); ++at_) change();
    }
    return std::move(all_);
  }

 private:
  /// Made for what the others come to seldom.
  static constexpr const char* kAlways[] = {
      "ld_arg_u32 $s0, [$s1];",
      "st_arg_u32 $s0, [8];",
      "ld_spill_u32 $s0, [$s1+4];",
      "st_spill_u32 $s0, [8];",
      "ld_spill_u32 $s0, [%sp][4];",
      "ld_global_rwimg $d0, [&b];",
      "ld_global_roimg $d0, [&b];",
      "ld_global_samp $d0, [&b];",
      "ld_readonly_roimg $d0, [&rb];",
      "ld_global_sig64 $d0, [&b];",
      "class_b1_f32 $c0, $s0, WAVESIZE;",
      "class_b1_f64 $c0, $d0, WAVESIZE;",
      "mov_sig64 $d0, sig64(0);",
      "mov_b1 $c0, 2;",
      "mov_b1 $c0, WAVESIZE;",
      "workitemabsid_u64 $d0, 0;",
      "gridsize_u64 $d0, 0;",
      "pragma 1, &k;",
      "pragma $s0;",
      "mov_b64 $d0, 1.0e309;",
      "mov_b32 $s0, 3.5e38f;",
      "mov_b64 $d0, 0x1.8p+2147483648;",
      "mov_b64 $d0, 0x1.8p+1024;",
      "mov_b64 $d0, 0x1.0p-2147483649;",
      "st_global_f16 65520.0h, [&g];",
      "mov_b32 $s0,1.0f;",
      "add_u32$s0, $s1, 5;",
      "add_sat_u32 $s0, $s1, 5;",
      "popcount_v2_u32_b64 $s0, $d1;",
      "atomic_add_global_rlx_agent_u32 $s0, [&s], 1;",
      "pragma \"x\" \"x\", 5;",
      "br@l;",
      "pragma\"x\", 5;",
      "loc 5 6\"a\";",
      "mov_b64 $d0, 0d12345678901234567;",
  };

  void add(const std::string& statement, bool always) {
    if (!known_.insert(statement).second) return;
    if (!always && !test::chosen(number_++, 16)) return;
    all_.push_back({statement, "module &m:1:0:$full:$large:$default;\n" + std::string(kModule) +
                                   kKernel + "\t" + statement + "\n};\n"});
  }
  void put(const std::string& token) {
    std::vector<std::string> changed = tokens_;
    changed[at_] = token;
    add(joined(changed, ""), false);
  }

  void change() {
    const std::string token = tokens_[at_];
    if (token == " ") return;
    put("");
    put(token + " " + token);
    if (token[0] == '$') {
      for (const char* other : kForRegisters) put(other);
    } else if (std::isdigit(static_cast<unsigned char>(token[0])) != 0) {
      for (const char* other : kForNumbers) put(other);
    } else if (token[0] == '&' || token[0] == '%') {
      for (const char* other : kForNames) put(other);
      put("$s8");
      put("$d8");
      put("8");
    } else if (std::isalpha(static_cast<unsigned char>(token[0])) != 0) {
      for (const char* other : kForWords) put(other);
      change_pieces(token);
    }
  }
  void change_pieces(const std::string& word) {
    const std::vector<std::string> pieces = pieces_of(word);
    for (size_t i = 0; i < pieces.size(); ++i) {
      std::vector<std::string> changed = pieces;
      changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
      if (!changed.empty()) put(joined(changed, "_"));
      for (const char* other : kForPieces) {
        changed = pieces;
        changed[i] = other;
        if (i > 0) put(joined(changed, "_"));
        changed = pieces;
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i) + 1, other);
        put(joined(changed, "_"));
      }
    }
  }

  std::vector<std::string> tokens_;
  size_t at_ = 0;
  size_t number_ = 0;
  std::set<std::string> known_;
  std::vector<Mutation> all_;
};

}  // namespace

const std::vector<Mutation>& mutations() {
  static const std::vector<Mutation> all = Maker().run();
  return all;
}

}  // namespace cuvette::hsail::testing
