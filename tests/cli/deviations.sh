#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Comparing texts but for the deviations that are listed, for tests to source. They set $tmp, call
# add_rule for each deviation, put texts into $tmp/got and $tmp/expected, and ask judge.
# shellcheck shell=sh
# shellcheck disable=SC2154 # $tmp is the caller's
rules=0

# add_rule EVENT EXPRESSION REASON: a sed expression for lines of this event only ("*": all lines).
add_rule() {
	if [ -z "$3" ]; then
		echo "deviations: '$1' has no reason"
		exit 1
	fi
	rules=$((rules + 1))
	case $1 in
	'*') printf '%s\n' "$2" ;;
	*) printf '/: %s: /%s\n' "$1" "$2" ;;
	esac >"$tmp/rule.$rules"
}

# apply EXCEPT FILE: prints the file after applying all rules but one. Rules apply to single lines,
# so one sed can apply them all.
apply() {
	except=$1
	text=$2
	set --
	n=1
	while [ $n -le "$rules" ]; do
		[ $n -eq "$except" ] || set -- "$@" -f "$tmp/rule.$n"
		n=$((n + 1))
	done
	sed -e '' "$@" "$text"
}

# judge FROM: whether both are equal after all rules. Notes the rules from the FROM-th on that made
# a difference.
judge() {
	apply 0 "$tmp/got" >"$tmp/got.0"
	apply 0 "$tmp/expected" >"$tmp/expected.0"
	cmp -s "$tmp/got.0" "$tmp/expected.0" || return 1
	rule=$1
	while [ "$rule" -le "$rules" ]; do
		if [ ! -e "$tmp/needed.$rule" ]; then
			apply "$rule" "$tmp/got" >"$tmp/got.1"
			apply "$rule" "$tmp/expected" >"$tmp/expected.1"
			cmp -s "$tmp/got.1" "$tmp/expected.1" || : >"$tmp/needed.$rule"
		fi
		rule=$((rule + 1))
	done
	return 0
}

# check_needed FROM: complains about unused rules, from the FROM-th on.
check_needed() {
	rule=$1
	while [ "$rule" -le "$rules" ]; do
		[ -e "$tmp/needed.$rule" ] || {
			echo "deviations: nothing needs the rule $(cat "$tmp/rule.$rule")"
			return 1
		}
		rule=$((rule + 1))
	done
}

# unpack FILE: prints a file that may be compressed.
unpack() {
	if [ -e "$1" ]; then
		cat "$1"
	elif [ -e "$1.gz" ]; then
		gzip -dc "$1.gz"
	else
		return 1
	fi
}
