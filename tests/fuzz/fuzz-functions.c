/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the kernel's list of functions, and finding their addresses. Input: one byte (bit 0: the
 * list has addresses), the list, a NUL, the text of kallsyms.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/events/functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_list(const struct functions *functions)
{
	for (size_t i = 0; i < functions->n; i++) {
		const struct function *f = &functions->list[i], *found;
		size_t n;

		check(f->name[0] && (!f->module || f->module[0]) && f->order < functions->n);
		check(i == 0 || strcmp(f[-1].name, f->name) <= 0);
		found = functions_find(functions, f->name, &n);
		check(found && found <= f && f < found + n);
		if (!f->dropped)
			check(f->nth >= 1 && f->nth <= f->same && f->same <= n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct functions functions;
	char *list, *kallsyms;
	size_t len;
	int r;

	if (size < 1)
		return 0;
	len = strnlen((const char *)data + 1, size - 1);
	list = strndup((const char *)data + 1, len);
	len += len + 1 < size;
	kallsyms = strndup((const char *)data + 1 + len, size - 1 - len);
	check(list && kallsyms);
	if (functions_parse(list, data[0] & 1, &functions, NULL) == 0) {
		check_list(&functions);
		r = functions_locate(&functions, kallsyms);
		check(r >= FUNCTIONS_LOCATED && r <= FUNCTIONS_ADDRS_HIDDEN);
		check_list(&functions);
		functions_done(&functions);
	}
	free(kallsyms);
	return 0;
}
