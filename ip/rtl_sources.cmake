# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Sources of the blocks of rtl/.
set(rtl ${PROJECT_SOURCE_DIR}/rtl)
set(contracts ${CUVETTE_CONTRACTS})
set(transcendental_tables ${PROJECT_BINARY_DIR}/generated/fp)
set(common_waivers ${rtl}/common/lint_waivers.vlt)
# Packages first, in order of use; modules are found by name.
set(valu_packages
  ${PROJECT_BINARY_DIR}/generated/valu/valu/valu_op_pkg.sv ${rtl}/common/fp32_pkg.sv ${rtl}/common/fp16_pkg.sv
  ${rtl}/common/fp64_pkg.sv ${transcendental_tables}/rtl/transcendental_table_pkg.sv
  ${contracts}/valu/rtl/valu_pkg.sv ${rtl}/valu/valu_unit_pkg.sv ${rtl}/valu/valu_int_pkg.sv ${rtl}/valu/valu_ternary_pkg.sv
  ${rtl}/valu/valu_byte_pkg.sv ${rtl}/valu/valu_wide_pkg.sv ${rtl}/valu/valu_int16_pkg.sv
  ${rtl}/valu/valu_divide_pkg.sv ${rtl}/valu/valu_float_pkg.sv ${rtl}/valu/valu_convert_pkg.sv
  ${rtl}/valu/valu_order_pkg.sv ${rtl}/valu/valu_fp16_pkg.sv ${rtl}/valu/valu_fp16_mixed_pkg.sv
  ${rtl}/valu/valu_unary_pkg.sv ${rtl}/valu/valu_convert_fp16_pkg.sv
  ${rtl}/valu/valu_transcendental_pkg.sv ${rtl}/valu/valu_double_pkg.sv
  ${rtl}/valu/valu_double_divide_pkg.sv ${rtl}/valu/valu_minmax_pkg.sv
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
set(gds_packages ${lds_packages} ${contracts}/spi/rtl/spi_pkg.sv ${contracts}/gds/rtl/gds_pkg.sv ${rtl}/gds/gds_unit_pkg.sv)
set(gds_modules
  gds gds_answers gds_clear gds_counters gds_intake gds_reply gds_share gds_sync gds_waiting gds_waves)
set(gds_waivers ${rtl}/lds/lds_waivers.vlt ${rtl}/gds/gds_waivers.vlt)
# Ports of the builds (kGdsUnits of ip/gds/gds_rtl.h).
set(gds_parameters -GComputeUnits=4)
set(gds_one_parameters -GComputeUnits=1)
set(gds_sources ${common_waivers} ${gds_waivers} ${gds_packages} ${rtl}/gds/gds.sv)
set(spi_packages ${contracts}/spi/rtl/spi_pkg.sv ${rtl}/spi/spi_unit_pkg.sv)
set(spi_modules
  spi spi_answer spi_axis spi_choose spi_command spi_dispatch spi_first_fit spi_fit spi_front spi_groups spi_items
  spi_launch spi_layout spi_mask spi_order spi_place spi_port spi_queue spi_restore spi_save spi_saved spi_scratch
  spi_seek spi_setup spi_state spi_unit spi_units spi_walker)
set(spi_waivers ${rtl}/spi/spi_waivers.vlt)
# Ports of the builds (kSpiUnits of ip/spi/spi_rtl.h).
set(spi_args -I${rtl}/spi)
set(spi_parameters ${spi_args} -GComputeUnits=4)
set(spi_one_parameters ${spi_args} -GComputeUnits=1)
set(spi_sources ${common_waivers} ${spi_waivers} ${spi_packages} ${rtl}/spi/spi.sv)
set(cache_packages
  ${rtl}/common/fp32_pkg.sv ${rtl}/common/fp16_pkg.sv ${rtl}/common/fp64_pkg.sv ${contracts}/memory/rtl/memory_pkg.sv
  ${rtl}/lds/lds_float_pkg.sv ${rtl}/lds/lds_atomic_pkg.sv ${contracts}/cache/rtl/cache_pkg.sv
  ${rtl}/cache/cache_unit_pkg.sv)
set(cache_modules
  cache cache_atomic cache_below cache_decide cache_down cache_forwards cache_intake cache_lines cache_lookup
  cache_maintenance cache_misses cache_pipe cache_replacement cache_replies cache_responses cache_serve cache_tags
  cache_write_back)
set(cache_waivers ${rtl}/lds/lds_waivers.vlt ${rtl}/cache/cache_waivers.vlt)
set(cache_sources ${common_waivers} ${cache_waivers} ${cache_packages} ${rtl}/cache/cache.sv)
# The builds, one of each role (kCacheBuilds of ip/cache/cache_rtl.h).
set(cache_roles vector_l1 scalar instruction l2)
# Verilator 5.006 rolls the copies of messages that assertions look at into loops without their variable.
set(cache_args -fno-reloop)
set(cache_vector_l1_parameters ${cache_args} -GRole=0 -GUpPorts=2 -GSets=4 -GWays=64 -GHitCycles=113 -GMisses=64)
set(cache_scalar_parameters ${cache_args} -GRole=1 -GUpPorts=4 -GSets=64 -GWays=4 -GHitCycles=15 -GMisses=16)
set(cache_instruction_parameters ${cache_args} -GRole=2 -GUpPorts=4 -GSets=128 -GWays=4 -GHitCycles=7 -GMisses=16)
set(cache_l2_parameters
  ${cache_args} -GRole=3 -GUpPorts=2 -GSets=256 -GWays=16 -GHitCycles=99 -GMisses=64 -GInterleaveBytes=256)
set(memory_packages
  ${rtl}/common/fp32_pkg.sv ${rtl}/common/fp16_pkg.sv ${rtl}/common/fp64_pkg.sv ${contracts}/memory/rtl/memory_pkg.sv
  ${rtl}/lds/lds_float_pkg.sv ${rtl}/lds/lds_atomic_pkg.sv ${rtl}/memory/memory_unit_pkg.sv)
set(memory_modules
  memory memory_access memory_answers memory_banks memory_channel memory_map memory_queue memory_schedule memory_sparse
  memory_store)
set(memory_waivers ${rtl}/lds/lds_waivers.vlt ${rtl}/memory/memory_waivers.vlt)
# The builds (memory_build() of ip/memory/memory_rtl.h) have bytes at every address.
set(memory_args ${cache_args} -I${rtl}/memory)
set(memory_parameters ${memory_args} -GPorts=1 -GLatency=350 -GCyclesPerBlock=3 -GBytes=0)
set(memory_sources ${common_waivers} ${memory_waivers} ${memory_packages} ${rtl}/memory/memory.sv)
set(crossbar_packages
  ${contracts}/memory/rtl/memory_pkg.sv ${contracts}/crossbar/rtl/crossbar_pkg.sv ${rtl}/crossbar/crossbar_unit_pkg.sv)
set(crossbar_modules
  crossbar crossbar_broadcast crossbar_map crossbar_order crossbar_queue crossbar_slice crossbar_source)
# The builds (crossbar_build() of ip/crossbar/crossbar_rtl.h).
set(crossbar_args ${cache_args} -I${rtl}/crossbar)
set(crossbar_parameters
  ${crossbar_args} -GSources=13 -GSlices=4 -GInterleaveBytes=256 -GLatency=16 -GDepth=64)
set(crossbar_one_parameters
  ${crossbar_args} -GSources=4 -GSlices=1 -GInterleaveBytes=256 -GLatency=16 -GDepth=64)
set(crossbar_sources ${common_waivers} ${crossbar_packages} ${rtl}/crossbar/crossbar.sv)
set(verilator_args
  -Wall -O3 -I${rtl}/common -I${rtl}/valu -I${rtl}/matrix_core -I${rtl}/vrf -I${rtl}/simd -I${rtl}/lds -I${rtl}/gds
  -I${rtl}/cache)
# Sources of the cells of rtl/common.
set(cell_packages ${rtl}/common/fp32_pkg.sv ${rtl}/common/fp16_pkg.sv ${rtl}/common/fp_mac_pkg.sv ${rtl}/common/fp64_pkg.sv
  ${rtl}/common/fp64_mac_pkg.sv ${rtl}/common/fused_dot_pkg.sv ${rtl}/common/exact_dot_pkg.sv)
# Builds that look for mistakes.
set(strict_args --assert --x-assign unique --x-initial unique)
