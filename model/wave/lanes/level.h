// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The copies of the lane functions. The files of this folder are compiled once as the reference,
// lane after lane on LaneOp with all modifiers, and once for each level of the host's vector unit,
// as loops over 64 lanes on whole registers (model/wave/CMakeLists.txt defines
// CUVETTE_LANES_LEVEL). Everything a level compiles is in a namespace of its own or in functions
// without a target attribute, so that no copy can stand in for another one.
#ifndef CUVETTE_LANES_LEVEL
#define CUVETTE_LANES_LEVEL 0
#endif

#if CUVETTE_LANES_LEVEL == 0
#define CUVETTE_LEVEL_NAME reference
#define CUVETTE_LEVEL
#elif CUVETTE_LANES_LEVEL == 2
#define CUVETTE_LEVEL_NAME v2
#define CUVETTE_VECTOR_BYTES 16
#elif CUVETTE_LANES_LEVEL == 3
#define CUVETTE_LEVEL_NAME v3
#define CUVETTE_VECTOR_BYTES 32
#else
#define CUVETTE_LEVEL_NAME v4
#define CUVETTE_VECTOR_BYTES 64
#endif

#if CUVETTE_LANES_LEVEL != 0
#include "wave/lanes/host_vector.h"
#endif
