# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# What the blocks of rtl/ consist of.
set(rtl ${PROJECT_SOURCE_DIR}/rtl)
set(contracts ${CUVETTE_CONTRACTS})
set(transcendental_tables ${PROJECT_BINARY_DIR}/generated/fp)
set(common_waivers ${rtl}/common/lint_waivers.vlt)
# Packages first, in order of use; modules are found by name.
set(valu_packages
  ${generated}/ip/valu_op_pkg.sv ${rtl}/common/fp32_pkg.sv ${rtl}/common/fp16_pkg.sv
  ${rtl}/common/fp64_pkg.sv ${transcendental_tables}/rtl/transcendental_table_pkg.sv
  ${rtl}/valu/valu_pkg.sv ${rtl}/valu/valu_int_pkg.sv ${rtl}/valu/valu_ternary_pkg.sv
  ${rtl}/valu/valu_byte_pkg.sv ${rtl}/valu/valu_wide_pkg.sv ${rtl}/valu/valu_short_pkg.sv
  ${rtl}/valu/valu_divide_pkg.sv ${rtl}/valu/valu_float_pkg.sv ${rtl}/valu/valu_convert_pkg.sv
  ${rtl}/valu/valu_select_pkg.sv ${rtl}/valu/valu_narrow_pkg.sv ${rtl}/valu/valu_half_pkg.sv
  ${rtl}/valu/valu_unary_pkg.sv ${rtl}/valu/valu_repack_pkg.sv
  ${rtl}/valu/valu_transcendental_pkg.sv ${rtl}/valu/valu_double_pkg.sv
  ${rtl}/valu/valu_double_divide_pkg.sv ${rtl}/valu/valu_choose_pkg.sv
  ${rtl}/valu/valu_word_pair_pkg.sv ${rtl}/valu/valu_byte_float_pkg.sv)
set(valu_modules valu valu_decode valu_lane_execute valu_lane_finish)
# Those with parameter Arch, and its values beside 0, gfx908 (valu_op_pkg::arch_e).
set(valu_arch_modules valu valu_decode valu_lane_execute)
set(valu_archs gfx90a=1 gfx942=2 gfx900=3 gfx906=4)
set(valu_sources ${common_waivers} ${rtl}/valu/valu_waivers.vlt ${valu_packages} ${rtl}/valu/valu.sv)
set(matrix_packages
  ${rtl}/common/fp32_pkg.sv ${rtl}/common/fp_mac_pkg.sv ${rtl}/common/fp64_pkg.sv
  ${rtl}/common/fp64_mac_pkg.sv ${rtl}/common/fused_dot_pkg.sv ${rtl}/common/exact_dot_pkg.sv ${contracts}/vrf/rtl/vrf_pkg.sv
  ${contracts}/matrix_core/rtl/matrix_core_pkg.sv ${rtl}/matrix_core/matrix_op_pkg.sv
  ${generated}/ip/matrix_row_pkg.sv)
set(matrix_core_modules
  matrix_core matrix_core_control matrix_core_double matrix_core_fused matrix_core_operands matrix_core_unit)
# The units beside that of gfx908: parameter Arch (matrix_op_pkg::arch_e).
set(matrix_archs gfx90a=1 gfx942=2)
set(matrix_core_sources
  ${common_waivers} ${rtl}/matrix_core/matrix_core_waivers.vlt ${matrix_packages}
  ${rtl}/matrix_core/matrix_core.sv)
set(vrf_modules vrf vrf_arbiter vrf_bank)
set(vrf_sources
  ${common_waivers} ${rtl}/vrf/vrf_waivers.vlt ${contracts}/vrf/rtl/vrf_pkg.sv ${rtl}/vrf/vrf.sv)
set(simd_modules simd simd_collect simd_dpp simd_operands simd_row_read simd_writer)
set(simd_packages
  ${contracts}/vrf/rtl/vrf_pkg.sv ${contracts}/simd/rtl/simd_pkg.sv ${rtl}/simd/simd_unit_pkg.sv
  ${generated}/ip/simd_row_pkg.sv)
set(simd_waivers
  ${rtl}/valu/valu_waivers.vlt ${rtl}/vrf/vrf_waivers.vlt ${rtl}/simd/simd_waivers.vlt)
set(simd_sources
  ${common_waivers} ${simd_waivers} ${valu_packages} ${simd_packages} ${rtl}/simd/simd.sv)
set(lds_packages
  ${rtl}/common/fp32_pkg.sv ${rtl}/common/fp16_pkg.sv ${rtl}/common/fp64_pkg.sv ${contracts}/vrf/rtl/vrf_pkg.sv
  ${contracts}/memory/rtl/memory_pkg.sv ${contracts}/lds/rtl/lds_pkg.sv ${rtl}/lds/lds_unit_pkg.sv ${rtl}/lds/lds_pick_pkg.sv
  ${rtl}/lds/lds_store_pkg.sv ${rtl}/lds/lds_float_pkg.sv ${rtl}/lds/lds_atomic_pkg.sv)
set(lds_modules
  lds lds_answer lds_atomic_unit lds_banks lds_gather lds_range lds_request lds_schedule lds_store_merge lds_store_order)
set(lds_sources ${common_waivers} ${rtl}/lds/lds_waivers.vlt ${lds_packages} ${rtl}/lds/lds.sv)
set(verilator_args
  -Wall -O3 -I${rtl}/common -I${rtl}/valu -I${rtl}/matrix_core -I${rtl}/vrf -I${rtl}/simd -I${rtl}/lds)
# Of the cells of rtl/common.
set(cell_packages ${rtl}/common/fp32_pkg.sv ${rtl}/common/fp16_pkg.sv ${rtl}/common/fp_mac_pkg.sv ${rtl}/common/fp64_pkg.sv
  ${rtl}/common/fp64_mac_pkg.sv ${rtl}/common/fused_dot_pkg.sv ${rtl}/common/exact_dot_pkg.sv)
# Builds that look for mistakes.
set(strict_args --assert --x-assign unique --x-initial unique)
