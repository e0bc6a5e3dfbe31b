// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Work-groups of a compute unit, by their keys, as far as saving goes: the dispatch, the room, the
// waves that have been saved, and those work-groups whose waves are still to be told. A work-group
// gets a room while a search gives them out, one in a cycle, in the order of keys.

module spi_groups
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  commit_i,         // a work-group starts
  input  group_t                commit_group_i,

  input  logic                  end_i,            // a wave has ended,
  input  key_t                  end_key_i,        //   of this work-group,
  input  wave_done_t            end_done_i,
  input  logic                  end_last_i,       //   as its last one
  output saved_t                end_saved_o,      // of the work-group, with that wave

  input  search_t               search_i,         // for rooms of work-groups of a dispatch
  output logic                  homeless_o,       // one has none yet
  input  logic                  give_i,           // it gets one, the lowest of them
  output tenant_t               tenant_o,         // room that is looked at

  output logic [Dispatches-1:0] telling_o,        // work-groups of these have to be told
  input  logic                  launching_i,      // one of this dispatch is being launched
  input  index_t                launch_index_i,
  output logic                  tell_valid_o,     // this one can be told
  output key_t                  tell_key_o,
  output tenant_t               tell_tenant_o,
  input  logic                  tell_ready_i
);

  logic [Keys-1:0]       live_q;
  index_t [Keys-1:0]     index_q;
  logic [Keys-1:0]       restored_q;
  logic [Keys-1:0]       given_q;     // has a room of this search
  logic [Keys-1:0]       tell_q;
  logic [Keys-1:0][31:0] number_q;
  room_t [Keys-1:0]      room_q;
  waves_t [Keys-1:0]     saved_q;
  logic [Keys-1:0]       first_q;     // of the saved ones, one had the LDS
  logic [Keys-1:0]       searched;    // of the dispatch
  logic [Keys-1:0]       homeless;
  logic [Keys-1:0]       given;       // gets a room now
  logic [Keys-1:0]       over;        // ends now
  logic [Keys-1:0]       may_tell;
  logic [Keys-1:0]       told;

  always_comb begin
    over      = '0;
    telling_o = '0;
    for (int unsigned k = 0; k < Keys; k++) begin
      searched[k] = live_q[k] && (index_q[k] == search_i.index);
      homeless[k] = searched[k] && !restored_q[k] && !given_q[k];
      may_tell[k] = tell_q[k] && !(launching_i && (index_q[k] == launch_index_i));
      if (tell_q[k]) telling_o[index_q[k]] = 1'b1;
    end
    if (end_i && end_last_i) over[end_key_i] = 1'b1;
    tell_key_o = '0;
    for (int unsigned k = 0; k < Keys; k++) begin
      if (may_tell[Keys-1-k]) tell_key_o = key_t'(Keys - 1 - k);
    end
  end

  assign homeless_o   = homeless != '0;
  assign given        = homeless & (~homeless + 1'b1) & {Keys{give_i}};
  assign tell_valid_o = may_tell != '0;
  assign told         = may_tell & (~may_tell + 1'b1) & {Keys{tell_ready_i}};

  assign tell_tenant_o = '{valid:    tell_valid_o,
                           index:    index_q[tell_key_o],
                           restored: restored_q[tell_key_o],
                           room:     room_q[tell_key_o]};
  assign tenant_o      = '{valid:    live_q[search_i.scan],
                           index:    index_q[search_i.scan],
                           restored: restored_q[search_i.scan],
                           room:     room_q[search_i.scan]};

  always_comb begin
    end_saved_o.number = number_q[end_key_i];
    end_saved_o.room   = room_q[end_key_i];
    end_saved_o.saved  = saved_q[end_key_i];
    end_saved_o.first  = first_q[end_key_i];
    if (end_done_i.saved) begin
      end_saved_o.saved[end_done_i.id[3:0]] = 1'b1;
      end_saved_o.first                     = first_q[end_key_i] || end_done_i.first;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      live_q <= '0;
      tell_q <= '0;
    end else begin
      live_q <= live_q & ~over;
      tell_q <= ((tell_q & ~told) | (searched & {Keys{search_i.save}})) & ~over;
      if (commit_i) live_q[commit_group_i.key] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    given_q <= search_i.start ? '0 : (given_q | given);
    for (int unsigned k = 0; k < Keys; k++) begin
      if (given[k]) room_q[k] <= search_i.room;
    end
    if (end_i) begin
      saved_q[end_key_i] <= end_saved_o.saved;
      first_q[end_key_i] <= end_saved_o.first;
    end
    if (commit_i) begin
      index_q[commit_group_i.key]    <= commit_group_i.index;
      restored_q[commit_group_i.key] <= commit_group_i.restored;
      number_q[commit_group_i.key]   <= commit_group_i.number[31:0];
      room_q[commit_group_i.key]     <= commit_group_i.room;
      saved_q[commit_group_i.key]    <= '0;
      first_q[commit_group_i.key]    <= 1'b0;
    end
  end

endmodule
