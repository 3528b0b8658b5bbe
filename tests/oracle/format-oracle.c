/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares our text of events with libtraceevent's, for every format of the files
 * given and several records each:
 *
 *	format-oracle [-v] [-u] [-R] EXCEPTIONS FORMATS.zst ...
 *
 * With -R the fields are compared instead, as trace-cmd report -R shows them.
 * Every format must parse and compile. A difference must be explained by a line
 * of EXCEPTIONS: "KIND COUNT SYSTEM:EVENT TEXT reason". KIND is "fails"
 * (libtraceevent can't parse the format), "crash" or "differs"; SYSTEM:EVENT is a
 * glob; TEXT is a regular expression for the event's format text.
 * The first line that matches a difference explains it. A line "libtraceevent VERSION"
 * names the version for which the COUNTs are correct: with that version, each line must
 * explain exactly as many records, so that no line hides a new difference and no line
 * is obsolete. -u prints the lines with the counts of this run.
 */
#include <event-parse.h>
#include <fnmatch.h>
#include <fcntl.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "format/print.h"
#include "formats.h"
#include "record.h"

#define RECORDS	       10
#define EXCEPTIONS_MAX 200
#define TEXT_SIZE      65536

#define CRASH "[CRASH]"

struct exception {
	const char *kind;
	const char *event;
	const char *reason;
	const char *pattern;
	regex_t text;
	unsigned count; /* number of differences that it must explain */
	unsigned used;
};

struct oracle {
	struct exception exceptions[EXCEPTIONS_MAX];
	size_t n_exceptions;
	bool verbose;
	bool fields; /* compare fields instead of texts */
	bool is_exact; /* the counts are for this version of libtraceevent */
	struct tep_handle *tep;
	struct arena arena;
	struct print_env env;
	struct record record;
	char text[TEXT_SIZE];
	char theirs[TEXT_SIZE];
	/* Totals of one file */
	unsigned events, records, equal, failed, unexplained;
};

static const char *const symbol_names[SYMBOLS] = { "vfs_read", "vfs_write",   "do_exit", "schedule",
						   "kfree",    "tcp_sendmsg", "start",	 "end" };
static const char *const printk_texts[PRINTKS] = { "first", "second one", "third", "fourth" };

static const char *find_symbol(const void *data, uint64_t addr, uint64_t *ret_start)
{
	uint64_t i = (addr - SYMBOL_BASE) / SYMBOL_SIZE;

	/* libtraceevent does not know where the last function ends. */
	if (addr < SYMBOL_BASE || i >= SYMBOLS ||
	    (i == SYMBOLS - 1 && addr != SYMBOL_BASE + i * SYMBOL_SIZE))
		return NULL;
	*ret_start = SYMBOL_BASE + i * SYMBOL_SIZE;
	return symbol_names[i];
}

static const char *find_printk(const void *data, uint64_t addr)
{
	uint64_t i = (addr - PRINTK_BASE) / 16;

	return addr >= PRINTK_BASE && i < PRINTKS && addr % 16 == 0 ? printk_texts[i] : NULL;
}

static void set_up_tep(struct oracle *oracle)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		exit(99);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	tep_set_page_size(tep, 4096);
	tep_set_file_bigendian(tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, TEP_LITTLE_ENDIAN);
	for (unsigned i = 0; i < SYMBOLS; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "%s", symbol_names[i]);
		tep_register_function(tep, name, SYMBOL_BASE + i * SYMBOL_SIZE, NULL);
	}
	for (unsigned i = 0; i < PRINTKS; i++) {
		char text[32];

		(void)snprintf(text, sizeof(text), "%s", printk_texts[i]);
		tep_register_print_string(tep, text, PRINTK_BASE + i * 16);
	}
	oracle->tep = tep;
}

/* libtraceevent divides by zero if the record contains one, and misbehaves with some formats. */
static sigjmp_buf crash;

static void on_crash(int number)
{
	siglongjmp(crash, 1);
}

/* Returns whether libtraceevent fails to parse the format of this record. */
static bool has_failed(struct oracle *oracle)
{
	struct tep_record record = { .data = oracle->record.bytes,
				     .size = (int)oracle->record.len };
	struct tep_event *event = tep_find_event_by_record(oracle->tep, &record);

	return event && event->flags & TEP_EVENT_FL_FAILED;
}

