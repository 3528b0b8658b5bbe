/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the parser of event formats for display; the input is the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/events/events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_field(const struct layout_field *field, size_t size)
{
	/* Type and name come from one declaration, and lack at most the space between them. */
	if (strlen(field->type) + strlen(field->name) > size)
		abort();
	if (strpbrk(field->type, ";\n") || strpbrk(field->name, ";\n"))
		abort();
	if (field->common != (strncmp(field->name, "common_", 7) == 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct event_layout layout;

	if (!text)
		abort();
	if (event_layout_parse(text, &layout) == 0) {
		for (size_t i = 0; i < layout.n_fields; i++)
			check_field(&layout.fields[i], size);
		if (strchr(layout.print_fmt, '\n') || strlen(layout.print_fmt) > size)
			abort();
		event_layout_done(&layout);
	}
	free(text);
	return 0;
}
