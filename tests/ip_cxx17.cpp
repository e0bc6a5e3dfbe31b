// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The headers of layer ip are a user's and have to compile as C++17.
#include "ip/register_valu.h"
#include "ip/valu_bench.h"
#include "ip/valu_device.h"
#include "ip/valu_lockstep.h"
#include "ip/valu_ops.h"
#include "ip/valu_rtl.h"

static_assert(__cplusplus < 202002L, "this file checks C++17");
