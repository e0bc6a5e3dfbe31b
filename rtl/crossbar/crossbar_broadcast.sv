// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Tracker of a source's broadcast, of which there is one at a time: from the cycle after it was taken
// until the one in which the last slice answers. That answer goes to the source, or the first fault in
// its place; those before it go no further. Of answers in one cycle the lowest slice's is the first.
// Combinational from the answers to what becomes of them.

`include "cuvette_assert.svh"

module crossbar_broadcast
  import crossbar_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Slices = 4
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          begin_i,    // a broadcast is taken, only when not busy
  input  logic [IdBits-1:0]             id_i,
  input  logic [Slices-1:0]             targets_i,
  output logic                          busy_o,

  input  logic [Slices-1:0]             answers_i,  // a slice answers the source in this cycle
  input  logic [Slices-1:0][IdBits-1:0] answer_id_i,
  input  mem_status_e [Slices-1:0]      status_i,
  input  logic [Slices-1:0][63:0]       address_i,
  output logic [Slices-1:0]             ends_o,     // the answer goes no further
  output logic                          fault_o,    // the one that does, does so as the fault at ...
  output logic [63:0]                   fault_address_o,
  output logic [Slices-1:0]             carries_o   // the last answer
);

  logic              busy_q;
  logic [IdBits-1:0] id_q;
  logic [Slices-1:0] waits_q;    // for the answers of these slices
  logic              fault_q;    // one was a fault
  logic [63:0]       address_q;  // of the first
  logic [Slices-1:0] mine;
  logic [Slices-1:0] faults;
  logic [Slices-1:0] first_fault;
  logic [Slices-1:0] above;      // a higher slice answers, too
  logic              done;
  logic [63:0]       new_address;

  for (genvar k = 0; k < Slices; k++) begin : gen_slice
    assign mine[k]   = busy_q && answers_i[k] && (answer_id_i[k] == id_q);
    assign faults[k] = mine[k] && (status_i[k] == StatusFault);
    if (k == Slices - 1) begin : gen_highest
      assign above[k] = 1'b0;
    end else begin : gen_lower
      assign above[k] = mine[Slices-1:k+1] != '0;
    end
  end

  assign first_fault = faults & (~faults + 1'b1);

  always_comb begin
    new_address = '0;
    for (int unsigned k = 0; k < Slices; k++) begin
      if (first_fault[k]) new_address |= address_i[k];
    end
  end

  assign busy_o          = busy_q;
  assign done            = (mine != '0) && ((waits_q & ~mine) == '0);
  assign carries_o       = done ? (mine & ~above) : '0;
  assign ends_o          = mine & ~carries_o;
  assign fault_o         = fault_q || (faults != '0);
  assign fault_address_o = fault_q ? address_q : new_address;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else         busy_q <= begin_i || (busy_q && !done);
  end

  always_ff @(posedge clk_i) begin
    if (begin_i) begin
      id_q    <= id_i;
      waits_q <= targets_i;
      fault_q <= 1'b0;
    end else begin
      waits_q <= waits_q & ~mine;
      fault_q <= fault_o;
    end
    if (!fault_q) address_q <= new_address;
  end

  `CUVETTE_ASSERT(OneAtATime_A, begin_i |-> !busy_q)
  `CUVETTE_ASSERT(AnswersOnce_A, (mine & ~waits_q) == '0)
  `CUVETTE_COVER(LastTogether_C, done && !$onehot(mine))
  `CUVETTE_COVER(SecondFault_C, fault_q && (faults != '0))

endmodule
