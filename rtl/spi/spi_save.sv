// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Takes requests to save a dispatch, one at a time, and looks for rooms for its work-groups, for all
// or for none: the first places in the area at which no living work-group of its address space has
// its room, and none that is to go on. Nothing begins to start meanwhile.
//
// When the last try to place a work-group is over, the tables of all compute units are gone through,
// a key in each cycle, for the lowest room that does not lie behind the place that is looked at;
// then work-groups are given rooms up to that one, one in a cycle; then the next place is behind it.
// The dispatch is saved, or goes on, in the cycle behind.

`include "cuvette_assert.svh"

module spi_save
  import spi_unit_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic                           save_valid_i,
  output logic                           save_ready_o,
  input  save_t                          save_i,
  input  logic                           setup_i,     // a dispatch is being worked out
  input  logic [31:0]                    setup_id_i,  //   this one

  input  plan_t [Dispatches-1:0]         plan_i,      // dispatches under way
  input  saving_t [Dispatches-1:0]       saving_i,
  input  list_t                          list_i,      // work-groups that are to go on
  input  logic                           tries_i,     // a work-group is being placed
  output logic                           freeze_o,    // none other is, from the next cycle on

  output search_t                        search_o,
  input  logic [ComputeUnits-1:0]        homeless_i,  // there are work-groups without a room
  output logic [ComputeUnits-1:0]        give_o,      // one of these gets a room
  input  tenant_t [(2*ComputeUnits)-1:0] tenant_i     // rooms to look at
);

  typedef enum logic [2:0] {
    StateIdle,
    StateWait,  // for the last try
    StateScan,
    StateGive,
    StateTell
  } state_e;

  // In pages; an end may be behind the last one.
  typedef logic [$bits(page_t):0] bound_t;

  state_e                state_q;
  save_t                 save_q;
  index_t                index_q;
  logic [Dispatches-1:0] match;     // the dispatch of the request
  logic                  takes;
  key_t                  scan_q;
  bound_t                at_q;      // rooms are given from here on
  bound_t                near_q;    // up to here,
  bound_t                behind_q;  //   and then behind this
  logic                  bounded_q; // a room is there, otherwise the end of the area
  bound_t                near;
  bound_t                behind;
  logic                  bounded;
  bound_t                area_end;
  logic [16:0]           groups;    // work-groups that would be saved
  logic                  possible;  // it is under way, and rooms are to be looked for
  logic                  fits;
  logic                  homeless;
  plan_t                 plan;

  always_comb begin
    for (int unsigned i = 0; i < Dispatches; i++) begin
      match[i] = saving_i[i].valid && (plan_i[i].dispatch.id == save_i.dispatch);
    end
  end

  assign save_ready_o = (state_q == StateIdle) && !(setup_i && (setup_id_i == save_i.dispatch));
  assign takes        = save_valid_i && save_ready_o && (match != '0);
  assign freeze_o     = takes || (state_q != StateIdle);
  assign plan         = plan_i[index_q];
  assign area_end     = bound_t'((65'(save_q.area) + 65'(save_q.to)) >> RoomShift);
  assign groups       = 17'(saving_i[index_q].groups) +
                        (list_i.owner[index_q] ? 17'(list_i.rest) : 17'd0);
  assign possible     = saving_i[index_q].may && (plan.dispatch.id == save_q.dispatch) &&
                        (32'(groups) <= save_q.groups);
  assign homeless     = homeless_i != '0;
  assign fits         = (at_q + bound_t'(plan.room_pages)) <= near_q;

  // The lowest room, among those of this cycle and of the ones before.
  always_comb begin
    near    = near_q;
    behind  = behind_q;
    bounded = bounded_q;
    for (int unsigned t = 0; t < 2 * ComputeUnits; t++) begin
      automatic tenant_t tenant = tenant_i[t];
      automatic plan_t   its    = plan_i[tenant.index];
      automatic page_t   area   = tenant.restored ? its.dispatch.save_area[63:RoomShift] :
                                                    saving_i[tenant.index].area;
      automatic bound_t  from   = bound_t'(area) + bound_t'(tenant.room);
      automatic bound_t  to     = from + bound_t'(its.room_pages);
      if (tenant.valid && (tenant.restored || saving_i[tenant.index].saving) &&
          (to > at_q) && (from < near) &&
          (its.dispatch.vmid == plan.dispatch.vmid)) begin
        near    = from;
        behind  = to;
        bounded = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      unique case (state_q)
        StateIdle: if (takes) state_q <= StateWait;
        StateWait: if (!tries_i) begin
          if (!possible) state_q <= StateIdle;
          else state_q <= homeless ? StateScan : StateTell;
        end
        StateScan: if (scan_q == key_t'(Keys - 1)) state_q <= StateGive;
        StateGive: begin
          if (!homeless)               state_q <= StateTell;
          else if (!fits && bounded_q) state_q <= StateScan;
          else if (!fits)              state_q <= StateIdle;
        end
        default: state_q <= StateIdle;  // behind StateTell
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes) begin
      save_q <= save_i;
      for (int unsigned i = 0; i < Dispatches; i++) begin
        if (match[i]) index_q <= index_t'(i);
      end
    end
    if (state_q == StateScan) begin
      scan_q    <= scan_q + 1'b1;
      near_q    <= near;
      behind_q  <= behind;
      bounded_q <= bounded;
    end else begin
      scan_q <= '0;
      if (state_q != StateGive || (homeless && !fits)) begin
        near_q    <= area_end;
        bounded_q <= 1'b0;
      end
    end
    if (state_q == StateWait) begin
      at_q <= bound_t'((65'(save_q.area) + 65'(save_q.from) + 65'hfff) >> RoomShift);
    end else if ((state_q == StateGive) && homeless) begin
      if (fits)                  at_q <= at_q + bound_t'(plan.room_pages);
      else if (behind_q > at_q)  at_q <= behind_q;
    end
  end

  assign search_o = '{busy:  state_q != StateIdle,
                      index: index_q,
                      start: takes,
                      room:  room_t'(at_q - bound_t'(save_q.area >> RoomShift)),
                      scan:  scan_q,
                      save:  (state_q == StateTell) && saving_i[index_q].may,
                      area:  page_t'(save_q.area >> RoomShift)};

  assign give_o = homeless_i & (~homeless_i + 1'b1) & {ComputeUnits{(state_q == StateGive) && fits}};

  `CUVETTE_ASSERT(SaveHeld_A, (save_valid_i && !save_ready_o) |=>
      (save_valid_i && $stable(save_i)))
  `CUVETTE_COVER(WaitsForTry_C, (state_q == StateWait) && tries_i)
  `CUVETTE_COVER(GoesOnBehindRoom_C, (state_q == StateGive) && homeless && !fits && bounded_q)
  `CUVETTE_COVER(FindsNone_C, (state_q == StateGive) && homeless && !fits && !bounded_q)
  `CUVETTE_ASSERT(SavesOne_A, takes |-> $onehot(match))

endmodule
