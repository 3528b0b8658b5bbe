/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom list --usdt: list the static markers of a program, with their arguments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "actions/machine/list-markers-parts.h"
#include "actions/machine/list.h"
#include "base/cleanup.h"
#include "base/quote.h"
#include "process/confined-call.h"
#include "render/kit/json-document.h"
#include "render/kit/table.h"
#include "symbols/probe/usdt.h"
#include "symbols/user/program-path.h"
#include "symbols/user/user-program.h"

static const struct table_column columns[] = {
	{ "marker", "MARKER", TABLE_TEXT },
	{ "offset", NULL, TABLE_COUNT },
	{ NULL, "OFFSET", TABLE_TEXT },
	{ "arguments", "ARGUMENTS", TABLE_TEXT },
};

/* "arg1:s32 arg2:u64"; an argument that the kernel cannot read is "arg3:-". */
static void list_markers_put_arguments(const struct usdt_marker *marker, uint16_t machine,
				       struct strbuf *text)
{
	unsigned n = usdt_count_arguments(marker->arguments);

	for (unsigned i = 0; i < n; i++) {
		struct usdt_argument argument;
		const char *why;

		quote_addf(text, "%sarg%u:", i ? " " : "", i + 1);
		if (usdt_find_argument(marker->arguments, machine, i, &argument, &why) == 0)
			strbuf_addf(text, "%c%u", argument.is_signed ? 's' : 'u',
				    argument.size * 8);
		else
			strbuf_addc(text, '-');
	}
}

void marker_search_init(struct marker_search *search)
{
	*search = (struct marker_search){ .table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns) } };
}

void marker_search_done(struct marker_search *search)
{
	table_done(&search->table);
	strbuf_done(&search->names);
}

/* The texts of a marker, each with a NUL. */
static int send_marker(const struct usdt_marker *marker, uint16_t machine)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	quote_addf(&text, "%s:%s", marker->provider, marker->name);
	strbuf_addc(&text, '\0');
	strbuf_addf(&text, "0x%llx", (unsigned long long)marker->offset);
	strbuf_addc(&text, '\0');
	list_markers_put_arguments(marker, machine, &text);
	strbuf_addc(&text, '\0');
	return text.err ? -ENOMEM : confined_send(text.s, text.len);
}

static int list_markers_work(void *data, struct fathom_err *err)
{
	const struct marker_search *search = data;
	_cleanup_(user_program_free_p) struct user_program *program = NULL;
	_cleanup_(arena_done) struct arena arena = { 0 };
	struct usdt_marker *markers = NULL;
	size_t n = 0;
	int r = user_program_open(search->path, &program, err);

	if (r == 0)
		r = usdt_read(&program->elf, &arena, &markers, &n);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = send_marker(&markers[i], program->elf.machine);
		/* A name this long is invalid. */
		r = r == -EMSGSIZE ? 0 : r;
	}
	return r;
}

/* Parses the texts of a marker: its name, offset and arguments. */
#define MARKER_TEXTS 3

/* A row is added only if all of its texts are valid. */
static bool list_markers_is_row(const char *bytes, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += !bytes[i];
	return n == MARKER_TEXTS && !bytes[len - 1];
}

int marker_search_take(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct marker_search *search = data;
	uint64_t offset;
	char *end;

	if (!list_markers_is_row(bytes, len))
		return err_set(err, -EPROTO, "cannot read '%.200s'", search->path);
	if (search->n >= MARKERS_MAX)
		return err_set(err, -E2BIG, "'%.200s' has more than %d markers", search->path,
			       MARKERS_MAX);
	quote_addf(&search->names, "%s\n", bytes);
	table_text(&search->table, bytes);
	bytes += strlen(bytes) + 1;
	offset = strtoull(bytes, &end, 16);
	table_known(&search->table, offset, *bytes && !*end);
	table_text(&search->table, bytes);
	bytes += strlen(bytes) + 1;
	table_text(&search->table, bytes);
	search->n++;
	return 0;
}

static int list_markers_print_json(const struct table *table, const char *path, struct out *out,
				   struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin(&json, &buf, true);
	json_string(&json, "program", path);
	table_json(table, &json, "markers", 0);
	json_document_end(&json, NULL);
	return out_write(out, &buf) < 0 ? err_nomem(err) : 0;
}

int list_markers(const struct list_args *args, struct out *out, struct fathom_err *err)
{
	_cleanup_(marker_search_done) struct marker_search search;
	_cleanup_(arena_done) struct arena arena = { 0 };
	int r;

	marker_search_init(&search);
	r = program_path_find("", 0, args->usdt, &arena, &search.path, err);
	if (r == 0) {
		const struct confined_file file = { search.path, -1 };

		r = confined_call(&(struct confined_call){ .work = list_markers_work,
							   .take = marker_search_take,
							   .data = &search,
							   .subject = search.path,
							   .files = &file,
							   .n_files = 1 },
				  err);
	}
	if (r < 0)
		return r;
	if (search.table.nomem || search.names.err)
		return err_nomem(err);
	if (args->json)
		return list_markers_print_json(&search.table, search.path, out, err);
	if (args->csv)
		return table_print_csv(&search.table, 0, out) < 0 ? err_nomem(err) : 0;
	if (!search.n)
		return err_set(err, -ENOENT, "no markers in '%.200s'", search.path);
	if (args->names)
		return out_write(out, &search.names) < 0 ? err_nomem(err) : 0;
	return table_print(&search.table, 0, out) < 0 ? err_nomem(err) : 0;
}
