/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and descriptions of the kinds of time, depending on what was recorded. */
#include "render/command/summary.h"

const enum time_kind summary_order[TIME_KINDS] = {
	TIME_USER,    TIME_MAYBE_USER, TIME_KERNEL, TIME_MAYBE_KERNEL,
	TIME_WAITING, TIME_RUNNABLE,   TIME_STOLEN, TIME_UNKNOWN,
};

/* By a set of enum time_doubt flags. */
static const char *const maybe_user[] = {
	[TIME_DOUBT_FAULTS] = "running its own code or in page faults",
	[TIME_DOUBT_SWITCHES] = "running its own code or waiting for a CPU",
	[TIME_DOUBT_SWITCHES | TIME_DOUBT_FAULTS] =
		"running its own code, in page faults or waiting for a CPU",
	[TIME_DOUBT_SYSCALLS] = "running its own code or in other kernel functions",
	[TIME_DOUBT_SYSCALLS | TIME_DOUBT_FAULTS] = "running its own code or in the kernel",
	[TIME_DOUBT_SYSCALLS | TIME_DOUBT_SWITCHES] =
		"running its own code, in other kernel functions or off-CPU",
	[TIME_DOUBT_SYSCALLS | TIME_DOUBT_SWITCHES | TIME_DOUBT_FAULTS] =
		"running its own code, in the kernel or off-CPU",
};

static bool summary_kinds_was_lost(const struct time_account *account)
{
	return account->gaps.n > 0;
}

const char *summary_kind_name(const struct summary *summary, enum time_kind kind)
{
	static const char *const names[TIME_KINDS] = {
		[TIME_USER] = "user",
		[TIME_KERNEL] = "kernel",
		[TIME_WAITING] = "sleeping",
		[TIME_RUNNABLE] = "runnable",
		[TIME_STOLEN] = "interrupts",
		[TIME_UNKNOWN] = "unknown",
		[TIME_MAYBE_USER] = "user/other",
		[TIME_MAYBE_KERNEL] = "kernel/asleep",
	};

	if (kind == TIME_MAYBE_USER && time_account_doubts(&summary->account) == TIME_DOUBT_FAULTS)
		return "user/faults";
	return names[kind];
}

const char *summary_kind_text(const struct summary *summary, enum time_kind kind)
{
	const struct time_account *account = &summary->account;

	switch (kind) {
	case TIME_USER:
		return account->has_calls || account->has_faults ?
			       "running its own code" :
			       "running its own code, including page faults";
	case TIME_MAYBE_USER:
		return maybe_user[time_account_doubts(account)] ?:
			       "running its own code or in the kernel";
	case TIME_KERNEL:
		return "in the kernel, on its behalf";
	case TIME_MAYBE_KERNEL:
		return "in the kernel, running or asleep";
	case TIME_WAITING:
		return account->has_wakes ? "asleep or blocked, until woken" :
					    "asleep or blocked, then waiting for a CPU";
	case TIME_RUNNABLE:
		return "waiting for a CPU";
	case TIME_STOLEN:
		return "interrupts and softirqs";
	default:
		return summary_kinds_was_lost(account) ?
			       "events were lost" :
			       "running its own code or in a system call: not recorded";
	}
}
