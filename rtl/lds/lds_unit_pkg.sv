// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types that the parts of the local data share exchange (lds.md). A request has one or two
// accesses of each lane, an access up to four chunks: 4 bytes from its address on, wherever that
// is. The word of a chunk is the one its first byte is in, and its bank that of this word; what a
// chunk has of the next word comes from the next bank.
package lds_unit_pkg;

  import lds_pkg::*;
  import memory_pkg::*;
  import vrf_pkg::*;

  localparam int unsigned GroupLanes = 32;  // looked at together
  localparam int unsigned Groups     = Lanes / GroupLanes;
  localparam int unsigned Chunks     = 4;   // of the widest access
  localparam int unsigned BankBits   = $clog2(LdsBanks);
  localparam int unsigned WordBits   = $clog2(LdsBytes) - 2;
  localparam int unsigned RowBits    = WordBits - BankBits;
  localparam int unsigned Slots      = 4;   // answers under way

  typedef logic [WordBits+1:0]            address_t;
  typedef logic [WordBits-1:0]            word_t;
  typedef logic [BankBits-1:0]            bank_t;
  typedef logic [RowBits-1:0]             row_t;
  typedef logic [$clog2(Slots)-1:0]       slot_t;
  typedef logic [Lanes-1:0][31:0]         row_data_t;  // a dword of every lane
  typedef logic [LdsBanks-1:0][3:0][7:0]  bank_words_t;

  // Part of a request that is the same in all its beats.
  typedef struct packed {
    logic [31:0]  id;
    memory_kind_e kind;
    atomic_op_e   atomic;
    logic         flush_in;
    logic         flush_out;
    logic         operand_in_lds;
    logic         two;     // accesses
    logic [4:0]   bytes;   // of an access
  } header_t;

  // A whole request. An access takes part where its lane does and it is inside the allocation.
  typedef struct packed {
    header_t                    header;
    logic [Lanes-1:0]           outside;  // lanes with an access that is not inside
    logic [1:0][Lanes-1:0]      want;     // accesses that take part
    address_t [1:0][Lanes-1:0]  address;
    row_data_t [3:0]            data;
    row_data_t [1:0]            compare;
  } work_t;

  function automatic logic is_atomic(input memory_kind_e kind);
    return (kind == KindAtomic) || (kind == KindAtomicReturn);
  endfunction

  // Chunks of an access.
  function automatic logic [2:0] dwords_of(input logic [4:0] bytes);
    return 3'((bytes + 5'd3) >> 2);
  endfunction

  // The row in `bank` of the word that is `word`, or one of the 31 behind it.
  function automatic row_t row_from(input word_t word, input bank_t bank);
    return word[WordBits-1:BankBits] + RowBits'(bank < word[BankBits-1:0]);
  endfunction

endpackage
