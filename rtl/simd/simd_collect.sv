// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Operand collection: takes an instruction, reads its registers beat by beat through the three
// source ports of the register file, and offers each beat with its operands. One beat per cycle
// where no two operands share a bank. While the beat offered waits, nothing behind it moves.
// docs/reference/simd.md, Timing of the RTL.

`include "cuvette_assert.svh"

module simd_collect
  import simd_pkg::*;
  import simd_unit_pkg::*;
  import vrf_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               job_valid_i,
  output logic               job_ready_o,
  input  job_t               job_i,

  output logic       [2:0]   read_valid_o,
  input  logic       [2:0]   read_ready_i,
  output read_t      [2:0]   read_o,
  input  logic       [2:0]   read_data_valid_i,
  output logic       [2:0]   read_data_ready_o,
  input  read_data_t [2:0]   read_data_i,

  output logic               step_valid_o,
  input  logic               step_taken_i,  // its last pass is
  output step_t              step_o,
  output lanes_t [2:0][3:0]  source_o,      // by source and dword
  output lanes_t [1:0]       old_o,
  output lanes_t [3:0]       gather_o       // a row of 64 lanes
);

  // Everything in front of the vector ALU moves, or nothing does.
  logic go;
  assign go = !step_valid_o || step_taken_i;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The instruction whose registers are read: first the gathered row, then its beats
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic            valid_q;
  job_t            job_q;
  logic [3:0]      step_q;
  logic [2:0][2:0] taken_q;  // rows of this step, by port

  instruction_t    instruction;
  logic            gather;      // there are gathering steps
  logic            gathering;   // this is one of them
  logic [3:0]      beat;        // of the results
  logic [3:0]      last_beat;
  logic [1:0]      read_beat;

  assign instruction = job_q.issue.instruction;
  assign gather      = gathers(job_q);
  assign gathering   = gather && (step_q < 4'd4);
  assign beat        = gather ? (step_q - 4'd4) : step_q;
  assign read_beat   = gathering ? step_q[1:0] : beat[1:0];

  always_comb begin
    unique case (job_q.row.kind)
      KindReadLane, KindReadFirstLane: last_beat = 4'd0;
      KindSwap:                        last_beat = 4'd7;
      default:                         last_beat = 4'd3;
    endcase
  end

  // Rows of each source, then of the old destination on port 2.
  logic [2:0][2:0] source_rows;
  logic [2:0]      old_rows;
  logic [2:0][2:0] rows;

  function automatic logic [2:0] rows_of(input job_t job, input operand_t operand);
    if (!is_vector(operand) || (limit_of(job.issue, operand) == '0)) return 3'd0;
    return dwords_of(operand);
  endfunction

  always_comb begin
    for (int unsigned s = 0; s < 3; s++) source_rows[s] = rows_of(job_q, instruction.src[s]);
    old_rows = 3'd0;
    if (needs_old(job_q) && writes_vector(job_q)) begin
      old_rows = (dwords_of(instruction.dst[0]) > 3'd2) ? 3'd2 : dwords_of(instruction.dst[0]);
    end
    rows = '0;
    if (gathering) begin
      rows[0] = ((job_q.row.kind == KindSwap) ? rows_of(job_q, instruction.dst[0]) :
                                                source_rows[0]) != 3'd0 ? 3'd1 : 3'd0;
    end else begin
      unique case (job_q.row.kind)
        KindLane: begin
          rows = source_rows;
          if (gather) rows[0] = 3'd0;
          rows[2] = source_rows[2] + old_rows;
        end
        KindAccCopy: rows[0] = source_rows[0];
        KindSwap:    rows[0] = beat[2] ? 3'd0 : source_rows[0];
        default: ;
      endcase
    end
  end

  // The next row of each port.
  logic [2:0]              is_old;
  logic [2:0][1:0]         dword;
  row_address_t [2:0]      address;

  always_comb begin
    for (int unsigned p = 0; p < 3; p++) begin
      is_old[p] = (p == 2) && !gathering && (taken_q[p] >= source_rows[p]);
      dword[p]  = 2'(is_old[p] ? (taken_q[p] - source_rows[p]) : taken_q[p]);
      address[p] = source_row(job_q, instruction.src[p], 2'(p), dword[p]);
    end
    if (is_old[2]) begin
      // M0[15] moves a destination with what is read of it (MI100 ISA 6.6.2).
      address[2] = source_row(job_q, instruction.dst[0], ModeDestination, dword[2]);
    end
    if (gathering && (job_q.row.kind == KindSwap)) begin
      address[0] = source_row(job_q, instruction.dst[0], ModeDestination, 2'd0);
    end
  end

  logic [2:0]      granted;
  logic [2:0][2:0] taken_d;
  logic            step_done;
  logic            last_step;

  for (genvar p = 0; p < 3; p++) begin : gen_read
    assign read_valid_o[p]      = valid_q && go && (taken_q[p] < rows[p]);
    assign read_o[p].address    = address[p];
    assign read_o[p].beat       = read_beat;
    assign read_data_ready_o[p] = go;
    assign granted[p]           = read_valid_o[p] && read_ready_i[p];
    assign taken_d[p]           = taken_q[p] + {2'd0, granted[p]};
  end

  assign step_done = valid_q && go && (taken_d == rows);
  assign last_step = !gathering && (beat == last_beat);

  assign job_ready_o = !valid_q || (step_done && last_step);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (job_ready_o) begin
      valid_q <= job_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (job_ready_o && job_valid_i) begin
      job_q   <= job_i;
      step_q  <= '0;
      taken_q <= '0;
    end else if (valid_q && go) begin
      step_q  <= step_q + {3'd0, step_done};
      taken_q <= step_done ? '0 : taken_d;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Answers of the register file
  ////////////////////////////////////////////////////////////////////////////////////////////////
  tag_t [2:0] tag_q;

  for (genvar p = 0; p < 3; p++) begin : gen_tag
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        tag_q[p].valid <= 1'b0;
      end else if (go) begin
        tag_q[p].valid <= granted[p];
      end
    end

    always_ff @(posedge clk_i) begin
      if (granted[p]) begin
        tag_q[p].gather <= gathering;
        tag_q[p].old    <= is_old[p];
        tag_q[p].dword  <= dword[p];
        tag_q[p].beat   <= read_beat;
      end
    end

    always_ff @(posedge clk_i) begin
      if (go && tag_q[p].valid && !tag_q[p].gather && !tag_q[p].old) begin
        source_o[p][tag_q[p].dword] <= read_data_i[p].data;
      end
    end

    // An assertion on a part of a wide port is more than Verilator 5.006 can sample.
    logic [1:0] answer_beat;
    assign answer_beat = read_data_i[p].beat;

    `CUVETTE_ASSERT(AnswerInTime_A, read_data_valid_i[p] == tag_q[p].valid)
    `CUVETTE_ASSERT(AnswerOfItsBeat_A, tag_q[p].valid |-> (answer_beat == tag_q[p].beat))
  end

  always_ff @(posedge clk_i) begin
    if (go && tag_q[0].valid && tag_q[0].gather) gather_o[tag_q[0].beat] <= read_data_i[0].data;
    if (go && tag_q[2].valid && tag_q[2].old) begin
      old_o[tag_q[2].dword[0]] <= read_data_i[2].data;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The beat whose last answers are coming, and the beat offered
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic  coming_valid_q;
  step_t coming_q;
  logic  offered_valid_q;
  step_t offered_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      coming_valid_q  <= 1'b0;
      offered_valid_q <= 1'b0;
    end else if (go) begin
      coming_valid_q  <= step_done && !gathering;
      offered_valid_q <= coming_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (go && step_done) coming_q <= '{job: job_q, beat: beat[2:0]};
    if (go && coming_valid_q) offered_q <= coming_q;
  end

  assign step_valid_o = offered_valid_q;
  assign step_o       = offered_q;

endmodule
