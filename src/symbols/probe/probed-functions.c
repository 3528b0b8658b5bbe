/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/probe/probed-functions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static int probed_functions_add(struct probed_functions *functions, char *line, const char *file)
{
	char *readable = strchr(line + 1, '\t');

	if (functions->n >= PROBED_FUNCTIONS_MAX)
		return 0;
	if (mem_reserve(&functions->list, &functions->cap, functions->n + 1,
			sizeof(*functions->list)) < 0)
		return -ENOMEM;
	if (readable)
		*readable++ = '\0';
	functions->list[functions->n++] =
		(struct probed_function){ .name = readable && *readable ? readable : line + 1,
					  .file = file,
					  .returns = *line == '+' };
	return 0;
}

int probed_functions_parse(struct probed_functions *functions, const char *text, size_t len)
{
	struct probed_functions made = { .text = mem_zalloc(len + 1, 1) };
	const char *file = "?";
	char *rest = made.text;

	if (!made.text)
		return -ENOMEM;
	memcpy(made.text, text, len);
	/* Names are printed to terminals unmodified. */
	for (char *p = made.text; *p; p++)
		if (iscntrl((unsigned char)*p) && *p != '\n' && *p != '\t')
			*p = '?';
	for (char *line; (line = str_next_line(&rest));) {
		const char *slash = strrchr(line, '/');

		if (*line == 'e' && line[1])
			made.system = line + 1;
		else if (*line == 'f' && line[1])
			file = slash && slash[1] ? slash + 1 : line + 1;
		else if ((*line == '+' || *line == '-') && line[1] &&
			 probed_functions_add(&made, line, file) < 0) {
			probed_functions_done(&made);
			return -ENOMEM;
		}
	}
	*functions = made;
	return 0;
}

void probed_functions_done(struct probed_functions *functions)
{
	free(functions->text);
	free(functions->list);
	*functions = (struct probed_functions){ 0 };
}

const struct probed_function *probed_functions_find(const struct probed_functions *functions,
						    uint64_t address)
{
	return functions && address && address <= functions->n ? &functions->list[address - 1] :
								 NULL;
}
