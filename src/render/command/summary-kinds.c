/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of time in words, by what was recorded: a kind that is not certain says so. */
#include "render/command/summary.h"

const enum time_kind summary_order[TIME_KINDS] = {
	TIME_USER,    TIME_MAYBE_USER, TIME_KERNEL, TIME_MAYBE_KERNEL,
	TIME_WAITING, TIME_RUNNABLE,   TIME_STOLEN, TIME_UNKNOWN,
};

/* By the set of enum time_doubt. */
static const char *const maybe_user[] = {
	[TIME_DOUBT_FAULTS] = "in the program or in page faults",
	[TIME_DOUBT_SWITCHES] = "in the program or waiting for a CPU",
	[TIME_DOUBT_SWITCHES | TIME_DOUBT_FAULTS] =
		"in the program, in page faults or waiting for a CPU",
	[TIME_DOUBT_SYSCALLS] = "in the program or in other kernel functions",
	[TIME_DOUBT_SYSCALLS | TIME_DOUBT_FAULTS] = "in the program or in the kernel",
	[TIME_DOUBT_SYSCALLS | TIME_DOUBT_SWITCHES] =
		"in the program, in other kernel functions or not running",
	[TIME_DOUBT_SYSCALLS | TIME_DOUBT_SWITCHES | TIME_DOUBT_FAULTS] =
		"in the program, in the kernel or not running",
};

static bool summary_kinds_was_lost(const struct time_account *account)
{
	for (size_t i = 0; i < account->n_cpus; i++)
		if (account->cpus[i].gap)
			return true;
	return false;
}

const char *summary_kind_name(const struct summary *summary, enum time_kind kind)
{
	static const char *const names[TIME_KINDS] = {
		[TIME_USER] = "program",
		[TIME_KERNEL] = "kernel",
		[TIME_WAITING] = "waiting",
		[TIME_RUNNABLE] = "runnable",
		[TIME_STOLEN] = "interrupts",
		[TIME_UNKNOWN] = "unknown",
		[TIME_MAYBE_USER] = "program/other",
		[TIME_MAYBE_KERNEL] = "kernel/asleep",
	};

	if (kind == TIME_MAYBE_USER && time_account_doubts(&summary->account) == TIME_DOUBT_FAULTS)
		return "program/faults";
	return names[kind];
}

const char *summary_kind_text(const struct summary *summary, enum time_kind kind)
{
	const struct time_account *account = &summary->account;

	switch (kind) {
	case TIME_USER:
		return account->has_calls || account->has_faults ?
			       "in the program itself" :
			       "in the program, including page faults";
	case TIME_MAYBE_USER:
		return maybe_user[time_account_doubts(account)] ?:
								  "in the program or in the kernel";
	case TIME_KERNEL:
		return "the kernel worked for it";
	case TIME_MAYBE_KERNEL:
		return "in the kernel, working or asleep";
	case TIME_WAITING:
		return account->has_wakes ? "for something to happen" :
					    "for something to happen, then for a CPU";
	case TIME_RUNNABLE:
		return "waiting for a CPU";
	case TIME_STOLEN:
		return "the kernel served devices and timers";
	default:
		return summary_kinds_was_lost(account) ?
			       "events were lost" :
			       "in the program or in a system call: not recorded";
	}
}
