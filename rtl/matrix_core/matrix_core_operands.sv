// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Operands of the matrix core: A and B of two instructions, the beats of C on their way to their
// slots, and results of two instructions, for the steps and for C of the instruction behind. Reads
// what a slot needs; cbsz, abid and blgp act here.

module matrix_core_operands
  import matrix_core_pkg::*;
  import matrix_op_pkg::*;
  import vrf_pkg::*;
#(
  parameter  int unsigned Arch = ArchGfx908,
  localparam int unsigned Bits = step_bits(Arch)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  input  logic                                take_i,
  input  logic                                take_bank_i,
  input  logic [5:0]                          take_beat_i,
  input  logic                                take_addend_i,
  input  lanes_t                              take_a_i,
  input  lanes_t [RowsPerPass-1:0]            take_b_i,
  input  lanes_t [RowsPerPass-1:0]            take_c_i,
  input  logic   [RowsPerPass-1:0]            take_forward_i,
  input  logic                                take_forward_from_i,
  input  logic   [4:0]                        take_forward_row_i,
  input  lanes_t                              take_index_i,

  input  logic                                fire_i,
  input  logic                                fire_bank_i,
  input  logic [5:0]                          fire_slot_i,
  input  job_t                                fire_job_i,
  // Operands of a step, the lower lane of a pair below the upper one. A by row of D and four lanes,
  // B by lane.
  output logic [RowsPerPass-1:0][3:0][Bits-1:0] a_o,
  output logic [BeatLanes-1:0][Bits-1:0]        b_o,

  // Second stage: C, or the result of the step before; and the result.
  output lanes_t [RowsPerPass-1:0]            c_o,
  input  logic                                sum_i,
  input  tag_t                                sum_tag_i,
  input  lanes_t [RowsPerPass-1:0]            d_i
);

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "matrix_core_operands: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  localparam int unsigned RegistersB = (Arch == ArchGfx942) ? 4 : 2;
  localparam int unsigned RoomWidth   = $clog2(Room);
  localparam int unsigned KeptWidth   = $clog2(KeptBeats);

  lanes_t                   a_q      [16];  // bank, register, beat
  lanes_t                   b_q      [32];  // the same; two registers, on gfx942 four
  lanes_t [RowsPerPass-1:0] c_q      [Room];
  logic   [RowsPerPass-1:0] forward_q     [Room];
  logic                     forward_from_q [Room];
  logic   [4:0]             forward_row_q [Room];
  lanes_t                   even_q   [2*KeptBeats];  // results by bank and beat: rows 0, 2, ...
  lanes_t                   odd_q    [2*KeptBeats];
  lanes_t [RowsPerPass-1:0] addend_q;
  logic   [RoomWidth-1:0]   c_write_q;
  logic   [RoomWidth-1:0]   c_read_q;

  op_t                      op;
  logic                     first_step;
  logic                     negates;  // F64 of gfx942: blgp changes signs
  logic                     flushes;  // pairwise groups of gfx90a: zeros and subnormal numbers are +0
  lanes_t [RowsPerPass-1:0] addend;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Results that are read again
  ////////////////////////////////////////////////////////////////////////////////////////////////
  // From the step before: the same beat. From an instruction before: rows `row` and `row` + 1,
  // which are in one beat or, when `row` is odd, in two. Banks take turns, so that the instruction
  // before the last one has this one's bank; its rows are read before they are replaced. The slot
  // in the second stage is of another beat, so that what a slot reads has been written.
  logic   [RowsPerPass-1:0] forward;
  logic                     from_last;
  logic   [4:0]             row;
  logic   [5:0]             even_beat;
  logic   [5:0]             odd_beat;
  logic                     kept_bank;
  lanes_t                   even;
  lanes_t                   odd;
  lanes_t [RowsPerPass-1:0] kept;

  assign forward    = first_step ? forward_q[c_read_q] : '0;
  assign from_last  = !forward_from_q[c_read_q];
  assign row        = forward_row_q[c_read_q];
  assign odd_beat   = {row[4:1], fire_slot_i[1:0]};
  assign even_beat  = {row[4:1] + 4'(row[0]), fire_slot_i[1:0]};
  assign kept_bank  = first_step ? from_last ^ fire_bank_i : fire_bank_i;

  function automatic logic [KeptWidth:0] place_of(input logic bank, input logic [5:0] beat);
    return {bank, beat[KeptWidth-1:0]};
  endfunction

  logic [5:0] step_beat;
  assign step_beat  = result_of(op, fire_slot_i);
  assign even       = even_q[place_of(kept_bank, first_step ? even_beat : step_beat)];
  assign odd        = odd_q[place_of(kept_bank, first_step ? odd_beat : step_beat)];
  assign kept       = (first_step && row[0]) ? {even, odd} : {odd, even};

  always_ff @(posedge clk_i) begin
    if (sum_i) begin
      even_q[place_of(sum_tag_i.bank, sum_tag_i.result)] <= d_i[0];
      odd_q[place_of(sum_tag_i.bank, sum_tag_i.result)]  <= d_i[1];
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // C
  ////////////////////////////////////////////////////////////////////////////////////////////////
  assign op         = fire_job_i.op;
  assign first_step = fire_slot_i <= last_beat(op);
  assign negates    = (Arch == ArchGfx942) && (op.format == FormatF64);

  assign flushes    = (Arch == ArchGfx90a) &&
                      (op.format inside {FormatF16, FormatBf16, FormatBf16K1});

  // The high half of a double is in the second row.
  always_comb begin
    for (int unsigned h = 0; h < RowsPerPass; h++) begin
      addend[h] = forward[h] ? kept[h] : c_q[c_read_q][h];
    end
    if (flushes) begin
      for (int unsigned h = 0; h < RowsPerPass; h++) begin
        for (int unsigned l = 0; l < BeatLanes; l++) begin
          addend[h][l] = fp_mac_pkg::flush_operand(addend[h][l]);
        end
      end
    end
    if (negates && fire_job_i.blgp[2]) begin
      for (int unsigned l = 0; l < BeatLanes; l++) addend[1][l][31] = !addend[1][l][31];
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_addend_i) begin
      c_q[c_write_q]           <= take_c_i;
      forward_q[c_write_q]     <= take_forward_i;
      forward_from_q[c_write_q] <= take_forward_from_i;
      forward_row_q[c_write_q] <= take_forward_row_i;
    end
    if (take_i && (take_beat_i < 6'd8)) begin
      a_q[{take_bank_i, take_beat_i[2:0]}] <= take_a_i;
    end
    if (take_i && (take_beat_i < 6'(2*RegistersB))) begin
      for (int unsigned r = 0; r < RowsPerPass; r++) begin
        b_q[{take_bank_i, take_beat_i[2], 1'(r), take_beat_i[1:0]}] <= take_b_i[r];
      end
    end
    if (fire_i) addend_q <= first_step ? addend : kept;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      c_write_q <= '0;
      c_read_q  <= '0;
    end else begin
      if (take_addend_i) c_write_q <= c_write_q + RoomWidth'(1);
      if (fire_i && first_step) c_read_q <= c_read_q + RoomWidth'(1);
    end
  end

  assign c_o = addend_q;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // A and B
  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The block of A that a block of results takes: 2^cbsz blocks share the abid-th of them.
  function automatic logic [3:0] block_of_a(input logic [3:0] block, input job_t job);
    logic [3:0] shared;
    unique case (job.cbsz)
      3'd0:    shared = 4'd0;
      3'd1:    shared = 4'd1;
      3'd2:    shared = 4'd3;
      3'd3:    shared = 4'd7;
      default: shared = 4'd15;
    endcase
    if (!job.op.several) shared = 4'd0;
    return (block & ~shared) | (job.abid & shared);
  endfunction

  // 16 lanes of B after blgp.
  function automatic logic [1:0] beat_of_b(input logic [1:0] beat, input logic [2:0] blgp);
    unique case (blgp)
      3'd0:    return beat;
      3'd1:    return {1'b0, beat[0]};
      3'd2:    return {1'b1, beat[0]};
      3'd3:    return beat + 2'd1;
      default: return blgp[1:0];
    endcase
  endfunction

  // The second register of A, the third and fourth of B may be at the pins in the cycle of the first
  // slot.
  logic arriving;
  assign arriving = take_i && (take_bank_i == fire_bank_i) && (take_beat_i == 6'd7);

  // One-register operations leave the high half to others.
  function automatic logic [63:0] lane_of_a(input logic [5:0] lane);
    logic [31:0] high;
    high = (arriving && (lane[5:4] == 2'd3)) ? take_a_i[lane[3:0]]
                                             : a_q[{fire_bank_i, 1'b1, lane[5:4]}][lane[3:0]];
    return {high, a_q[{fire_bank_i, 1'b0, lane[5:4]}][lane[3:0]]};
  endfunction

  // Lane of A for row `half` of the slot's two rows of D and four lanes of it, the lower or `upper`
  // one of a pair. Layouts: tests/oracles/mfma/layout.
  function automatic logic [5:0] a_lane(input job_t job, input logic [5:0] slot, input logic upper,
                                        input logic half, input logic [1:0] quad);
    logic [3:0] block;
    if (job.op.format == FormatF64) begin
      // A beat of D is a row of every block.
      if (job.op.paired) return {slot[4], upper, slot[3:0]};
      return {slot[3:2], quad, slot[1:0]};
    end
    unique case (job.op.side)
      Side32: begin
        block = block_of_a({3'd0, job.op.paired ? upper : slot[5]}, job);
        return {block[0], slot[4:3], slot[1], slot[2], half};
      end
      Side16: begin
        block = block_of_a({2'd0, job.op.paired ? {slot[3], upper} : slot[4:3]}, job);
        return {block[1:0], slot[1:0], slot[2], half};
      end
      default: begin
        block = block_of_a({slot[1:0], quad}, job);
        return {block, slot[2], half};
      end
    endcase
  endfunction

  function automatic logic [1:0] b_beat(input job_t job, input logic [5:0] slot,
                                        input logic upper);
    logic [1:0] beat;
    if (job.op.format == FormatF64) return job.op.paired ? {slot[4], upper} : slot[3:2];
    unique case (job.op.side)
      Side32:  beat = {job.op.paired ? upper : slot[5], slot[0]};
      Side16:  beat = job.op.paired ? {slot[3], upper} : slot[4:3];
      default: beat = slot[1:0];
    endcase
    return job.op.permutes ? beat_of_b(beat, job.blgp) : beat;
  endfunction

  // A block of side 4 has four lanes of D; wider ones have all 16 lanes in one row of A.
  if (Arch == ArchGfx942) begin : gen_wide
    logic [RowsPerPass-1:0][3:0][1:0][127:0] factors;
    logic [5:0]                              lane;
    logic [1:0][127:0]                       lanes;
    lanes_t index_q [8];  // bank, beat

    always_ff @(posedge clk_i) begin
      if (take_i && (take_beat_i < 6'd4)) index_q[{take_bank_i, take_beat_i[1:0]}] <= take_index_i;
    end

    always_comb begin
      factors = '0;
      lane    = '0;
      for (int unsigned h = 0; h < RowsPerPass; h++) begin
        for (int unsigned q = 0; q < 4; q++) begin
          for (int unsigned u = 0; u < 2; u++) begin
            lane = a_lane(fire_job_i, fire_slot_i, 1'(u), 1'(h), 2'(q));
            if (fire_i && ((u == 0) || op.paired)) begin
              factors[h][q][u][63:0] = lane_of_a(lane);
              if (op.last_register == 2'd0) factors[h][q][u][63:32] = '0;
              if (negates) factors[h][q][u][63] = factors[h][q][u][63] ^ fire_job_i.blgp[0];
              if (op.sparse) begin
                factors[h][q][u] = expanded(fire_job_i, factors[h][q][u][63:0],
                                            index_q[{fire_bank_i, lane[5:4]}][lane[3:0]]);
              end
            end
          end
          a_o[h][q] = joined(op.sparse, factors[h][q][1], factors[h][q][0]);
        end
      end
    end

    always_comb begin
      b_o   = '0;
      lanes = '0;
      for (int unsigned l = 0; l < BeatLanes; l++) begin
        lanes = '0;
        for (int unsigned u = 0; u < 2; u++) begin
          if (fire_i && ((u == 0) || op.paired)) begin
            lanes[u] = lane_of_b(b_beat(fire_job_i, fire_slot_i, 1'(u)), 4'(l));
            if (!op.sparse) lanes[u][127:64] = '0;
            if (op.last_register == 2'd0) lanes[u][63:32] = '0;
            if (negates) lanes[u][63] = lanes[u][63] ^ fire_job_i.blgp[1];
          end
        end
        b_o[l] = joined(op.sparse, lanes[1], lanes[0]);
      end
    end

    function automatic logic [127:0] lane_of_b(input logic [1:0] beat, input logic [3:0] number);
      lanes_t third;
      lanes_t fourth;
      third  = (arriving && (beat == 2'd3)) ? take_b_i[0] : b_q[{fire_bank_i, 2'd2, beat}];
      fourth = (arriving && (beat == 2'd3)) ? take_b_i[1] : b_q[{fire_bank_i, 2'd3, beat}];
      return {fourth[number], third[number], b_q[{fire_bank_i, 2'd1, beat}][number],
              b_q[{fire_bank_i, 2'd0, beat}][number]};
    endfunction

  end else begin : gen_narrow
    always_comb begin
      a_o = '0;
      if (fire_i) begin
        for (int unsigned h = 0; h < RowsPerPass; h++) begin
          for (int unsigned q = 0; q < 4; q++) begin
            for (int unsigned u = 0; u < Bits / 64; u++) begin
              if ((u == 0) || op.paired) begin
                a_o[h][q][64*u +: 64] =
                    lane_of_a(a_lane(fire_job_i, fire_slot_i, 1'(u), 1'(h), 2'(q)));
              end
            end
          end
        end
      end
    end

    for (genvar u = 0; u < Bits / 64; u++) begin : gen_b
      logic   [1:0]                 beat;
      lanes_t                       low;
      lanes_t                       high;
      logic   [BeatLanes-1:0][63:0] both;

      assign beat = b_beat(fire_job_i, fire_slot_i, 1'(u));
      assign low  = b_q[{fire_bank_i, 2'd0, beat}];
      assign high = b_q[{fire_bank_i, 2'd1, beat}];

      always_comb begin
        both = '0;
        if (fire_i && ((u == 0) || op.paired)) begin
          for (int unsigned l = 0; l < BeatLanes; l++) both[l] = {high[l], low[l]};
        end
      end
      for (genvar l = 0; l < BeatLanes; l++) begin : gen_lane
        assign b_o[l][64*u +: 64] = both[l];
      end
    end
  end

  // Two of every four k are there; the index register says which. When positions are equal the
  // higher one wins. cbsz 0: abid chooses one of several sets of indices.
  function automatic logic [127:0] expanded(input job_t job, input logic [63:0] pairs,
                                            input logic [31:0] index);
    logic [127:0] dense;
    logic [  1:0] set;
    logic [ 15:0] places;
    dense = '0;
    set   = (job.cbsz == 3'd0) ? job.abid[1:0] : 2'd0;
    if ((job.op.format == FormatI8) || (job.op.format == FormatF8)) begin
      places = index[16*set[0] +: 16];
      for (int unsigned g = 0; g < 4; g++) begin
        dense[32*g + 8*places[4*g +: 2] +: 8]     = pairs[16*g +: 8];
        dense[32*g + 8*places[4*g + 2 +: 2] +: 8] = pairs[16*g + 8 +: 8];
      end
    end else begin
      places = {8'd0, index[8*set +: 8]};
      for (int unsigned g = 0; g < 2; g++) begin
        dense[64*g + 16*places[4*g +: 2] +: 16]     = pairs[32*g +: 16];
        dense[64*g + 16*places[4*g + 2 +: 2] +: 16] = pairs[32*g + 16 +: 16];
      end
    end
    return dense;
  endfunction

  // Lanes of a sparse operation are a group each, others one together.
  function automatic logic [255:0] joined(input logic sparse, input logic [127:0] upper,
                                          input logic [127:0] lower);
    return sparse ? {upper, lower} : {128'd0, upper[63:0], lower[63:0]};
  endfunction

endmodule
