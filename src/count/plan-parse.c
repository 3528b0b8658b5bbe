/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns the words of a command into a plan. Whether a name exists is not known here; whether words
 * can be combined is.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err-input.h"
#include "base/err.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "count/plan.h"
#include "count/source-parse.h"
#include "read/filter.h"

static const char *const aggregators[] = {
	[COUNT_NUMBER] = "count", [COUNT_SUM] = "sum", [COUNT_MIN] = "min",
	[COUNT_MAX] = "max",	  [COUNT_AVG] = "avg", [COUNT_STATS] = "stats",
	[COUNT_HIST] = "hist",
};

static bool plan_has(const struct count_source *list, size_t n, enum count_source_kind kind)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].kind == kind)
			return true;
	return false;
}

static int plan_take_name(const char *name, size_t len, struct arena *arena, const char **ret,
			  struct fathom_err *err)
{
	char *copy = arena_strndup(arena, name, len);

	if (!copy)
		return err_nomem(err);
	*ret = copy;
	return 0;
}

static int plan_take_key(const char *name, size_t len, struct arena *arena, struct count_plan *plan,
			 struct fathom_err *err)
{
	int r;

	if (!len || count_field_length(name) != len)
		return err_set(
			err, -EINVAL,
			"invalid key '%.*s': expected the name of a field or argument, comm, "
			"pid, tgid, cpu, event, func, kstack or ustack",
			(int)(len < 60 ? len : 60), name);
	if (plan->n_keys == COUNT_KEYS_MAX)
		return err_set(err, -EINVAL, "more than %d keys", COUNT_KEYS_MAX);
	r = plan_take_name(name, len, arena, &plan->keys[plan->n_keys], err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->n_keys; i++)
		if (str_eq(plan->keys[i], plan->keys[plan->n_keys]))
			return err_set(err, -EINVAL, "key '%.60s' given twice", plan->keys[i]);
	plan->n_keys++;
	return 0;
}

static int plan_take_keys(const char *text, struct arena *arena, struct count_plan *plan,
			  struct fathom_err *err)
{
	int r = 0;

	while (r == 0 && text) {
		const char *comma = strchr(text, ',');
		size_t len = comma ? (size_t)(comma - text) : strlen(text);
		size_t spaces = strspn(text, " \t\n");

		spaces = spaces < len ? spaces : len;
		text += spaces;
		len -= spaces;
		while (len && isspace((unsigned char)text[len - 1]))
			len--;
		r = plan_take_key(text, len, arena, plan, err);
		text = comma ? comma + 1 : NULL;
	}
	return r;
}

static void plan_pair_list(struct count_source *list, size_t n, const char *pair)
{
	for (size_t i = 0; i < n; i++)
		if (!list[i].pair)
			list[i].pair = pair;
}

/* "BEGIN=END", or one name for both. */
static int plan_take_pair(const char *text, struct arena *arena, struct count_plan *plan,
			  struct fathom_err *err)
{
	size_t begin = count_field_length(text);
	const char *end = text[begin] == '=' ? text + begin + 1 : text;
	size_t end_len = count_field_length(end);
	const char *pairs[2] = { NULL };
	int r;

	if (!begin || !end_len || end[end_len])
		return err_set(err, -EINVAL,
			       "invalid pairing key '%.60s': expected BEGIN=END, such as "
			       "pid=next_pid",
			       text);
	if (!plan->n_begins)
		return err_set(err, -EINVAL,
			       "a pairing key requires BEGINS..ENDS, such as "
			       "sched:sched_wakeup..sched:sched_switch");
	r = plan_take_name(text, begin, arena, &pairs[0], err);
	if (r == 0)
		r = plan_take_name(end, end_len, arena, &pairs[1], err);
	if (r < 0)
		return r;
	plan_pair_list(plan->begins, plan->n_begins, pairs[0]);
	plan_pair_list(plan->sources, plan->n_sources, pairs[1]);
	return 0;
}

/* The begins, followed by the ends. */
static const struct count_source *plan_nth(const struct count_plan *plan, size_t i)
{
	return i < plan->n_begins ? &plan->begins[i] : &plan->sources[i - plan->n_begins];
}

/* Either all begins and ends have a pairing key, or none. */
static int plan_check_pairs(const struct count_plan *plan, struct fathom_err *err)
{
	const struct count_source *with = NULL, *without = NULL;

	for (size_t i = 0; i < plan->n_begins + plan->n_sources; i++) {
		const struct count_source *source =
			i < plan->n_begins ? &plan->begins[i] : &plan->sources[i - plan->n_begins];

		if (source->kind == COUNT_PROFILE)
			return err_set(err, -EINVAL, "'%.60s' can neither begin nor end anything",
				       source->text);
		if (source->pair)
			with = source;
		else
			without = source;
	}
	if (with && without)
		return err_set(err, -EINVAL,
			       "'%.80s' has no pairing key, '%.80s' has: expected EVENT[FIELD] for "
			       "all of them",
			       without->text, with->text);
	return 0;
}

