/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One probe clause with one aggregation. Everything else of the language is refused by name, so that
 * no script counts something else than it says. In bpftrace, pid is the process and tid the thread.
 */
#include "count/bpftrace.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err-input.h"
#include "base/err.h"
#include "base/str.h"
#include "base/strbuf.h"

struct parser {
	const char *text;
	const char *p;
	struct arena *arena;
	struct fathom_err *err;
	bool has_functions, has_returns;
};

#define bpftrace_fail(parser, where, ...) \
	err_set_at((parser)->err, -EINVAL, (size_t)((where) - (parser)->text), __VA_ARGS__)

static void bpftrace_skip_spaces(struct parser *parser)
{
	for (;;) {
		parser->p += strspn(parser->p, " \t\r\n");
		if (strncmp(parser->p, "//", 2) != 0)
			return;
		parser->p += strcspn(parser->p, "\n");
	}
}

static bool bpftrace_accept(struct parser *parser, char c)
{
	bpftrace_skip_spaces(parser);
	if (*parser->p != c)
		return false;
	parser->p++;
	return true;
}

static int bpftrace_expect(struct parser *parser, char c)
{
	return bpftrace_accept(parser, c) ? 0 :
					    bpftrace_fail(parser, parser->p, "expected '%c'", c);
}

/* Returns the length of an identifier, also with '@' or '$' in front. */
static size_t bpftrace_word(const char *p)
{
	size_t n = *p == '@' || *p == '$';

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

static bool bpftrace_is(const char *p, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(p, word, len) == 0;
}

/* "kprobe:NAME" and others, appended as a source. */
static int bpftrace_probe(struct parser *parser, struct strbuf *what)
{
	const char *start = (bpftrace_skip_spaces(parser), parser->p);
	size_t len = strcspn(start, ", \t\r\n/{");
	const char *name;

	name = arena_strndup(parser->arena, start, len);
	if (!name)
		return err_nomem(parser->err);
	if (what->len)
		strbuf_addc(what, ',');
	if (str_after(name, "tracepoint:") || str_after(name, "t:")) {
		strbuf_adds(what, strchr(name, ':') + 1);
	} else if (str_after(name, "kprobe:") || str_after(name, "k:")) {
		strbuf_addf(what, "k:%s", strchr(name, ':') + 1);
		parser->has_functions = true;
	} else if (str_after(name, "kretprobe:") || str_after(name, "kr:")) {
		strbuf_addf(what, "kr:%s", strchr(name, ':') + 1);
		parser->has_returns = true;
	} else if (str_after(name, "profile:hz:") || str_after(name, "p:hz:")) {
		strbuf_addf(what, "profile:%s", strrchr(name, ':') + 1);
	} else {
		return bpftrace_fail(parser, start,
				     "unsupported probe '%.60s': expected kprobe:, kretprobe:, "
				     "tracepoint: or profile:hz:N",
				     name);
	}
	if (strchr(name, '+'))
		return bpftrace_fail(parser, start + strcspn(start, "+"),
				     "unsupported: probes inside of functions");
	parser->p += len;
	return 0;
}

/* Names of the language and those of plans. */
static const struct {
	const char *theirs, *ours;
} names[] = {
	{ "pid", "tgid" },	{ "tid", "pid" },    { "comm", "comm" },
	{ "cpu", "cpu" },	{ "func", "func" },  { "kstack", "kstack" },
	{ "ustack", "ustack" }, { "retval", "ret" }, { "probe", "event" },
};

static bool bpftrace_ends_name(char c)
{
	return !isalnum((unsigned char)c) && c != '_' && c != '(' && c != '.' && c != '-';
}

/*
 * Takes a name: one of the above, or a field, "args.NAME" or "args->NAME". Stores what the plan
 * calls it, and returns its length.
 */
static int bpftrace_name(struct parser *parser, const char *p, const char *end, struct strbuf *name,
			 size_t *ret_len)
{
	size_t len = bpftrace_word(p), field;
	const char *dot = p + len;

	if (bpftrace_is(p, len, "args") && (*dot == '.' || strncmp(dot, "->", 2) == 0)) {
		dot += *dot == '.' ? 1 : 2;
		field = bpftrace_word(dot);
		if (!field)
			return bpftrace_fail(parser, dot, "expected the name of a field");
		strbuf_add(name, dot, field);
		*ret_len = (size_t)(dot - p) + field;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!bpftrace_is(p, len, names[i].theirs) || !bpftrace_ends_name(*dot))
			continue;
		strbuf_adds(name, names[i].ours);
		*ret_len = len;
		return 0;
	}
	return bpftrace_fail(
		parser, p,
		"unsupported '%.*s': expected args.FIELD, retval, comm, pid, tid, cpu, "
		"probe, func, kstack or ustack",
		(int)(len ? len : end > p), p);
}

