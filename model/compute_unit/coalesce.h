// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hsa/address_space.h"
#include "memory/memory_messages.h"
#include "wave/memory_op.h"

namespace cuvette::compute_unit {

/// Bytes of one item inside one 64-byte block, or the same bytes of consecutive items one behind
/// the other.
struct Piece {
  uint16_t item = 0;   ///< lane; fetch of a sampled image; 0 for scalar accesses
  uint8_t first = 0;   ///< byte of an item's data
  uint8_t count = 0;   ///< bytes of an item
  uint8_t offset = 0;  ///< byte of the block
  uint8_t items = 1;   ///< consecutive items, at least 1
  uint32_t next = 0;   ///< request of the same group; 0: this is its last
};

/// One request to a cache: everything of a window of lanes that falls into one block, or one lane's
/// atomic.
struct Group {
  uint64_t address = 0;    ///< physical: of the block, or of the atomic's operand
  uint64_t byte_mask = 0;  ///< bytes of the block that are accessed; bit 0: its first
  memory::Mtype mtype = memory::Mtype::ReadWrite;  ///< memory type of the page
  uint32_t window = 0;  ///< group of lanes_per_window lanes: the cycle it is looked at
  uint32_t first_piece = 0, last_piece = 0;  ///< indices in Coalesced::pieces, both ends included
};

struct Coalesced {
  std::vector<Group> groups;  ///< windows ascending; inside one, blocks as lanes first touch them
  std::vector<Piece> pieces;  ///< of each group in ascending order of items, linked
  hsa::Fault fault =
      hsa::Fault::None;        ///< of the first lane that has one; nothing may be sent then
  uint64_t fault_address = 0;  ///< virtual
  uint64_t left_out = 0;       ///< lanes of OnFault::LeaveOut; scalar accesses: bit 0

  /// Calls `act` with every request of a group that has any.
  template <class Act>
  void for_pieces(const Group& group, Act act) const {
    for (const Piece* p = &pieces[group.first_piece];; p = &pieces[p->next]) {
      act(*p);
      if (p->next == 0) return;
    }
  }
};

/// Handling of bytes that do not translate, or of a misaligned atomic.
enum class OnFault : uint8_t {
  Stop,     ///< `fault` says so, nothing may be sent
  LeaveOut  ///< a lane's contiguous bytes (a scalar access) are requested whole or not at all
};

/// Cuts the memory part of an operation (LDS lanes left out) into requests. Unaligned accesses are
/// split at block and translation borders; a misaligned atomic is a fault. For a sampled image,
/// every fetch of a lane is looked at in the lane's window.
void coalesce(const wave::MemoryOp& op, const hsa::AddressSpace& space, uint32_t vmid,
              unsigned lanes_per_window, OnFault on_fault, Coalesced& out);

/// An atomic of a lane whose bytes are not in one piece: the L2 has one address for each.
bool lies_apart(const wave::MemoryOp& op);

}  // namespace cuvette::compute_unit
