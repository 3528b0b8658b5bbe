/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/convert/write-progress.h"

#define MEGABYTE 1000000

static void write_progress_show(void *data, uint64_t done, uint64_t total)
{
	struct write_progress *progress = data;

	if (total && progress_due(&progress->line))
		progress_update(&progress->line, "%llu of %llu MB, %u %%",
				(unsigned long long)(done / MEGABYTE),
				(unsigned long long)(total / MEGABYTE),
				(unsigned)(100.0 * (double)done / (double)total));
}

void write_progress_init(struct write_progress *progress, struct trace_dat_options *options,
			 FILE *messages)
{
	progress_init(&progress->line, messages);
	options->progress = write_progress_show;
	options->progress_data = progress;
}

void write_progress_done(struct write_progress *progress)
{
	progress_finish(&progress->line);
}
