/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/input/trace-input.h"

#include "base/err.h"
#include "base/files/plain-file.h"

int trace_input_open(const char *path, struct fathom_err *err)
{
	return plain_file_open(path, err);
}

int trace_input_read(int fd, const char *path, unsigned flags, struct fathom_trace **ret_trace,
		     struct fathom_err *err)
{
	int r = fathom_trace_open_fd(fd, flags, ret_trace, err);

	if (r < 0)
		err_prefix(err, "cannot read '%s'", path);
	return r;
}
