// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "sdma/memory_port.h"

namespace cuvette::sdma {

bool BackingPort::read(uint64_t pa, void* out, unsigned bytes) {
  return backing_.read(pa, out, bytes);
}

bool BackingPort::write(uint64_t pa, const void* data, unsigned bytes) {
  return backing_.write(pa, data, bytes);
}

bool BackingPort::atomic(uint64_t pa, unsigned bytes, base::AtomicOp op, uint64_t data,
                         uint64_t compare, uint64_t& old) {
  return backing_.read_modify_write(
      pa, bytes,
      [&](uint64_t value) {
        return base::apply_integer_atomic(op, value, data, compare, bytes * 8);
      },
      &old);
}

}  // namespace cuvette::sdma
