// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every public header of the layer, compiled as C++17 (the rest of the project is C++20).
#include "hsa/address_space.h"
#include "hsa/allocator.h"
#include "hsa/atomic.h"
#include "hsa/backing.h"
#include "hsa/code_container.h"
#include "hsa/code_object.h"
#include "hsa/dispatch.h"
#include "hsa/elf.h"
#include "hsa/kernarg.h"
#include "hsa/kernel_code.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/kernel_info.h"
#include "hsa/launch_limits.h"
#include "hsa/memory.h"
#include "hsa/metadata.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/relocation.h"
#include "hsa/signal.h"
#include "hsa/target.h"

static_assert(__cplusplus < 202002L, "this file is compiled as C++17");
