// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// State of the banks: the open row of each, and when it takes the next command. A row's bytes can be
// reached ActivateCycles after its activation, the next row activated PrechargeCycles after the
// precharge; a row stays open for ActiveCycles at least, and for RecoveryCycles after a store. A
// command acts at the end of its cycle. No refresh. After reset every bank is closed.

`include "cuvette_assert.svh"

module memory_banks
  import memory_unit_pkg::*;
#(
  parameter int unsigned Banks           = 16,
  parameter int unsigned ActivateCycles  = 21,
  parameter int unsigned PrechargeCycles = 21,
  parameter int unsigned ActiveCycles    = 50,
  parameter int unsigned RecoveryCycles  = 22,
  parameter int unsigned Overtakes       = 8,   // accesses that go ahead of an older one to another row
  localparam int unsigned BankBits = $clog2(Banks)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  row_command_e        command_i,
  input  logic [BankBits-1:0] bank_i,
  input  block_t              row_i,       // to activate

  input  logic                access_i,    // to bytes of the open row
  input  logic [BankBits-1:0] access_bank_i,
  input  logic                stores_i,
  input  logic                overtakes_i,

  output logic [Banks-1:0]    open_o,
  output block_t [Banks-1:0]  row_o,       // of an open bank
  output logic [Banks-1:0]    ready_o,     // open: for an access; closed: for an activation
  output logic [Banks-1:0]    may_close_o,
  output logic [Banks-1:0]    limited_o    // Overtakes of them since its activation
);

  localparam int unsigned TimeBits  = 10;
  localparam int unsigned CountBits = $clog2(Overtakes + 1);

  if ((ActivateCycles < 1) || (ActivateCycles >= (1 << TimeBits))) begin : gen_refuse_activate
    $error("memory_banks: ActivateCycles is %0d, expected 1 to 1023", ActivateCycles);
  end
  if ((PrechargeCycles < 1) || (PrechargeCycles >= (1 << TimeBits))) begin : gen_refuse_precharge
    $error("memory_banks: PrechargeCycles is %0d, expected 1 to 1023", PrechargeCycles);
  end
  if ((ActiveCycles < 1) || (ActiveCycles >= (1 << TimeBits))) begin : gen_refuse_active
    $error("memory_banks: ActiveCycles is %0d, expected 1 to 1023", ActiveCycles);
  end
  if ((RecoveryCycles < 1) || (RecoveryCycles >= (1 << TimeBits))) begin : gen_refuse_recovery
    $error("memory_banks: RecoveryCycles is %0d, expected 1 to 1023", RecoveryCycles);
  end
  if (Overtakes < 1) begin : gen_refuse_overtakes
    $error("memory_banks: Overtakes is %0d, expected 1 or more", Overtakes);
  end

  typedef logic [TimeBits-1:0] left_t;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic                 open_q;
    block_t               row_q;
    left_t                wait_q;    // cycles until the next activation or access
    left_t                keep_q;    // cycles for which the row stays open
    logic [CountBits-1:0] count_q;   // overtakes
    logic                 activates;
    logic                 closes;
    logic                 accessed;

    assign activates = (command_i == RowActivate) && (bank_i == BankBits'(b));
    assign closes    = (command_i == RowPrecharge) && (bank_i == BankBits'(b));
    assign accessed  = access_i && (access_bank_i == BankBits'(b));

    assign open_o[b]      = open_q;
    assign row_o[b]       = row_q;
    assign ready_o[b]     = wait_q == '0;
    assign may_close_o[b] = (wait_q == '0) && (keep_q == '0);
    assign limited_o[b]   = count_q == CountBits'(Overtakes);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        open_q  <= 1'b0;
        wait_q  <= '0;
        keep_q  <= '0;
        count_q <= '0;
      end else begin
        if (activates)          wait_q <= left_t'(ActivateCycles - 1);
        else if (closes)        wait_q <= left_t'(PrechargeCycles - 1);
        else if (wait_q != '0)  wait_q <= wait_q - 1'b1;

        if (activates)          keep_q <= left_t'(ActiveCycles - 1);
        else if (accessed && stores_i && (keep_q < left_t'(RecoveryCycles))) begin
          keep_q <= left_t'(RecoveryCycles - 1);
        end else if (keep_q != '0) keep_q <= keep_q - 1'b1;

        if (activates)                    count_q <= '0;
        else if (accessed && overtakes_i) count_q <= count_q + 1'b1;

        if (activates)   open_q <= 1'b1;
        else if (closes) open_q <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (activates) row_q <= row_i;
    end

    `CUVETTE_ASSERT(ActivatesClosed_A, activates |-> (!open_q && (wait_q == '0)))
    `CUVETTE_ASSERT(ClosesOpen_A, closes |-> (open_q && (wait_q == '0) && (keep_q == '0) && !accessed))
    `CUVETTE_ASSERT(ReachesOpenRow_A, accessed |-> (open_q && (wait_q == '0)))
    `CUVETTE_ASSERT(OvertakesToTheLimit_A, (accessed && overtakes_i) |-> !limited_o[b])
  end

endmodule
