/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/user-names.h"
#include "actions/input/child.h"
#include "actions/why/why-compare.h"
#include "analyze/why/causes.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "render/command/summary.h"
#include "render/kit/printable.h"
#include "render/why/why.h"

#define CALLS_MAX 50000 /* remembered per system call */

/* Reads the rules of the file @path, or these if it is NULL. */
static int read_rules(const char *path, const char *rules, size_t len,
		      struct meanings **ret_meanings, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r;

	if (!path)
		return meanings_parse(rules, len, ret_meanings, err);
	r = file_read(AT_FDCWD, path, &text);
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s'", path);
	r = meanings_parse(strbuf_str(&text), text.len, ret_meanings, err);
	return r < 0 ? err_prefix(err, "'%s'", path), r : 0;
}

int why_read_meanings(const char *path, struct meanings **ret_meanings, struct fathom_err *err)
{
	return read_rules(path, meanings_default, meanings_default_len, ret_meanings, err);
}

static void why_run_take_failure(void *data, const struct decoded_event *decoded)
{
	failures_feed(data, decoded);
}

/* A recording and its failures. */
struct found {
	struct meanings *meanings;
	struct analysis_input input;
	struct user_names names;
	struct failures failures;
	struct why_compare compare;
};

/* The initial value. */
#define FOUND_NONE                                                    \
	{                                                             \
		.names = USER_NAMES_NONE, .compare = WHY_COMPARE_NONE \
	}

static void why_run_found_done(struct found *found)
{
	failures_done(&found->failures);
	analysis_input_done(&found->input);
	user_names_done(&found->names);
	why_compare_done(&found->compare);
	meanings_free(found->meanings);
}

/* Reads all failures of the file; @with_names: resolve addresses in user space. */
static int why_run_find(struct found *found, struct why_args *args, const char *path,
			bool with_names, struct fathom_err *err)
{
	struct analysis_input *input = &found->input;
	struct failures *failures = &found->failures;
	int r = why_read_meanings(args->rules, &found->meanings, err);

	if (r == 0 && args->compared)
		r = why_compare_open(&found->compare, args->compared, args->compared_name, err);
	if (r == 0)
		r = with_names ? user_names_begin(&found->names, input, &args->report, path, err) :
				 analysis_input_begin(input, &args->report, path, err);
	if (r == 0)
		r = why_compare_read(&found->compare, err);
	if (r < 0)
		return r;
	failures->evidences.shared = why_compare_set(&found->compare);
	failures->blame.meanings = found->meanings;
	failures->evidences.meanings = found->meanings;
	failures->of_all = args->of_all;
	failures->blame.funcs.kallsyms = report_kallsyms(input->setup.inputs[0].report);
	failures->evidences.machine = value_machine_of(fathom_trace_info(input->feed.trace)->uname);
	failures->list.files.args.machine = failures->evidences.machine;
	failures->ending = summary_find_ending(input->feed.trace, &failures->command);
	r = feed_run(&input->feed, why_run_take_failure, failures, err);
	if (r < 0)
		return r;
	return failures_finish(failures) < 0 ? err_nomem(err) : 0;
}

static size_t why_run_count_wanted(const struct found *found, const struct why_args *args)
{
	size_t n = 0;

	for (size_t i = 0; i < found->failures.n; i++)
		n += failures_is_wanted(&found->failures, i, &args->choice);
	return n;
}

/* The functions called by one task since its system call began. */
struct called {
	struct called_func {
		uint32_t func;
		int depth;
	} * list;
	size_t n, cap;
	int ignored; /* depth of an irrelevant call in it, such as an interrupt, + 1; 0: none */
};

/* Properties of a function. */
struct learned {
	bool read, ignored, is_irq;
	bool wanted;
	int depth; /* its smallest depth in a relevant call */
};

/* Functions called in system calls that failed like the selected ones. */
struct learning {
	const struct why_args *args;
	const struct failures *failures;
	struct func_table funcs;
	struct u64_map pids;
	const struct meanings *meanings;
	struct called *called;
	size_t n_called, cap_called;
	struct learned *learned; /* by function */
	size_t cap_learned, n_learned;
	bool nomem;
};

static void learning_done(struct learning *learning)
{
	for (size_t i = 0; i < learning->n_called; i++)
		free(learning->called[i].list);
	free(learning->called);
	free(learning->learned);
	u64_map_done(&learning->pids);
	func_table_done(&learning->funcs);
}

