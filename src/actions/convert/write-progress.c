/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/convert/write-progress.h"

#define MEGABYTE 1e6

static void write_progress_show(struct write_progress *progress, uint64_t done, uint64_t total)
{
	uint64_t now = progress->line.now();
	double seconds = (double)(now - progress->last_shown) / 1e9;

	progress_update(&progress->line, "writing: %u %% of %.0f MB, %.0f MB/s",
			(unsigned)(100.0 * (double)done / (double)total), (double)total / MEGABYTE,
			seconds > 0 ? (double)(done - progress->done) / MEGABYTE / seconds : 0);
	progress->done = done;
	progress->last_shown = now;
}

static void write_progress_take(void *data, uint64_t done, uint64_t total)
{
	struct write_progress *progress = data;

	if (total && progress_due(&progress->line))
		write_progress_show(progress, done, total);
}

void write_progress_init(struct write_progress *progress, struct trace_dat_options *options,
			 FILE *messages)
{
	*progress = (struct write_progress){ 0 };
	progress_init(&progress->line, messages);
	progress->last_shown = progress->line.now();
	options->progress = write_progress_take;
	options->progress_data = progress;
}

void write_progress_done(struct write_progress *progress)
{
	progress_finish(&progress->line);
}