/* Quotes @s in place, on both sides, including line breaks that are part of a format. */
static const char *quoted(char *s, size_t size)
{
	static char copy[TEXT_SIZE];
	struct text text;

	snprintf(copy, sizeof(copy), "%s", s);
	text_init(&text, s, size);
	quote_text_str(&text, copy);
	return text_end(&text);
}

/* Returns libtraceevent's text of the record, without NUL bytes, which would end it. */
static const char *their_text(struct oracle *oracle)
{
	struct tep_record record = { .data = oracle->record.bytes,
				     .size = (int)oracle->record.len };
	struct trace_seq s;
	size_t n = 0;

	if (sigsetjmp(crash, 1))
		return CRASH;
	trace_seq_init(&s);
	tep_print_event(oracle->tep, &s, &record, "%s",
			oracle->fields ? TEP_PRINT_INFO_RAW : TEP_PRINT_INFO);
	for (unsigned i = 0; i < s.len && n < sizeof(oracle->theirs) - 1; i++)
		if (s.buffer[i])
			oracle->theirs[n++] = s.buffer[i];
	oracle->theirs[n] = '\0';
	trace_seq_destroy(&s);
	return quoted(oracle->theirs, sizeof(oracle->theirs));
}

static const char *our_text(struct oracle *oracle, const struct print_program *program)
{
	struct text text;

	text_init(&text, oracle->text, sizeof(oracle->text));
	event_print(program, &oracle->env, oracle->record.bytes, oracle->record.len, &text);
	text_end(&text);
	return quoted(oracle->text, sizeof(oracle->text));
}

static const char *kind_of(struct oracle *oracle, const char *theirs)
{
	return has_failed(oracle) ? "fails" : str_eq(theirs, CRASH) ? "crash" : "differs";
}

static struct exception *explain(struct oracle *oracle, const struct event_format *format,
				 const char *format_text, const char *kind)
{
	char event[160];

	(void)snprintf(event, sizeof(event), "%s:%s", format->system, format->name);
	for (size_t i = 0; i < oracle->n_exceptions; i++) {
		struct exception *e = &oracle->exceptions[i];

		if (str_eq(e->kind, kind) && fnmatch(e->event, event, 0) == 0 &&
		    regexec(&e->text, format_text, 0, NULL, 0) == 0)
			return e;
	}
	return NULL;
}

static void compare_event(struct oracle *oracle, const struct event_format *format,
			  const char *format_text, const struct print_program *program)
{
	struct exception *e = NULL;
	bool reported = false;

	for (unsigned i = 0; i < RECORDS; i++) {
		const char *ours, *theirs, *kind;

		record_make(&oracle->record, format, i);
		ours = our_text(oracle, program);
		theirs = their_text(oracle);
		oracle->records++;
		if (str_eq(ours, theirs)) {
			oracle->equal++;
			continue;
		}
		kind = kind_of(oracle, theirs);
		if (!e || !str_eq(e->kind, kind))
			e = explain(oracle, format, format_text, kind);
		if (e) {
			e->used++;
			continue;
		}
		oracle->unexplained++;
		if (!reported)
			printf("%s:%s record %u\n  ours:   %s\n  theirs: %s\n", format->system,
			       format->name, i, ours, theirs);
		if (!reported && oracle->verbose)
			printf("  print:  %s\n", format->print);
		reported = true;
	}
}

static void check_format(struct oracle *oracle, const struct format_text *text)
{
	const struct event_abi abi = { .long_size = 8 };
	const struct print_program *program;
	struct event_format *format;
	struct fathom_err err = { 0 };
	_cleanup_free_ char *own = NULL;

	oracle->events++;
	if (event_format_parse(text->text, text->len, text->system, abi, &oracle->arena, &format,
			       &err) < 0 ||
	    (oracle->fields ?
		     event_print_compile_fields(format, false, &oracle->arena, &program, &err) :
		     event_print_compile(format, NULL, &oracle->arena, &program, &err)) < 0) {
		oracle->failed++;
		printf("%s: %s\n%.*s\n", text->system, fathom_err_text(&err), (int)text->len,
		       text->text);
		return;
	}
	tep_parse_event(oracle->tep, text->text, text->len, text->system);
	own = mem_strndup(text->text, text->len);
	if (!own)
		exit(99);
	compare_event(oracle, format, own, program);
}

