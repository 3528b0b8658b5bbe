/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads available_filter_functions and its variant with addresses. */
#include "kernel/events/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"

/* Entries whose functions are gone: overridden weak functions, freed init code. */
#define INVALID_PREFIX "__ftrace_invalid_address__"

/* Parses "[ADDRESS ]NAME[ [MODULE]][ (more)]". Returns false if the line has no name. */
static bool functions_parse_line(char *line, bool with_addrs, struct function *ret_function)
{
	struct function f = { .same = 1, .nth = 1 };
	char *open, *close;

	if (with_addrs) {
		const char *p = line;

		f.addr = str_hex(&p);
		if (*p != ' ')
			return false;
		line += p - line + 1;
	}
	f.name = line;
	line += strcspn(line, " \t");
	if (line == f.name)
		return false;
	if (*line) {
		*line++ = '\0';
		open = strchr(line, '[');
		close = open ? strchr(open, ']') : NULL;
		if (close && close > open + 1) {
			*close = '\0';
			f.module = open + 1;
		}
	}
	*ret_function = f;
	return true;
}

static int functions_compare_names(const void *a, const void *b)
{
	const struct function *f = a, *g = b;
	int r = strcmp(f->name, g->name);

	return r ? r : (f->order > g->order) - (f->order < g->order);
}

static void number_same_names(struct function *list, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && str_eq(list[end].name, list[i].name); end++)
			;
		for (size_t k = i; k < end; k++) {
			list[k].same = (uint32_t)(end - i);
			list[k].nth = (uint32_t)(k - i + 1);
		}
	}
}

void functions_sort(struct functions *functions)
{
	if (functions->n)
		qsort(functions->list, functions->n, sizeof(*functions->list),
		      functions_compare_names);
	number_same_names(functions->list, functions->n);
}

int functions_parse(char *text, bool with_addrs, struct functions *ret_functions,
		    struct fathom_err *err)
{
	_cleanup_free_ char *owned = text;
	_cleanup_free_ struct function *list = NULL;
	size_t n = 0, cap = 0, hidden = 0;
	uint32_t number = 0;

	for (char *line, *rest = text; (line = str_next_line(&rest));) {
		number++;
		if (mem_reserve(&list, &cap, n + 1, sizeof(*list)) < 0)
			return err_nomem(err);
		if (!functions_parse_line(line, with_addrs, &list[n]))
			continue;
		if (str_after(list[n].name, INVALID_PREFIX)) {
			hidden++;
			continue;
		}
		list[n].order = (uint32_t)n;
		list[n].line = number;
		n++;
	}
	*ret_functions = (struct functions){
		.list = TAKE_PTR(list),
		.n = n,
		.hidden = hidden,
		.has_addrs = with_addrs,
		.text = TAKE_PTR(owned),
	};
	functions_sort(ret_functions);
	return 0;
}

void functions_done(struct functions *functions)
{
	free(functions->list);
	free(functions->text);
	*functions = (struct functions){ 0 };
}

int functions_read(int tracefs, bool want_addrs, struct functions *ret_functions,
		   struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	bool with_addrs = want_addrs;
	int r = -ENOENT;
	char *text;

	if (want_addrs)
		r = file_read(tracefs, "available_filter_functions_addrs", &buf);
	if (r == -ENOENT || r == -EACCES || r == -EPERM) {
		with_addrs = false;
		r = file_read(tracefs, "available_filter_functions", &buf);
	}
	if (r == -ENOENT)
		return err_set(err, r,
			       "unsupported: this kernel cannot trace functions (needs "
			       "CONFIG_DYNAMIC_FTRACE)");
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'available_filter_functions'");
	text = strbuf_take(&buf);
	return text ? functions_parse(text, with_addrs, ret_functions, err) : err_nomem(err);
}

static int functions_compare_name(const void *name, const void *function)
{
	return strcmp(name, ((const struct function *)function)->name);
}

size_t functions_place(const struct functions *functions, const char *name)
{
	return order_place(name, functions->list, functions->n, sizeof(*functions->list),
			   functions_compare_name);
}

struct function *functions_find(const struct functions *functions, const char *name, size_t *ret_n)
{
	size_t lo = functions_place(functions, name), hi;

	if (lo == functions->n || !str_eq(functions->list[lo].name, name)) {
		*ret_n = 0;
		return NULL;
	}
	for (hi = lo + 1; hi < functions->n && str_eq(functions->list[hi].name, name); hi++)
		;
	*ret_n = hi - lo;
	return &functions->list[lo];
}
