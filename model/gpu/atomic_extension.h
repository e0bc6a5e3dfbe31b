// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "memory/memory_messages.h"

namespace cuvette::gpu {

/// Makes a read of 4 or 8 bytes an atomic operation: `request` says which, with its operands, and
/// the old value is the data read. A target that performs it sets `performed`. Ignorable: one that
/// does not know it answers with the old value and leaves `performed` false; the initiator then
/// writes the new one.
struct AtomicExtension : tlm::tlm_extension<AtomicExtension> {
  memory::MemReq request;  ///< operation, address and operands
  bool performed = false;  ///< set by a target that did it

  tlm::tlm_extension_base* clone() const override { return new AtomicExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const AtomicExtension&>(other);
  }
};

}  // namespace cuvette::gpu
