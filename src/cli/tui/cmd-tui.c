/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom tui: browse a trace file in the terminal. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "actions/input/trace-input.h"
#include "actions/report/live-file.h"
#include "actions/viewer/viewer-serve.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "process/sandbox.h"
#include "read/trace.h"
#include "tui/app/app.h"
#include "tui/app/term.h"
#include "tui/helper.h"

/* While there is work, keys are handled at least this often. */
#define SLICE_NS 20000000
/* Marks are saved immediately, without waiting for a slow disk. */
#define KEEP_MS 30

struct tui_args {
	bool ascii, live;
	const char *source;
};

static const struct option_def options[] = {
	OPT_FLAG(0, "ascii", struct tui_args, ascii, "draw with ASCII characters only"),
	OPT_FLAG(0, "live", struct tui_args, live,
		 "follow a recording that is still running (default FILE: the current one)"),
	OPT_STRING(0, "source", "DIR", struct tui_args, source,
		   "show source code from DIR, which contains a file 'tags'"),
	OPT_END,
};

/* Saves the state, best effort. Waits up to @timeout_ms, or without limit if it is -1. */
static void cmd_tui_keep(struct app *app, struct helper *helper, int timeout_ms)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	app->marked = false;
	strbuf_adds(&text, "save ");
	app_state_put(app, &text);
	/* A running export comes first; cmd_tui_look() waits for the helper at the end. */
	if (!text.err && helper_ask(helper, strbuf_str(&text)) == 0 && !app->exports)
		helper_wait(helper, timeout_ms, &text);
}

/* Handles keys first, and works in the remaining time. */
static int cmd_tui_loop(struct app *app, struct cells *cells, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf copied = { 0 };

	while (!app->quit && !term_ends_by()) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		bool more = app_work(app, now + SLICE_NS);
		unsigned rows, cols, row, col;
		enum app_mouse what;
		uint32_t key;

		app_live_look(app, now);
		term_size(&rows, &cols);
		if (rows != cells->rows || cols != cells->cols)
			if (cells_resize(cells, rows, cols) < 0)
				return err_nomem(err);
		app_draw(app, cells);
		term_draw(cells);
		key = term_key(more || app->works ? 0 : app_live_wait(app, now));
		if (key == TUI_KEY_MOUSE && term_mouse(&what, &row, &col))
			app_mouse(app, what, row, col);
		else if (key != TUI_KEY_NONE && key != TUI_KEY_RESIZE && key != TUI_KEY_MOUSE)
			app_key(app, key);
		/* Work in progress may also be using the helper. */
		if (app->marked && !app->works && !app->exports)
			cmd_tui_keep(app, app->tui.helper, KEEP_MS);
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

/* Restores the state of the last session, or starts at a mark. */
static void cmd_tui_resume(struct app *app, struct helper *helper, char mark)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (helper_ask(helper, "load") == 0 && helper_wait(helper, -1, &text) == 0)
		app_state_take(app, strbuf_str(&text));
	app->tui.message[0] = '\0';
	if (mark)
		app_go_to_mark(app, (unsigned char)mark, true);
}

/* Removes the mark from "FILE#a" and returns it, or NUL if there is none or a file has that name. */
static char cut_mark(char *path)
{
	size_t len = strlen(path);
	char mark = len > 2 && path[len - 2] == '#' ? path[len - 1] : '\0';

	if (mark < 'a' || mark > 'z' || access(path, F_OK) == 0)
		return '\0';
	path[len - 2] = '\0';
	return mark;
}

/* The reader of one file. */
struct input {
	struct fathom_trace *trace;
	struct report *report;
};

static void input_done(struct input *input)
{
	report_free(input->report);
	fathom_trace_free(input->trace);
}

/* With @live, the file is still being recorded, and the caller keeps @fd. */
static int input_read(struct input *input, int fd, const char *path, bool live,
		      struct fathom_err *err)
{
	static const struct report_options plain;
	int r = live ? trace_open_kept_fd(fd, FATHOM_OPEN_NO_MAP, &input->trace, err) :
		       trace_input_read(fd, path, 0, &input->trace, err);

