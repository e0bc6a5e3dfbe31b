// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The atomic unit: one lane in each cycle, in ascending order, both accesses of an exchange of two
// addresses at once. A lane's words are read in one cycle, from its first address over port 0 and
// from the second one over port 1, and what it leaves is written in the next, when its old value is
// handed to the answer; the memory gives the next lane what is being written. Lane 0 is read in the
// cycle of start_i, so that all have acted 64 cycles later.

`include "cuvette_assert.svh"

module lds_atomic_unit
  import lds_unit_pkg::*;
  import lds_pkg::*;
  import vrf_pkg::*;
(
  input  logic                           clk_i,
  input  logic                           rst_ni,

  input  logic                           start_i,       // with an atomic operation in work_i
  input  work_t                          work_i,        // stays until done_i
  input  logic                           done_i,
  output logic                           acted_o,       // all lanes have, this cycle's among them

  // The banks, by port
  output logic                           read_o,        // all of them
  output row_t [1:0][LdsBanks-1:0]       read_row_o,
  input  bank_words_t [1:0]              words_i,       // a cycle later
  output logic                           write_o,       // else the other writers'
  output row_t [1:0][LdsBanks-1:0]       write_row_o,
  output logic [1:0][LdsBanks-1:0][3:0]  write_bytes_o,
  output bank_words_t [1:0]              write_data_o,

  // Old values
  output logic [$clog2(Lanes)-1:0]       lane_o,
  output logic [Chunks-1:0]              old_valid_o,
  output logic [Chunks-1:0][31:0]        old_o
);

  typedef logic [$clog2(Lanes)-1:0] lane_t;

  // Eight bytes from an address on, in the three words they may be in.
  function automatic logic [63:0] eight_bytes(input bank_words_t words, input bank_t bank,
                                              input logic [1:0] byte_in_word);
    bank_t next;
    bank_t last;
    next = bank + bank_t'(1);
    last = bank + bank_t'(2);
    return 64'({words[last], words[next], words[bank]} >> {byte_in_word, 3'd0});
  endfunction

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // A lane is read
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic  reading_q;
  lane_t lane_q;
  logic  finished_q;

  assign read_o = start_i || reading_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      lane_q    <= '0;
    end else if (read_o) begin
      reading_q <= lane_q != '1;
      lane_q    <= lane_q + 1'b1;
    end
  end

  address_t [1:0] address;
  for (genvar w = 0; w < 2; w++) begin : gen_read
    assign address[w] = work_i.address[w][lane_q];
    for (genvar b = 0; b < LdsBanks; b++) begin : gen_row
      assign read_row_o[w][b] = row_from(address[w][WordBits+1:2], bank_t'(b));
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // It acts
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic              acts_q;
  lane_t             acting_q;
  logic [1:0]        want_q;
  address_t [1:0]    address_q;
  row_t [1:0][LdsBanks-1:0] row_q;
  logic [1:0][63:0]  data_q;     // of each access
  logic [63:0]       compare_q;
  header_t           header;
  logic              wide;

  assign header = work_i.header;
  assign wide   = header.bytes == 5'd8;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) acts_q <= 1'b0;
    else         acts_q <= read_o;
  end

  always_ff @(posedge clk_i) begin
    if (read_o) begin
      acting_q  <= lane_q;
      want_q    <= {work_i.want[1][lane_q], work_i.want[0][lane_q]};
      address_q <= address;
      row_q     <= read_row_o;
      data_q[0] <= {wide ? work_i.data[1][lane_q] : 32'd0, work_i.data[0][lane_q]};
      data_q[1] <= wide ? {work_i.data[3][lane_q], work_i.data[2][lane_q]} :
                          {32'd0, work_i.data[1][lane_q]};
      compare_q <= {wide ? work_i.compare[1][lane_q] : 32'd0, work_i.compare[0][lane_q]};
    end
  end

  logic [63:0]      kept;     // bits of an operand
  logic [1:0]       does;     // accesses that change the memory
  logic [1:0][63:0] found;    // in the memory
  logic [63:0]      old_second;  // after the first access
  logic [63:0]      operand;
  logic [1:0][63:0] value;    // new values
  address_t         behind;   // from the first address to the second

  assign kept     = wide ? '1 : 64'h0000_0000_ffff_ffff;
  assign does[0]  = acts_q && want_q[0] && (want_q[1] || !header.operand_in_lds);
  assign does[1]  = acts_q && want_q[1] && header.two;
  assign found[0] = eight_bytes(words_i[0], address_q[0][BankBits+1:2], address_q[0][1:0]) & kept;
  assign found[1] = eight_bytes(words_i[1], address_q[1][BankBits+1:2], address_q[1][1:0]) & kept;
  assign operand  = header.operand_in_lds ? found[1] : data_q[0];
  assign behind   = address_q[1] - address_q[0];

  always_comb begin
    value[0] = '0;
    if (does[0]) begin
      value[0] = lds_atomic_pkg::is_float(header.atomic) ?
          lds_atomic_pkg::float_result(header.atomic, wide, found[0], operand, compare_q,
                                       header.flush_in, header.flush_out) :
          (lds_atomic_pkg::integer_result(header.atomic, wide, found[0], operand, compare_q) & kept);
    end
    value[1] = data_q[1];
    // The second access of a lane sees what the first one leaves.
    for (int unsigned b = 0; b < 8; b++) begin
      address_t place;  // among the bytes of the first
      place = behind + address_t'(b);
      old_second[8*b +: 8] = found[1][8*b +: 8];
      if (does[0] && (place < address_t'(header.bytes)) && (5'(b) < header.bytes)) begin
        old_second[8*b +: 8] = value[0][{place[2:0], 3'd0} +: 8];
      end
    end
  end

  for (genvar w = 0; w < 2; w++) begin : gen_write
    logic [11:0]      bytes;  // in three words
    logic [11:0][7:0] data;
    bank_t            bank;

    assign bytes = does[w] ? ({4'd0, {4{wide}}, 4'hf} << address_q[w][1:0]) : '0;
    assign data  = {32'd0, value[w]} << {address_q[w][1:0], 3'd0};
    assign bank  = address_q[w][BankBits+1:2];

    for (genvar b = 0; b < LdsBanks; b++) begin : gen_bank
      bank_t ahead;  // of the first word
      assign ahead = bank_t'(b) - bank;
      always_comb begin
        write_bytes_o[w][b] = '0;
        write_data_o[w][b]  = '0;
        for (int unsigned n = 0; n < 3; n++) begin
          if (ahead == bank_t'(n)) begin
            write_bytes_o[w][b] = bytes[4*n +: 4];
            write_data_o[w][b]  = data[4*n +: 4];
          end
        end
      end
    end
  end

  assign write_o     = acts_q;
  assign write_row_o = row_q;
  assign lane_o      = acting_q;

  always_comb begin
    old_valid_o = '0;
    old_o       = '0;
    if (wide) begin
      old_valid_o = {{2{does[1]}}, {2{does[0]}}};
      old_o       = {old_second, found[0]};
    end else begin
      old_valid_o[1:0] = does;
      old_o[1:0]       = {old_second[31:0], found[0][31:0]};
    end
  end

  assign acted_o = finished_q || (acts_q && (acting_q == '1));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || done_i) finished_q <= 1'b0;
    else                   finished_q <= acted_o;
  end

  `CUVETTE_ASSERT(StartsOnce_A, start_i |-> (!reading_q && !acts_q && (lane_q == '0)))

endmodule
