/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The markers of a program, as probes name them, and what each can tell. */
#include "base/quote.h"
#include "cli/list.h"

#include <errno.h>

#include "base/cleanup.h"
#include "render/json.h"
#include "render/table.h"
#include "symbols/program-path.h"
#include "symbols/usdt.h"
#include "symbols/user-program.h"

static const struct table_column columns[] = {
	{ "marker", "MARKER", TABLE_TEXT },
	{ "offset", "OFFSET", TABLE_TEXT },
	{ "arguments", "ARGUMENTS", TABLE_TEXT },
};

/* "arg1:s32 arg2:u64"; one that the kernel cannot get is "arg3:-". */
static void put_arguments(const struct usdt_marker *marker, uint16_t machine, struct strbuf *text)
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

static void fill(struct table *table, const struct usdt_marker *markers, size_t n, uint16_t machine)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf text = { 0 };

		strbuf_addf(&text, "%s:%s", markers[i].provider, markers[i].name);
		table_text(table, strbuf_str(&text));
		strbuf_clear(&text);
		strbuf_addf(&text, "0x%llx", (unsigned long long)markers[i].offset);
		table_text(table, strbuf_str(&text));
		strbuf_clear(&text);
		put_arguments(&markers[i], machine, &text);
		table_text(table, strbuf_str(&text));
		table->nomem |= text.err != 0;
	}
}

static int print_json(const struct table *table, const char *path, struct out *out,
		      struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_init(&json, &buf, true);
	json_begin_object(&json, NULL);
	json_string(&json, "program", path);
	table_json(table, &json, "markers", 0);
	json_end_object(&json);
	json_end_document(&json);
	return out_write(out, &buf) < 0 ? err_nomem(err) : 0;
}

int list_markers(const struct list_args *args, struct out *out, struct fathom_err *err)
{
	_cleanup_(user_program_free_p) struct user_program *program = NULL;
	_cleanup_(table_done) struct table table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns) };
	_cleanup_(arena_done) struct arena arena = { 0 };
	struct usdt_marker *markers = NULL;
	const char *path = NULL;
	size_t n = 0;
	int r = program_path_find("", 0, args->usdt, &arena, &path, err);

	if (r == 0)
		r = user_program_open(path, &program, err);
	if (r == 0 && usdt_read(&program->elf, &arena, &markers, &n) < 0)
		r = err_nomem(err);
	if (r < 0)
		return r;
	fill(&table, markers, n, program->elf.machine);
	if (table.nomem)
		return err_nomem(err);
	if (args->json)
		return print_json(&table, path, out, err);
	if (!n)
		return err_set(err, -ENOENT, "there are no markers in '%.200s'", path);
	if (args->names) {
		for (size_t i = 0; i < n; i++)
			out_printf(out, OUT_PLAIN, "%s:%s\n", markers[i].provider, markers[i].name);
		return 0;
	}
	return table_print(&table, 0, out) < 0 ? err_nomem(err) : 0;
}
