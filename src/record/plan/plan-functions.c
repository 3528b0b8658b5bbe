/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of a plan. Names and globs are passed to the kernel unchanged, which is fast. The
 * list of all functions, which the kernel takes long to create, is read only for regular
 * expressions, modules, many names, and if the kernel has rejected a name.
 */
#include "record/plan/plan-parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/pattern/match.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/events/function-hint.h"
#include "kernel/events/functions.h"
#include "record/file/kernel-lists.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

/* The kernel looks up one name in a quarter of the time that it takes to create its list. */
#define MANY_NAMES 4

static bool has_function(const struct functions *functions, const char *name)
{
	size_t n;

	return functions_find(functions, name, &n) && n;
}

static bool plan_functions_is_glob(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

struct lists {
	struct plan *plan;
	const struct session_env *env;
	struct session *session; /* NULL: preview only */
	struct plan_buffer *buffer;
	const struct functions *functions; /* NULL until needed */
	struct functions own; /* unless the plan has a list already */
	struct fathom_err *err;
};

static int plan_functions_need(struct lists *lists)
{
	int r;

	if (!lists->functions)
		lists->functions = lists->plan->functions;
	if (lists->functions)
		return 0;
	r = kernel_lists_functions(lists->env, lists->session, &lists->own, lists->err);
	if (r == 0)
		lists->functions = &lists->own;
	return r;
}

/* As in trace-cmd: anchors and characters that globs do not have make a regular expression. */
static bool is_regex(const char *word)
{
	if (word[0] == '^' || (word[0] && word[strlen(word) - 1] == '$'))
		return true;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_*?.[]-:", *word))
			return true;
	return false;
}

/* "FUNCTION:COMMAND" and "FUNCTION:mod:MODULE" are passed to the kernel. */
static bool plan_functions_is_command(const char *word)
{
	return !is_regex(word) && strchr(word, ':');
}

static int plan_functions_unknown(struct lists *lists, const char *word)
{
	const char *root = lists->env->root;
	const char *other;

	if (is_regex(word) || plan_functions_is_glob(word))
		return err_set(lists->err, -ENOENT, "no kernel function matches '%s'", word);
	other = function_hint(lists->functions, word);
	if (function_is_untraceable(root, word))
		return err_set(lists->err, -ENOENT, "kernel function '%s' cannot be traced%s%s%s",
			       word, other ? "; did you mean '" : "", other ? other : "",
			       other ? "'?" : "");
	if (other)
		return err_set(lists->err, -ENOENT, "no kernel function '%s'; did you mean '%s'?",
			       word, other);
	return err_set(lists->err, -ENOENT,
		       "no traceable kernel function '%s'; see 'fathom list -f'", word);
}

/* The functions to write to a file, which must be its contents afterwards. */
struct choice {
	const struct function **list; /* in the kernel's order */
	size_t n;
	bool *taken; /* by index in the kernel's functions */
};

static void plan_functions_choice_done(struct choice *choice)
{
	free(choice->list);
	free(choice->taken);
}

static int compare_lines(const void *a, const void *b)
{
	const struct function *f = *(const struct function *const *)a;
	const struct function *g = *(const struct function *const *)b;

	return (f->line > g->line) - (f->line < g->line);
}

static bool plan_functions_is_of_module(const struct function *f, const char *module)
{
	return !module || (f->module && str_eq(f->module, module));
}

/* Selects function number @i if it is of the module. Returns how many were selected. */
static size_t plan_functions_take(const struct functions *all, size_t i, const char *module,
				  struct choice *choice)
{
	if (!plan_functions_is_of_module(&all->list[i], module))
		return 0;
	choice->taken[i] = true;
	return 1;
}

/* Selects the functions that @word means, *@ret_n of them. */
static int choose_word(struct lists *lists, const char *word, const char *module,
		       struct choice *choice, size_t *ret_n)
{
	const struct functions *all = lists->functions;
	size_t n = 0, same = 0;
	struct match match;
	int r;

	if (!is_regex(word) && !plan_functions_is_glob(word)) {
		const struct function *first = functions_find(all, word, &same);

		for (size_t i = 0; i < same; i++)
			n += plan_functions_take(all, (size_t)(first - all->list) + i, module,
						 choice);
		*ret_n = n;
		return 0;
	}
	r = match_init(&match, word, is_regex(word) ? MATCH_REGEX : MATCH_WHOLE, lists->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < all->n; i++)
		if (match_test(&match, all->list[i].name))
			n += plan_functions_take(all, i, module, choice);
	match_done(&match);
	*ret_n = n;
	return 0;
}

static void note_duplicate(struct lists *lists, const char *word, size_t n)
{
	plan_note(lists->plan, "'%s' is the name of %zu functions; all of them are selected", word,
		  n);
}

static int plan_functions_choose(struct lists *lists, const struct plan_words *words,
				 const char *module, struct choice *choice)
{
	const struct functions *all = lists->functions;
	int r = 0;

	choice->taken = mem_zalloc(all->n ?: 1, sizeof(*choice->taken));
	choice->list = mem_zalloc(all->n ?: 1, sizeof(void *));
	if (!choice->taken || !choice->list)
		return err_nomem(lists->err);
	for (size_t i = 0; i < words->n && r == 0; i++) {
		const char *word = words->list[i];
		size_t n = 1;

		if (plan_functions_is_command(word))
			continue;
		r = choose_word(lists, word, module, choice, &n);
		if (r == 0 && !n)
			r = plan_functions_unknown(lists, word);
		if (n > 1 && !is_regex(word) && !plan_functions_is_glob(word))
			note_duplicate(lists, word, n);
	}
	for (size_t i = 0; i < all->n; i++)
		if (choice->taken[i])
			choice->list[choice->n++] = &all->list[i];
	qsort(choice->list, choice->n, sizeof(void *), compare_lines);
	return r;
}

/* Returns whether the kernel shows the selected functions in this way. */
static bool plan_functions_shows(const char *text, const struct choice *choice)
{
	for (size_t i = 0; i < choice->n; i++) {
		size_t len = strlen(choice->list[i]->name);

		if (strncmp(text, choice->list[i]->name, len) != 0 ||
		    (text[len] && text[len] != ' ' && text[len] != '\n'))
			return false;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return true;
}

static void add_commands(const struct plan_words *words, struct strbuf *value)
{
	for (size_t i = 0; i < words->n; i++)
		if (plan_functions_is_command(words->list[i]))
			strbuf_addf(value, "%s\n", words->list[i]);
}

static int write_list(struct lists *lists, const char *file, const struct strbuf *value)
{
	if (value->err)
		return err_nomem(lists->err);
	return plan_set_somewhere(lists->plan, lists->session, lists->buffer->place, file, KNOB_SET,
				  strbuf_str(value), lists->err);
}

/*
 * Selects functions by their index in the kernel's list, which is fast. If a module was loaded or
 * removed since the list was read, indexes have changed, which is noticed by reading the file.
 */
static int write_lines(struct lists *lists, const char *file, const struct plan_words *words,
		       const struct choice *choice)
{
	_cleanup_strbuf_ struct strbuf value = { 0 }, now = { 0 };
	int r;

	for (size_t i = 0; i < choice->n; i++)
		strbuf_addf(&value, "%u\n", choice->list[i]->line);
	add_commands(words, &value);
	r = write_list(lists, file, &value);
	if (r < 0)
		return r;
	r = file_read(lists->buffer->place->fd, file, &now);
	if (r < 0)
		return err_set_errno(lists->err, r, "cannot read '%s'", file);
	if (!plan_functions_shows(strbuf_str(&now), choice))
		return err_set(lists->err, -EAGAIN,
			       "modules were loaded or removed while functions were selected: "
			       "try again");
	return 0;
}

/* For files that only accept names. */
static int plan_functions_write_names(struct lists *lists, const char *file,
				      const struct plan_words *words, const struct choice *choice)
{
	_cleanup_strbuf_ struct strbuf value = { 0 };
	const struct functions *all = lists->functions;

	for (size_t i = 0; i < all->n; i++)
		if (choice->taken[i] && all->list[i].nth == 1)
			strbuf_addf(&value, "%s\n", all->list[i].name);
	add_commands(words, &value);
	return write_list(lists, file, &value);
}

static void note_later(struct lists *lists, const char *module)
{
	plan_note(lists->plan, "module '%s' is not loaded: its functions are traced once it is",
		  module);
}

/* The kernel remembers filters of modules that are not loaded. */
static int write_for_later(struct lists *lists, const char *file, const struct plan_words *words,
			   const char *module)
{
	_cleanup_strbuf_ struct strbuf value = { 0 };

	for (size_t i = 0; i < words->n; i++)
		strbuf_addf(&value, "%s:mod:%s\n", words->list[i], module);
	note_later(lists, module);
	return write_list(lists, file, &value);
}

static bool has_module(const struct functions *functions, const char *module)
{
	for (size_t i = 0; i < functions->n; i++)
		if (functions->list[i].module && str_eq(functions->list[i].module, module))
			return true;
	return false;
}

/* Selects functions with the kernel's list of all functions. */
static int set_chosen(struct lists *lists, const char *file, const struct plan_words *words,
		      const char *module)
{
	_cleanup_(plan_functions_choice_done) struct choice choice = { 0 };
	int r = plan_functions_need(lists);

	if (r < 0)
		return r;
	if (module && !has_module(lists->functions, module))
		return write_for_later(lists, file, words, module);
	r = plan_functions_choose(lists, words, module, &choice);
	if (r < 0)
		return r;
	if (str_after(file, "set_graph_"))
		return plan_functions_write_names(lists, file, words, &choice);
	return write_lines(lists, file, words, &choice);
}

/* The kernel has rejected one of the words: determines which one, and what it could mean. */
static int diagnose(struct lists *lists, const struct plan_words *words, int code)
{
	if (code != -EINVAL || plan_functions_need(lists) < 0)
		return code;
	for (size_t i = 0; i < words->n; i++) {
		_cleanup_(plan_functions_choice_done) struct choice choice = { 0 };
		const struct plan_words word = { &words->list[i], 1, 1 };

		if (plan_functions_is_command(words->list[i]))
			continue;
		if (plan_functions_choose(lists, &word, NULL, &choice) < 0)
			return lists->err->code;
	}
	return code;
}

/* If several functions have the same name, all of them are traced, which is noted. */
static int note_duplicates(struct lists *lists, const struct plan_words *words, const char *file)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = file_read(lists->buffer->place->fd, file, &text);

	if (r == -ENOMEM)
		return err_nomem(lists->err);
	if (r < 0 || !text.s)
		return 0;
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->list[i];
		size_t len = strlen(word), n = 0;

		for (const char *p = text.s; *p; p += *p == '\n') {
			n += strncmp(p, word, len) == 0 &&
			     (p[len] == '\n' || p[len] == ' ' || !p[len]);
			p += strcspn(p, "\n");
		}
		if (n > 1)
			note_duplicate(lists, word, n);
	}
	return 0;
}

