/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "render/export/export-calls.h"

/* clang-format off */
const struct export_output *const export_outputs[] = {
	&export_perfetto,
	&export_chrome,
	&export_firefox,
	&export_speedscope,
	&export_ctf,
	&export_folded,
	&export_pprof,
	&export_trace_dat_v6,
	&export_trace_dat,
	NULL,
};
/* clang-format on */

const struct export_output *export_find(const char *name)
{
	for (size_t i = 0; export_outputs[i]; i++)
		if (str_eq(export_outputs[i]->name, name))
			return export_outputs[i];
	return NULL;
}

const struct export_output *export_find_suffix(const char *path)
{
	const struct export_output *found = NULL;
	size_t len = strlen(path), found_len = 0;

	for (size_t i = 0; export_outputs[i]; i++) {
		const char *suffix = export_outputs[i]->suffix;
		size_t suffix_len = strlen(suffix);

		if (len > suffix_len && suffix_len > found_len &&
		    str_eq(path + len - suffix_len, suffix)) {
			found = export_outputs[i];
			found_len = suffix_len;
		}
	}
	return found;
}

int export_prepare(struct export *export, struct fathom_err *err)
{
	const struct export_output *output = export->output;

	export->state = mem_zalloc(1, output->state_size ? output->state_size : 1);
	if (!export->state)
		return err_nomem(err);
	return output->prepare ? output->prepare(export, err) : 0;
}

static int export_take_first(struct export *export, struct fathom_err *err)
{
	int r;

	export->run->writer = export->output->first;
	r = report_run(export->run, export->sink, err);
	report_run_rewind(export->run);
	return r;
}

int export_run(struct export *export, struct fathom_err *err)
{
	const struct export_output *output = export->output;
	int r;

	if (output->calls)
		return export_run_calls(export, err);
	if (output->copy)
		return output->copy(export, export->sink->fd, err);
	r = output->begin(export, err);
	if (r < 0)
		return r;
	export->run->writer_data = export;
	if (output->first)
		r = export_take_first(export, err);
	if (r < 0)
		return r;
	export->run->writer = output->event;
	r = report_run(export->run, export->sink, err);
	if (r == 0)
		r = output->end(export, err);
	if (r < 0)
		return r;
	sink_flush(export->sink);
	return export->sink->err;
}

void export_done(struct export *export)
{
	if (export->state && export->output->done)
		export->output->done(export);
	free(export->state);
	export->state = NULL;
}
