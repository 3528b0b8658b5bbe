/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of a recording besides its events. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/trace-file.h"
#include "render/summary.h"

/* In the line "command: ..." that our recorder has noted. */
char *summary_find_command(const struct fathom_trace *trace)
{
	struct fathom_trace_option option;

	for (size_t i = 0; fathom_trace_option(trace, i, &option) == 0; i++) {
		const char *line = option.id == TRACE_ID_FATHOM_INFO ? option.data : NULL;

		for (; line && *line; line = *line ? strchrnul(line, '\n') : line) {
			const char *value;

			line += *line == '\n';
			value = str_after(line, "command: ");
			if (value)
				return mem_printf("%.*s", (int)strcspn(value, "\n"), value);
		}
	}
	return NULL;
}

/* The third word of uname. */
char *summary_find_kernel(const struct fathom_trace *trace)
{
	const char *p = fathom_trace_info(trace)->uname;

	for (int i = 0; i < 2 && p; i++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p ? mem_printf("%.*s", (int)strcspn(p, " "), p) : NULL;
}
