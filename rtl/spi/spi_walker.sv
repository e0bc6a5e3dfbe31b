// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Grid walker: the work-groups of a dispatch one after the other, x fastest, with fewer work-items
// at the edges of the grid. The next one is there in the cycle behind the step to it. Work-groups
// that were saved, and the first one behind those that had started, are found by spi_seek: the
// walker asks for them and has them in the cycle behind the answer.

module spi_walker
  import spi_unit_pkg::*;
(
  input  logic        clk_i,

  input  logic        load_i,   // of a new dispatch, from the first work-group on
  input  plan_t       load_plan_i,
  input  plan_t       plan_i,   // of the dispatch
  input  logic        step_i,
  input  logic        found_i,  // a work-group has been found
  input  found_t      found_data_i,

  output group_t      group_o,  // the next work-group; `index`, `key` and `lds` are 0
  output logic        there_o,  // it is there; otherwise it is to be found
  output logic        last_o,   // no other one that has not started comes behind it
  output logic        fresh_o,  // those that have not started are reached
  output logic [35:0] number_o  //   and this is the next one
);

  logic [2:0][31:0] id_q;
  logic [2:0][31:0] left_q;   // work-items from the work-group on
  logic [35:0]      number_q;
  logic [39:0]      wave_q;
  logic [63:0]      scratch_q;
  logic             there_q;
  logic             restored_q;
  waves_t           mask_q;
  room_t            room_q;
  logic             fresh_q;
  logic [2:0]       edge_of;  // the last of a row, of a plane, of the grid

  always_comb begin
    for (int unsigned d = 0; d < 3; d++) begin
      edge_of[d] = left_q[d] <= {16'd0, plan_i.dispatch.workgroup[d]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      id_q       <= load_plan_i.dispatch.start;
      left_q     <= load_plan_i.left;
      number_q   <= '0;
      wave_q     <= '0;
      scratch_q  <= '0;
      there_q    <= !load_plan_i.resumes && (load_plan_i.dispatch.next_group == '0);
      fresh_q    <= !load_plan_i.resumes && (load_plan_i.dispatch.next_group == '0);
      restored_q <= 1'b0;
    end else if (found_i) begin
      id_q       <= found_data_i.id;
      left_q     <= found_data_i.left;
      number_q   <= found_data_i.number;
      wave_q     <= found_data_i.wave;
      scratch_q  <= found_data_i.scratch;
      there_q    <= 1'b1;
      restored_q <= found_data_i.restored;
      mask_q     <= found_data_i.mask;
      room_q     <= found_data_i.room;
      fresh_q    <= !found_data_i.restored;
    end else if (step_i && restored_q) begin
      there_q    <= 1'b0;
    end else if (step_i) begin
      number_q   <= number_q + 1'b1;
      wave_q     <= wave_q + 40'(plan_i.group_waves);
      scratch_q  <= scratch_q + plan_i.group_scratch;
      for (int unsigned d = 0; d < 3; d++) begin
        // A dimension moves when those below it begin again.
        if ((d == 0) || ((d == 1) && edge_of[0]) || ((d == 2) && (edge_of[1:0] == 2'b11))) begin
          id_q[d]   <= edge_of[d] ? plan_i.dispatch.start[d] : (id_q[d] + 1'b1);
          left_q[d] <= edge_of[d] ? plan_i.left[d] :
                       (left_q[d] - {16'd0, plan_i.dispatch.workgroup[d]});
        end
      end
    end
  end

  always_comb begin
    group_o          = '0;
    group_o.id       = id_q;
    group_o.number   = number_q;
    group_o.wave     = wave_q;
    group_o.scratch  = scratch_q;
    group_o.restored = restored_q;
    group_o.room     = room_q;
    for (int unsigned d = 0; d < 3; d++) begin
      group_o.items[d] = edge_of[d] ? left_q[d][10:0] : plan_i.dispatch.workgroup[d][10:0];
    end
    group_o.total = group_o.items[0] * group_o.items[1] * group_o.items[2];
    group_o.waves = 5'((group_o.total + 11'd63) >> 6);
    group_o.mask  = restored_q ? mask_q : ~waves_from('1, group_o.waves);
    group_o.count = restored_q ? wave_count(mask_q) : group_o.waves;
  end

  assign there_o  = there_q;
  assign last_o   = edge_of == '1;
  assign fresh_o  = fresh_q;
  assign number_o = number_q;

endmodule
