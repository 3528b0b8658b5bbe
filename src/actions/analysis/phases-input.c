/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/phases-input.h"

#include <fcntl.h>

#include "base/err.h"
#include "base/files/file.h"

int phases_input_read(const char *path, struct phases **ret_phases, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r;

	if (!path)
		return phases_parse(phases_default, phases_default_len, ret_phases, err);
	r = file_read(AT_FDCWD, path, &text);
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s'", path);
	r = phases_parse(strbuf_str(&text), text.len, ret_phases, err);
	return r < 0 ? err_prefix(err, "'%s'", path), r : 0;
}
