// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages of the local data share (docs/lds.md, model/lds/lds.h): 64 lanes in four beats of 16.
package lds_pkg;

  import memory_pkg::*;
  import vrf_pkg::*;

  localparam int unsigned LdsBytes = 65536;
  localparam int unsigned LdsBanks = 32;

  typedef enum logic [1:0] {
    KindLoad         = 2'd0,
    KindStore        = 2'd1,
    KindAtomic       = 2'd2,
    KindAtomicReturn = 2'd3
  } memory_kind_e;

  typedef struct packed {
    logic [31:0]          id;
    logic [1:0]           beat;
    logic [7:0]           simd;
    logic [7:0]           slot;
    logic [31:0]          base;
    logic [31:0]          limit;
    memory_kind_e         kind;
    atomic_op_e           atomic;
    logic                 flush_in;
    logic                 flush_out;
    logic                 operand_in_lds;
    logic [1:0]           accesses;
    logic [4:0]           bytes;
    logic [BeatLanes-1:0] exec;
    lanes_t [1:0]         offset;
    lanes_t [3:0]         data;
    lanes_t [1:0]         compare;
  } request_t;

  typedef struct packed {
    logic [31:0]          id;
    logic [1:0]           beat;
    lanes_t [3:0]         data;
    logic [BeatLanes-1:0] out_of_range;
  } response_t;

endpackage
