/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/complete.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/quote.h"
#include "cli/help-topics.h"
#include "cli/kit/command.h"
#include "cli/value-kinds.h"

/* More names than this are cut at their next underscore, which leaves hundreds. */
#define NAMES_MAX 2000
/* A line with more words is not completed. */
#define WORDS_MAX 4096

struct complete {
	const char *root;
	const struct command *command;
	const char *word; /* to be completed */
	size_t prefix; /* length of the part of it before the value */
	const char *recording; /* the one given on the command line, or the default */
	struct strbuf names; /* candidates */
	size_t n;
	struct strbuf *text;
};

static void complete_offer(struct complete *c, const char *word, const char *note)
{
	if (!str_after(word, c->word + c->prefix))
		return;
	quote_addf(&c->names, "%.*s%s\t%s\n", (int)c->prefix, c->word, word, note);
	c->n++;
}

static void complete_take(void *data, const char *name, const char *note)
{
	complete_offer(data, name, note);
}

static void complete_names(struct complete *c, enum candidate_kind kind)
{
	const char *prefix = c->word + c->prefix;

	if (kind >= CANDIDATE_RECORDED_COMM)
		candidates_list_recorded(c->recording, kind, prefix, complete_take, c);
	else
		candidates_list(c->root, kind, prefix, complete_take, c);
}

/* Shortens each name to the part before its next underscore. */
static void complete_shorten(struct complete *c)
{
	_cleanup_strbuf_ struct strbuf all = c->names;
	size_t len = strlen(c->word);
	char *rest = all.s, *last = NULL;

	c->names = (struct strbuf){ 0 };
	for (char *line; rest && (line = str_next_line(&rest));) {
		line[strcspn(line, "\t")] = '\0';
		if (strlen(line) > len) {
			char *end = line + len + 1 + strcspn(line + len + 1, "_");

			end[*end == '_'] = '\0';
		}
		if (!last || !str_eq(last, line))
			quote_addf(&c->names, "%s\t\n", line);
		last = line;
	}
}

static void complete_end(struct complete *c, const char *kind)
{
	if (c->n > NAMES_MAX)
		complete_shorten(c);
	quote_addf(c->text, "%s\n%s\n%.*s\n", kind, c->word, (int)c->prefix, c->word);
	strbuf_add(c->text, strbuf_str(&c->names), c->names.len);
	if (c->names.err)
		c->text->err = c->names.err;
	strbuf_done(&c->names);
}

static void complete_offer_words(struct complete *c, const char *words)
{
	while (words && *(words += strspn(words, " "))) {
		int len = (int)strcspn(words, " ");
		_cleanup_free_ char *word = mem_printf("%.*s", len, words);

		complete_offer(c, word ?: "", "");
		words += len;
	}
}

/* Completes the function in "k:FUNCTION" and the like. */
static bool complete_probe(struct complete *c, const struct value_kind *kind)
{
	static const char *const kinds[] = { "k:", "kr:" };

	for (size_t i = 0; kind->words && i < ARRAY_SIZE(kinds); i++)
		if (str_has_word(kind->words, " ", kinds[i]) &&
		    str_after(c->word + c->prefix, kinds[i])) {
			c->prefix += strlen(kinds[i]);
			complete_names(c, CANDIDATE_FUNCTION);
			return true;
		}
	return false;
}

static void complete_value(struct complete *c, struct value_kind kind)
{
	const char *comma = kind.is_list ? strrchr(c->word + c->prefix, ',') : NULL;

	if (comma)
		c->prefix = (size_t)(comma + 1 - c->word);
	switch (kind.type) {
	case VALUE_UNKNOWN:
	case VALUE_FREE:
		break;
	case VALUE_WORDS:
		complete_offer_words(c, kind.words);
		break;
	case VALUE_NAMES:
		if (complete_probe(c, &kind))
			break;
		complete_offer_words(c, kind.words);
		complete_names(c, kind.names);
		if (kind.more_names != kind.names)
			complete_names(c, kind.more_names);
		break;
	case VALUE_FILE:
		return complete_end(c, "file");
	case VALUE_RECORDING:
		return complete_end(c, "recording");
	case VALUE_DIRECTORY:
		return complete_end(c, "directory");
	case VALUE_COMMAND:
		return complete_end(c, "program");
	}
	complete_end(c, "words");
}

