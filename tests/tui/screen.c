/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen FILE ROWSxCOLS KEYS
 * [styles|ascii|once|slices=N|state|from=FILE|mark=LETTER|other=FILE|grows=FILE]...: prints the
 * screen of the viewer after these keys, without a terminal. 'once' only starts the work at the
 * beginning and after each key; 'slices' works for this number of shortest slices after the last
 * key. 'state' also prints the saved state, 'from' restores one, and 'mark' goes to a mark first.
 * 'other' is a second file to compare with. With 'grows', FILE contains what has been recorded of
 * that one so far: nothing at first, half of it after "<Grow 50>"; "<Finish>" ends the recording,
 * "<Die>" kills its recorder, and "<Wait>" lets time pass.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/str.h"
#include "grow.h"
#include "read/trace.h"
#include "tui/app/app.h"
#include "tui/helper.h"

/*
 * Answers requests about functions: only iterate_dir is known, and there is no editor.
 */
static int answer(void *data, const char *request, struct strbuf *buf)
{
	if (str_eq(request, "explain iterate_dir")) {
		strbuf_adds(buf,
			    "iterate_dir  in Linux 7.2\n"
			    "  int iterate_dir(struct file *file, struct dir_context *ctx)\n"
			    "\nsource\n  fs/readdir.c:85  (by tags)\n\n"
			    "    85  int iterate_dir(struct file *file, struct dir_context *ctx)\n"
			    "    86  {\n");
		for (unsigned i = 87; i < 120; i++)
			strbuf_addf(buf, "%6u          inode = file_inode(file) + %u;\n", i, i);
		strbuf_adds(buf, "   120  }\n");
		return 0;
	}
	if (str_after(request, "export ")) {
		for (const char *p = request; *p; p++)
			strbuf_addc(buf, *p == '\n' ? ';' : *p);
		return str_after(request, "export bad") ? -ENOENT : 0;
	}
	strbuf_addf(buf, "not known: '%s'", request);
	return str_after(request, "edit ") ? -ENOENT : 0;
}

static void settle(struct app *app)
{
	while (app_work(app, UINT64_MAX))
		;
}

/* A view that learns its size may have more work. */
static void show(struct app *app, struct cells *cells)
{
	do {
		settle(app);
		app_draw(app, cells);
	} while (app->works);
}

/* The screen while there is more to do. */
static void show_slices(struct app *app, struct cells *cells, unsigned n)
{
	app_draw(app, cells);
	while (n-- && app_work(app, 0))
		;
	app_draw(app, cells);
}

/* "<Click 5 10>", "<WheelUp 5 10>", "<WheelDown 5 10>": row and column, from 0. */
static bool mouse(struct app *app, const char **keys)
{
	static const char *const names[] = { [APP_CLICK] = "<Click %u %u>%n",
					     [APP_WHEEL_UP] = "<WheelUp %u %u>%n",
					     [APP_WHEEL_DOWN] = "<WheelDown %u %u>%n" };
	unsigned row, col;
	int len;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		len = 0;
		if (sscanf(*keys, names[i], &row, &col, &len) == 2 && len) {
			*keys += len;
			app_mouse(app, (enum app_mouse)i, row, col);
			return true;
		}
	}
	return false;
}

/* The recorder of the followed file; NULL: none. */
static struct grow *grow;

/*
 * "<Grow 50>", "<Finish>", "<Die>", "<Wait>": actions of the recorder, after which the viewer
 * checks the file, and again much later.
 */
static bool record(struct app *app, const char **keys)
{
	static uint64_t now;
	unsigned part;
	int len = 0;

	if (sscanf(*keys, "<Grow %u>%n", &part, &len) == 1 && len) {
		grow_until(grow, part);
	} else if (str_after(*keys, "<Finish>")) {
		grow_end(grow);
		len = (int)strlen("<Finish>");
	} else if (str_after(*keys, "<Die>")) {
		grow_free(grow);
		grow = NULL;
		len = (int)strlen("<Die>");
	} else if (str_after(*keys, "<Wait>")) {
		len = (int)strlen("<Wait>");
	} else {
		return false;
	}
	*keys += len;
	for (int i = 0; i < 4; i++) {
		settle(app);
		app_live_look(app, now += UINT64_C(1) << 40);
	}
	return true;
}