	if (r < 0 && live)
		err_prefix(err, "cannot read '%s'", path);
	return r < 0 ? r : report_new(input->trace, &plain, NULL, &input->report, err);
}

/* After the state is saved: dies by the signal that ended the viewer, if any. */
static void end_by_signal(struct helper *helper)
{
	int number = term_ends_by();

	if (!number)
		return;
	helper_done(helper);
	signal(number, SIG_DFL);
	raise(number);
}

/* @other: a second file to compare with, or NULL. */
static int cmd_tui_look(const struct tui_args *args, const char *path, char mark, const char *other,
			struct fathom_err *err)
{
	_cleanup_(input_done) struct input first = { 0 }, second = { 0 };
	struct term_options how = { .ascii = args->ascii, .no_color = getenv("NO_COLOR") };
	struct cells cells = { 0 };
	struct app app;
	struct viewer_server server = { .source = args->source, .trace = path };
	_cleanup_(helper_done) struct helper helper = HELPER_NONE;
	int r = helper_start(&helper, viewer_serve, &server, err);
	_cleanup_close_ int fd = r < 0 ? r : trace_input_open(path, err);
	_cleanup_close_ int other_fd = fd < 0 || !other ? -1 : trace_input_open(other, err);

	r = fd < 0 || !other ? fd : other_fd;
	/* Terminal capabilities are read from files, which the sandbox forbids. */
	if (r >= 0)
		r = term_begin(&how, err);
	if (r == 0)
		r = sandbox_enter_terminal(err);
	if (r < 0) {
		term_end();
		return r;
	}
	r = input_read(&first, args->live ? fd : TAKE_FD(fd), path, args->live, err);
	if (r == 0 && other)
		r = input_read(&second, TAKE_FD(other_fd), other, false, err);
	if (r == 0)
		r = app_init(&app, first.trace, first.report, path, err);
	if (r == 0) {
		app.tui.helper = &helper;
		cells.ascii = term_is_ascii();
		if (other)
			r = app_compare(&app, second.trace, second.report, other, err);
		if (r == 0) {
			cmd_tui_resume(&app, &helper, mark);
			if (args->live)
				app_live_begin(&app, fd);
			if (other && !mark)
				app_turn_to_key(&app, '9');
			r = cmd_tui_loop(&app, &cells, err);
			cmd_tui_keep(&app, &helper, -1);
		}
		app_done(&app);
	}
	term_end();
	cells_done(&cells);
	end_by_signal(&helper);
	return r;
}

/* To be freed. */
static int choose_file(const struct action *action, char **ret_path, struct fathom_err *err)
{
	const struct tui_args *args = action->args;

	if (!action->argc && args->live)
		return live_file_find(ret_path, err);
	*ret_path = mem_strdup(action->argc ? action->argv[0] : "trace.dat");
	return *ret_path ? 0 : err_nomem(err);
}

static int cmd_tui_run(const struct action *action)
{
	const struct tui_args *args = action->args;
	struct fathom_err err = { 0 };
	_cleanup_free_ char *path = NULL;
	char mark;

	if (action->argc > 2 || (action->argc > 1 && args->live)) {
		err_set(&err, -EINVAL,
			args->live ? "--live requires a single file" :
				     "too many arguments: expected one or two files");
		return action_usage_error(action, &err);
	}
	if (choose_file(action, &path, &err) < 0)
		return action_failed(action, &err);
	mark = cut_mark(path);
	return cmd_tui_look(args, path, mark, action->argc > 1 ? action->argv[1] : NULL, &err) < 0 ?
		       action_failed(action, &err) :
		       0;
}

const struct command command_tui = {
	.name = "tui",
	.summary = "browse a trace file in the terminal",
	.description =
		"Shows a trace file in the terminal: summary, replay, timeline, system calls, functions, flame "
		"graph and events. '?' lists the keys. With a second file, AFTER, shows the differences "
		"between the two. With --live, follows a recording that is still running.",
	.operands = "[FILE[#MARK] [AFTER]]",
	.options = options,
	.args_size = sizeof(struct tui_args),
	.run = cmd_tui_run,
};
