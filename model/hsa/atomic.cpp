// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/atomic.h"

#include <stdexcept>

namespace cuvette::hsa {

uint64_t apply_atomic(AtomicOp op, unsigned bytes, uint64_t old, uint64_t operand,
                      uint64_t compare) {
  if (is_float(op)) throw std::logic_error("apply_atomic: not an integer operation");
  if (bytes != 4 && bytes != 8) throw std::logic_error("apply_atomic: width is 4 or 8 bytes");
  return base::apply_integer_atomic(op, old, operand, compare, 8 * bytes);
}

}  // namespace cuvette::hsa