static bool why_run_is_chosen(const struct learning *learning, int error, const char *name)
{
	const struct failures *failures = learning->failures;

	for (size_t i = 0; i < failures->n; i++) {
		const struct failure *failure = &failures->found[i];

		if (failure->error == error && failure->name && name &&
		    strcmp(failure->name, name) == 0 &&
		    failures_is_wanted(failures, i, &learning->args->choice))
			return true;
	}
	return false;
}

static struct learned *learned_of(struct learning *learning, uint32_t func)
{
	struct learned *learned;
	const struct func *entry = func == FUNC_NONE ? NULL : &learning->funcs.list[func];

	if (!entry || mem_reserve(&learning->learned, &learning->cap_learned, learning->funcs.n,
				  sizeof(*learning->learned)) < 0) {
		learning->nomem = true;
		return NULL;
	}
	while (learning->n_learned < learning->funcs.n)
		learning->learned[learning->n_learned++] = (struct learned){ 0 };
	learned = &learning->learned[func];
	if (!learned->read) {
		learned->read = true;
		learned->is_irq = entry->flags & (FUNC_IRQ | FUNC_SOFTIRQ);
		learned->ignored =
			learned->is_irq ||
			(entry->name && meanings_is_ignored(learning->meanings, entry->name));
	}
	return learned;
}

static void why_run_want(struct learning *learning, const struct called *called)
{
	for (size_t i = 0; i < called->n; i++) {
		struct learned *learned = learned_of(learning, called->list[i].func);
		int depth = called->list[i].depth;

		if (!learned)
			return;
		if (!learned->wanted || depth < learned->depth)
			learned->depth = depth;
		learned->wanted = true;
	}
}

static void note_call(struct learning *learning, struct called *called,
		      const struct decoded_event *decoded)
{
	uint32_t func = func_table_find(&learning->funcs, decoded->call.func);
	const struct learned *learned = learned_of(learning, func);
	int depth = decoded->call.depth;

	if (!learned || depth < 0)
		return;
	if (depth < called->ignored)
		called->ignored = 0;
	if (called->n == CALLS_MAX || called->ignored)
		return;
	if (learned->ignored)
		called->ignored = depth + 1;
	if (learned->ignored && !learned->is_irq)
		return;
	if (mem_reserve(&called->list, &called->cap, called->n + 1, sizeof(*called->list)) < 0)
		learning->nomem = true;
	else
		called->list[called->n++] = (struct called_func){ func, depth };
}

/* Whether this is the error of a request that matters. */
static bool why_run_is_answer(const struct learning *learning, const struct decoded_event *decoded)
{
	bool is_netlink = decoded->kind == DECODED_NETLINK;
	int error = is_netlink ? decoded->netlink.error : -decoded->uring.result;

	for (size_t i = 0; i < learning->failures->n; i++) {
		const struct failure *failure = &learning->failures->found[i];

		if (failure->error == error && failure->pid == decoded->event->pid &&
		    failure->kind == (is_netlink ? FAILURE_NETLINK : FAILURE_URING) &&
		    failures_is_wanted(learning->failures, i, &learning->args->choice))
			return true;
	}
	return false;
}

static void take_called(void *data, const struct decoded_event *decoded)
{
	struct learning *learning = data;
	struct called *called;
	int64_t result;

	if (decoded->kind != DECODED_CALL && decoded->kind != DECODED_SYSCALL_ENTRY &&
	    decoded->kind != DECODED_SYSCALL_EXIT && decoded->kind != DECODED_NETLINK &&
	    decoded->kind != DECODED_URING_COMPLETE)
		return;
	called = u64_map_element(&learning->pids, (uint32_t)decoded->event->pid, &learning->called,
				 &learning->n_called, &learning->cap_called, sizeof(*called));
	if (!called) {
		learning->nomem = true;
		return;
	}
	if (decoded->kind == DECODED_CALL) {
		note_call(learning, called, decoded);
		return;
	}
	if (decoded->kind == DECODED_NETLINK || decoded->kind == DECODED_URING_COMPLETE) {
		if (why_run_is_answer(learning, decoded))
			why_run_want(learning, called);
		return;
	}
	result = decoded->call_number.result;
	if (decoded->kind == DECODED_SYSCALL_EXIT && result < 0 && result >= -ERROR_LIMIT &&
	    why_run_is_chosen(learning, (int)-result, decoded_syscall_name(decoded)))
		why_run_want(learning, called);
	called->n = 0;
	called->ignored = 0;
}

