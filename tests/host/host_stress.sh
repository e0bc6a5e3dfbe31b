#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# host_stress.sh STRESS CUVETTE FOLDER OPTIONS...: the stress program with a host-event log, then the
# log again: the same answers, interrupts, cycles and memory.
set -eu
stress=$1
cuvette=$2
folder=$3
shift 3
mkdir -p "$folder"
log=$folder/host$$.log
trap 'rm -f "$log"' EXIT
"$stress" "$@" --log "$log"
"$cuvette" run --replay-host "$log"
