/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/input/trace-input.h"

#include <errno.h>
#include <string.h>

#include "actions/input/reading.h"
#include "base/err.h"
#include "base/files/plain-file.h"

int trace_input_open(const char *path, struct fathom_err *err)
{
	int r = plain_file_open(path, err);

	/* The name that commands use if they are not given one. */
	if (r == -ENOENT && strcmp(path, "trace.dat") == 0)
		return err_set(err, r,
			       "cannot open 'trace.dat': no such file; use 'fathom record' to make "
			       "it, or name another file");
	return r;
}

int trace_input_read(int fd, const char *path, unsigned flags, struct fathom_trace **ret_trace,
		     struct fathom_err *err)
{
	struct fathom_trace *trace;
	int r = fathom_trace_open_fd(fd, flags, &trace, err);

	if (r < 0) {
		err_prefix(err, "cannot read '%s'", path);
		return r;
	}
	if (reading_watch(trace, path) < 0) {
		fathom_trace_free(trace);
		return err_nomem(err);
	}
	*ret_trace = trace;
	return 0;
}
