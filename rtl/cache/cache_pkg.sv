// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types of the cache block (docs/cache.md). Its messages are memory_pkg::mem_req_t and mem_resp_t.
package cache_pkg;

  typedef enum logic [1:0] {
    RoleVectorL1    = 2'd0,
    RoleScalar      = 2'd1,
    RoleInstruction = 2'd2,
    RoleL2          = 2'd3
  } role_e;

endpackage