/*
 * Excluding a missing function is not an error: words that match nothing are dropped, with a note.
 * This requires the list of all functions.
 */
static int drop_missing(struct lists *lists, struct plan_words *words)
{
	size_t kept = 0;
	int r = plan_functions_need(lists);

	for (size_t i = 0; i < words->n && r == 0; i++) {
		const char *word = words->list[i];

		if (is_regex(word) || plan_functions_is_glob(word) ||
		    plan_functions_is_command(word) || has_function(lists->functions, word))
			words->list[kept++] = word;
		else
			plan_note(lists->plan,
				  "no kernel function matches '%s': nothing to exclude", word);
	}
	if (r == 0)
		words->n = kept;
	return r;
}

static int check_words(struct lists *lists, const struct plan_words *words)
{
	/* The kernel interprets a word that starts with a digit as an index in its list. */
	for (size_t i = 0; i < words->n; i++)
		if (isdigit((unsigned char)words->list[i][0]))
			return err_set(lists->err, -EINVAL,
				       "invalid function name '%s': starts with a digit",
				       words->list[i]);
	return 0;
}

static bool has_regex(const struct plan_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (is_regex(words->list[i]))
			return true;
	return false;
}

static int set_list(struct lists *lists, const char *file, const struct plan_words *words,
		    const char *module)
{
	_cleanup_strbuf_ struct strbuf value = { 0 };
	int r = check_words(lists, words);

	if (r < 0 || !words->n)
		return r;
	if (module || has_regex(words) || (words->n > MANY_NAMES && !str_after(file, "set_graph_")))
		return set_chosen(lists, file, words, module);
	for (size_t i = 0; i < words->n; i++)
		strbuf_addf(&value, "%s\n", words->list[i]);
	r = write_list(lists, file, &value);
	if (r < 0)
		return diagnose(lists, words, r);
	return note_duplicates(lists, words, file);
}