static const char *sign_of(const struct learning *learning, const struct learned *learned,
			   const char *name)
{
	if (learned->is_irq)
		return WHY_CALLS_ONLY;
	return meanings_is_answer(learning->meanings, name) ? WHY_ANSWERS : "";
}

/* Sends the functions to the parent, the outermost first, as many as can be probed. */
static void why_run_hand_on(const struct learning *learning, struct strbuf *text)
{
	size_t n = 0, left = learning->n_learned;

	for (int depth = 0; left && n < WHY_FUNCTIONS_MAX; depth++) {
		left = 0;
		for (size_t i = 0; i < learning->n_learned && n < WHY_FUNCTIONS_MAX; i++) {
			const struct learned *learned = &learning->learned[i];
			const char *name = learning->funcs.list[i].name;

			if (!learned->wanted || !name || learned->depth < depth ||
			    meanings_is_skipped(learning->meanings, name))
				continue;
			left++;
			if (learned->depth > depth)
				continue;
			n++;
			quote_addf(text, "%s%s\n", sign_of(learning, learned, name), name);
		}
	}
}

static int why_run_learn(struct why_args *args, const char *path, int out, struct fathom_err *err)
{
	_cleanup_(why_run_found_done) struct found found = FOUND_NONE;
	_cleanup_(learning_done) struct learning learning = { .args = args,
							      .failures = &found.failures };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = why_run_find(&found, args, path, false, err);

	if (r < 0)
		return r;
	learning.meanings = found.meanings;
	learning.funcs.kallsyms = found.failures.blame.funcs.kallsyms;
	r = feed_run(&found.input.feed, take_called, &learning, err);
	if (r < 0 || learning.nomem)
		return r < 0 ? r : err_nomem(err);
	quote_addf(&text, "%zu\n", why_run_count_wanted(&found, args));
	why_run_hand_on(&learning, &text);
	if (text.err)
		return err_nomem(err);
	r = printable_write_raw(out, strbuf_str(&text), text.len);
	return r < 0 ? err_set_errno(err, r, "cannot write to pipe") : 0;
}

struct lesson {
	const struct action *action;
	struct why_args *args;
	const char *path;
	int pipe[2];
	struct strbuf *text;
};

static int teach(void *arg)
{
	struct lesson *lesson = arg;
	struct fathom_err err = { 0 };

	close(lesson->pipe[0]);
	if (why_run_learn(lesson->args, lesson->path, lesson->pipe[1], &err) == 0)
		return EXIT_OK;
	return action_failed(lesson->action, &err);
}

static int listen(void *arg, struct fathom_err *err)
{
	struct lesson *lesson = arg;
	char buf[4096];
	ssize_t n;

	close(lesson->pipe[1]);
	lesson->pipe[1] = -1;
	while ((n = read(lesson->pipe[0], buf, sizeof(buf))) != 0) {
		if (n < 0 && errno != EINTR)
			return err_set_errno(err, negative_errno(), "cannot read from pipe");
		if (n > 0)
			strbuf_add(lesson->text, buf, (size_t)n);
	}
	return lesson->text->err ? err_nomem(err) : 0;
}

/*
 * Runs @work in a child process and collects its output from a pipe in @text. Returns its exit
 * status or a negative errno.
 */
static int ask_child(struct lesson *lesson, int (*work)(void *arg), struct fathom_err *err)
{
	int code;

	if (pipe2(lesson->pipe, O_CLOEXEC) < 0)
		return err_set_errno(err, negative_errno(), "cannot create pipe");
	code = child_serve(lesson->action, work, listen, lesson);
	close(lesson->pipe[0]);
	if (lesson->pipe[1] >= 0)
		close(lesson->pipe[1]);
	return code;
}

int why_learn(const struct action *action, struct why_args *args, const char *path,
	      struct strbuf *ret_functions, bool *ret_wanted, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct lesson lesson = { .action = action, .args = args, .path = path, .text = &text };
	const char *names;
	int code;

	code = ask_child(&lesson, teach, err);
	if (code < 0)
		return code;
	names = code == EXIT_OK ? strchr(strbuf_str(&text), '\n') : NULL;
	if (!names)
		return err_set(err, -EIO, "cannot read the recording of the first run");
	*ret_wanted = strtoul(strbuf_str(&text), NULL, 10) > 0;
	strbuf_add(ret_functions, names + 1, strlen(names + 1));
	return ret_functions->err ? err_nomem(err) : 0;
}

