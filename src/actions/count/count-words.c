/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/count/count-words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "actions/input/recording-operand.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/caller.h"
#include "base/files/file.h"
#include "base/files/user.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "count/bpftrace.h"

void count_request_done(struct count_request *request)
{
	recipes_done(&request->recipes);
	arena_done(&request->arena);
}

/* The home directory of the person at the keyboard, also behind sudo. */
static const char *words_home(struct user *caller)
{
	return caller_find(caller) == 1 ? caller->home : getenv("HOME");
}

int count_recipes_read(struct recipes *recipes, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char path[PATH_MAX];
	struct user caller;
	const char *home = words_home(&caller);
	_cleanup_close_ int fd = -1;
	int r = recipes_add(recipes, recipes_default, recipes_default_len, err);

	if (r < 0 || !home || !*home)
		return r;
	if ((size_t)snprintf(path, sizeof(path), "%s/.config/fathom/recipes", home) >= sizeof(path))
		return 0;
	fd = caller_open(path);
	/* After setpriv(1), HOME can be that of another user. */
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -EACCES)
		return 0;
	r = fd < 0 ? fd : file_read_open(fd, &text);
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s'", path);
	r = recipes_add(recipes, strbuf_str(&text), text.len, err);
	return r < 0 ? err_prefix(err, "'%s'", path), r : 0;
}

/* Appends a word of a list of keys; returns whether the list continues with the next word. */
static bool words_add_keys(struct strbuf *keys, const char *word, const char *next)
{
	size_t len = strlen(word);

	strbuf_add(keys, word, len);
	return (len && word[len - 1] == ',') || (next && next[0] == ',');
}

static int words_take_keys(struct count_request *request, const struct action *action, int *at,
			   struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf keys = { 0 };
	bool goes_on = true;

	if (request->words.keys)
		return err_set(err, -EINVAL, "more than one 'by': separate keys with commas");
	while (goes_on && *at < action->argc) {
		const char *next = *at + 1 < action->argc ? action->argv[*at + 1] : NULL;

		goes_on = words_add_keys(&keys, action->argv[(*at)++], next);
	}
	request->words.keys = arena_strdup(&request->arena, strbuf_str(&keys));
	return keys.err || !request->words.keys ? err_nomem(err) : 0;
}

/* "by KEYS" and "key BEGIN=END", in any order. Moves *@at to the first operand after them. */
static int words_take(struct count_request *request, const struct action *action, int *at,
		      struct fathom_err *err)
{
	while (*at < action->argc) {
		const char *word = action->argv[*at];

		if (!str_eq(word, "by") && !str_eq(word, "key"))
			return 0;
		if (++*at == action->argc)
			return err_set(err, -EINVAL, "'%s' requires %s", word,
				       str_eq(word, "by") ?
					       "keys, such as 'by comm,cpu'" :
					       "BEGIN=END, such as 'key pid=next_pid'");
		if (str_eq(word, "key")) {
			request->words.pair = action->argv[(*at)++];
		} else {
			int r = words_take_keys(request, action, at, err);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* The last operand is a recording, or the operands are a command. */
static int words_take_file(struct count_request *request, const struct action *action, int at,
			   const struct count_args *args, struct fathom_err *err)
{
	struct stat st;

	request->command = action->argc;
	request->file = args->input;
	if (at == action->argc)
		return 0;
	if (!args->input && at + 1 == action->argc &&
	    (recording_operand_is(action->argv[at]) ||
	     (stat(action->argv[at], &st) == 0 && S_ISREG(st.st_mode) && !(st.st_mode & 0111)))) {
		request->file = action->argv[at];
		return 0;
	}
	if (args->input)
		return err_set(err, -EINVAL, "unexpected argument '%s'", action->argv[at]);
	request->command = at;
	return 0;
}

static int words_take_options(struct count_request *request, const struct count_args *args,
			      struct fathom_err *err)
{
	struct count_words *words = &request->words;

	if (args->n_aggregators > 1)
		return err_set(err, -EINVAL,
			       "--sum, --min, --max, --avg, --stats and --hist are mutually "
			       "exclusive");
	if (args->by && words->keys)
		return err_set(err, -EINVAL, "'by' and --by are mutually exclusive");
	if (args->pair && words->pair)
		return err_set(err, -EINVAL, "'key' and --key are mutually exclusive");
	if (args->pid > INT32_MAX)
		return err_set(err, -EINVAL, "invalid PID '%lu': expected 1 to %d", args->pid,
			       INT32_MAX);
	words->keys = words->keys ?: args->by;
	words->pair = words->pair ?: args->pair;
	words->filter = args->filter;
	words->is_latency = args->is_latency;
	words->aggregator = args->n_aggregators ? args->aggregator : COUNT_NUMBER;
	words->value = args->n_aggregators ? args->value : NULL;
	words->process = (int32_t)args->pid;
	return 0;
}

int count_request_init(struct count_request *request, const struct action *action,
		       struct fathom_err *err)
{
	const struct count_args *args = action->args;
	int at = args->script ? 0 : 1, r;

	*request = (struct count_request){ .command = action->argc };
	if (!args->script && !action->argc)
		return err_set(err, -EINVAL,
			       "nothing to count: use 'fathom count WHAT', such as 'fathom count "
			       "sched:sched_switch by comm'; 'fathom count --list' lists recipes");
	r = words_take(request, action, &at, err);
	if (r == 0)
		r = words_take_options(request, args, err);
	if (r == 0)
		r = words_take_file(request, action, at, args, err);
	if (r < 0)
		return r;
	if (args->script)
		return 0;
	r = count_recipes_read(&request->recipes, err);
	if (r < 0)
		return r;
	request->words.what = action->argv[0];
	request->recipe = recipes_find(&request->recipes, action->argv[0]);
	return 0;
}

size_t count_request_plans(const struct count_request *request)
{
	return request->recipe ? request->recipe->n_plans : 1;
}

/* Options replace what a recipe says, except for filters, which all apply. */
static int words_of_recipe(struct count_request *request, size_t i, struct count_words *words,
			   struct fathom_err *err)
{
	const struct count_words *options = &request->words;
	const char *filter;
	int r = recipe_words(request->recipe, i, &request->arena, words, err);

	if (r < 0)
		return r;
	filter = words->filter;
	if (filter && options->filter) {
		words->filter =
			arena_printf(&request->arena, "(%s) and (%s)", filter, options->filter);
		if (!words->filter)
			return err_nomem(err);
	} else if (options->filter) {
		words->filter = options->filter;
	}
	words->keys = options->keys ?: words->keys;
	words->pair = options->pair ?: words->pair;
	words->process = options->process;
	if (options->value || options->is_latency) {
		words->aggregator = options->aggregator;
		words->value = options->value;
		words->is_latency = options->is_latency;
	}
	return 0;
}

int count_request_plan(struct count_request *request, size_t i, const struct count_args *args,
		       struct count_plan *plan, struct fathom_err *err)
{
	struct count_words words = request->words;
	int r = 0;

	if (args->script)
		r = bpftrace_words(args->script, &request->arena, &words, err);
	else if (request->recipe)
		r = words_of_recipe(request, i, &words, err);
	if (r < 0)
		return r;
	request->words.what = words.what;
	return count_plan_parse(&words, &request->arena, plan, err);
}
