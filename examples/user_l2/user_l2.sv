// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A user's L2 slice, deliberately unlike Cuvette's: direct-mapped, write-through, one request at a time. Atomics are done
// by the memory below; nothing is ever dirty, so that a write-back has nothing to do. The serial of a store or atomic is
// the one it gets below. With USER_L2_BUG a store to a line that is held is acknowledged and never sent below.
module user_l2
  import memory_pkg::*;
#(
  parameter int unsigned UpPorts = 2,
  parameter int unsigned Lines   = 256
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic      [UpPorts-1:0] up_request_valid_i,
  output logic      [UpPorts-1:0] up_request_ready_o,
  input  mem_req_t  [UpPorts-1:0] up_request_i,
  output logic      [UpPorts-1:0] up_response_valid_o,
  input  logic      [UpPorts-1:0] up_response_ready_i,
  output mem_resp_t [UpPorts-1:0] up_response_o,
  output logic                    down_request_valid_o,
  input  logic                    down_request_ready_i,
  output mem_req_t                down_request_o,
  input  logic                    down_response_valid_i,
  output logic                    down_response_ready_o,
  input  mem_resp_t               down_response_i
);

  localparam int unsigned OffsetBits = $clog2(BlockBytes);
  localparam int unsigned IndexBits  = $clog2(Lines);

  typedef enum logic [1:0] {
    StIdle,    // takes a request
    StAsk,     // sends it below
    StWait,    // waits for the answer from there
    StAnswer   // answers
  } state_e;

  state_e    state_q, state_d;
  mem_req_t  request_q, request_d;
  mem_resp_t answer_q, answer_d;
  logic      [UpPorts-1:0] port_q, port_d;  // one-hot
  logic      [63:0] id_q, id_d;

  logic [Lines-1:0]              valid_q, valid_d;
  logic [63-OffsetBits:0]        tag_q  [Lines];
  logic [BlockBytes-1:0][7:0]    data_q [Lines];
  logic                          write_line, fill_line;

  // The lowest port with a request.
  logic      [UpPorts-1:0] chosen;
  mem_req_t  taken;
  always_comb begin
    chosen = '0;
    taken  = '0;
    for (int p = UpPorts - 1; p >= 0; p--) begin
      if (up_request_valid_i[p]) begin
        chosen    = '0;
        chosen[p] = 1'b1;
        taken     = up_request_i[p];
      end
    end
  end

  logic [IndexBits-1:0]       index;
  logic [63-OffsetBits:0]     tag;
  logic                       hit, past, stores;
  logic [BlockBytes-1:0][7:0] line;
  assign tag   = request_q.address[63:OffsetBits];
  assign index = request_q.address[OffsetBits+:IndexBits];
  assign line  = data_q[index];
  assign hit   = valid_q[index] && tag_q[index] == tag;
  assign past  = request_q.mtype == MtypeUncached || request_q.mtype == MtypeCoherentlyCached;
  assign stores = request_q.op == MemWrite || request_q.op == MemAtomic ||
                  request_q.op == MemAtomicReturn;

  logic lost;
`ifdef USER_L2_BUG
  assign lost = request_q.op == MemWrite && hit && !past;
`else
  assign lost = 1'b0;
`endif
  logic [63:0] serial_q, serial_d;  // the last one

  always_comb begin
    state_d    = state_q;
    request_d  = request_q;
    answer_d   = answer_q;
    port_d     = port_q;
    id_d       = id_q;
    valid_d    = valid_q;
    serial_d   = serial_q;
    write_line = 1'b0;
    fill_line  = 1'b0;

    up_request_ready_o    = '0;
    up_response_valid_o   = '0;
    up_response_o         = {UpPorts{answer_q}};
    down_request_valid_o  = 1'b0;
    down_response_ready_o = state_q == StWait;

    // The request to the level below is the request itself; a block that is going to be held is
    // asked for whole.
    down_request_o           = request_q;
    down_request_o.id        = id_q;
    down_request_o.timestamp = '0;
    if (request_q.op == MemRead && !past) down_request_o.byte_mask = '1;

    unique case (state_q)
      StIdle: begin
        up_request_ready_o = |chosen ? chosen : '1;
        if (|chosen) begin
          port_d    = chosen;
          request_d = taken;
          answer_d  = '{id: taken.id, address: taken.address, status: StatusOk, default: '0};
          state_d   = StAsk;
        end
      end
      StAsk: begin
        if (request_q.op == MemInvalidate || request_q.op == MemWriteback) begin
          if (request_q.op == MemInvalidate) valid_d = '0;
          state_d = StAnswer;
        end else if (request_q.op == MemRead && hit && !past) begin
          answer_d.data = line;
          state_d       = StAnswer;
        end else if (lost) begin
          write_line      = 1'b1;
          serial_d        = serial_q + 1;
          answer_d.serial = serial_d;
          state_d         = StAnswer;
        end else begin
          down_request_valid_o = 1'b1;
          if (down_request_ready_i) begin
            id_d       = id_q + 1;
            write_line = request_q.op == MemWrite && hit && !past;
            // Blocks that requests pass by, and results of the memory, are not held.
            if (hit && (past || request_q.op != MemWrite)) valid_d[index] = 1'b0;
            state_d = StWait;
          end
        end
      end
      StWait: begin
        if (down_response_valid_i) begin
          answer_d.status = down_response_i.status;
          answer_d.data   = down_response_i.data;
          if (stores) begin
            // One that was not sent below has had a number, too.
            serial_d        = down_response_i.serial > serial_q ? down_response_i.serial : serial_q + 1;
            answer_d.serial = past || request_q.op != MemWrite ? down_response_i.serial : serial_d;
          end
          if (request_q.op == MemRead && !past && down_response_i.status == StatusOk) begin
            fill_line      = 1'b1;
            valid_d[index] = 1'b1;
          end
          state_d = StAnswer;
        end
      end
      StAnswer: begin
        up_response_valid_o = port_q;
        if (|(port_q & up_response_ready_i)) state_d = StIdle;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      valid_q  <= '0;
      id_q     <= 64'd1;
      serial_q <= '0;
    end else begin
      state_q  <= state_d;
      valid_q  <= valid_d;
      id_q     <= id_d;
      serial_q <= serial_d;
    end
    request_q <= request_d;
    answer_q  <= answer_d;
    port_q    <= port_d;
    if (fill_line) begin
      tag_q[index]  <= tag;
      data_q[index] <= down_response_i.data;
    end
    if (write_line) begin
      for (int unsigned b = 0; b < BlockBytes; b++) begin
        if (request_q.byte_mask[b]) data_q[index][b] <= request_q.data[b];
      end
    end
  end

endmodule