static void complete_offer_options(struct complete *c, const struct option_def *defs)
{
	bool hidden = false;

	for (; defs->kind != OPTION_END; defs++) {
		char word[64];

		if (defs->kind == OPTION_GROUP)
			hidden = defs->manual_only;
		if (hidden || defs->kind == OPTION_GROUP)
			continue;

		if (defs->letter && (!c->word[1] || !c->word[2])) {
			snprintf(word, sizeof(word), "-%c", defs->letter);
			complete_offer(c, word, defs->help ?: "");
		}
		if (defs->name) {
			snprintf(word, sizeof(word), "--%s%s", defs->name, defs->arg ? "=" : "");
			complete_offer(c, word, defs->help ?: "");
		}
	}
}

/* Returns the option that @word starts with; *@ret_value is the value in the same word, or NULL. */
static const struct option_def *complete_find(const struct option_def *defs, const char *word,
					      const char **ret_value)
{
	size_t len = strcspn(word, "=");

	*ret_value = NULL;
	for (; defs->kind != OPTION_END; defs++) {
		if (defs->kind == OPTION_GROUP)
			continue;
		if (word[1] == '-') {
			if (!defs->name || strlen(defs->name) != len - 2 ||
			    memcmp(defs->name, word + 2, len - 2) != 0)
				continue;
			*ret_value = word[len] ? word + len + 1 : NULL;
			return defs;
		}
		/* The last letter of several, or the first one with a value. */
		if (defs->letter && defs->letter == word[1]) {
			if (defs->arg && word[2])
				*ret_value = word + 2;
			return defs;
		}
	}
	return NULL;
}

static const struct option_def *complete_find_option(const struct command *command,
						     const char *word, const char **ret_value)
{
	const struct option_def *def =
		complete_find(command ? command->options : leading_options, word, ret_value);

	/* "-qo FILE" */
	if (def && !def->arg && word[1] != '-' && word[2])
		return complete_find_option(command, word + 1, ret_value);
	return def ?: complete_find(common_options, word, ret_value);
}

static void complete_commands(struct complete *c)
{
	for (size_t i = 0; commands[i]; i++)
		complete_offer(c, commands[i]->name, commands[i]->summary);
}

static void complete_operand(struct complete *c, unsigned i, const char *first)
{
	struct value_kind kind;

	if (c->command->operand_words == OPERANDS_ARE_COMMANDS) {
		if (i == 0) {
			complete_commands(c);
			for (const struct help_topic *t = help_topics; t->name; t++)
				complete_offer(c, t->name, t->summary);
		}
		return complete_end(c, "words");
	}
	kind = value_kind_of_operand(c->command, i, first);
	complete_value(c, kind);
}

static bool complete_is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Completes a word that starts with a dash, or follows @pending, an option that needs a value. */
static void complete_option(struct complete *c, const struct option_def *pending)
{
	const char *value = c->word;
	const struct option_def *def = pending;

	if (!pending)
		def = complete_find_option(c->command, c->word, &value);
	if (def && def->arg && value) {
		c->prefix = (size_t)(value - c->word);
		/* Before the command, -f and -o do not belong to a particular command. */
		return complete_value(c, c->command || def->choices ?
						 value_kind_of_option(c->command, def) :
						 (struct value_kind){ .type = VALUE_FILE });
	}
	complete_offer_options(c, c->command ? c->command->options : leading_options);
	complete_offer_options(c, common_options);
	if (!c->command)
		complete_offer(c, "--version", "print the version");
	complete_end(c, "words");
}

/* Notes the recording of the option -i, for the words that follow. */
static void complete_note_option(struct complete *c, const struct option_def *def,
				 const char *value)
{
	if (c->command && def->name && str_eq(def->name, "input"))
		c->recording = value;
}

/* @offsets are those of the words in the line; NULL: use their numbers. */
static int complete_all(const char *root, int n, char **words, const size_t *offsets,
			struct strbuf *text)
{
	struct complete c = {
		.root = root, .word = words[n - 1], .recording = "trace.dat", .text = text
	};
	const struct option_def *pending = NULL;
	const char *first = NULL;
	bool ended = false;
	unsigned operands = 0;
	char kind[40];

