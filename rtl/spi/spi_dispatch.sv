// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A dispatch under way: the work-groups that have not started, the waves that live, its first
// error, and the compute units that have to be told of a cancel. It is over when nothing is left of
// all that, and says so until its place is given to another one. One that is saved starts nothing
// more; it is over when its waves have ended and everything that is left has been told of.

`include "cuvette_assert.svh"

module spi_dispatch
  import spi_unit_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    load_i,        // a new dispatch, while there is none
  input  plan_t                   load_plan_i,

  output plan_t                   plan_o,
  output logic                    waits_o,       // work-groups may start
  output logic                    idle_o,        // no wave lives
  output logic                    there_o,       // the next work-group is there:
  output group_t                  group_o,       //   this one
  output logic                    last_o,        //   and no other one behind it
  output logic                    ask_o,         // it is to be found
  input  logic                    found_i,       // it is
  input  found_t                  found_data_i,
  input  logic                    rests_i,       // work-groups that were saved are left,
  input  logic                    one_rests_i,   //   a single one
  output logic                    drop_o,        // they do not start

  input  logic                    start_i,       // the next work-group starts, on one compute unit
  input  logic [ComputeUnits-1:0] start_unit_i,
  input  logic                    start_moved_i, // a wave of it has not the place of its number
  input  logic                    never_i,       // no compute unit can have it
  input  logic                    cancel_i,      // nothing starts any more, from this cycle on
  output logic [ComputeUnits-1:0] kill_o,        // compute units that have to be told
  input  logic [ComputeUnits-1:0] told_i,        // they are being told

  output saving_t                 saving_o,
  input  logic                    search_i,      // rooms for its work-groups are looked for
  input  logic                    save_i,        // it is saved, from the next cycle on,
  input  page_t                   save_area_i,   //   into this area
  input  logic [ComputeUnits-1:0] telling_i,     // compute units that have to be told of that
  output logic                    tells_o,       // the rest of it is to be told of
  input  logic                    tell_i,        // a work-group of it is
  input  room_t                   tell_room_i,
  input  logic                    quiet_i,       // nobody is being told of a saved work-group

  input  logic                    end_i,         // a wave has ended
  input  logic [ComputeUnits-1:0] end_unit_i,
  input  wave_done_t              end_done_i,
  input  ended_t                  ended_i,

  output logic                    over_o,        // the dispatch is over
  output dispatch_done_t          done_o,
  input  logic                    clear_i        // and its end is taken
);

  logic                         valid_q;
  plan_t                        plan_q;
  logic                         waits_q;
  logic [ComputeUnits-1:0]      kill_q;
  logic [ComputeUnits-1:0][5:0] waves_q;   // that live, by compute unit
  logic [ComputeUnits-1:0]      lives;
  logic [15:0]                  groups_q;
  dispatch_done_t               done_q;
  logic                         saving_q;
  logic                         saved_q;   // a message has come of a work-group that has been
  logic                         moved_q;
  logic                         over_q;    // it was cancelled
  page_t                        area_q;
  logic [19:0]                  end_q;     // of the last room, in its area
  logic                         runs;      // the new dispatch can run, and has work-groups
  logic                         fails;     // a wave has failed, the first one
  logic                         loses;     // a saved work-group has lost its LDS
  logic                         may_save;
  logic                         tells_end; // of a work-group that is saved
  logic                         wrong;     // what was saved is no work-group of the grid, or lacks
  logic                         starves;   //   scratch memory
  logic                         gives_up;
  logic [39:0]                  most_places;
  logic [19:0]                  room_end;  // of the work-group that is told of
  logic                         last;
  logic                         fresh;
  logic [35:0]                  number;

  assign plan_o     = plan_q;
  assign waits_o    = waits_q && !saving_q && !wrong && !starves;
  assign kill_o     = kill_q;
  assign idle_o     = lives == '0;
  assign runs       = !load_plan_i.fails && (load_plan_i.fresh || load_plan_i.resumes);
  assign fails      = end_i && end_done_i.error && !done_q.error;
  assign tells_end  = end_i && ended_i.last && (ended_i.saved.saved != '0);
  assign loses      = tells_end && !ended_i.saved.first && saving_q;
  assign gives_up   = cancel_i || never_i || fails || loses || wrong || starves;
  assign drop_o     = gives_up;
  assign ask_o      = waits_q && !saving_q && !there_o;
  assign last_o     = group_o.restored ? (one_rests_i && !plan_q.fresh) : last;
  assign may_save   = valid_q && plan_q.saves && !done_q.error && !saving_q && !moved_q && !over_q;
  assign saving_o   = '{valid: valid_q, may: may_save, saving: saving_q, area: area_q, groups: groups_q};
  assign tells_o    = valid_q && saving_q && (lives == '0) && rests_i;
  assign over_o     = valid_q && (!waits_q || saving_q) && (lives == '0) && (kill_q == '0) &&
                      (telling_i == '0) && !search_i && !(saving_q && rests_i) &&
                      (quiet_i || !(saving_q || saved_q));
  assign room_end   = {4'd0, tell_i ? tell_room_i : ended_i.saved.room} + plan_q.room_pages[19:0];

  // One that was saved has the place of its number in scratch memory, and no other one.
  assign wrong   = waits_q && !saving_q && there_o && group_o.restored &&
                   (waves_from(group_o.mask, group_o.waves) != '0);
  assign starves = waits_q && !saving_q && there_o && group_o.restored && plan_q.pooled && !wrong &&
                   ((group_o.wave + 40'(highest_wave(group_o.mask))) >= most_places);

  assign most_places = (plan_q.dispatch.scratch_waves > 32'(Places)) ? 40'(Places) :
                       40'(plan_q.dispatch.scratch_waves);

  spi_walker u_walker (
    .clk_i,
    .load_i,
    .load_plan_i,
    .plan_i   (plan_q),
    .step_i   (start_i),
    .found_i,
    .found_data_i,
    .group_o,
    .there_o,
    .last_o   (last),
    .fresh_o  (fresh),
    .number_o (number)
  );

  for (genvar u = 0; u < ComputeUnits; u++) begin : gen_unit
    assign lives[u] = waves_q[u] != '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        waves_q[u] <= '0;
        kill_q[u]  <= 1'b0;
      end else begin
        waves_q[u] <= waves_q[u] + ((start_i && start_unit_i[u]) ? 6'(group_o.count) : 6'd0) -
                      6'(end_i && end_unit_i[u]);
        if (cancel_i) kill_q[u] <= kill_q[u] || lives[u];
        else if (told_i[u]) kill_q[u] <= 1'b0;
      end
    end

    `CUVETTE_ASSERT(EndsOneThatLives_A, (end_i && end_unit_i[u]) |-> lives[u])
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      waits_q  <= 1'b0;
      saving_q <= 1'b0;
      groups_q <= '0;
    end else if (load_i) begin
      valid_q  <= 1'b1;
      waits_q  <= runs;
      saving_q <= 1'b0;
    end else begin
      if (clear_i) valid_q <= 1'b0;
      if (gives_up || (start_i && last_o)) waits_q <= 1'b0;
      if (gives_up) saving_q <= 1'b0;
      else if (save_i) saving_q <= 1'b1;
      groups_q <= groups_q + 16'(start_i) - 16'(end_i && ended_i.last);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      plan_q            <= load_plan_i;
      saved_q           <= 1'b0;
      moved_q           <= 1'b0;
      over_q            <= 1'b0;
      end_q             <= '0;
      done_q            <= '0;
      done_q.id         <= load_plan_i.dispatch.id;
      done_q.error      <= load_plan_i.fails;
      done_q.error_code <= load_plan_i.fails ? load_plan_i.error_code : 32'd0;
    end else begin
      if (save_i) area_q <= save_area_i;
      if (tells_end || tell_i) saved_q <= 1'b1;
      if (cancel_i) over_q <= 1'b1;
      if (start_i && start_moved_i) moved_q <= 1'b1;
      if ((tells_end || tell_i) && (room_end > end_q)) end_q <= room_end;
      if (loses || wrong || starves) begin
        done_q.error      <= 1'b1;
        done_q.error_code <= loses ? ErrorException : (wrong ? ErrorDispatch : ErrorScratch);
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
  end

  always_comb begin
    done_o = done_q;
    if (saving_q) begin
      done_o.saved      = saved_q || waits_q;
      done_o.next_group = fresh ? {28'd0, number} : plan_q.dispatch.next_group;
      done_o.save_end   = {end_q, 12'd0};
    end
  end

  `CUVETTE_ASSERT(OneAtATime_A, load_i |-> !valid_q)
  `CUVETTE_ASSERT(StartsOneThatWaits_A, start_i |-> (waits_o && there_o && !cancel_i))
  `CUVETTE_ASSERT(StartIsOnOneUnit_A, start_i |-> $onehot(start_unit_i))
  `CUVETTE_ASSERT(SavesOneThatMay_A, save_i |-> may_save)
  `CUVETTE_ASSERT(TellsOneMessage_A, !(tells_end && tell_i))

endmodule
