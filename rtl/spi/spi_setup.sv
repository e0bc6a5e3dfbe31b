// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Takes a dispatch and works out what its waves have in common: the size of its grid, what a wave
// and a work-group need, initial SGPRs, and whether it can run at all. A dispatch at a time: its
// plan is given in the 49th cycle behind the one in which it was taken.

`include "cuvette_assert.svh"

module spi_setup
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  limits_t     limits_i,

  input  logic        room_i,            // for a dispatch; it stays until a plan is given
  input  logic        dispatch_valid_i,
  output logic        dispatch_ready_o,
  input  dispatch_t   dispatch_i,

  input  logic        list_i,            // work-groups of the dispatch here were saved:
  input  logic        list_bad_i,        //   not as a list has to be
  input  logic [31:0] list_last_i,       //   the last of them
  input  waves_t      list_waves_i,      //   waves that any of them has

  output logic        idle_o,            // there is no dispatch here
  output logic [31:0] id_o,              // of the dispatch
  output logic        plan_valid_o,      // of a dispatch, for one cycle
  output plan_t       plan_o
);

  localparam int unsigned DivideSteps = 33;
  localparam int unsigned LayoutSteps = 14;

  typedef enum logic [2:0] {
    StateIdle,
    StateBegin,
    StateDivide,
    StateLayout,
    StateGive
  } state_e;

  state_e           state_q;
  logic [5:0]       step_q;
  dispatch_t        dispatch_q;
  logic             take;
  logic [2:0][31:0] groups;
  logic [2:0][31:0] left;

  assign idle_o           = state_q == StateIdle;
  assign id_o             = dispatch_q.id;
  assign dispatch_ready_o = idle_o && room_i;
  assign plan_valid_o     = state_q == StateGive;
  assign take             = dispatch_valid_i && dispatch_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      step_q  <= '0;
    end else begin
      step_q <= step_q + 1'b1;
      unique case (state_q)
        StateIdle:   if (take) state_q <= StateBegin;
        StateBegin: begin
          state_q <= StateDivide;
          step_q  <= '0;
        end
        StateDivide: if (step_q == 6'(DivideSteps - 1)) begin
          state_q <= StateLayout;
          step_q  <= '0;
        end
        StateLayout: if (step_q == 6'(LayoutSteps - 1)) state_q <= StateGive;
        default:     state_q <= StateIdle;  // behind StateGive
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) dispatch_q <= dispatch_i;
  end

  for (genvar d = 0; d < 3; d++) begin : gen_axis
    spi_axis u_axis (
      .clk_i,
      .start_i  (state_q == StateBegin),
      .step_i   (state_q == StateDivide),
      .grid_i   (dispatch_q.grid[d]),
      .size_i   (dispatch_q.workgroup[d]),
      .first_i  (dispatch_q.start[d]),
      .groups_o (groups[d]),
      .left_o   (left[d])
    );
  end

  logic                      bad_layout;
  logic [SetSgprs-1:0][31:0] sgpr;
  logic [5:0]                sgpr_count;
  logic [4:0]                first_system;

  spi_layout u_layout (
    .clk_i,
    .limits_i,
    .start_i        (state_q == StateBegin),
    .step_i         (state_q == StateLayout),
    .dispatch_i     (dispatch_q),
    .groups_i       (groups),
    .fails_o        (bad_layout),
    .sgpr_o         (sgpr),
    .count_o        (sgpr_count),
    .first_system_o (first_system)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Sizes
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [63:0] plane_q;     // work-groups in two dimensions, there in the second step of the layout
  logic [68:0] volume_q;    // in three, of what is not too large already
  logic        zero;        // a size is 0
  logic [47:0] items;       // work-items of a full work-group
  logic        bad_sizes;
  logic [4:0]  group_waves;

  always_ff @(posedge clk_i) begin
    plane_q  <= {32'd0, groups[0]} * {32'd0, groups[1]};
    volume_q <= {32'd0, plane_q[36:0]} * {37'd0, groups[2]};
  end

  always_comb begin
    zero = 1'b0;
    for (int unsigned d = 0; d < 3; d++) begin
      zero |= (dispatch_q.grid[d] == '0) || (dispatch_q.workgroup[d] == '0);
    end
    items       = {32'd0, dispatch_q.workgroup[0]} * {32'd0, dispatch_q.workgroup[1]} *
                  {32'd0, dispatch_q.workgroup[2]};
    group_waves = 5'((items[10:0] + 11'd63) >> 6);
    // Wave ids have 36 bits for a work-group.
    bad_sizes   = zero || (items > 48'd1024) ||
                  ((plane_q > (64'd1 << 36)) && (groups[2] != '0)) || (volume_q > (69'd1 << 36));
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Registers, LDS and scratch memory
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [9:0]  rows;         // VGPRs, with the accumulation registers of one file
  logic [9:0]  boundary;     // first accumulation register of one file
  logic [3:0]  sgpr_blocks;  // of 16
  logic        bad_counts;
  logic        bad_list;
  logic [32:0] lds;
  logic        pooled;
  logic [36:0] room_bytes;   // of a work-group that is saved

  // Granules that hold an amount.
  function automatic logic [9:0] granules(logic [9:0] amount, logic [3:0] shift);
    return 10'((32'(amount) + (32'd1 << shift) - 32'd1) >> shift);
  endfunction

  always_comb begin
    rows        = limits_i.unified ? 10'({4'd0, dispatch_q.rsrc1[5:0]} + 10'd1) << 3 :
                                     10'({4'd0, dispatch_q.rsrc1[5:0]} + 10'd1) << 2;
    boundary    = (10'(dispatch_q.rsrc3[5:0]) + 10'd1) << 2;
    sgpr_blocks = {1'b0, dispatch_q.rsrc1[9:7]} + 4'd1;
    bad_counts  = (sgpr_blocks > 4'd7) || (limits_i.unified && (boundary > rows));
    lds         = ({1'b0, dispatch_q.group_bytes} + (33'd1 << limits_i.lds_shift) - 33'd1) >>
                  limits_i.lds_shift;
    pooled      = (dispatch_q.scratch_waves != '0) && (dispatch_q.private_bytes != '0);

    // In order, the last one is the only one that may be none of those that have started.
    bad_list    = list_i && (list_bad_i || (69'(list_last_i) >= volume_q) ||
                             (64'(list_last_i) >= dispatch_q.next_group) ||
                             (waves_from(list_waves_i, group_waves) != '0));

    plan_o                = '0;
    plan_o.dispatch       = dispatch_q;
    plan_o.groups         = groups;
    plan_o.left           = left;
    plan_o.group_waves    = group_waves;
    plan_o.vgpr_rows      = limits_i.unified ? boundary : rows;
    plan_o.acc_rows       = limits_i.unified ? (rows - boundary) :
                            (limits_i.accumulates ? rows : 10'd0);
    plan_o.sgprs          = {sgpr_blocks, 4'd0};
    room_bytes            = (37'(wave_bytes(plan_o.vgpr_rows, plan_o.acc_rows)) * 37'(group_waves)) +
                            37'(dispatch_q.group_bytes);
    plan_o.needs.rows     = amount_t'(granules(rows, limits_i.row_shift));
    plan_o.needs.acc      = limits_i.accumulates ? plan_o.needs.rows : 8'd0;
    plan_o.needs.sgprs    = {4'd0, sgpr_blocks};
    plan_o.needs.lds      = (lds > 33'(LdsGranules)) ? 8'hff : amount_t'(lds);
    plan_o.pooled         = pooled;
    plan_o.starves        = pooled && (32'(group_waves) > dispatch_q.scratch_waves);
    plan_o.group_scratch  = {59'd0, group_waves} * dispatch_q.scratch_bytes_per_wave;
    plan_o.sgpr           = sgpr;
    plan_o.sgpr_count     = sgpr_count;
    plan_o.first_system   = first_system;
    plan_o.fresh          = (69'(dispatch_q.next_group) < volume_q);
    plan_o.resumes        = list_i;
    plan_o.saves          = (dispatch_q.tba != '0) && (volume_q < (69'd1 << 32));
    plan_o.room_pages     = 21'((room_bytes + 37'hfff) >> RoomShift);
    plan_o.fails          = 1'b1;
    if (bad_sizes) begin
      plan_o.error_code   = ErrorDispatch;
    end else if (bad_counts || bad_layout) begin
      plan_o.error_code   = list_i ? ErrorDispatch : ErrorResources;
    end else if (bad_list) begin
      plan_o.error_code   = ErrorDispatch;
    end else begin
      plan_o.fails        = 1'b0;
    end
  end

  `CUVETTE_ASSERT(PlanHasRoom_A, plan_valid_o |-> room_i)
  `CUVETTE_ASSERT(DispatchHeld_A, (dispatch_valid_i && !dispatch_ready_o) |=>
      (dispatch_valid_i && $stable(dispatch_i)))

endmodule