/* Translates the names of a condition, up to @end; the rest is as in filters. */
static int bpftrace_condition(struct parser *parser, const char *end, struct strbuf *filter)
{
	const char *p = parser->p;

	while (p < end) {
		size_t len = 1;
		int r = 0;

		if (*p == '"') {
			const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));

			len = close ? (size_t)(close - p) + 1 : (size_t)(end - p);
			strbuf_add(filter, p, len);
		} else if (isdigit((unsigned char)*p)) {
			len = bpftrace_word(p);
			strbuf_add(filter, p, len);
		} else if (bpftrace_word(p)) {
			r = bpftrace_name(parser, p, end, filter, &len);
		} else {
			strbuf_add(filter, p, 1);
		}
		if (r < 0)
			return r;
		p += len;
	}
	parser->p = end;
	return 0;
}

/* "/CONDITION/", which ends at the slash before '{'. */
static int bpftrace_filter(struct parser *parser, const char **ret_filter)
{
	_cleanup_strbuf_ struct strbuf filter = { 0 };
	const char *end = NULL;
	int r;

	for (const char *p = parser->p; *p && !end; p++)
		if (*p == '/' && p[1 + strspn(p + 1, " \t\r\n")] == '{')
			end = p;
	if (!end)
		return bpftrace_fail(parser, parser->p - 1, "unclosed '/': expected /CONDITION/");
	r = bpftrace_condition(parser, end, &filter);
	if (r < 0)
		return r;
	parser->p++;
	*ret_filter = arena_strdup(parser->arena, strbuf_str(&filter));
	return filter.err || !*ret_filter ? err_nomem(parser->err) : 0;
}

/* "[KEY, ...]" */
static int bpftrace_keys(struct parser *parser, const char **ret_keys)
{
	_cleanup_strbuf_ struct strbuf keys = { 0 };

	if (!bpftrace_accept(parser, '['))
		return 0;
	do {
		size_t len = 0;
		bool is_text;
		int r;

		if (keys.len)
			strbuf_addc(&keys, ',');
		bpftrace_skip_spaces(parser);
		/* Texts are read wherever their type says so. */
		is_text = str_after(parser->p, "str(");
		parser->p += is_text ? 4 : 0;
		bpftrace_skip_spaces(parser);
		r = bpftrace_name(parser, parser->p, strchr(parser->p, '\0'), &keys, &len);
		if (r < 0)
			return r;
		parser->p += len;
		r = is_text ? bpftrace_expect(parser, ')') : 0;
		if (r < 0)
			return r;
	} while (bpftrace_accept(parser, ','));
	*ret_keys = arena_strdup(parser->arena, strbuf_str(&keys));
	return keys.err || !*ret_keys ? err_nomem(parser->err) : bpftrace_expect(parser, ']');
}

static const struct {
	const char *name;
	enum count_what what;
} functions[] = {
	{ "count", COUNT_NUMBER }, { "sum", COUNT_SUM }, { "min", COUNT_MIN },
	{ "max", COUNT_MAX },	   { "avg", COUNT_AVG }, { "stats", COUNT_STATS },
	{ "hist", COUNT_HIST },
};

