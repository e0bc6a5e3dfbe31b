// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Vector register file of one SIMD: four banks, eight read ports of which a bank serves one per
// cycle, five write ports that never wait. Contract: vrf.md. AccRows 0: a unified file.

`include "cuvette_assert.svh"

module vrf
  import vrf_pkg::*;
#(
  parameter int unsigned Rows = 256,
  parameter int unsigned AccRows = 256
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  input  logic       [ReadPorts-1:0]  read_valid_i,
  output logic       [ReadPorts-1:0]  read_ready_o,
  input  read_t      [ReadPorts-1:0]  read_i,

  output logic       [ReadPorts-1:0]  read_data_valid_o,
  input  logic       [ReadPorts-1:0]  read_data_ready_i,
  output read_data_t [ReadPorts-1:0]  read_data_o,

  input  logic       [WritePorts-1:0] write_valid_i,
  output logic       [WritePorts-1:0] write_ready_o,
  input  write_t     [WritePorts-1:0] write_i
);

  localparam int unsigned BankBits = $clog2(Banks);
  localparam int unsigned RowBits = $clog2(Rows);
  // Words of a bank: rows of both files, four beats each.
  localparam int unsigned FileBits = (AccRows == 0) ? 0 : 1;
  localparam int unsigned WordBits = FileBits + RowBits - BankBits + 2;

  if ((Rows < 8) || (Rows > 65536) || (Rows != (1 << RowBits))) begin : gen_refuse_rows
    $error("vrf: Rows is %0d, expected a power of two from 8 to 65536", Rows);
  end
  if ((AccRows != 0) && (AccRows != Rows)) begin : gen_refuse_acc_rows
    $error("vrf: AccRows is %0d, expected 0 or Rows", AccRows);
  end

  // Bank of a row, and word of its beat in the bank. Numbers past the end wrap around.
  function automatic logic [BankBits-1:0] bank_of(input row_address_t address);
    return address.row[BankBits-1:0];
  endfunction

  function automatic logic [WordBits-1:0] word_of(input row_address_t address,
                                                  input logic [1:0] beat);
    logic [RowBits-BankBits+1:0] place;
    place = {address.row[RowBits-1:BankBits], beat};
    return WordBits'({(AccRows != 0) && address.acc, place});
  endfunction

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Read requests
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [ReadPorts-1:0]               room;  // the answer has somewhere to go
  logic [ReadPorts-1:0][BankBits-1:0] read_bank;
  logic [ReadPorts-1:0]               read_free;
  logic [ReadPorts-1:0]               read_take;

  for (genvar p = 0; p < ReadPorts; p++) begin : gen_bank_of
    assign read_bank[p] = bank_of(read_i[p].address);
  end

  vrf_arbiter #(
    .Ports    (ReadPorts),
    .BankBits (BankBits)
  ) u_arbiter (
    .want_i    (read_valid_i & room),
    .bank_i    (read_bank),
    .free_o    (read_free),
    .granted_o (read_take)
  );

  assign read_ready_o = room & read_free;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Banks
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic   [Banks-1:0][WordBits-1:0]      bank_word;
  lanes_t [Banks-1:0]                    bank_data;
  logic   [WritePorts-1:0][WordBits-1:0] write_word;
  logic   [WritePorts-1:0][BeatLanes-1:0] write_lanes;
  lanes_t [WritePorts-1:0]               write_data;

  always_comb begin
    for (int unsigned b = 0; b < Banks; b++) begin
      bank_word[b] = '0;
      for (int unsigned p = 0; p < ReadPorts; p++) begin
        if (read_take[p] && (read_bank[p] == BankBits'(b))) begin
          bank_word[b] = word_of(read_i[p].address, read_i[p].beat);
        end
      end
    end
  end

  for (genvar p = 0; p < WritePorts; p++) begin : gen_write
    assign write_word[p]  = word_of(write_i[p].address, write_i[p].beat);
    assign write_lanes[p] = write_i[p].lanes;
    assign write_data[p]  = write_i[p].data;
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [WritePorts-1:0] write;

    for (genvar p = 0; p < WritePorts; p++) begin : gen_select
      assign write[p] = write_valid_i[p] && (bank_of(write_i[p].address) == BankBits'(b));
    end

    vrf_bank #(
      .Words      (1 << WordBits),
      .Lanes      (BeatLanes),
      .WritePorts (WritePorts)
    ) u_bank (
      .clk_i,
      .read_address_i  (bank_word[b]),
      .read_data_o     (bank_data[b]),
      .write_i         (write),
      .write_address_i (write_word),
      .write_lanes_i   (write_lanes),
      .write_data_i    (write_data)
    );
  end

  assign write_ready_o = '1;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  for (genvar p = 0; p < ReadPorts; p++) begin : gen_answer
    logic       valid_q;
    read_data_t data_q;

    assign room[p] = !valid_q || read_data_ready_i[p];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        valid_q <= 1'b0;
      end else if (room[p]) begin
        valid_q <= read_take[p];
      end
    end

    always_ff @(posedge clk_i) begin
      if (read_take[p]) begin
        data_q.beat <= read_i[p].beat;
        data_q.data <= bank_data[read_bank[p]];
      end
    end

    assign read_data_valid_o[p] = valid_q;
    assign read_data_o[p]       = data_q;

    `CUVETTE_ASSERT(AnswerHeld_A, (read_data_valid_o[p] && !read_data_ready_i[p]) |=>
        (read_data_valid_o[p] && $stable(read_data_o[p])))
  end

  // Two writes of a lane in one cycle are an error of the requester (docs/reference/vrf.md).
  function automatic logic writes_collide();
    logic collide;
    collide = 1'b0;
    for (int unsigned p = 0; p < WritePorts; p++) begin
      for (int unsigned q = 0; q < p; q++) begin
        if (write_valid_i[p] && write_valid_i[q] &&
            (bank_of(write_i[p].address) == bank_of(write_i[q].address)) &&
            (write_word[p] == write_word[q]) && ((write_lanes[p] & write_lanes[q]) != '0)) begin
          collide = 1'b1;
        end
      end
    end
    return collide;
  endfunction

  `CUVETTE_ASSERT(WritesApart_A, !writes_collide())
  `CUVETTE_COVER(Conflict_C, (read_valid_i & room & ~read_free) != '0)

endmodule
