// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/memory_coverage.h"

#include <bit>
#include <iterator>

namespace cuvette::ip::traffic {

using base::AtomicOp;
using memory::MemOp;
using memory::MemReq;

namespace {

constexpr const char* kScopes[] = {"wave", "work-group", "agent", "system"};
constexpr const char* kTypes[] = {"non-coherent", "read-write", "coherently cached", "uncached"};
constexpr const char* kAtomics[] = {
    "swap", "cmpswap", "add",      "sub",        "rsub",        "smin", "umin",      "smax",
    "umax", "and",     "or",       "xor",        "inc",         "dec",  "mskor",     "fadd",
    "fmin", "fmax",    "fcmpswap", "pk_add_f16", "pk_add_bf16", "wrap", "condxchg32"};
static_assert(std::size(kAtomics) == static_cast<size_t>(AtomicOp::CondXchg32) + 1);

constexpr bool is_packed(AtomicOp op) {
  return op == AtomicOp::PkAddF16 || op == AtomicOp::PkAddBf16;
}
std::string atomic_text(AtomicOp op, unsigned bytes) {
  return "atomic " + text_of(op) + (bytes == 8 ? ", 64 bits" : ", 32 bits");
}
const char* mask_text(uint64_t mask) {
  if (mask == ~uint64_t{0}) return "mask: the whole block";
  const int bits = std::popcount(mask);
  const uint64_t run = mask >> std::countr_zero(mask);
  if ((run & (run + 1)) != 0) return "mask: with gaps";
  return bits == 1 ? "mask: one byte" : "mask: a run of bytes";
}

}  // namespace

std::string text_of(AtomicOp op) {
  return kAtomics[static_cast<unsigned>(op)];
}

MemoryCoverage::MemoryCoverage(bool stores) {
  for (const char* name :
       {"read", "invalidate", "write-back", "answer: ok", "answer: fault", "mask: the whole block",
        "mask: with gaps", "mask: one byte", "mask: a run of bytes"}) {
    points_[name] = 0;
  }
  for (const char* scope : kScopes) points_[std::string("scope ") + scope] = 0;
  for (const char* type : kTypes) points_[std::string("memory type ") + type] = 0;
  if (!stores) return;
  points_["write"] = points_["atomic without return"] = points_["atomic with return"] = 0;
  for (unsigned op = 0; op < std::size(kAtomics); ++op) {
    const auto atomic = static_cast<AtomicOp>(op);
    if (atomic != AtomicOp::CondXchg32) points_[atomic_text(atomic, 4)] = 0;
    if (!is_packed(atomic)) points_[atomic_text(atomic, 8)] = 0;
  }
}

void MemoryCoverage::asked(const MemReq& r) {
  ++points_[std::string("scope ") + kScopes[static_cast<unsigned>(r.scope) % 4]];
  switch (r.op) {
    case MemOp::Invalidate:
      ++points_["invalidate"];
      return;
    case MemOp::Writeback:
      ++points_["write-back"];
      return;
    case MemOp::Read:
      ++points_["read"];
      break;
    case MemOp::Write:
      ++points_["write"];
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn:
      ++points_[r.op == MemOp::Atomic ? "atomic without return" : "atomic with return"];
      ++points_[atomic_text(r.atomic, r.atomic_bytes)];
      break;
  }
  ++points_[std::string("memory type ") + kTypes[static_cast<unsigned>(r.mtype) % 4]];
  if (r.op == MemOp::Read || r.op == MemOp::Write) ++points_[mask_text(r.byte_mask)];
}

void MemoryCoverage::answered(const memory::MemResp& response) {
  ++points_[response.status == memory::MemStatus::Fault ? "answer: fault" : "answer: ok"];
}

}  // namespace cuvette::ip::traffic