/* "Linux HOST RELEASE ...", of the recorded kernel. */
static void get_release(const char *uname, char *release, size_t size)
{
	const char *word = uname;

	for (int i = 0; i < 2 && word; i++) {
		word = strchr(word, ' ');
		word = word ? word + 1 : NULL;
	}
	snprintf(release, size, "%.*s", word ? (int)strcspn(word, " ") : 0, word ?: "");
}

/* Source lines are optional. Returns 0 if they are available, 1 if not, or a negative errno. */
static int open_lines(const struct why_args *args, struct found *found, const char *release,
		      struct kernel_lines *lines, struct fathom_err *err)
{
	int r;

	r = kernel_lines_open(lines, &found->names.symbols, args->vmlinux, release);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0 && args->vmlinux)
		return err_set(err, r, "no kernel debug information in '%s'", args->vmlinux);
	return r < 0;
}

static size_t count_undecided(const struct found *found, const struct why_args *args)
{
	size_t n = 0;

	for (size_t i = 0; i < found->failures.n; i++) {
		const struct failure *failure = &found->failures.found[i];

		n += !failure->n_steps && !failure->signal &&
		     failures_is_wanted(&found->failures, i, &args->choice);
	}
	return n;
}

int why_show(const struct action *action, struct why_args *args, const char *path, struct out *out,
	     struct fathom_err *err)
{
	_cleanup_(why_run_found_done) struct found found = FOUND_NONE;
	_cleanup_(meanings_free_p) struct meanings *causes = NULL;
	struct why_view view = { .failures = &found.failures,
				 .choice = &args->choice,
				 .users = &found.names.symbols,
				 .missed = args->missed,
				 .runs = args->runs,
				 .watched = args->watched,
				 .unwatched = args->unwatched,
				 .asks = args->asks };
	struct kernel_lines lines = { 0 };
	char release[128];
	bool lacks_lines;
	int r = read_rules(args->causes, causes_default, causes_default_len, &causes, err);

	if (r < 0)
		return r;
	r = why_run_find(&found, args, path, true, err);
	if (r < 0)
		return r;
	get_release(fathom_trace_info(found.input.feed.trace)->uname ?: "", release,
		    sizeof(release));
	r = open_lines(args, &found, release, &lines, err);
	if (r < 0)
		return r;
	lacks_lines = r > 0;
	why_compare_report(&found.compare, action);
	view.compared = args->compared ? &found.compare.failures : NULL;
	view.lines = &lines;
	view.meanings = found.meanings;
	view.causes = causes;
	view.raw_times = !report_in_nanoseconds(found.input.setup.inputs[0].report, 0);
	analysis_input_complete(&found.input, out);
	r = args->report.json ? why_print_json(&view, out) : why_print(&view, out);
	if (r < 0)
		return err_nomem(err);
	args->undecided = count_undecided(&found, args);
	user_names_report(&found.names, action);
	if (lacks_lines && why_run_count_wanted(&found, args) && !args->report.quiet &&
	    !args->report.json)
		quote_printf(
			action->messages,
			"fathom why: for source lines, install the debug package of kernel %s or use "
			"--vmlinux FILE\n",
			release);
	return analysis_input_report(&found.input, action);
}

static int show_in_child(void *arg)
{
	struct lesson *lesson = arg;
	struct fathom_err err = { 0 };
	char text[32];
	struct out out;
	int code;

	close(lesson->pipe[0]);
	out_init(&out,
		 lesson->args->report.json ? lesson->action->out->stream : lesson->action->messages,
		 lesson->action->out->asked);
	code = why_show(lesson->action, lesson->args, lesson->path, &out, &err);
	out_finish(&out);
	if (code < 0)
		return action_failed(lesson->action, &err);
	snprintf(text, sizeof(text), "%zu\n", lesson->args->undecided);
	printable_write_raw(lesson->pipe[1], text, strlen(text));
	return code;
}

int why_show_apart(const struct action *action, struct why_args *args, const char *path,
		   size_t *ret_undecided, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct lesson lesson = { .action = action, .args = args, .path = path, .text = &text };
	int code = ask_child(&lesson, show_in_child, err);

	*ret_undecided = strtoul(strbuf_str(&text), NULL, 10);
	return code;
}
