# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests that wait for something: a condition, never a length of time.

# await SECONDS COMMAND...: repeats the command until it succeeds; fails if that takes longer. The
# limit is for what never comes: make it generous, a guest on a busy machine is slow.
await() {
	read -r await_now _ </proc/uptime
	await_end=$((${await_now%.*} + $1))
	shift
	until "$@"; do
		read -r await_now _ </proc/uptime
		[ "${await_now%.*}" -lt "$await_end" ] || return 1
		sleep 0.05
	done
}