/* Returns the functions to trace; "--module M" alone means all functions of the module. */
static const struct plan_words *plan_functions_wanted(const struct plan_buffer *buffer)
{
	static const char *list[] = { "*" };
	static const struct plan_words everything = { list, 1, 1 };

	return buffer->module && !buffer->functions.n ? &everything : &buffer->functions;
}

/* Graph filters are global, so those of another user may limit our graph. */
static void note_graph_filters(struct lists *lists)
{
	const struct plan_buffer *buffer = lists->buffer;
	const struct {
		const char *file;
		bool ours;
	} filters[] = {
		{ "set_graph_function", buffer->graph_functions.n },
		{ "set_graph_notrace", buffer->not_functions.n },
		{ "max_graph_depth", lists->plan->has_depth },
	};
	char line[64];

	if (!*buffer->place->instance)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if (!filters[i].ours && !plan_has_file(buffer->place->fd, filters[i].file) &&
		    file_read_line(lists->env->tracefs.fd, filters[i].file, line, sizeof(line)) >
			    0 &&
		    line[0] != '#' && line[0] != '0')
			plan_note(lists->plan,
				  "'%s' is already set (%s) and limits function_graph for all "
				  "users",
				  filters[i].file, line);
}

static bool is_graph(const struct plan_buffer *buffer)
{
	return buffer->tracer && str_eq(buffer->tracer, "function_graph");
}

