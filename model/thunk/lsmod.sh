#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# For programs that ask lsmod whether the kernel driver is there: the module whose place the model takes.
echo 'Module                  Size  Used by'
echo 'amdgpu                     0  1'
