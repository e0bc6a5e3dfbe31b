// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/launch_limits.h"
#include "hsa/target.h"

namespace cuvette::hsa {

enum class MachineKind : uint16_t { Undefined = 0, Amdgpu = 1 };
enum class FloatRound : uint8_t { NearEven = 0, PlusInfinity = 1, MinusInfinity = 2, Zero = 3 };
enum class FloatDenorm : uint8_t { FlushSrcDst = 0, FlushDst = 1, FlushSrc = 2, FlushNone = 3 };

/// compute_pgm_rsrc1 (Compute ABI, "compute_pgm_rsrc1"; bit 26 from gfx9 on).
struct Rsrc1 {
  uint32_t raw = 0;
  uint8_t vgpr_granules = 0;  ///< blocks minus 1
  uint8_t sgpr_granules = 0;  ///< blocks of 8 minus 1
  uint8_t priority = 0;
  FloatRound round_32 = FloatRound::NearEven;           ///< MODE.fp_round[1:0]
  FloatRound round_16_64 = FloatRound::NearEven;        ///< MODE.fp_round[3:2]
  FloatDenorm denorm_32 = FloatDenorm::FlushSrcDst;     ///< MODE.fp_denorm[1:0]
  FloatDenorm denorm_16_64 = FloatDenorm::FlushSrcDst;  ///< MODE.fp_denorm[3:2]
  bool priv = false;
  bool dx10_clamp = false;
  bool debug_mode = false;
  bool ieee = false;
  bool bulky = false;
  bool cdbg_user = false;
  bool fp16_ovfl = false;

  /// Bits 8 to 0 of MODE at wave start: fp_round, fp_denorm, dx10_clamp; ieee at 9, fp16_ovfl
  /// at 23.
  uint32_t mode() const;
};
Rsrc1 decode_rsrc1(uint32_t word);

/// compute_pgm_rsrc2.
struct Rsrc2 {
  uint32_t raw = 0;
  bool private_segment = false;  ///< scratch is set up; system SGPR with the wave's offset
  uint8_t user_sgpr_count = 0;
  bool trap_handler = false;
  bool workgroup_id_x = false;
  bool workgroup_id_y = false;
  bool workgroup_id_z = false;
  bool workgroup_info = false;
  uint8_t workitem_id = 0;    ///< 0: X, 1: X and Y, 2: X, Y and Z
  uint16_t lds_granules = 0;  ///< 0 in objects; the packet processor writes it
  /// EXCP_EN: bit 0 invalid, 1 input denormal, 2 division by zero, 3 overflow, 4 underflow, 5
  /// inexact, 6 integer division by zero, 7 address watch, 8 memory violation.
  uint16_t exceptions = 0;
};
Rsrc2 decode_rsrc2(uint32_t word);

/// compute_pgm_rsrc3, gfx90a and gfx942.
struct Rsrc3 {
  uint32_t raw = 0;
  uint8_t accum_offset = 0;  ///< register number / 4 - 1
  bool tg_split = false;
};
Rsrc3 decode_rsrc3(uint32_t word);

/// The user SGPR enables, bits 0 to 9 of kernel_code_properties, in the order the registers have.
struct UserSgprs {
  bool private_segment_buffer = false;
  bool dispatch_ptr = false;
  bool queue_ptr = false;
  bool kernarg_segment_ptr = false;
  bool dispatch_id = false;
  bool flat_scratch_init = false;
  bool private_segment_size = false;
  bool grid_workgroup_count_x = false;  ///< amd_kernel_code_t only
  bool grid_workgroup_count_y = false;
  bool grid_workgroup_count_z = false;
};

UserSgprs decode_user_sgprs(uint32_t properties);

/// Kind of an argument. Names in code objects are the snake_case ones of arg_kind_name(); v2 spells
/// them in CamelCase.
enum class ArgKind : uint8_t {
  ByValue,
  GlobalBuffer,
  DynamicSharedPointer,
  Sampler,
  Image,
  Pipe,
  Queue,
  HiddenBlockCountX,
  HiddenBlockCountY,
  HiddenBlockCountZ,
  HiddenGroupSizeX,
  HiddenGroupSizeY,
  HiddenGroupSizeZ,
  HiddenRemainderX,
  HiddenRemainderY,
  HiddenRemainderZ,
  HiddenGlobalOffsetX,
  HiddenGlobalOffsetY,
  HiddenGlobalOffsetZ,
  HiddenGridDims,
  HiddenNone,
  HiddenPrintfBuffer,
  HiddenHostcallBuffer,
  HiddenDefaultQueue,
  HiddenCompletionAction,
  HiddenMultigridSyncArg,
  HiddenHeapV1,
  HiddenDynamicLdsSize,
  HiddenPrivateBase,
  HiddenSharedBase,
  HiddenQueuePtr,
  Unknown,
};
const char* arg_kind_name(ArgKind kind);
/// Unknown for a name that is none.
ArgKind arg_kind(const std::string& snake_name);

/// Argument of a kernel, as the metadata describes it.
struct KernelArg {
  std::string name;       ///< empty when the object does not say
  std::string type_name;  ///< as the source names it, or empty
  std::string kind_name;  ///< snake_case, also when the kind is Unknown
  ArgKind kind = ArgKind::ByValue;
  uint64_t offset = 0;         ///< bytes in the kernarg segment
  uint64_t size = 0;           ///< bytes
  std::string address_space;   ///< "global", "local", "constant" ... or empty
  std::string access;          ///< "read_only" ... or empty
  uint64_t pointee_align = 0;  ///< of a dynamic_shared_pointer
  bool is_const = false;

