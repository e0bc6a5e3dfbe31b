// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cuvette::thunk {

/// The driver finishes when the process ends: at its regular end behind the destructors of all
/// libraries that use the driver; by a fatal signal that the process does not handle itself, before
/// the signal does its work. Called once, when the driver is made.
void report_at_end();

}  // namespace cuvette::thunk
