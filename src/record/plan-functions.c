/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of a plan. Names and globs go to the kernel as they are, which is the fast
 * way; the list of all functions, which takes the kernel long to make, is read only for
 * regular expressions and when the kernel has refused a name.
 */
#include "record/plan-parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/match.h"
#include "base/str.h"
#include "kernel/function-hint.h"
#include "kernel/functions.h"
#include "record/session-env.h"

static bool has_function(const struct functions *functions, const char *name)
{
	size_t n;

	return functions_find(functions, name, &n) && n;
}

/* -ENOENT with a suggestion when @word names no function here, else 0. */
static int check_word(const struct functions *functions, const char *word, struct fathom_err *err)
{
	struct match match;
	const char *other;
	bool found = false;
	int r;

	if (!strpbrk(word, "*?[")) {
		if (has_function(functions, word))
			return 0;
		other = function_hint(functions, word);
		if (other)
			return err_set(err, -ENOENT,
				       "'%s' is not in this kernel; did you mean '%s'?", word,
				       other);
		return err_set(
			err, -ENOENT,
			"'%s' is not a function that this kernel can trace; 'fathom list -f' "
			"shows those it can",
			word);
	}
	r = match_init(&match, word, MATCH_WHOLE, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < functions->n && !found; i++)
		found = match_test(&match, functions->list[i].name);
	match_done(&match);
	if (!found)
		return err_set(err, -ENOENT, "no function of this kernel fits '%s'", word);
	return 0;
}

struct lists {
	struct plan *plan;
	struct session *session;
	struct plan_buffer *buffer;
	struct functions functions; /* when they were needed */
	bool has_functions;
	struct fathom_err *err;
};

static int need_functions(struct lists *lists)
{
	int r;

	if (lists->has_functions)
		return 0;
	r = functions_read(session_env(lists->session)->tracefs.fd, false, &lists->functions,
			   lists->err);
	lists->has_functions = r == 0;
	return r;
}

/* As in trace-cmd: anchors, and what no glob has, make a regular expression. */
static bool is_regex(const char *word)
{
	if (word[0] == '^' || (word[0] && word[strlen(word) - 1] == '$'))
		return true;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_*?.[]-:", *word))
			return true;
	return false;
}

/* The kernel takes the line of a function in its list of all, and finds that fastest. */
static int add_regex(struct lists *lists, const char *word, struct strbuf *value, size_t *n)
{
	struct match match;
	int r = need_functions(lists);

	if (r == 0)
		r = match_init(&match, word, MATCH_REGEX, lists->err);
	if (r < 0)
		return r;
	*n = 0;
	for (size_t i = 0; i < lists->functions.n; i++) {
		const struct function *f = &lists->functions.list[i];

		if (!match_test(&match, f->name))
			continue;
		strbuf_addf(value, "%u\n", f->line);
		(*n)++;
	}
	match_done(&match);
	if (!*n)
		return err_set(lists->err, -ENOENT, "no function of this kernel fits '%s'", word);
	return 0;
}

static int add_words(struct lists *lists, const struct plan_words *words, const char *module,
		     struct strbuf *value)
{
	int r = 0;

	for (size_t i = 0; i < words->n && r == 0; i++) {
		const char *word = words->list[i];
		size_t n;

		if (is_regex(word) && !str_after(word, ":mod:"))
			r = add_regex(lists, word, value, &n);
		else if (module && !strstr(word, ":mod:"))
			strbuf_addf(value, "%s:mod:%s\n", word, module);
		else
			strbuf_addf(value, "%s\n", word);
	}
	if (r == 0 && value->err)
		r = err_nomem(lists->err);
	return r;
}

/* The kernel has refused one of the words: which, and what is meant instead? */
static int diagnose(struct lists *lists, const struct plan_words *words, int code)
{
	struct fathom_err found = { 0 };

	if (code != -EINVAL || need_functions(lists) < 0)
		return code;
	for (size_t i = 0; i < words->n; i++)
		if (!is_regex(words->list[i]) && !strchr(words->list[i], ':') &&
		    check_word(&lists->functions, words->list[i], &found) < 0)
			return err_set(lists->err, found.code, "%s", fathom_err_text(&found));
	return code;
}

