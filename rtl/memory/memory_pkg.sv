// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages of every memory path (docs/memory.md, model/memory/mem_req.h) and of address
// translation (model/hsa/address_space.h). Enumerators have the numbers of the C++ ones.
package memory_pkg;

  localparam int unsigned BlockBytes = 64;
  // Requester number of the command processor.
  localparam logic [15:0] CommandProcessorCu = 16'hffff;

  typedef enum logic [2:0] {
    MemRead         = 3'd0,
    MemWrite        = 3'd1,
    MemAtomic       = 3'd2,
    MemAtomicReturn = 3'd3,
    MemInvalidate   = 3'd4,
    MemWriteback    = 3'd5
  } mem_op_e;

  typedef enum logic [4:0] {
    AtomicSwap       = 5'd0,
    AtomicCmpSwap    = 5'd1,
    AtomicAdd        = 5'd2,
    AtomicSub        = 5'd3,
    AtomicRSub       = 5'd4,
    AtomicSMin       = 5'd5,
    AtomicUMin       = 5'd6,
    AtomicSMax       = 5'd7,
    AtomicUMax       = 5'd8,
    AtomicAnd        = 5'd9,
    AtomicOr         = 5'd10,
    AtomicXor        = 5'd11,
    AtomicInc        = 5'd12,
    AtomicDec        = 5'd13,
    AtomicMSkOr      = 5'd14,
    AtomicFAdd       = 5'd15,
    AtomicFMin       = 5'd16,
    AtomicFMax       = 5'd17,
    AtomicFCmpSwap   = 5'd18,
    AtomicPkAddF16   = 5'd19,
    AtomicPkAddBf16  = 5'd20,
    AtomicWrap       = 5'd21,
    AtomicCondXchg32 = 5'd22
  } atomic_op_e;

  typedef enum logic [1:0] {
    ScopeWave      = 2'd0,
    ScopeWorkgroup = 2'd1,
    ScopeAgent     = 2'd2,
    ScopeSystem    = 2'd3
  } scope_e;

  typedef enum logic [1:0] {
    MtypeNonCoherent      = 2'd0,
    MtypeReadWrite        = 2'd1,
    MtypeCoherentlyCached = 2'd2,
    MtypeUncached         = 2'd3
  } mtype_e;

  typedef enum logic [0:0] {
    StatusOk    = 1'd0,
    StatusFault = 1'd1
  } mem_status_e;

  typedef struct packed {
    logic [63:0]                id;
    logic [15:0]                cu;
    logic [15:0]                wave;
    logic [63:0]                timestamp;
    logic [31:0]                seq;
    mem_op_e                    op;
    atomic_op_e                 atomic;
    logic [3:0]                 atomic_bytes;
    logic                       flush_subnormals;
    scope_e                     scope;
    logic                       glc;
    logic                       slc;
    logic                       scc;
    logic                       nv;
    mtype_e                     mtype;
    logic [63:0]                address;
    logic [BlockBytes-1:0]      byte_mask;
    logic [BlockBytes-1:0][7:0] data;
    logic [63:0]                serial;
  } mem_req_t;

  typedef struct packed {
    logic [63:0]                id;
    logic [63:0]                timestamp;
    mem_status_e                status;
    logic [63:0]                address;
    logic [63:0]                serial;
    logic [BlockBytes-1:0][7:0] data;
  } mem_resp_t;

  // What an access wants: a set of bits.
  typedef enum logic [2:0] {
    AccessNone      = 3'd0,
    AccessRead      = 3'd1,
    AccessWrite     = 3'd2,
    AccessReadWrite = 3'd3,
    AccessExecute   = 3'd4,
    AccessAll       = 3'd7
  } access_e;

  typedef enum logic [2:0] {
    FaultNone         = 3'd0,
    FaultUnmapped     = 3'd1,
    FaultNotPermitted = 3'd2,
    FaultNotBacked    = 3'd3,
    FaultMisaligned   = 3'd4
  } fault_e;

  typedef struct packed {
    logic [31:0] id;
    logic [31:0] vmid;
    logic [63:0] va;
    access_e     access;
  } translate_req_t;

  typedef struct packed {
    logic [31:0] id;
    logic [63:0] pa;
    logic [63:0] bytes;
    mtype_e      mtype;
    fault_e      fault;
  } translate_resp_t;

endpackage
