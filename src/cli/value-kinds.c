/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/value-kinds.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

/* Kinds of probes and of memory in the place of an event. */
#define PROBE_WORDS "k: kr: t: u: ur: usdt: mem:"

struct value_rule {
	const char *placeholder;
	const char *options; /* long names, separated by spaces; NULL: all, and operands */
	struct value_kind kind;
};

#define FREE                       \
	{                          \
		.type = VALUE_FREE \
	}
#define TYPE(t)             \
	{                   \
		.type = (t) \
	}
#define WORDS(w)                                  \
	{                                         \
		.type = VALUE_WORDS, .words = (w) \
	}
#define NAMES(k)                                                     \
	{                                                            \
		.type = VALUE_NAMES, .names = (k), .more_names = (k) \
	}
#define NAMES_AND_WORDS(k, w)                                                      \
	{                                                                          \
		.type = VALUE_NAMES, .names = (k), .more_names = (k), .words = (w) \
	}
#define NAMES_OF_TWO(k, l)                                           \
	{                                                            \
		.type = VALUE_NAMES, .names = (k), .more_names = (l) \
	}

/* The first one that matches counts. */
static const struct value_rule value_rules[] = {
	{ "FILE", "causes kallsyms meanings phases report vmlinux", TYPE(VALUE_FILE) },
	{ "FILE", NULL, TYPE(VALUE_RECORDING) },
	{ "BEFORE", NULL, TYPE(VALUE_RECORDING) },
	{ "AFTER", NULL, TYPE(VALUE_RECORDING) },
	{ "HEAD", NULL, TYPE(VALUE_RECORDING) },
	{ "OUTPUT", NULL, TYPE(VALUE_RECORDING) },
	{ "OUT", NULL, TYPE(VALUE_FILE) },
	{ "PROGRAM", NULL, TYPE(VALUE_FILE) },
	{ "DIR", NULL, TYPE(VALUE_DIRECTORY) },
	{ "COMMAND", "compare", TYPE(VALUE_COMMAND) },
	{ "EVENT", "event until", NAMES_AND_WORDS(CANDIDATE_EVENT, PROBE_WORDS) },
	{ "EVENT", NULL, NAMES(CANDIDATE_EVENT) },
	{ "FILTER", "filter hide", NAMES(CANDIDATE_EVENT) },
	{ "FILTER", NULL, FREE },
	{ "PROBE", NULL, NAMES_AND_WORDS(CANDIDATE_PROBE, PROBE_WORDS) },
	{ "FUNCTION", NULL, NAMES(CANDIDATE_FUNCTION) },
	{ "GLOB", NULL, NAMES(CANDIDATE_FUNCTION) },
	{ "NAME", "below hist slowest", NAMES_OF_TWO(CANDIDATE_FUNCTION, CANDIDATE_SYSCALL) },
	{ "NAME", "comm", NAMES(CANDIDATE_RECORDED_COMM) },
	{ "NAME", "buffer", NAMES(CANDIDATE_RECORDED_BUFFER) },
	{ "NAME", "fields", WORDS("time cpu pid comm system event buffer text") },
	{ "NAME", "calls", NAMES(CANDIDATE_SYSCALL) },
	{ "NAME", NULL, FREE },
	{ "SYSCALL", NULL, NAMES(CANDIDATE_SYSCALL) },
	{ "SYMBOL", NULL, NAMES_OF_TWO(CANDIDATE_FUNCTION, CANDIDATE_EVENT) },
	{ "ERROR", NULL, NAMES(CANDIDATE_ERRNO) },
	{ "TRACER", NULL, NAMES(CANDIDATE_TRACER) },
	{ "TRIGGER", NULL,
	  WORDS("traceon traceoff snapshot stacktrace enable_event: disable_event: hist:") },
	{ "CLOCK", NULL, NAMES(CANDIDATE_CLOCK) },
	{ "OPTION", NULL,
	  NAMES_AND_WORDS(CANDIDATE_OPTION,
			  "parent indent=0 offset fgraph:tailprint fgraph:depth fgraph:retval-skip "
			  "fgraph:retval-dec fgraph:retval-hex") },
	{ "BUFFER", NULL, NAMES(CANDIDATE_INSTANCE) },
	{ "MODULE", NULL, NAMES(CANDIDATE_MODULE) },
	{ "ID", NULL, NAMES(CANDIDATE_SESSION) },
	{ "SESSION", NULL, NAMES(CANDIDATE_SESSION) },
	{ "USER", NULL, NAMES(CANDIDATE_USER) },
	{ "PID", NULL, NAMES(CANDIDATE_PID) },
	{ "METHOD", NULL, WORDS("fp dwarf") },
	{ "MODE", NULL, WORDS("0600 0640 0644") },
	{ "FORMAT", NULL, FREE },
	{ "CID", NULL, FREE },
	{ "CPU", NULL, FREE },
	{ "DEPTH", NULL, FREE },
	{ "DURATION", NULL, FREE },
	{ "GUEST", NULL, FREE },
	{ "HOOK", NULL, FREE },
	{ "HOST", NULL, FREE },
	{ "HZ", NULL, FREE },
	{ "KB", NULL, FREE },
	{ "LEVEL", NULL, FREE },
	{ "LIST", NULL, FREE },
	{ "MASK", NULL, FREE },
	{ "MICROSECONDS", NULL, FREE },
	{ "N", NULL, FREE },
	{ "NS", NULL, FREE },
	{ "OFFSET", NULL, FREE },
	{ "PERCENT", NULL, FREE },
	{ "PRIORITY", NULL, FREE },
	{ "SIZE", NULL, FREE },
	{ "TEMPLATE", NULL, FREE },
	{ "TEXT", NULL, FREE },
	{ "TIME", NULL, FREE },
	/* Operands only. */
	{ "ARGUMENT", NULL, FREE },
	{ "COMMAND", NULL, TYPE(VALUE_COMMAND) },
	{ "END", NULL, FREE },
	{ "PATTERN", NULL, FREE },
	{ "START", NULL, FREE },
	{ "BEGIN", NULL, FREE },
	{ "FIELD", NULL, FREE },
	{ "KEY", NULL, FREE },
	{ "RECIPE", NULL, NAMES_OF_TWO(CANDIDATE_RECIPE, CANDIDATE_EVENT) },
	{ "SCRIPT", NULL, FREE },
	{ "TASK", NULL, NAMES(CANDIDATE_RECORDED_TASK) },
	{ "WHAT", NULL, FREE },
	{ 0 },
};

