// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// HSAIL of the litmus kernels (docs/reference/memory_semantics.md "Litmus kernels").
namespace cuvette::litmus {

/// Order of a side's accesses: by a fence, or by the order of the atomic access itself.
enum class Form { Fence, Atomic };

struct Order {
  std::string scope;  ///< "wave", "wg", "agent", "system"; empty: nothing is ordered
  Form form = Form::Fence;
  bool release = true, acquire = true;  ///< one side alone may be left out
};

/// Work-items that play together: `items` of them, the roles 0 and 1 follow each other, starting
/// with %role. Each work-item of a role has words of its own: x and y (576 bytes apart, so that
/// they spread over the sets of a cache), and 16 bytes of out. $d0: x, $d1: y, $d2: out, $s3: role.
/// The first word of y, shared, is in $d3.
inline std::string prologue(const std::string& items) {
  return "module &m:1:0:$full:$large:$default;\n"
         "prog kernel &k(kernarg_u64 %x, kernarg_u64 %y, kernarg_u64 %out, kernarg_u32 %role,\n"
         "               kernarg_u32 %delay0, kernarg_u32 %delay1)\n{\n"
         "group_u32 %flag;\n"
         "workitemabsid_u32 $s0, 0;\ndiv_u32 $s3, $s0, " +
         items + ";\nrem_u32 $s0, $s0, " + items +
         ";\nld_kernarg_align(4)_u32 $s1, [%role];\nadd_u32 $s3, $s3, $s1;\n"
         "mul_u32 $s1, $s0, 576;\ncvt_u64_u32 $d9, $s1;\n"
         "ld_kernarg_align(8)_u64 $d0, [%x];\nadd_u64 $d0, $d0, $d9;\n"
         "ld_kernarg_align(8)_u64 $d3, [%y];\nadd_u64 $d1, $d3, $d9;\n"
         "shl_u32 $s1, $s0, 4;\nshl_u32 $s2, $s3, 10;\nadd_u32 $s1, $s1, $s2;\n"
         "cvt_u64_u32 $d9, $s1;\nld_kernarg_align(8)_u64 $d2, [%out];\nadd_u64 $d2, $d2, $d9;\n"
         "ld_kernarg_align(4)_u32 $s4, [%delay0];\nld_kernarg_align(4)_u32 $s5, [%delay1];\n"
         "cmp_eq_b1_u32 $c0, $s3, 0;\ncmov_b32 $s4, $c0, $s4, $s5;\n";
}

/// $s4 turns of a loop. Its result is stored at the end of the role (kKeep): the finalizer removes
/// a loop without effect.
inline std::string delay(const std::string& label) {
  return "mov_b32 $s10, $s4;\n@" + label + ":\ncmp_eq_b1_u32 $c1, $s4, 0;\ncbr_b1 $c1, @" + label +
         "_over;\nmad_u32 $s10, $s10, 5, 1;\nsub_u32 $s4, $s4, 1;\nbr @" + label + ";\n@" + label +
         "_over:\n";
}
inline const std::string kKeep = "st_global_align(4)_u32 $s10, [$d2+12];\n";

/// A flag, in global or group memory. Its accesses are atomic in a scope that includes both sides.
struct Flag {
  std::string segment, scope, address;
};
inline const Flag kGlobalFlag{"global", "agent", "[$d3]"};
inline const Flag kGroupFlag{"group", "wg", "[%flag]"};

/// Message passing. Role 0 stores x, then the flag. Role 1 has x in its cache, waits a bounded time
/// for the flag, then loads x. out: flag and x as role 1 saw them. Weak: 1, 0.
inline std::string message_passing(const Order& order, const Flag& flag, const std::string& items) {
  const bool on = !order.scope.empty();
  const bool atomic = on && order.form == Form::Atomic;
  const std::string scope = atomic ? order.scope : flag.scope;
  const std::string release = atomic && order.release ? "screl" : "rlx";
  const std::string acquire = atomic && order.acquire ? "scacq" : "rlx";
  const bool fence_release = on && !atomic && order.release;
  const bool fence_acquire = on && !atomic && order.acquire;
  std::string text = prologue(items);
  if (flag.segment == "group") {
    text += "atomicnoret_st_group_rlx_wg_b32 [%flag], 0;\nbarrier;\n";
  }
  text += "not_b1 $c2, $c0;\ncbr_b1 $c2, @reader;\n";
  text += delay("write") + "st_global_align(4)_u32 1, [$d0];\n";
  if (fence_release) text += "memfence_screl_" + order.scope + ";\n";
  text += "atomicnoret_st_" + flag.segment + "_" + release + "_" + scope + "_b32 " + flag.address +
          ", 1;\n" + kKeep + "ret;\n@reader:\n";
  text += "ld_global_align(4)_u32 $s6, [$d0];\nst_global_align(4)_u32 $s6, [$d2+8];\n";
  text += delay("read");
  text += "mov_b32 $s7, 200;\n@spin:\natomic_ld_" + flag.segment + "_" + acquire + "_" + scope +
          "_b32 $s8, " + flag.address +
          ";\ncmp_ne_b1_u32 $c1, $s8, 0;\ncbr_b1 $c1, @seen;\nsub_u32 $s7, $s7, 1;\n"
          "cmp_ne_b1_u32 $c1, $s7, 0;\ncbr_b1 $c1, @spin;\n@seen:\n";
  if (fence_acquire) text += "memfence_scacq_" + order.scope + ";\n";
  text +=
      "ld_global_align(4)_u32 $s9, [$d0];\n"
      "st_v2_global_align(4)_u32 ($s8, $s9), [$d2];\n" +
      kKeep + "};\n";
  return text;
}

/// Store buffering. Each role has the other's word in its cache, stores its own, then loads the
/// other's. out: what was loaded. Weak: 0 and 0.
inline std::string store_buffering(const Order& order, const std::string& items) {
  std::string text = prologue(items) +
                     "cmov_b64 $d4, $c0, $d0, $d1;\ncmov_b64 $d5, $c0, $d1, $d0;\n"
                     "ld_global_align(4)_u32 $s6, [$d5];\nst_global_align(4)_u32 $s6, [$d2+8];\n" +
                     delay("wait") + "st_global_align(4)_u32 1, [$d4];\n";
  if (!order.scope.empty()) text += "memfence_scar_" + order.scope + ";\n";
  return text + "ld_global_align(4)_u32 $s9, [$d5];\nst_global_align(4)_u32 $s9, [$d2];\n" + kKeep +
         "};\n";
}

/// Coherence of one word, which has two names, x and y, so that the second load stays one. Role 0
/// stores 1, then 2. Role 1 has it in its cache, waits a bounded time for a value by an atomic
/// load, then loads it again, atomically or not. out: both. Weak: the second is older.
inline std::string coherence(const Order& order, bool atomic_again, const std::string& items) {
  std::string text = prologue(items) + "not_b1 $c2, $c0;\ncbr_b1 $c2, @reader;\n" + delay("write") +
                     "atomicnoret_st_global_rlx_agent_b32 [$d0], 1;\n"
                     "atomicnoret_st_global_rlx_agent_b32 [$d0], 2;\n" +
                     kKeep +
                     "ret;\n@reader:\n"
                     "ld_global_align(4)_u32 $s6, [$d1];\n"
                     "st_global_align(4)_u32 $s6, [$d2+8];\n" +
                     delay("read") +
                     "mov_b32 $s7, 200;\n@spin:\natomic_ld_global_rlx_agent_b32 $s8, [$d0];\n"
                     "cmp_ne_b1_u32 $c1, $s8, 0;\ncbr_b1 $c1, @seen;\nsub_u32 $s7, $s7, 1;\n"
                     "cmp_ne_b1_u32 $c1, $s7, 0;\ncbr_b1 $c1, @spin;\n@seen:\n";
  if (!order.scope.empty()) text += "memfence_scacq_" + order.scope + ";\n";
  text += atomic_again ? "atomic_ld_global_rlx_agent_b32 $s9, [$d1];\n"
                       : "ld_global_align(4)_u32 $s9, [$d1];\n";
  return text + "st_v2_global_align(4)_u32 ($s8, $s9), [$d2];\n" + kKeep + "};\n";
}

/// Role 0 stores x, role 1 loads it into out: for fences of packets.
inline std::string copy() {
  return prologue("64") +
         "cbr_b1 $c0, @writer;\nld_global_align(4)_u32 $s9, [$d0];\n"
         "st_global_align(4)_u32 $s9, [$d2];\nret;\n@writer:\n"
         "st_global_align(4)_u32 1, [$d0];\n};\n";
}

}  // namespace cuvette::litmus
