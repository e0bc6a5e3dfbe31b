// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages of the matrix core (docs/matrix_core.md, model/matrix_core/matrix_core.h): a pass of 64
// lanes travels in four beats of 16.
package matrix_core_pkg;

  import vrf_pkg::*;

  localparam int unsigned RowsPerPass = 2;

  typedef struct packed {
    logic [31:0]              id;
    logic [15:0]              row;
    logic [7:0]               pass;
    logic                     last;
    logic [1:0]               beat;
    logic [2:0]               cbsz;
    logic [3:0]               abid;
    logic [2:0]               blgp;
    logic [1:0]               c_rows;
    logic [RowsPerPass-1:0]   forward;
    logic                     forward_from;
    logic [4:0]               forward_row;
    lanes_t                   a;
    lanes_t [RowsPerPass-1:0] b;
    lanes_t [RowsPerPass-1:0] c;
    lanes_t                   index;
  } operands_t;

  typedef struct packed {
    logic [31:0]              id;
    logic [7:0]               pass;
    logic                     last;
    logic [1:0]               beat;
    logic [7:0]               first_row;
    logic [1:0]               rows;
    lanes_t [RowsPerPass-1:0] d;
  } result_t;

endpackage