/* The kind of the placeholder that @text starts with, such as "PID,..." or "[FILE:]GLOB,...". */
static struct value_kind value_kind_find(const char *text, const char *option)
{
	struct value_kind kind = { 0 };
	size_t len;

	if (str_after(text, "[FILE:]"))
		return (struct value_kind)FREE;
	text += strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	for (const struct value_rule *rule = value_rules; rule->placeholder; rule++) {
		if (strlen(rule->placeholder) != len || memcmp(rule->placeholder, text, len) != 0)
			continue;
		if (rule->options && !(option && str_has_word(rule->options, " ", option)))
			continue;
		kind = rule->kind;
		kind.is_list = str_after(text + len, ",...");
		break;
	}
	return kind;
}

/* Returns whether the command reads a recording that is an operand, rather than tracing. */
static bool value_kind_reads_recording(const struct command *command)
{
	return command &&
	       (strstr(command->operands, "FILE") || strstr(command->operands, "BEFORE"));
}

struct value_kind value_kind_of_option(const struct command *command, const struct option_def *def)
{
	struct value_kind kind;

	/* "6|7" is the only placeholder without a name. */
	if (def->choices || !strpbrk(def->arg, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		return (struct value_kind){ .type = VALUE_WORDS, .words = def->choices ?: "6 7" };
	kind = value_kind_find(def->arg, def->name);
	if (kind.type == VALUE_NAMES && kind.names == CANDIDATE_PID &&
	    value_kind_reads_recording(command))
		kind.names = kind.more_names = CANDIDATE_RECORDED_PID;
	return kind;
}

/* The further operands of commands whose first one is a word. */
static struct value_kind value_kind_after(const struct command *command, const char *first)
{
	static const struct {
		const char *command, *words;
		struct value_kind kind;
	} rules[] = {
		{ "list", "events", NAMES(CANDIDATE_EVENT) },
		{ "list", "functions", NAMES(CANDIDATE_FUNCTION) },
		{ "list", "tracers", NAMES(CANDIDATE_TRACER) },
		{ "list", "clocks", NAMES(CANDIDATE_CLOCK) },
		{ "list", "options", NAMES(CANDIDATE_OPTION) },
		{ "list", "instances", NAMES(CANDIDATE_INSTANCE) },
		{ "list", "probes", NAMES(CANDIDATE_PROBE) },
		{ "probe", "add", WORDS(PROBE_WORDS) },
		{ "probe", "del", NAMES(CANDIDATE_PROBE) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (str_eq(rules[i].command, command->name) && str_eq(rules[i].words, first))
			return rules[i].kind;
	return (struct value_kind)FREE;
}

struct value_kind value_kind_of_operand(const struct command *command, unsigned i,
					const char *first)
{
	const char *operand = command->operands, *next;

	if (command->operand_words && i == 0)
		return (struct value_kind){ .type = VALUE_WORDS, .words = command->operand_words };
	if (command->operand_words)
		return value_kind_after(command, first);
	/* The last one may be repeated. */
	for (; i && (next = strchr(operand, ' ')); i--)
		operand = next + 1;
	if (!*command->operands || (i && !strstr(operand, "...")))
		return (struct value_kind)FREE;
	return value_kind_find(operand, NULL);
}