static int plan_take_value(const struct count_words *words, struct arena *arena,
			   struct count_plan *plan, struct fathom_err *err)
{
	const char *value = words->value;

	plan->what = words->aggregator;
	plan->is_latency = words->is_latency || (value && str_eq(value, "latency"));
	if (plan->is_latency) {
		if (value && !str_eq(value, "latency"))
			return err_set(err, -EINVAL,
				       "'%.60s' cannot be combined with the latency: count them "
				       "separately",
				       value);
		if (plan->what == COUNT_NUMBER)
			plan->what = COUNT_HIST;
		return 0;
	}
	if (plan->what == COUNT_NUMBER && value)
		return err_set(err, -EINVAL, "'%.60s' is not used: expected sum, hist, ... of it",
			       value);
	if (plan->what == COUNT_NUMBER)
		return 0;
	if (!value)
		return err_set(err, -EINVAL, "no value: expected %s of a field or argument",
			       aggregators[plan->what]);
	if (count_field_length(value) != strlen(value) || !*value)
		return err_set(err, -EINVAL,
			       "invalid value '%.60s': expected the name of a field or argument",
			       value);
	if (plan_has(plan->sources, plan->n_sources, COUNT_PROFILE))
		return err_set(err, -EINVAL, "profile:HZ has no field '%.60s': it can only count",
			       value);
	return plan_take_name(value, strlen(value), arena, &plan->value, err);
}

/*
 * Returns the length of the next token of a filter: a word, quoted text, a group in parentheses, an
 * operator. @text is not at its end.
 */
static size_t filter_token_length(const char *text)
{
	size_t n = 1;
	int depth = 0;
	char quote = '\0';

	if (isspace((unsigned char)*text))
		return strspn(text, " \t\n\v\f\r");
	if (isalnum((unsigned char)*text) || *text == '_') {
		while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.')
			n++;
		return n;
	}
	if (!strchr("\"'(", *text))
		return strncmp(text, "&&", 2) == 0 || strncmp(text, "||", 2) == 0 ? 2 : 1;
	for (n = 0; text[n]; n++) {
		if (quote && text[n] == '\\' && text[n + 1])
			n++;
		else if (quote)
			quote = text[n] == quote ? '\0' : quote;
		else if (text[n] == '"' || text[n] == '\'')
			quote = text[n];
		else
			depth += (text[n] == '(') - (text[n] == ')');
		if (!quote && depth <= 0)
			return n + 1;
	}
	return n;
}

static bool token_is(const char *token, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(token, word, len) == 0;
}

/* Returns whether @len bytes of a filter refer to what is known only when a function returns. */
static bool filter_is_about_return(const char *text, size_t len)
{
	for (size_t n = 0, step; n < len; n += step) {
		/* Enters parentheses. */
		step = text[n] == '(' ? 1 : filter_token_length(text + n);
		if (token_is(text + n, step, "ret") || token_is(text + n, step, "dur"))
			return true;
	}
	return false;
}

struct halves {
	struct strbuf entry, exit;
};

static void halves_add(struct halves *halves, const char *text, size_t len)
{
	struct strbuf *half = filter_is_about_return(text, len) ? &halves->exit : &halves->entry;

	if (half->len)
		strbuf_adds(half, " and ");
	strbuf_addc(half, '(');
	strbuf_add(half, text, len);
	strbuf_addc(half, ')');
}

/* Distributes the conditions of a filter, which "and" combines, between entry and return. */
static void halves_split(struct halves *halves, const char *text)
{
	const char *start = text;
	size_t step;

	for (const char *p = text; *p; p += step) {
		step = filter_token_length(p);
		if (token_is(p, step, "or") || token_is(p, step, "||")) {
			halves_add(halves, text, strlen(text));
			return;
		}
	}
	for (const char *p = text; *p; p += step) {
		step = filter_token_length(p);
		if (token_is(p, step, "and") || token_is(p, step, "&&")) {
			halves_add(halves, start, (size_t)(p - start));
			start = p + step;
		}
	}
	halves_add(halves, start, strlen(start));
}

static void halves_done(struct halves *halves)
{
	strbuf_done(&halves->entry);
	strbuf_done(&halves->exit);
}

static int plan_set_filter(struct count_source *source, const struct strbuf *text,
			   struct arena *arena, struct fathom_err *err)
{
	int r;

	if (text->err)
		return err_nomem(err);
	source->filter = NULL;
	source->filter_text = NULL;
	if (!text->len)
		return 0;
	r = plan_take_name(text->s, text->len, arena, &source->filter_text, err);
	if (r == 0)
		r = filter_parse(source->filter_text, arena, &source->filter, err);
	if (r < 0 && r != -ENOMEM)
		r = err_set(err, -EINVAL,
			    "a filter of calls cannot have the form EVENTS: CONDITION");
	return r;
}

