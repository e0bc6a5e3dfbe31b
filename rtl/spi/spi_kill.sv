// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Tells a compute unit of cancelled dispatches, one after the other, each behind the last wave of
// it that is being launched there. A command is offered from the cycle behind its choice on.

`include "cuvette_assert.svh"

module spi_kill
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  plan_t [Dispatches-1:0] plan_i,
  input  logic [Dispatches-1:0]  kill_i,           // dispatches that the compute unit is to be told of
  output logic [Dispatches-1:0]  told_o,           // it is, in this cycle
  input  logic                   launching_i,      // it is being given a work-group
  input  index_t                 launch_index_i,   // of this dispatch

  output logic                   command_valid_o,
  input  logic                   command_ready_i,
  output wave_command_t          command_o
);

  logic                  valid_q;
  index_t                index_q;
  logic [Dispatches-1:0] may;      // be told of
  index_t                index;

  always_comb begin
    may = kill_i;
    if (launching_i) may[launch_index_i] = 1'b0;
    if (valid_q) may[index_q] = 1'b0;
    index = '0;
    for (int unsigned i = 0; i < Dispatches; i++) begin
      if (may[Dispatches-1-i]) index = index_t'(Dispatches - 1 - i);
    end
    told_o          = '0;
    told_o[index_q] = valid_q && command_ready_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (!valid_q || command_ready_i) begin
      valid_q <= may != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!valid_q || command_ready_i) index_q <= index;
  end

  assign command_valid_o = valid_q;

  always_comb begin
    command_o             = '0;
    command_o.action      = WaveKill;
    command_o.of_dispatch = 1'b1;
    command_o.dispatch    = plan_i[index_q].dispatch.id;
  end

  `CUVETTE_ASSERT(CommandHeld_A, (command_valid_o && !command_ready_i) |=>
      (command_valid_o && $stable(command_o)))
  `CUVETTE_ASSERT(BehindItsLaunches_A, valid_q |-> !(launching_i && (launch_index_i == index_q)))

endmodule