  bool hidden() const { return kind_name.compare(0, 7, "hidden_") == 0; }
};

/// One kernel, whatever form its object had. Sizes in bytes.
struct KernelInfo {
  std::string name;          ///< as in the source, without .kd
  TargetId target;           ///< of the object
  unsigned code_object = 0;  ///< 2 to 6
  uint64_t descriptor =
      0;                  ///< address of the kernel descriptor or amd_kernel_code_t: kernel_object
  uint64_t entry = 0;     ///< address of the first instruction
  uint64_t code_end = 0;  ///< end of the function symbol, 0 when unknown

  uint32_t group_bytes = 0;    ///< static, per work-group
  uint32_t private_bytes = 0;  ///< static, per work-item
  uint32_t kernarg_bytes = 0;  ///< size of the kernarg segment, hidden arguments included
  uint32_t kernarg_alignment = 16;
  uint32_t gds_bytes = 0;
  bool dynamic_stack = false;  ///< private_bytes is a lower bound: the dispatch adds a stack

  Rsrc1 rsrc1;
  Rsrc2 rsrc2;
  Rsrc3 rsrc3;
  UserSgprs user_sgprs;
  uint8_t kernarg_preload_dwords = 0;
  uint16_t kernarg_preload_offset = 0;  ///< dwords

  uint32_t vgpr_count =
      0;  ///< allocated per lane; with a unified file including the accumulation ones
  uint32_t accum_offset = 0;  ///< first AccVGPR in a unified file; 0 where the files are separate
  uint32_t sgpr_count = 0;    ///< allocated, a multiple of 16

  bool has_metadata = false;    ///< `args` and limits come from a metadata note
  std::vector<KernelArg> args;  ///< in the order of the source, hidden ones last
  LaunchLimits limits;          ///< checked by broken_limit() before a launch
};

/// `kernarg_preload` of a descriptor: bits 6:0 dwords, 15:7 the first one's number in the kernarg
/// segment.
void decode_kernarg_preload(uint16_t word, KernelInfo& info);

/// Register counts from the granules of rsrc1 and rsrc3, for info.target. Error: more than exist.
base::Status set_register_counts(KernelInfo& info);

}  // namespace cuvette::hsa