/* A plain name can be that of several functions: all of them are traced, which is said. */
static void tell_doubles(struct lists *lists, const struct plan_words *words, const char *file)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (file_read(lists->buffer->place->fd, file, &text) < 0 || !text.s)
		return;
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->list[i];
		size_t len = strlen(word), n = 0;

		for (const char *p = text.s; *p; p += *p == '\n') {
			n += strncmp(p, word, len) == 0 &&
			     (p[len] == '\n' || p[len] == ' ' || !p[len]);
			p += strcspn(p, "\n");
		}
		if (n > 1)
			plan_note(lists->plan,
				  "'%s' is the name of %zu functions here; all of them are taken",
				  word, n);
	}
}

/*
 * Leaving out what is not there is done: words that name no function here are dropped, with
 * a note, which costs reading the list of all functions.
 */
static int drop_missing(struct lists *lists, struct plan_words *words)
{
	size_t kept = 0;
	int r = need_functions(lists);

	for (size_t i = 0; i < words->n && r == 0; i++) {
		const char *word = words->list[i];

		if (is_regex(word) || strchr(word, ':') ||
		    check_word(&lists->functions, word, NULL) == 0)
			words->list[kept++] = word;
		else
			plan_note(lists->plan,
				  "no function of this kernel is '%s'; there is nothing "
				  "to leave out",
				  word);
	}
	if (r == 0)
		words->n = kept;
	return r;
}

static int set_list(struct lists *lists, const char *file, const struct plan_words *words,
		    const char *module)
{
	_cleanup_strbuf_ struct strbuf value = { 0 };
	int r;

	if (!words->n)
		return 0;
	r = add_words(lists, words, module, &value);
	if (r < 0)
		return r;
	r = plan_set_somewhere(lists->plan, lists->session, lists->buffer->place, file, KNOB_SET,
			       strbuf_str(&value), lists->err);
	if (r < 0)
		return diagnose(lists, words, r);
	tell_doubles(lists, words, file);
	return 0;
}

/* "--module M" alone means all functions of the module. */
static int set_module(struct lists *lists)
{
	char word[128];
	const char *list[] = { word };
	const struct plan_words words = { list, 1, 1 };

	if (!lists->buffer->module || lists->buffer->functions.n)
		return 0;
	snprintf(word, sizeof(word), ":mod:%s", lists->buffer->module);
	return set_list(lists, "set_ftrace_filter", &words, NULL);
}

int plan_apply_functions(struct plan *plan, struct plan_buffer *buffer, struct session *session,
			 struct fathom_err *err)
{
	struct fathom_err own = { 0 };
	struct lists lists = { plan, session, buffer, .err = err ?: &own };
	bool graph = buffer->tracer && str_eq(buffer->tracer, "function_graph");
	int r = 0;

	if (buffer->func_stack && !buffer->functions.n)
		return err_set(err, -EINVAL,
			       "a stack for every function of the kernel would stop this machine; "
			       "choose functions with -l");
	if (buffer->graph_functions.n && !graph)
		return err_set(err, -EINVAL,
			       "-g is for the tracer function_graph: add "
			       "'-p function_graph'");
	r = set_list(&lists, "set_ftrace_filter", &buffer->functions, buffer->module);
	if (r == 0)
		r = set_module(&lists);
	if (r == 0)
		r = set_list(&lists, "set_ftrace_notrace", &buffer->not_functions, buffer->module);
	if (r == -ENOENT && buffer->not_functions.n) {
		fathom_err_reset(lists.err);
		r = drop_missing(&lists, &buffer->not_functions);
		if (r == 0)
			r = set_list(&lists, "set_ftrace_notrace", &buffer->not_functions,
				     buffer->module);
	}
	if (r == 0)
		r = set_list(&lists, "set_graph_function", &buffer->graph_functions, NULL);
	functions_done(&lists.functions);
	return r;
}