	for (int i = 0; i < n - 1; i++) {
		const char *value;

		if (pending) {
			complete_note_option(&c, pending, words[i]);
			pending = NULL;
		} else if (!ended && str_eq(words[i], "--") && c.command) {
			ended = true;
		} else if (!ended && complete_is_option(words[i])) {
			pending = complete_find_option(c.command, words[i], &value);
			if (pending && value)
				complete_note_option(&c, pending, value);
			if (pending && (!pending->arg || value))
				pending = NULL;
		} else if (!c.command) {
			c.command = command_find(words[i]);
			if (!c.command)
				return complete_end(&c, "words"), text->err;
		} else {
			first = first ?: words[i];
			ended |= c.command->runs_command;
			/* The rest is completed like a command line of its own. */
			if (value_kind_of_operand(c.command, operands, first).type ==
				    VALUE_COMMAND &&
			    c.command->runs_command) {
				snprintf(kind, sizeof(kind), "command %zu",
					 offsets ? offsets[i] : (size_t)i);
				return complete_end(&c, kind), text->err;
			}
			if (value_kind_of_operand(c.command, operands, first).type ==
			    VALUE_RECORDING)
				c.recording = words[i];
			operands++;
		}
	}
	if (pending || (!ended && complete_is_option(c.word)) || (!ended && str_eq(c.word, "-")))
		complete_option(&c, pending);
	else if (c.command)
		complete_operand(&c, operands, first);
	else
		complete_commands(&c), complete_end(&c, "words");
	return text->err;
}

int complete_words(const char *root, int n, char **words, struct strbuf *text)
{
	return n > 0 ? complete_all(root, n, words, NULL, text) : 0;
}

/* Copies the next word of *@p to @to, without its quotes; returns the end of the copy. */
static char *complete_unquote(const char **p, char *to)
{
	char quote = '\0';

	for (; **p && (quote || !strchr(" \t\n", **p)); (*p)++) {
		if (quote ? **p == quote : **p == '\'' || **p == '"')
			quote = quote ? '\0' : **p;
		else if (**p == '\\' && quote != '\'' && (*p)[1])
			*to++ = *++*p;
		else
			*to++ = **p;
	}
	*to++ = '\0';
	return to;
}

/* "NAME=VALUE" before the program. */
static bool complete_is_assignment(const char *word)
{
	const char *equals = strchr(word, '=');

	return equals && equals > word && !memchr(word, '/', (size_t)(equals - word));
}

int complete_line(const char *root, const char *line, struct strbuf *text)
{
	_cleanup_free_ char *copy = mem_alloc(2 * strlen(line) + 2);
	_cleanup_free_ char **words = mem_zalloc(WORDS_MAX, sizeof(*words));
	_cleanup_free_ size_t *offsets = mem_zalloc(WORDS_MAX, sizeof(*offsets));
	const char *p = line;
	char *to = copy;
	int n = 0, program = 0;

	if (!copy || !words || !offsets)
		return -ENOMEM;
	while (n < WORDS_MAX) {
		p += strspn(p, " \t\n");
		offsets[n] = (size_t)(p - line);
		words[n++] = to;
		if (!*p)
			*to = '\0';
		else
			to = complete_unquote(&p, to);
		if (!*p)
			break;
	}
	while (program < n && complete_is_assignment(words[program]))
		program++;
	program++;
	return n > program && n < WORDS_MAX ?
		       complete_all(root, n - program, words + program, offsets + program, text) :
		       0;
}

int complete_main(int argc, char **argv)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = -EINVAL;

	if (argc == 3 && str_eq(argv[0], "line")) {
		size_t point = strtoul(argv[2], NULL, 10);

		if (point < strlen(argv[1]))
			argv[1][point] = '\0';
		r = complete_line("", argv[1], &text);
	} else if (argc > 1 && str_eq(argv[0], "words")) {
		r = complete_words("", argc - 1, argv + 1, &text);
	}
	if (r < 0)
		return r == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	/* Names are quoted above, line by line. */
	quote_print_lines(stdout, strbuf_str(&text));
	return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
}
