/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/summary.h"

#include <errno.h>

int summary_init(struct summary *summary, const struct kallsyms *kallsyms,
		 const struct tasks *tasks)
{
	struct calls_options options = { .kallsyms = kallsyms, .tasks = tasks };

	*summary = (struct summary){ .tasks = tasks };
	return calls_new(&options, &summary->calls);
}

void summary_feed(struct summary *summary, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;

	if (!summary->n_events++)
		summary->first = event->time;
	summary->last = event->time;
	switch (happening->kind) {
	case HAPPENING_CALL:
		summary->n_calls++;
		break;
	case HAPPENING_FAULT:
		summary->faults++;
		break;
	case HAPPENING_SIGNAL:
		summary->signals++;
		break;
	case HAPPENING_BLOCK_ISSUE:
		summary->disk_requests++;
		summary->disk_bytes += happening->block.bytes;
		break;
	default:
		break;
	}
	calls_feed(summary->calls, happening);
	syscalls_feed(&summary->syscalls, happening);
	time_account_feed(&summary->account, happening);
	files_feed(&summary->files, happening);
	processes_feed(&summary->processes, happening);
}

int summary_finish(struct summary *summary, const struct phases *phases)
{
	if (calls_finish(summary->calls, &summary->tree) < 0 ||
	    syscalls_finish(&summary->syscalls) < 0 || files_finish(&summary->files) < 0 ||
	    time_account_finish(&summary->account, summary->times) < 0 || summary->processes.nomem)
		return -ENOMEM;
	return breakdown_make(summary->tree, phases, &summary->breakdown);
}

void summary_done(struct summary *summary)
{
	breakdown_done(&summary->breakdown);
	calls_free(summary->calls);
	syscalls_done(&summary->syscalls);
	time_account_done(&summary->account);
	files_done(&summary->files);
	processes_done(&summary->processes);
	*summary = (struct summary){ 0 };
}
