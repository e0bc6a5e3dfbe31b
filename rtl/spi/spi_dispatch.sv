// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A dispatch under way: the work-groups that have not started, the waves that live, its first
// error, and the compute units that have to be told of a cancel. It is over when nothing is left of
// all that, and says so until its place is given to another one.

`include "cuvette_assert.svh"

module spi_dispatch
  import spi_unit_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    load_i,      // a new dispatch, while there is none
  input  plan_t                   load_plan_i,

  output logic                    valid_o,     // there is one
  output plan_t                   plan_o,
  output logic                    waits_o,     // work-groups have not started
  output logic                    idle_o,      // no wave lives
  output group_t                  group_o,     // the next one
  output logic                    last_o,      // it is the last one

  input  logic                    start_i,     // it starts, on one compute unit
  input  logic [ComputeUnits-1:0] start_unit_i,
  input  logic                    never_i,     // no compute unit can have it
  input  logic                    cancel_i,    // nothing starts any more, from this cycle on
  output logic [ComputeUnits-1:0] kill_o,      // compute units that have to be told
  input  logic [ComputeUnits-1:0] told_i,      // they are being told

  input  logic                    end_i,       // a wave has ended
  input  logic [ComputeUnits-1:0] end_unit_i,
  input  wave_done_t              end_done_i,

  output logic                    over_o,      // the dispatch is over
  output dispatch_done_t          done_o,
  input  logic                    clear_i      // and its end is taken
);

  logic                         valid_q;
  plan_t                        plan_q;
  logic                         waits_q;
  logic [ComputeUnits-1:0]      kill_q;
  logic [ComputeUnits-1:0][5:0] waves_q;   // that live, by compute unit
  logic [ComputeUnits-1:0]      lives;
  dispatch_done_t               done_q;
  logic                         runs;      // the new dispatch can run, and has work-groups
  logic                         fails;     // a wave has failed, the first one

  assign valid_o = valid_q;
  assign plan_o  = plan_q;
  assign waits_o = waits_q;
  assign kill_o  = kill_q;
  assign done_o  = done_q;
  assign idle_o  = lives == '0;
  assign over_o  = valid_q && !waits_q && (lives == '0) && (kill_q == '0);
  assign runs    = !load_plan_i.fails && (load_plan_i.groups[0] != '0) &&
                   (load_plan_i.groups[1] != '0) && (load_plan_i.groups[2] != '0);
  assign fails   = end_i && end_done_i.error && !done_q.error;

  spi_walker u_walker (
    .clk_i,
    .load_i,
    .load_plan_i,
    .plan_i  (plan_q),
    .step_i  (start_i),
    .group_o,
    .last_o
  );

  for (genvar u = 0; u < ComputeUnits; u++) begin : gen_unit
    assign lives[u] = waves_q[u] != '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        waves_q[u] <= '0;
        kill_q[u]  <= 1'b0;
      end else begin
        waves_q[u] <= waves_q[u] + ((start_i && start_unit_i[u]) ? 6'(group_o.waves) : 6'd0) -
                      6'(end_i && end_unit_i[u]);
        if (cancel_i) kill_q[u] <= kill_q[u] || lives[u];
        else if (told_i[u]) kill_q[u] <= 1'b0;
      end
    end

    `CUVETTE_ASSERT(EndsOneThatLives_A, (end_i && end_unit_i[u]) |-> lives[u])
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      waits_q <= 1'b0;
    end else if (load_i) begin
      valid_q <= 1'b1;
      waits_q <= runs;
    end else begin
      if (clear_i) valid_q <= 1'b0;
      if (cancel_i || never_i || fails || (start_i && last_o)) waits_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      plan_q            <= load_plan_i;
      done_q            <= '0;
      done_q.id         <= load_plan_i.dispatch.id;
      done_q.error      <= load_plan_i.fails;
      done_q.error_code <= load_plan_i.fails ? load_plan_i.error_code : 32'd0;
    end else if (fails) begin
      done_q.error         <= 1'b1;
      done_q.error_code    <= end_done_i.error_code;
      done_q.error_address <= end_done_i.error_address;
      done_q.error_pc      <= end_done_i.error_pc;
    end else if (never_i && waits_q && !cancel_i) begin
      done_q.error      <= 1'b1;
      done_q.error_code <= plan_q.starves ? ErrorScratch : ErrorResources;
    end
  end

  `CUVETTE_ASSERT(OneAtATime_A, load_i |-> !valid_q)
  `CUVETTE_ASSERT(StartsOneThatWaits_A, start_i |-> (waits_q && !cancel_i))
  `CUVETTE_ASSERT(StartIsOnOneUnit_A, start_i |-> $onehot(start_unit_i))

endmodule
