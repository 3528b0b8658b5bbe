/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/why/meanings.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/errno-name.h"
#include "base/pattern/match.h"
#include "base/mem.h"
#include "base/str.h"

#define TEXT_MAX   ((size_t)1 << 20)
#define ERRORS_MAX 8 /* per line */
#define ANY_ERRORS UINT_MAX /* one or more */

enum kind {
	RULE_CHECK,
	RULE_SKIP,
	RULE_IGNORE,
	RULE_QUESTION,
	RULE_PASSES,
	RULE_WATCH,
	RULE_ARM,
	RULE_SILENT,
	RULE_THROUGH,
	RULE_SWAPS,
	RULE_ZERO, /* @errors[0] */
	RULE_ONE, /* likewise */
	RULE_EXPECTED, /* @errors; matches CALL:OBJECT or CALL */
	RULE_TEXT, /* @errors; none: any error */
	RULE_BECOMES, /* @errors[0] becomes @errors[1]; no match */
	RULE_KINDS,
};

struct rule {
	enum kind kind;
	struct match match;
	const char *text;
	int errors[ERRORS_MAX];
	unsigned n_errors;
	size_t next; /* see meanings_chain() */
};

/*
 * All of the kernel's many functions are looked up, so rules are indexed by kind and first letter.
 */
struct meanings {
	struct rules {
		struct rule *list;
		size_t n, cap;
		/* First rule, + 1, for names with this first letter; [0]: for any. */
		size_t first[UCHAR_MAX + 1];
	} kinds[RULE_KINDS];
	struct arena arena;
};

DEFINE_CLEANUP(struct meanings, meanings_free);

void meanings_free(struct meanings *meanings)
{
	if (!meanings)
		return;
	for (unsigned kind = 0; kind < RULE_KINDS; kind++) {
		struct rules *rules = &meanings->kinds[kind];

		for (size_t i = 0; i < rules->n && kind != RULE_BECOMES; i++)
			match_done(&rules->list[i].match);
		free(rules->list);
	}
	arena_done(&meanings->arena);
	free(meanings);
}

/* Adds a rule like @like for the functions matching @glob, or without functions if that is NULL. */
static int meanings_add_rule(struct meanings *meanings, const struct rule *like, const char *glob,
			     struct fathom_err *err)
{
	struct rules *rules = &meanings->kinds[like->kind];
	struct rule *rule;
	int r = 0;

	if (mem_reserve(&rules->list, &rules->cap, rules->n + 1, sizeof(*rule)) < 0)
		return err_nomem(err);
	rule = &rules->list[rules->n];
	*rule = *like;
	if (glob)
		r = match_init(&rule->match, glob, MATCH_WHOLE, err);
	if (r == 0)
		rules->n++;
	return r;
}

static int add_rules(struct meanings *meanings, const struct rule *like, char *globs,
		     struct fathom_err *err)
{
	size_t n = 0;
	int r = 0;

	for (char *word; r == 0 && (word = str_next_word(&globs, " \t")); n++)
		r = meanings_add_rule(meanings, like, word, err);
	if (r == 0 && !n)
		return err_set(err, -EINVAL, "no function given: expected names or globs");
	return r;
}

/* Removes names of errors from the end of @words. */
static int take_errors(char *words, struct rule *rule, struct fathom_err *err)
{
	for (;;) {
		size_t len = strlen(words), start;
		int error;

		while (len && isspace((unsigned char)words[len - 1]))
			words[--len] = '\0';
		for (start = len; start && !isspace((unsigned char)words[start - 1]); start--)
			;
		error = errno_number(words + start, len - start);
		if (!error)
			return 0;
		if (rule->n_errors == ERRORS_MAX)
			return err_set(err, -EINVAL, "too many errors: expected at most %d",
				       ERRORS_MAX);
		rule->errors[rule->n_errors++] = error;
		words[start] = '\0';
	}
}