/* Observes the entry and the return of function @i. */
static int plan_follow_call(struct count_plan *plan, size_t i, struct arena *arena,
			    struct fathom_err *err)
{
	__attribute__((cleanup(halves_done))) struct halves halves = { 0 };
	struct count_source *source = &plan->sources[i], *begin = &plan->begins[i];
	int r;

	*begin = *source;
	begin->is_return = false;
	source->is_return = true;
	if (source->filter_text)
		halves_split(&halves, source->filter_text);
	if (plan->filter_text)
		halves_split(&halves, plan->filter_text);
	r = plan_set_filter(begin, &halves.entry, arena, err);
	return r < 0 ? r : plan_set_filter(source, &halves.exit, arena, err);
}

/* Returns whether counting functions needs their returns. */
static bool plan_needs_returns(const struct count_plan *plan)
{
	if (plan->is_latency || (plan->value && str_eq(plan->value, "ret")))
		return true;
	for (size_t i = 0; i < plan->n_sources; i++)
		if (plan->sources[i].is_return)
			return true;
	for (size_t i = 0; i < plan->n_keys; i++)
		if (str_eq(plan->keys[i], "ret"))
			return true;
	for (size_t i = 0; i < plan->n_sources; i++) {
		const char *text = plan->sources[i].filter_text;

		if (text && filter_is_about_return(text, strlen(text)))
			return true;
	}
	return plan->filter_text &&
	       filter_is_about_return(plan->filter_text, strlen(plan->filter_text));
}

static const char *plan_first_other(const struct count_plan *plan)
{
	for (size_t i = 0; i < plan->n_sources; i++)
		if (plan->sources[i].kind != COUNT_FUNCTION)
			return plan->sources[i].text;
	return NULL;
}

/* A plan without begins. */
static int plan_take_returns(struct count_plan *plan, struct arena *arena, struct fathom_err *err)
{
	const char *other = plan_first_other(plan);
	int r = 0;

	if (other && plan->is_latency)
		return err_set(
			err, -EINVAL,
			"no latency of '%.80s': expected a kernel function, or BEGIN..END, such as "
			"sched:sched_wakeup[pid]..sched:sched_switch[next_pid]",
			other);
	if (!plan_has(plan->sources, plan->n_sources, COUNT_FUNCTION) || !plan_needs_returns(plan))
		return 0;
	if (other)
		return err_set(
			err, -EINVAL,
			"'ret' of functions and '%.80s': count functions and events separately",
			other);
	for (size_t i = 0; i < plan->n_sources; i++)
		if (plan->sources[i].is_return != plan->sources[0].is_return)
			return err_set(err, -EINVAL,
				       "'%.60s' and '%.60s': count entries and returns separately",
				       plan->sources[0].text, plan->sources[i].text);
	for (size_t i = 0; r == 0 && i < plan->n_sources; i++)
		r = plan_follow_call(plan, i, arena, err);
	if (r < 0)
		return r;
	plan->n_begins = plan->n_sources;
	plan->filter = NULL;
	plan->filter_text = NULL;
	return 0;
}

/* A plan with begins. */
static int plan_check_range(const struct count_plan *plan, struct fathom_err *err)
{
	for (size_t i = 0; i < plan->n_begins + plan->n_sources; i++) {
		const struct count_source *source = plan_nth(plan, i);

		if (source->is_return)
			return err_set(err, -EINVAL,
				       "'%.60s' in BEGINS..ENDS: expected events, or functions, of "
				       "which the entries begin and end",
				       source->text);
	}
	if (plan_has(plan->sources, plan->n_sources, COUNT_FUNCTION) && plan->value &&
	    str_eq(plan->value, "ret"))
		return err_set(err, -EINVAL,
			       "no 'ret' in BEGINS..ENDS, which are entries of functions");
	return plan_check_pairs(plan, err);
}

static int plan_take_filter(const char *text, struct arena *arena, struct count_plan *plan,
			    struct fathom_err *err)
{
	int r = plan_take_name(text, strlen(text), arena, &plan->filter_text, err);

	if (r == 0)
		r = filter_parse(text, arena, &plan->filter, err);
	if (r == 0 || r == -ENOMEM)
		return r;
	err_show_input(err, text);
	if (err)
		err->code = -EINVAL;
	return -EINVAL;
}

int count_plan_parse(const struct count_words *words, struct arena *arena, struct count_plan *plan,
		     struct fathom_err *err)
{
	int r;

	*plan = (struct count_plan){ .process = words->process };
	r = count_sources_parse(words->what, arena, plan, err);
	if (r == 0 && words->keys)
		r = plan_take_keys(words->keys, arena, plan, err);
	if (r == 0 && words->pair)
		r = plan_take_pair(words->pair, arena, plan, err);
	if (r == 0)
		r = plan_take_value(words, arena, plan, err);
	if (r == 0 && words->filter)
		r = plan_take_filter(words->filter, arena, plan, err);
	if (r == 0)
		r = plan->n_begins ? plan_check_range(plan, err) :
				     plan_take_returns(plan, arena, err);
	return r;
}
