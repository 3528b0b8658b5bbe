/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/plan/probe-progress.h"

void probe_progress_init(struct probe_progress *progress, FILE *messages)
{
	*progress = (struct probe_progress){ 0 };
	progress_init(&progress->line, messages);
	progress->last_shown = progress->line.now();
}

void probe_progress_take(void *data, const char *what, size_t done, size_t total)
{
	struct probe_progress *progress = data;
	double seconds;
	uint64_t now;

	if (!progress_due(&progress->line))
		return;
	now = progress->line.now();
	seconds = (double)(now - progress->last_shown) / 1e9;
	/* Other steps have begun. */
	if (progress->what != what || progress->done > done)
		progress->done = 0;
	progress_update(&progress->line, "%s: %zu %% of %zu, %.0f/s", what,
			total ? done * 100 / total : 0, total,
			seconds > 0 ? (double)(done - progress->done) / seconds : 0);
	progress->what = what;
	progress->done = done;
	progress->last_shown = now;
}

void probe_progress_done(struct probe_progress *progress)
{
	progress_finish(&progress->line);
}