/* Rules with a list of functions. */
static const struct {
	const char *word;
	unsigned n_errors;
	enum kind kind;
} lists[] = {
	{ "check", 0, RULE_CHECK },   { "skip", 0, RULE_SKIP },
	{ "ignore", 0, RULE_IGNORE }, { "question", 0, RULE_QUESTION },
	{ "passes", 0, RULE_PASSES }, { "zero", 1, RULE_ZERO },
	{ "watch", 0, RULE_WATCH },   { "silent", 0, RULE_SILENT },
	{ "one", 1, RULE_ONE },	      { "through", 0, RULE_THROUGH },
	{ "swaps", 0, RULE_SWAPS },   { "expected", ANY_ERRORS, RULE_EXPECTED },
	{ "arm", 0, RULE_ARM },
};

/* Parses "WORDS: TEXT", split at the colon. */
static int parse_rule(struct meanings *meanings, char *words, char *text, struct fathom_err *err)
{
	struct rule rule = { 0 };
	int r = take_errors(words, &rule, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (strcmp(words, lists[i].word) == 0 &&
		    (lists[i].n_errors == ANY_ERRORS ? rule.n_errors > 0 :
						       rule.n_errors == lists[i].n_errors)) {
			rule.kind = lists[i].kind;
			return add_rules(meanings, &rule, text, err);
		}
	rule.text = arena_strdup(&meanings->arena, text);
	if (!rule.text)
		return err_nomem(err);
	if (!*text)
		return err_set(err, -EINVAL,
			       "no explanation given: expected a sentence after ': '");
	if (strcmp(words, "becomes") == 0) {
		rule.kind = RULE_BECOMES;
		if (rule.n_errors != 2)
			return err_set(err, -EINVAL,
				       "invalid 'becomes': expected two errors, such as 'becomes "
				       "ENOIOCTLCMD ENOTTY: ...'");
		return meanings_add_rule(meanings, &rule, NULL, err);
	}
	rule.kind = RULE_TEXT;
	return add_rules(meanings, &rule, words, err);
}

static int meanings_parse_line(struct meanings *meanings, char *line, struct fathom_err *err)
{
	char *text;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	text = strstr(line, ": ");
	if (!text)
		return err_set(err, -EINVAL,
			       "no ': ' in the rule: expected 'FUNCTION... ERROR...: SENTENCE'");
	*text++ = '\0';
	return parse_rule(meanings, line, text + strspn(text, " \t"), err);
}

/* Links the rules of each first letter, in order. */
static void meanings_chain(struct rules *rules)
{
	for (size_t i = rules->n; i; i--) {
		struct rule *rule = &rules->list[i - 1];
		enum match_kind kind = rule->match.kind;
		bool begins = kind == MATCH_KIND_EXACT || kind == MATCH_KIND_PREFIX;
		size_t *first = &rules->first[begins ? (unsigned char)rule->match.text[0] : 0];

		rule->next = *first;
		*first = i;
	}
}

int meanings_parse(const char *text, size_t len, struct meanings **ret_meanings,
		   struct fathom_err *err)
{
	_cleanup_(meanings_free_p) struct meanings *meanings = NULL;
	_cleanup_free_ char *copy = NULL;
	unsigned number = 0;
	char *rest;

	if (len > TEXT_MAX)
		return err_set(err, -EFBIG, "rules too large: expected at most 1 MB");
	meanings = mem_zalloc(1, sizeof(*meanings));
	copy = mem_zalloc(len + 1, 1);
	if (!meanings || !copy)
		return err_nomem(err);
	memcpy(copy, text, len);
	rest = copy;
	for (char *line; (line = str_next_line(&rest));) {
		int r = meanings_parse_line(meanings, line, err);

		number++;
		if (r < 0)
			return err_prefix(err, "line %u", number), r;
	}
	for (unsigned kind = 0; kind < RULE_KINDS; kind++)
		if (kind != RULE_BECOMES)
			meanings_chain(&meanings->kinds[kind]);
	*ret_meanings = TAKE_PTR(meanings);
	return 0;
}

/* An iteration over the rules of one kind that match a name. */
struct walk {
	const struct rules *rules;
	const char *name;
	size_t own, any; /* next rule for the first letter, and for any */
};

static struct walk meanings_begin(const struct meanings *meanings, enum kind kind, const char *name)
{
	const struct rules *rules = &meanings->kinds[kind];

	return (struct walk){ rules, name, *name ? rules->first[(unsigned char)*name] : 0,
			      rules->first[0] };
}

static const struct rule *meanings_next(struct walk *walk)
{
	while (walk->own || walk->any) {
		bool is_own = walk->own && (!walk->any || walk->own < walk->any);
		size_t *at = is_own ? &walk->own : &walk->any;
		const struct rule *rule = &walk->rules->list[*at - 1];

		*at = rule->next;
		if (match_test(&rule->match, walk->name))
			return rule;
	}
	return NULL;
}

/* Returns the first rule of @kind that matches. */
static const struct rule *meanings_find(const struct meanings *meanings, enum kind kind,
					const char *name)
{
	struct walk walk = meanings_begin(meanings, kind, name);

	return meanings_next(&walk);
}

static bool has_error(const struct rule *rule, int error)
{
	for (unsigned i = 0; i < rule->n_errors; i++)
		if (rule->errors[i] == error)
			return true;
	return false;
}

bool meanings_place(char place[static MEANINGS_PLACE_MAX], const char *a, const char *b,
		    const char *c)
{
	return snprintf(place, MEANINGS_PLACE_MAX, "%s%s%s", a, b, c) < MEANINGS_PLACE_MAX;
}

const char *meanings_text(const struct meanings *meanings, const char *function, int error)
{
	struct walk walk = meanings_begin(meanings, RULE_TEXT, function);
	const struct rule *rule;

	while ((rule = meanings_next(&walk)))
		if (!rule->n_errors || has_error(rule, error))
			return rule->text;
	return NULL;
}

static bool is_expected(const struct meanings *meanings, const char *what, int error)
{
	struct walk walk = meanings_begin(meanings, RULE_EXPECTED, what);
	const struct rule *rule;

	while ((rule = meanings_next(&walk)))
		if (has_error(rule, error))
			return true;
	return false;
}

bool meanings_is_expected(const struct meanings *meanings, const char *call, const char *object,
			  int error)
{
	char both[MEANINGS_PLACE_MAX];

	if (is_expected(meanings, call, error))
		return true;
	return object && meanings_place(both, call, ":", object) &&
	       is_expected(meanings, both, error);
}

bool meanings_is_check(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_CHECK, function);
}