/*
 * Returns the file that excludes functions or, for function_graph, whole branches, as in trace-cmd.
 */
static const char *without_file(const struct plan_buffer *buffer, const struct session_env *env)
{
	return is_graph(buffer) && plan_has_file(env->tracefs.fd, "set_graph_notrace") ?
		       "set_graph_notrace" :
		       "set_ftrace_notrace";
}

static int check_buffer(const struct plan_buffer *buffer, struct fathom_err *err)
{
	if (buffer->func_stack && !buffer->functions.n)
		return err_set(err, -EINVAL,
			       "--func-stack requires -l: stack traces of all kernel functions "
			       "would stop this machine");
	if (buffer->graph_functions.n && !is_graph(buffer))
		return err_set(err, -EINVAL, "-g requires '-p function_graph'");
	return 0;
}

/* Selects what set_list() would select. */
static int choose_list(struct lists *lists, const struct plan_words *words, const char *module,
		       struct choice *choice)
{
	int r = check_words(lists, words);

	if (r == 0 && words->n)
		r = plan_functions_need(lists);
	if (r < 0 || !words->n)
		return r;
	if (!module || has_module(lists->functions, module))
		return plan_functions_choose(lists, words, module, choice);
	note_later(lists, module);
	return 0;
}

/*
 * Counts the functions that will be traced: the selected ones, or all, except for the excluded
 * ones.
 */
static int count_functions(struct lists *lists, const struct choice *with,
			   const struct choice *without)
{
	struct plan_buffer *buffer = lists->buffer;
	bool all = !plan_functions_wanted(buffer)->n;
	int r = plan_functions_need(lists);

	for (size_t i = 0; r == 0 && i < lists->functions->n; i++)
		buffer->preview.functions += (all || (with->taken && with->taken[i])) &&
					     !(without->taken && without->taken[i]);
	return r;
}

int plan_preview_functions(struct plan *plan, struct plan_buffer *buffer,
			   const struct session_env *env, struct fathom_err *err)
{
	struct fathom_err own = { 0 };
	struct lists lists = { plan, env, NULL, buffer, .err = err ?: &own };
	_cleanup_(plan_functions_choice_done) struct choice with = { 0 }, without = { 0 },
							    graph = { 0 };
	bool of_branches = str_eq(without_file(buffer, env), "set_graph_notrace");
	int r = check_buffer(buffer, err);

	if (r == 0)
		r = choose_list(&lists, plan_functions_wanted(buffer), buffer->module, &with);
	if (r == 0 && buffer->not_functions.n)
		r = drop_missing(&lists, &buffer->not_functions);
	if (r == 0)
		r = choose_list(&lists, &buffer->not_functions, buffer->module, &without);
	if (r == 0)
		r = choose_list(&lists, &buffer->graph_functions, NULL, &graph);
	if (r == 0 && plan_traces_functions(buffer))
		r = count_functions(&lists, &with, of_branches ? &(struct choice){ 0 } : &without);
	functions_done(&lists.own);
	return r;
}

int plan_apply_functions(struct plan *plan, struct plan_buffer *buffer, struct session *session,
			 struct fathom_err *err)
{
	struct fathom_err own = { 0 };
	struct lists lists = { plan, session_env(session), session, buffer, .err = err ?: &own };
	const char *without = without_file(buffer, session_env(session));
	int r = check_buffer(buffer, err);

	if (r < 0)
		return r;
	r = set_list(&lists, "set_ftrace_filter", plan_functions_wanted(buffer), buffer->module);
	if (r == 0)
		r = set_list(&lists, "set_ftrace_notrace", &buffer->untraced, NULL);
	if (r == 0)
		r = set_list(&lists, without, &buffer->not_functions, buffer->module);
	if (r == -ENOENT && buffer->not_functions.n) {
		fathom_err_reset(lists.err);
		r = drop_missing(&lists, &buffer->not_functions);
		if (r == 0)
			r = set_list(&lists, without, &buffer->not_functions, buffer->module);
	}
	if (r == 0)
		r = set_list(&lists, "set_graph_function", &buffer->graph_functions, NULL);
	if (r == 0 && is_graph(buffer))
		note_graph_filters(&lists);
	functions_done(&lists.own);
	return r;
}
