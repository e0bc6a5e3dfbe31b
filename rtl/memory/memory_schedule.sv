// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Scheduler of a port, first-ready first-come first-served: in each cycle the oldest request whose
// row is open is accessed when the data bus is free, and the oldest that needs one gets a command to
// its bank. A row is closed when no request to it waits, or when Overtakes accesses went ahead of an
// older request to another row of the bank, so that nobody waits for ever. Requests to one row, and so
// to one block, keep their order. The bus is taken for CyclesPerBlock by a transfer; an atomic makes
// two. Combinational but for the bus.

`include "cuvette_assert.svh"

module memory_schedule
  import memory_unit_pkg::*;
#(
  parameter int unsigned Requests       = 16,
  parameter int unsigned Banks          = 16,
  parameter int unsigned CyclesPerBlock = 3,
  localparam int unsigned BankBits  = $clog2(Banks),
  localparam int unsigned PlaceBits = $clog2(Requests)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic [Requests-1:0]               waits_i,
  input  logic [Requests-1:0]               in_row_i,
  input  logic [Requests-1:0]               atomic_i,
  input  logic [Requests-1:0][BankBits-1:0] bank_i,
  input  block_t [Requests-1:0]             row_i,
  input  logic [Requests-1:0][Requests-1:0] older_i,
  input  logic [Requests-1:0]               behind_i,

  input  logic [Banks-1:0]                  open_i,
  input  block_t [Banks-1:0]                open_row_i,
  input  logic [Banks-1:0]                  ready_i,
  input  logic [Banks-1:0]                  may_close_i,
  input  logic [Banks-1:0]                  limited_i,

  input  logic                              room_i,        // for an answer

  output logic                              access_o,
  output logic [PlaceBits-1:0]              access_place_o,
  output logic                              overtakes_o,   // it goes ahead of one to another row
  output row_command_e                      command_o,
  output logic [PlaceBits-1:0]              command_place_o
);

  if (CyclesPerBlock < 2) begin : gen_refuse_cycles
    $error("memory_schedule: CyclesPerBlock is %0d, expected 2 or more", CyclesPerBlock);
  end

  localparam int unsigned BusBits = $clog2(2 * CyclesPerBlock);

  logic [BusBits-1:0]  bus_q;       // cycles until it is free
  logic [Requests-1:0] hit;         // its row is open
  logic [Banks-1:0]    wanted;      // a request wants the open row
  logic [Requests-1:0] may_access;
  logic [Requests-1:0] may_open;
  logic [Requests-1:0] may_close;
  logic [Requests-1:0] accesses;    // the oldest of them
  logic [Requests-1:0] commands;

  always_comb begin
    wanted = '0;
    for (int unsigned p = 0; p < Requests; p++) begin
      hit[p] = waits_i[p] && in_row_i[p] && open_i[bank_i[p]] && (row_i[p] == open_row_i[bank_i[p]]);
      if (hit[p]) wanted[bank_i[p]] = 1'b1;
    end
  end

  always_comb begin
    for (int unsigned p = 0; p < Requests; p++) begin
      may_access[p] = waits_i[p] && room_i && (bus_q == '0) &&
                      (!in_row_i[p] ||
                       (hit[p] && ready_i[bank_i[p]] && (!behind_i[p] || !limited_i[bank_i[p]])));
      may_open[p]   = waits_i[p] && in_row_i[p] && !behind_i[p] && !open_i[bank_i[p]] && ready_i[bank_i[p]];
      may_close[p]  = waits_i[p] && in_row_i[p] && !behind_i[p] && open_i[bank_i[p]] && !hit[p] &&
                      may_close_i[bank_i[p]] && (!wanted[bank_i[p]] || limited_i[bank_i[p]]);
    end
  end

  always_comb begin
    access_place_o  = '0;
    command_place_o = '0;
    for (int unsigned p = 0; p < Requests; p++) begin
      accesses[p] = may_access[p] && ((older_i[p] & may_access) == '0);
      commands[p] = (may_open[p] || may_close[p]) && ((older_i[p] & (may_open | may_close)) == '0);
      if (accesses[p]) access_place_o |= PlaceBits'(p);
      if (commands[p]) command_place_o |= PlaceBits'(p);
    end
  end

  assign access_o    = accesses != '0;
  assign overtakes_o = (accesses & behind_i) != '0;
  assign command_o   = ((commands & may_open) != '0)  ? RowActivate :
                       ((commands & may_close) != '0) ? RowPrecharge : RowNone;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bus_q <= '0;
    end else if (access_o) begin
      bus_q <= ((accesses & atomic_i) != '0) ? BusBits'(2 * CyclesPerBlock - 1) : BusBits'(CyclesPerBlock - 1);
    end else if (bus_q != '0) begin
      bus_q <= bus_q - 1'b1;
    end
  end

  `CUVETTE_ASSERT(AccessesOne_A, $onehot0(accesses))
  `CUVETTE_ASSERT(CommandsOne_A, $onehot0(commands))
  `CUVETTE_COVER(Conflict_C, command_o == RowPrecharge)
  `CUVETTE_COVER(Overtakes_C, overtakes_o)
  `CUVETTE_COVER(ClosesWantedRow_C, (may_close != '0) && ((limited_i & wanted) != '0))

endmodule
