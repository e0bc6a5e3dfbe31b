// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/arith.h"
#include "fp/compare.h"
#include "fp/integral.h"
#include "fp/reciprocal.h"
#include "fp/transcendental.h"
#include "hsail/exec.h"

// Floating-point instructions (HSAIL PRM 5.11 to 5.14) on layer fp.
namespace cuvette::hsail {

namespace {

template <class F, class Operation>
void unary(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  fp::Env env = op.env;
  c.each_lane([&](unsigned l) {
    d[l] = Operation::template apply<F>(static_cast<fp::BitsOf<F>>(a[l]), env);
  });
  c.raised |= env.flags;
}

template <class F, class Operation>
void binary(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* a = c.slot(op.src[0]);
  const uint64_t* b = c.slot(op.src[1]);
  fp::Env env = op.env;
  c.each_lane([&](unsigned l) {
    d[l] = Operation::template apply<F>(static_cast<fp::BitsOf<F>>(a[l]),
                                        static_cast<fp::BitsOf<F>>(b[l]), env);
  });
  c.raised |= env.flags;
}

template <class F, class Operation>
void ternary(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* x = c.slot(op.src[0]);
  const uint64_t* y = c.slot(op.src[1]);
  const uint64_t* z = c.slot(op.src[2]);
  fp::Env env = op.env;
  c.each_lane([&](unsigned l) {
    d[l] = Operation::template apply<F>(static_cast<fp::BitsOf<F>>(x[l]),
                                        static_cast<fp::BitsOf<F>>(y[l]),
                                        static_cast<fp::BitsOf<F>>(z[l]), env);
  });
  c.raised |= env.flags;
}

/// The machine's sine and cosine take turns, up to 256 of them: radians times 1 / (2 pi), whole
/// turns taken off beyond.
fp::BitsOf<fp::F32> turns(fp::BitsOf<fp::F32> radians) {
  constexpr fp::BitsOf<fp::F32> kTurnsPerRadian = 0x3e22f983;
  constexpr fp::BitsOf<fp::F32> kDomain = 0x43800000;  // 256
  fp::Env env;
  const auto x = fp::mul<fp::F32>(radians, kTurnsPerRadian, env);
  return fp::magnitude<fp::F32>(x) > kDomain ? fp::fract<fp::F32>(x, env) : x;
}

#define CUVETTE_UNARY(Name, expression)                                          \
  struct Name {                                                                  \
    template <class F>                                                           \
    static fp::BitsOf<F> apply(fp::BitsOf<F> a, [[maybe_unused]] fp::Env& env) { \
      return expression;                                                         \
    }                                                                            \
  };
#define CUVETTE_BINARY(Name, expression)                                                          \
  struct Name {                                                                                   \
    template <class F>                                                                            \
    static fp::BitsOf<F> apply(fp::BitsOf<F> a, fp::BitsOf<F> b, [[maybe_unused]] fp::Env& env) { \
      return expression;                                                                          \
    }                                                                                             \
  };
CUVETTE_BINARY(Add, fp::add<F>(a, b, env))
CUVETTE_BINARY(Sub, fp::sub<F>(a, b, env))
CUVETTE_BINARY(Mul, fp::mul<F>(a, b, env))
CUVETTE_BINARY(Div, fp::div<F>(a, b, env))
CUVETTE_BINARY(Max, fp::max_num<F>(a, b, env))
CUVETTE_BINARY(Min, fp::min_num<F>(a, b, env))
CUVETTE_BINARY(CopySign, fp::with_sign<F>(fp::sign_of<F>(b), fp::magnitude<F>(a)))
CUVETTE_UNARY(Sqrt, fp::sqrt<F>(a, env))
CUVETTE_UNARY(Ceil, fp::ceil<F>(a, env))
CUVETTE_UNARY(Floor, fp::floor<F>(a, env))
CUVETTE_UNARY(Trunc, fp::trunc<F>(a, env))
CUVETTE_UNARY(Rint, fp::rndne<F>(a, env))
CUVETTE_UNARY(Fract, fp::fract_hsail<F>(a, env))
CUVETTE_UNARY(Abs, fp::magnitude<F>(a))
CUVETTE_UNARY(Neg, static_cast<fp::BitsOf<F>>(a ^ F::kSignBit))
// Native operations (5.14): accuracy is up to the implementation; these are the machine's
// functions.
CUVETTE_UNARY(Nrcp, fp::v_rcp<F>(a, env))
CUVETTE_UNARY(Nrsqrt, fp::v_rsq<F>(a, env))
CUVETTE_UNARY(Nsqrt, fp::v_sqrt<F>(a, env))
CUVETTE_UNARY(Nexp2, fp::v_exp<F>(a, env))
CUVETTE_UNARY(Nlog2, fp::v_log<F>(a, env))
CUVETTE_UNARY(Nsin, fp::v_sin<F>(turns(a), env))
CUVETTE_UNARY(Ncos, fp::v_cos<F>(turns(a), env))
#undef CUVETTE_UNARY
#undef CUVETTE_BINARY

struct Fma {
  template <class F>
  static fp::BitsOf<F> apply(fp::BitsOf<F> a, fp::BitsOf<F> b, fp::BitsOf<F> c, fp::Env& env) {
    return fp::fma<F>(a, b, c, env);
  }
};

template <class Operation>
Handler unary_for(Type t) {
  return t == Type::kF16   ? unary<fp::F16, Operation>
         : t == Type::kF32 ? unary<fp::F32, Operation>
                           : unary<fp::F64, Operation>;
}
template <class Operation>
Handler binary_for(Type t) {
  return t == Type::kF16   ? binary<fp::F16, Operation>
         : t == Type::kF32 ? binary<fp::F32, Operation>
                           : binary<fp::F64, Operation>;
}
template <class Operation>
Handler ternary_for(Type t) {
  return t == Type::kF16   ? ternary<fp::F16, Operation>
         : t == Type::kF32 ? ternary<fp::F32, Operation>
                           : ternary<fp::F64, Operation>;
}

}  // namespace

Handler float_handler(const Inst& inst) {
  const Type t = inst.type;
  if (!is_float(t)) return nullptr;
  switch (inst.opcode) {
    case Opcode::kAdd:
      return binary_for<Add>(t);
    case Opcode::kSub:
      return binary_for<Sub>(t);
    case Opcode::kMul:
      return binary_for<Mul>(t);
    case Opcode::kDiv:
      return binary_for<Div>(t);
    case Opcode::kMax:
      return binary_for<Max>(t);
    case Opcode::kMin:
      return binary_for<Min>(t);
    case Opcode::kCopySign:
      return binary_for<CopySign>(t);
    case Opcode::kFma:
    case Opcode::kNfma:
    case Opcode::kMad:  // 5.12: fused or not, one choice for the agent; fused here
      return ternary_for<Fma>(t);
    case Opcode::kSqrt:
      return unary_for<Sqrt>(t);
    case Opcode::kCeil:
      return unary_for<Ceil>(t);
    case Opcode::kFloor:
      return unary_for<Floor>(t);
    case Opcode::kTrunc:
      return unary_for<Trunc>(t);
    case Opcode::kRint:
      return unary_for<Rint>(t);
    case Opcode::kFract:
      return unary_for<Fract>(t);
    case Opcode::kAbs:
      return unary_for<Abs>(t);
    case Opcode::kNeg:
      return unary_for<Neg>(t);
    case Opcode::kNrcp:
      return unary_for<Nrcp>(t);
    case Opcode::kNsqrt:
      return unary_for<Nsqrt>(t);
    case Opcode::kNrsqrt:
      return unary_for<Nrsqrt>(t);
    case Opcode::kNexp2:
      return unary<fp::F32, Nexp2>;
    case Opcode::kNlog2:
      return unary<fp::F32, Nlog2>;
    case Opcode::kNsin:
      return unary<fp::F32, Nsin>;
    case Opcode::kNcos:
      return unary<fp::F32, Ncos>;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