/* "count()", "sum(VALUE)" */
static int bpftrace_aggregator(struct parser *parser, struct count_words *words)
{
	_cleanup_strbuf_ struct strbuf value = { 0 };
	const char *start = (bpftrace_skip_spaces(parser), parser->p);
	size_t len = bpftrace_word(start), i = 0;
	int r;

	while (i < ARRAY_SIZE(functions) && !bpftrace_is(start, len, functions[i].name))
		i++;
	if (i == ARRAY_SIZE(functions))
		return bpftrace_fail(
			parser, start,
			"unsupported '%.*s': expected count(), sum(), min(), max(), avg(), "
			"stats() or hist()",
			(int)(len ? len : 1), start);
	parser->p += len;
	words->aggregator = functions[i].what;
	r = bpftrace_expect(parser, '(');
	if (r == 0 && words->aggregator != COUNT_NUMBER) {
		bpftrace_skip_spaces(parser);
		r = bpftrace_name(parser, parser->p, strchr(parser->p, '\0'), &value, &len);
		if (r == 0)
			parser->p += len;
		words->value = r == 0 ? arena_strdup(parser->arena, strbuf_str(&value)) : NULL;
		if (r == 0 && (value.err || !words->value))
			r = err_nomem(parser->err);
	}
	return r < 0 ? r : bpftrace_expect(parser, ')');
}

static int bpftrace_block(struct parser *parser, struct count_words *words)
{
	int r = bpftrace_expect(parser, '{');
	size_t len;

	if (r < 0)
		return r;
	bpftrace_skip_spaces(parser);
	len = bpftrace_word(parser->p);
	if (*parser->p != '@')
		return bpftrace_fail(parser, parser->p,
				     "unsupported '%.*s': expected '@NAME[KEYS] = count()' or "
				     "another aggregation",
				     (int)(len ? len : 1), parser->p);
	parser->p += len;
	r = bpftrace_keys(parser, &words->keys);
	if (r == 0)
		r = bpftrace_expect(parser, '=');
	if (r == 0)
		r = bpftrace_aggregator(parser, words);
	if (r < 0)
		return r;
	bpftrace_accept(parser, ';');
	if (!bpftrace_accept(parser, '}'))
		return bpftrace_fail(parser, parser->p,
				     "unsupported: more than one aggregation; expected '}'");
	bpftrace_skip_spaces(parser);
	if (*parser->p)
		return bpftrace_fail(parser, parser->p,
				     "unsupported: more than one probe clause; separate the probes "
				     "of one clause with ','");
	return 0;
}

static int bpftrace_take(struct parser *parser, struct count_words *words)
{
	_cleanup_strbuf_ struct strbuf what = { 0 };
	int r;

	do
		r = bpftrace_probe(parser, &what);
	while (r == 0 && bpftrace_accept(parser, ','));
	if (r < 0)
		return r;
	if (parser->has_functions && parser->has_returns)
		return bpftrace_fail(parser, parser->text,
				     "unsupported: kprobe and kretprobe in one clause");
	words->what = arena_strdup(parser->arena, strbuf_str(&what));
	if (what.err || !words->what)
		return err_nomem(parser->err);
	if (bpftrace_accept(parser, '/')) {
		const char *other = words->filter;

		r = bpftrace_filter(parser, &words->filter);
		if (r == 0 && other) {
			words->filter =
				arena_printf(parser->arena, "(%s) and (%s)", words->filter, other);
			r = words->filter ? 0 : err_nomem(parser->err);
		}
	}
	return r < 0 ? r : bpftrace_block(parser, words);
}

int bpftrace_words(const char *script, struct arena *arena, struct count_words *words,
		   struct fathom_err *err)
{
	struct parser parser = { .text = script, .p = script, .arena = arena, .err = err };
	struct count_words found = *words;
	int r = bpftrace_take(&parser, &found);

	if (r == 0)
		*words = found;
	else if (r != -ENOMEM)
		err_show_input(err, script);
	return r;
}