static int play(struct app *app, struct cells *cells, const char *keys, bool once, unsigned slices)
{
	_cleanup_strbuf_ struct strbuf copied = { 0 };

	app_draw(app, cells);
	if (once)
		show_slices(app, cells, 1);
	else
		show(app, cells);
	while (*keys && !app->quit) {
		uint32_t key;

		if (mouse(app, &keys) || record(app, &keys)) {
			show(app, cells);
			continue;
		}
		key = tui_key_parse(&keys);

		if (key == TUI_KEY_NONE) {
			fprintf(stderr, "screen: no such key at '%s'\n", keys);
			return 2;
		}
		app_key(app, key);
		if (app->tui.edit)
			app_edit(app);
		if (app->copies && app_copy(app, cells->rows, &copied) == 0)
			printf("copied: '%s'\n", strbuf_str(&copied));
		if (once || (slices && !*keys))
			show_slices(app, cells, once ? 1 : slices);
		else
			show(app, cells);
	}
	return 0;
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

int main(int argc, char **argv)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *other_trace = NULL;
	_cleanup_(report_free_p) struct report *other_report = NULL;
	const char *other = NULL, *grows = NULL;
	_cleanup_close_ int fd = -1;
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	static const struct report_options options;
	struct fathom_err err = { 0 };
	struct cells cells = { 0 };
	_cleanup_(helper_done) struct helper helper = HELPER_NONE;
	unsigned rows, cols;
	bool styles = false, once = false, state = false;
	unsigned slices = 0;
	_cleanup_strbuf_ struct strbuf from = { 0 };
	char mark = '\0';
	struct app app;
	int r;

	if (argc < 4 || sscanf(argv[2], "%ux%u", &rows, &cols) != 2)
		return 2;
	setlocale(LC_CTYPE, "C.UTF-8");
	for (int i = 4; i < argc; i++) {
		styles |= str_eq(argv[i], "styles");
		state |= str_eq(argv[i], "state");
		mark = str_after(argv[i], "mark=") ? *str_after(argv[i], "mark=") : mark;
		if (str_after(argv[i], "from="))
			file_read(AT_FDCWD, str_after(argv[i], "from="), &from);
		other = str_after(argv[i], "other=") ?: other;
		grows = str_after(argv[i], "grows=") ?: grows;
		once |= str_eq(argv[i], "once");
		cells.ascii |= str_eq(argv[i], "ascii");
		sscanf(argv[i], "slices=%u", &slices);
	}
	if (grows && grow_new(grows, argv[1], &grow, &err) < 0) {
		fprintf(stderr, "screen: %s\n", err.message);
		return 1;
	}
	fd = grows ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if ((grows ? trace_open_kept_fd(fd, FATHOM_OPEN_NO_MAP, &trace, &err) :
		     fathom_trace_open(argv[1], 0, &trace, &err)) < 0 ||
	    report_new(trace, &options, NULL, &report, &err) < 0 ||
	    app_init(&app, trace, report, name_of(argv[1]), &err) < 0) {
		fprintf(stderr, "screen: %s\n", err.message);
		return 1;
	}
	if (other && (fathom_trace_open(other, 0, &other_trace, &err) < 0 ||
		      report_new(other_trace, &options, NULL, &other_report, &err) < 0 ||
		      app_compare(&app, other_trace, other_report, name_of(other), &err) < 0)) {
		fprintf(stderr, "screen: %s\n", err.message);
		app_done(&app);
		return 1;
	}
	if (helper_start(&helper, answer, NULL, &err) == 0)
		app.tui.helper = &helper;
	app_state_take(&app, strbuf_str(&from));
	if (mark)
		app_go_to_mark(&app, (unsigned char)mark, true);
	if (grows)
		app_live_begin(&app, fd);
	r = cells_resize(&cells, rows, cols) < 0 ? 1 : play(&app, &cells, argv[3], once, slices);
	cells_dump(&cells, styles, &buf);
	if (state)
		app_state_put(&app, &buf);
	fputs(app.quit ? "the end\n" : strbuf_str(&buf), stdout);
	app_done(&app);
	cells_done(&cells);
	grow_free(grow);
	return r;
}
