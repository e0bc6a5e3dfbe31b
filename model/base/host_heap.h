// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cuvette::base {

/// Asks the host for huge pages below the heap of the process, for programs whose state is larger
/// than the host's TLBs reach. Memory that is freed stays with the process afterwards. Called once
/// at the start of main(), before threads. Without effect where the host or its C library has no
/// such thing.
void prefer_huge_pages();

}  // namespace cuvette::base
