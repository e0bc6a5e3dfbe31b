// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A user's local data share for the contract of lds.md, unlike Cuvette's own: one request at a time, one lane a
// cycle, no banks. Loads, stores and integer atomic operations of one address. The page leaves time to the device.
module user_lds
  import lds_pkg::*;
  import memory_pkg::*;
  import vrf_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      request_valid_i,
  output logic      request_ready_o,
  input  request_t  request_i,

  output logic      response_valid_o,
  input  logic      response_ready_i,
  output response_t response_o
);

  typedef enum logic [1:0] {
    Gather,  // beats of a request come
    Work,    // a lane each cycle
    Answer   // beats of the response go
  } state_e;

  state_e   state_q;
  request_t header_q;  // fields that are equal in all beats
  logic [1:0] beat_q;
  logic [5:0] lane_q;

  logic [Lanes-1:0]            exec_q;
  logic [1:0][Lanes-1:0][31:0] offset_q;
  logic [3:0][Lanes-1:0][31:0] data_q;
  logic [1:0][Lanes-1:0][31:0] compare_q;
  logic [3:0][Lanes-1:0][31:0] answer_q;
  logic [Lanes-1:0]            outside_q;

  logic [7:0] bytes_q[LdsBytes];

  function automatic logic is_inside(input request_t r, input logic [31:0] offset);
    logic [33:0] last;
    last = 34'(offset) + 34'(r.bytes);
    return (last <= 34'(r.limit)) && (34'(r.base) + last <= 34'(LdsBytes));
  endfunction

  function automatic logic [63:0] result(input request_t r, input logic [63:0] old, input logic [63:0] data,
                                         input logic [63:0] compare);
    logic        wide;
    logic signed [63:0] a, b;
    wide = r.bytes == 5'd8;
    a = wide ? old : 64'(signed'(old[31:0]));
    b = wide ? data : 64'(signed'(data[31:0]));
    unique case (r.atomic)
      AtomicSwap:    return data;
      AtomicCmpSwap: return (old == compare) ? data : old;
      AtomicAdd:     return old + data;
      AtomicSub:     return old - data;
      AtomicRSub:    return data - old;
      AtomicSMin:    return (a < b) ? old : data;
      AtomicUMin:    return (old < data) ? old : data;
      AtomicSMax:    return (a > b) ? old : data;
      AtomicUMax:    return (old > data) ? old : data;
      AtomicAnd:     return old & data;
      AtomicOr:      return old | data;
      AtomicXor:     return old ^ data;
      AtomicInc:     return (old >= data) ? 64'd0 : old + 64'd1;
      AtomicDec:     return ((old == 64'd0) || (old > data)) ? data : old - 64'd1;
      default:       return old;
    endcase
  endfunction

  assign request_ready_o  = state_q == Gather;
  assign response_valid_o = state_q == Answer;

  always_comb begin
    response_o      = '0;
    response_o.id   = header_q.id;
    response_o.beat = beat_q;
    for (int unsigned d = 0; d < 4; d++) response_o.data[d] = answer_q[d][beat_q*BeatLanes+:BeatLanes];
    response_o.out_of_range = outside_q[beat_q*BeatLanes+:BeatLanes];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Gather;
      beat_q  <= '0;
    end else begin
      unique case (state_q)
        Gather: if (request_valid_i) begin
          header_q <= request_i;
          exec_q[request_i.beat*BeatLanes+:BeatLanes] <= request_i.exec;
          for (int unsigned n = 0; n < 2; n++) begin
            offset_q[n][request_i.beat*BeatLanes+:BeatLanes]  <= request_i.offset[n];
            compare_q[n][request_i.beat*BeatLanes+:BeatLanes] <= request_i.compare[n];
          end
          for (int unsigned n = 0; n < 4; n++) data_q[n][request_i.beat*BeatLanes+:BeatLanes] <= request_i.data[n];
          if (request_i.beat == 2'd3) begin
            state_q   <= Work;
            lane_q    <= '0;
            answer_q  <= '0;
            outside_q <= '0;
          end
        end
        Work: begin
          if (exec_q[lane_q]) begin
            for (int unsigned a = 0; a < 2; a++) begin
              if (2'(a) < header_q.accesses) begin
                if (!is_inside(header_q, offset_q[a][lane_q])) begin
                  outside_q[lane_q] <= 1'b1;
                end else begin
                  automatic logic [31:0] first = header_q.base + offset_q[a][lane_q];
                  // The dwords of access a come behind those of access 0.
                  automatic logic [2:0]  skip = (a == 0) ? 3'd0 : ((header_q.bytes + 5'd3) >> 2);
                  automatic logic [127:0] old = '0, data = '0, value;
                  for (int unsigned b = 0; b < 16; b++) begin
                    if (5'(b) < header_q.bytes) old[8*b+:8] = bytes_q[16'(first + b)];
                  end
                  for (int unsigned d = 0; d < 4; d++) begin
                    if (d + skip < 4) data[32*d+:32] = data_q[2'(d + skip)][lane_q];
                  end
                  value = data;
                  if (header_q.kind inside {KindAtomic, KindAtomicReturn}) begin
                    if (header_q.bytes == 5'd4) data[63:32] = '0;
                    value = 128'(result(header_q, old[63:0], data[63:0],
                                        {(header_q.bytes == 5'd8) ? compare_q[1][lane_q] : 32'd0,
                                         compare_q[0][lane_q]}));
                  end
                  if (header_q.kind != KindLoad) begin
                    for (int unsigned b = 0; b < 16; b++) begin
`ifdef USER_LDS_BUG
                      // A store of lane 5 is lost.
                      if ((5'(b) < header_q.bytes) && (lane_q != 6'd5)) bytes_q[16'(first + b)] <= value[8*b+:8];
`else
                      if (5'(b) < header_q.bytes) bytes_q[16'(first + b)] <= value[8*b+:8];
`endif
                    end
                  end
                  if (header_q.kind inside {KindLoad, KindAtomicReturn}) begin
                    for (int unsigned d = 0; d < 4; d++) begin
                      if ((d + skip < 4) && (5'(4 * d) < header_q.bytes)) answer_q[2'(d + skip)][lane_q] <= old[32*d+:32];
                    end
                  end
                end
              end
            end
          end
          lane_q <= lane_q + 6'd1;
          if (lane_q == '1) begin
            state_q <= Answer;
            beat_q  <= '0;
          end
        end
        Answer: if (response_ready_i) begin
          beat_q <= beat_q + 2'd1;
          if (beat_q == '1) state_q <= Gather;
        end
        default: state_q <= Gather;
      endcase
    end
  end

endmodule
