// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Finds work-groups by their number, one at a time, of the lowest dispatch that asks: where it is in
// the grid, and what is in front of it. The number is divided by the work-groups of a row and of a
// plane, a bit of the quotient in each of 72 cycles; the answer is given in the 73rd cycle behind
// the one in which the search begins. A dispatch that does not ask any more gets none.

`include "cuvette_assert.svh"

module spi_seek
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  plan_t [Dispatches-1:0] plan_i,
  input  logic [Dispatches-1:0]  ask_i,         // for the next work-group, until there is an answer
  input  list_t                  list_i,        // its owner asks for the next one that was saved

  output logic [Dispatches-1:0]  found_o,       // answer to this one
  output found_t                 found_data_o
);

  localparam int unsigned NumberBits = 36;

  typedef enum logic [1:0] {
    StateIdle,
    StateRow,    // division by the work-groups of a row
    StatePlane,  // and of the quotient by the rows of a plane
    StateGive
  } state_e;

  state_e                state_q;
  logic [5:0]            step_q;
  index_t                index_q;
  index_t                index;        // of the lowest that asks
  plan_t                 plan;
  logic [NumberBits-1:0] first;        // number that is looked for
  logic [NumberBits-1:0] number_q;
  logic [NumberBits-1:0] divided_q;    // rest of the dividend, and the quotient behind it
  logic [31:0]           remainder_q;
  logic [31:0]           divisor;
  logic [32:0]           partial;
  logic                  fits;
  logic [31:0]           remainder;
  logic                  last_step;
  logic [1:0][31:0]      column_q;     // places in a row and in a plane
  logic [39:0]           wave_q;
  logic [63:0]           scratch_q;
  logic                  restored_q;
  waves_t                mask_q;
  room_t                 room_q;
  logic [2:0][31:0]      at;           // coordinates among the work-groups that run

  assign plan      = plan_i[index_q];
  assign first     = list_i.owner[index] ? {4'd0, list_i.head.group} :
                                           plan_i[index].dispatch.next_group[NumberBits-1:0];
  assign divisor   = plan.groups[(state_q == StatePlane) ? 1 : 0];
  assign partial   = {remainder_q, divided_q[NumberBits-1]};
  assign fits      = partial >= {1'b0, divisor};
  assign remainder = 32'(fits ? (partial - {1'b0, divisor}) : partial);
  assign last_step = step_q == 6'(NumberBits - 1);

  always_comb begin
    index = '0;
    for (int unsigned i = 0; i < Dispatches; i++) begin
      if (ask_i[Dispatches-1-i]) index = index_t'(Dispatches - 1 - i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      step_q  <= '0;
    end else begin
      step_q <= ((state_q == StateIdle) || last_step) ? 6'd0 : (step_q + 1'b1);
      unique case (state_q)
        StateIdle: if (ask_i != '0) state_q <= StateRow;
        StateRow:  begin
          if (!ask_i[index_q]) state_q <= StateIdle;
          else if (last_step)  state_q <= StatePlane;
        end
        StatePlane: begin
          if (!ask_i[index_q]) state_q <= StateIdle;
          else if (last_step)  state_q <= StateGive;
        end
        default: state_q <= StateIdle;  // behind StateGive
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      index_q     <= index;
      number_q    <= first;
      divided_q   <= first;
      remainder_q <= '0;
      wave_q      <= '0;
      scratch_q   <= '0;
      restored_q  <= list_i.owner[index];
      mask_q      <= list_i.head.waves;
      room_q      <= list_i.head.place;
    end else begin
      divided_q   <= {divided_q[NumberBits-2:0], fits};
      remainder_q <= last_step ? 32'd0 : remainder;
      if (last_step) column_q[(state_q == StatePlane) ? 1 : 0] <= remainder;
      // Products with the number, by its bits.
      if (state_q == StateRow) begin
        wave_q    <= {wave_q[38:0], 1'b0} + (divided_q[NumberBits-1] ? 40'(plan.group_waves) : 40'd0);
        scratch_q <= {scratch_q[62:0], 1'b0} + (divided_q[NumberBits-1] ? plan.group_scratch : 64'd0);
      end
    end
  end

  assign at = {divided_q[31:0], column_q};

  always_comb begin
    found_o          = '0;
    found_o[index_q] = (state_q == StateGive) && ask_i[index_q];
    found_data_o          = '0;
    found_data_o.number   = number_q;
    found_data_o.wave     = wave_q;
    found_data_o.scratch  = scratch_q;
    found_data_o.restored = restored_q;
    found_data_o.mask     = mask_q;
    found_data_o.room     = room_q;
    for (int unsigned d = 0; d < 3; d++) begin
      found_data_o.id[d]   = plan.dispatch.start[d] + at[d];
      found_data_o.left[d] = plan.left[d] - 32'(at[d] * {16'd0, plan.dispatch.workgroup[d]});
    end
  end

  `CUVETTE_COVER(GivesUp_C, (state_q == StateRow) && !ask_i[index_q])
  `CUVETTE_ASSERT(FindsOneThatIsThere_A, (found_o != '0) |-> (at[2] < plan.groups[2]))

endmodule
