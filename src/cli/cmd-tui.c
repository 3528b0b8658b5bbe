/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom tui: looks around in a trace, in the terminal. */
#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/sandbox.h"
#include "cli/trace-input.h"
#include "cli/tui-serve.h"
#include "tui/app.h"
#include "tui/helper.h"
#include "tui/term.h"

/* A key is answered at least so often while there is work. */
#define SLICE_NS 20000000

struct tui_args {
	bool ascii;
	const char *source;
};

static const struct option_def options[] = {
	OPT_FLAG(0, "ascii", struct tui_args, ascii, "draw with ASCII characters only"),
	OPT_STRING(0, "source", "DIR", struct tui_args, source,
		   "find functions in the source below DIR, which has a file 'tags'"),
	OPT_END,
};

/* Keys are answered first; what is left of the time is for work. */
static int loop(struct app *app, struct cells *cells, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf copied = { 0 };

	while (!app->quit) {
		bool more = app_work(app, clock_ns(CLOCK_MONOTONIC) + SLICE_NS);
		unsigned rows, cols, row, col;
		enum app_mouse what;
		uint32_t key;

		term_size(&rows, &cols);
		if (rows != cells->rows || cols != cells->cols)
			if (cells_resize(cells, rows, cols) < 0)
				return err_nomem(err);
		app_draw(app, cells);
		term_draw(cells);
		key = term_key(more || app->works ? 0 : -1);
		if (key == TUI_KEY_MOUSE && term_mouse(&what, &row, &col))
			app_mouse(app, what, row, col);
		else if (key != TUI_KEY_NONE && key != TUI_KEY_RESIZE && key != TUI_KEY_MOUSE)
			app_key(app, key);
		if (app->copies && app_copy(app, rows, &copied) == 0)
			term_copy(strbuf_str(&copied));
		if (app->tui.edit) {
			term_leave();
			app_edit(app);
			term_return();
		}
	}
	return 0;
}

/* Begins where the trace was left, or at a mark. */
static void resume(struct app *app, struct helper *helper, char mark)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (helper_ask(helper, "load") == 0 && helper_wait(helper, -1, &text) == 0)
		app_state_take(app, strbuf_str(&text));
	app->tui.message[0] = '\0';
	if (mark)
		app_go_to_mark(app, (unsigned char)mark, true);
}

/* A place that has no room for it is no reason to complain. */
static void keep(const struct app *app, struct helper *helper)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_adds(&text, "save ");
	app_state_put(app, &text);
	/* What is being exported comes first; the helper is waited for at the end. */
	if (!text.err && helper_ask(helper, strbuf_str(&text)) == 0 && !app->exports)
		helper_wait(helper, -1, &text);
}

/* "FILE#a": the mark, which is cut off; '\0': there is none, or the file is called like that. */
static char cut_mark(char *path)
{
	size_t len = strlen(path);
	char mark = len > 2 && path[len - 2] == '#' ? path[len - 1] : '\0';

	if (mark < 'a' || mark > 'z' || access(path, F_OK) == 0)
		return '\0';
	path[len - 2] = '\0';
	return mark;
}

/* What one file is read through. */
struct input {
	struct fathom_trace *trace;
	struct report *report;
};

static void input_done(struct input *input)
{
	report_free(input->report);
	fathom_trace_free(input->trace);
}

static int input_read(struct input *input, int fd, const char *path, struct fathom_err *err)
{
	static const struct report_options plain;
	int r = trace_input_read(fd, path, 0, &input->trace, err);

	return r < 0 ? r : report_new(input->trace, &plain, NULL, &input->report, err);
}

/* @other is a second file to compare with; NULL: there is none. */
static int look(const struct tui_args *args, const char *path, char mark, const char *other,
		struct fathom_err *err)
{
	_cleanup_(input_done) struct input first = { 0 }, second = { 0 };
	struct term_options how = { .ascii = args->ascii, .no_color = getenv("NO_COLOR") };
	struct cells cells = { 0 };
	struct app app;
	struct tui_server server = { .source = args->source, .trace = path };
	_cleanup_(helper_done) struct helper helper = HELPER_NONE;
	int r = helper_start(&helper, tui_serve, &server, err);
	_cleanup_close_ int fd = r < 0 ? r : trace_input_open(path, err);
	_cleanup_close_ int other_fd = fd < 0 || !other ? -1 : trace_input_open(other, err);

	r = fd < 0 || !other ? fd : other_fd;
	/* What a terminal can do is read from files, which is not possible later. */
	if (r >= 0)
		r = term_begin(&how, err);
	if (r == 0)
		r = sandbox_enter_terminal(err);
	if (r < 0) {
		term_end();
		return r;
	}
	r = input_read(&first, TAKE_FD(fd), path, err);
	if (r == 0 && other)
		r = input_read(&second, TAKE_FD(other_fd), other, err);
	if (r == 0)
		r = app_init(&app, first.trace, first.report, path, err);
	if (r == 0) {
		app.tui.helper = &helper;
		cells.ascii = term_is_ascii();
		if (other)
			r = app_compare(&app, second.trace, second.report, other, err);
		if (r == 0) {
			resume(&app, &helper, mark);
			if (other && !mark)
				app_turn_to_key(&app, '9');
			r = loop(&app, &cells, err);
			keep(&app, &helper);
		}
		app_done(&app);
	}
	term_end();
	cells_done(&cells);
	return r;
}

static int run(const struct invocation *invocation)
{
	struct fathom_err err = { 0 };
	_cleanup_free_ char *path = NULL;
	char mark;

	if (invocation->argc > 2) {
		err_set(&err, -EINVAL, "one file, or two to compare, please");
		return command_usage_error(invocation->command, &err);
	}
	path = mem_strdup(invocation->argc ? invocation->argv[0] : "trace.dat");
	if (!path) {
		err_nomem(&err);
		return command_failed(invocation->command, &err);
	}
	mark = cut_mark(path);
	return look(invocation->args, path, mark, invocation->argc > 1 ? invocation->argv[1] : NULL,
		    &err) < 0 ?
		       command_failed(invocation->command, &err) :
		       0;
}

const struct command command_tui = {
	.name = "tui",
	.summary = "look around in a trace, in the terminal",
	.description =
		"Shows a trace file in the terminal: the story of a command, what tasks did, a timeline, system "
		"calls, functions, a flame graph and events, from the whole down to one event. '?' tells the keys. "
		"With a second file it also shows what differs between the two.",
	.operands = "[FILE[#MARK] [AFTER]]",
	.options = options,
	.args_size = sizeof(struct tui_args),
	.run = run,
};