bool meanings_is_skipped(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_SKIP, function);
}

bool meanings_is_ignored(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_IGNORE, function);
}

bool meanings_is_watched(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_WATCH, function);
}

bool meanings_is_armed(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_ARM, function);
}

bool meanings_is_silent(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_SILENT, function);
}

bool meanings_is_through(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_THROUGH, function);
}

bool meanings_is_swapping(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_SWAPS, function);
}

bool meanings_is_question(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_QUESTION, function);
}

bool meanings_is_passing(const struct meanings *meanings, const char *function)
{
	return meanings_find(meanings, RULE_PASSES, function);
}

int meanings_error_of_zero(const struct meanings *meanings, const char *function)
{
	const struct rule *rule = meanings_find(meanings, RULE_ZERO, function);

	return rule ? rule->errors[0] : 0;
}

int meanings_error_of_one(const struct meanings *meanings, const char *function)
{
	const struct rule *rule = meanings_find(meanings, RULE_ONE, function);

	return rule ? rule->errors[0] : 0;
}

bool meanings_is_answer(const struct meanings *meanings, const char *function)
{
	return meanings_error_of_zero(meanings, function) ||
	       meanings_error_of_one(meanings, function) || meanings_is_check(meanings, function);
}

const char *meanings_becomes(const struct meanings *meanings, int inner, int outer)
{
	if (inner == outer)
		return "";
	for (size_t i = 0; i < meanings->kinds[RULE_BECOMES].n; i++) {
		const struct rule *rule = &meanings->kinds[RULE_BECOMES].list[i];

		/* The errors of a line were parsed from its end. */
		if (rule->errors[1] == inner && rule->errors[0] == outer)
			return rule->text;
	}
	return NULL;
}
