// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The headers of layer ip are a user's and have to compile as C++17.
#include "ip/bit_field.h"
#include "ip/block_speed.h"
#include "ip/bounded_timing.h"
#include "ip/dut_library.h"
#include "ip/handshake_monitor.h"
#include "ip/matrix_device.h"
#include "ip/matrix_lockstep.h"
#include "ip/matrix_message.h"
#include "ip/matrix_monitor.h"
#include "ip/matrix_recording.h"
#include "ip/matrix_rerun.h"
#include "ip/matrix_rtl.h"
#include "ip/register_matrix.h"
#include "ip/register_valu.h"
#include "ip/valu_device.h"
#include "ip/valu_dut.h"
#include "ip/valu_lockstep.h"
#include "ip/valu_message.h"
#include "ip/valu_monitor.h"
#include "ip/valu_ops.h"
#include "ip/valu_rerun.h"
#include "ip/valu_rtl.h"

static_assert(__cplusplus < 202002L, "this file checks C++17");
