# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For recordings that may hold nothing, by intent or by chance: the exit status says which it is.

# status_agrees CODE FILE: CODE is 123 if FILE contains no events, and 0 if it does.
status_agrees() {
	if [ "$("$FATHOM" report -q --json "$2" 2>/dev/null | head -n 2 | wc -l)" -lt 2 ]; then
		[ "$1" = 123 ]
	else
		[ "$1" = 0 ]
	fi
}
