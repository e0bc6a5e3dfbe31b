// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The headers of the SystemC top as a C++17 testbench sees them: it has to compile.
#include "gpu/gpu.h"
#include "gpu/lt_blocks.h"
#include "gpu/lt_gpu.h"
#include "gpu/lt_memory.h"
#include "gpu/registries.h"