static int check_file(struct oracle *oracle, const char *path)
{
	_cleanup_free_ char *all = formats_read(path);
	char *p = all;
	struct format_text text;
	bool fine;

	if (!all)
		return 1;
	set_up_tep(oracle);
	oracle->events = oracle->records = oracle->equal = 0;
	oracle->failed = oracle->unexplained = 0;
	while (formats_next(&p, &text))
		check_format(oracle, &text);
	printf("%s: %u events, %u not understood; %u records, %u equal, %u not explained\n",
	       strrchr(path, '/') ? strrchr(path, '/') + 1 : path, oracle->events, oracle->failed,
	       oracle->records, oracle->equal, oracle->unexplained);
	fine = *p == '\0' && oracle->events && !oracle->failed && !oracle->unexplained;
	tep_free(oracle->tep);
	arena_done(&oracle->arena);
	return fine ? 0 : 1;
}

static int read_exception(char *line, struct exception *e)
{
	const char *count;

	e->kind = str_next_word(&line, " ");
	count = str_next_word(&line, " ");
	e->event = str_next_word(&line, " ");
	e->pattern = str_next_word(&line, " ");
	e->reason = line;
	if (!e->pattern || !e->reason || regcomp(&e->text, e->pattern, REG_EXTENDED | REG_NOSUB))
		return -1;
	e->count = (unsigned)strtoul(count, NULL, 10);
	return 0;
}

static int read_exceptions(struct oracle *oracle, const char *path, struct strbuf *buf)
{
	char *lines;

	if (file_read(AT_FDCWD, path, buf) < 0)
		return -1;
	lines = buf->s;
	for (char *line; (line = str_next_line(&lines));) {
		struct exception *e = &oracle->exceptions[oracle->n_exceptions];
		const char *version;

		if (!*line || *line == '#')
			continue;
		version = str_after(line, "libtraceevent ");
		if (version) {
			oracle->is_exact = str_eq(version, ORACLE_VERSION);
			continue;
		}
		if (read_exception(line, e) < 0 || ++oracle->n_exceptions == EXCEPTIONS_MAX) {
			fprintf(stderr, "bad line in '%s': %s\n", path, line);
			return -1;
		}
	}
	return 0;
}

/* Prints the exceptions with the counts of this run, or complains about wrong ones. */
static int check_counts(struct oracle *oracle, bool update)
{
	int bad = 0;

	for (size_t i = 0; i < oracle->n_exceptions; i++) {
		struct exception *e = &oracle->exceptions[i];

		if (update)
			printf("%s %u %s %s %s\n", e->kind, e->used, e->event, e->pattern,
			       e->reason);
		if (oracle->is_exact && !update && e->used != e->count) {
			printf("%u records instead of %u are explained by: %s %s %s %s\n", e->used,
			       e->count, e->kind, e->event, e->pattern, e->reason);
			bad = 1;
		}
		regfree(&e->text);
	}
	return bad;
}

int main(int argc, char **argv)
{
	static struct oracle oracle;
	_cleanup_strbuf_ struct strbuf exceptions = { 0 };
	bool update = false;
	int bad = 0;

	(void)signal(SIGFPE, on_crash);
	(void)signal(SIGSEGV, on_crash);
	oracle.env = (struct print_env){ .symbol = find_symbol, .printk = find_printk };
	for (; argc > 1 && argv[1][0] == '-'; argv++, argc--) {
		oracle.verbose |= str_eq(argv[1], "-v");
		update |= str_eq(argv[1], "-u");
		oracle.fields |= str_eq(argv[1], "-R");
	}
	if (argc < 3 || read_exceptions(&oracle, argv[1], &exceptions) < 0)
		return 2;
	for (int i = 2; i < argc; i++)
		bad |= check_file(&oracle, argv[i]);
	return check_counts(&oracle, update) | bad;
}
