// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hsa/memory.h"

namespace cuvette::golden {

/// Memory as the waves of a dispatch see it, where that is not the machine's memory at its own
/// addresses: page tables of their VMID, stores that reach something else than memory.
class View {
 public:
  virtual ~View() = default;
  /// Accesses are those of VMID 0 there. Nothing is allocated in it.
  virtual hsa::DeviceMemory& memory() = 0;
  /// True if mappings stay as they are until the dispatch ends: pieces found once may be
  /// remembered. False: every access is translated anew.
  virtual bool stays() const = 0;
  /// A store instruction of a wave has written all it had.
  virtual void stored() {}
};

}  // namespace cuvette::golden
