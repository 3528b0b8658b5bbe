/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes messages from a confined process, which the parsed file may have compromised, to a
 * privileged one: any bytes, in any order. Input: the kind of messages (a digit), and the messages,
 * each preceded by its length (2 bytes).
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process/confined-call-parts.h"
#include "process/confined-call.h"
#include "base/mem.h"
#include "base/quote.h"
#include "actions/machine/explain-lines-parts.h"
#include "actions/machine/list-markers-parts.h"
#include "record/plan/plan-users-parts.h"
#include "record/probes/probe-events-parts.h"
#include "record/watch/watch-place-parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PATH  "/bin/app"
#define GROUP "group"

struct input {
	const uint8_t *data;
	size_t size;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Returns the next message, in memory of its exact size, to be freed; NULL at the end. */
static char *next_message(struct input *input, size_t *ret_len)
{
	size_t len;
	char *copy;

	if (input->size < 2)
		return NULL;
	len = (size_t)input->data[0] | (size_t)input->data[1] << 8;
	input->data += 2;
	input->size -= 2;
	if (len > input->size)
		len = input->size;
	if (len > CONFINED_MESSAGE_MAX)
		len = CONFINED_MESSAGE_MAX;
	copy = malloc(len ? len : 1);
	check(copy != NULL);
	memcpy(copy, input->data, len);
	input->data += len;
	input->size -= len;
	*ret_len = len;
	return copy;
}

/* Passes on all messages. */
static void take_all(struct input *input,
		     int (*take)(void *data, const char *bytes, size_t len, struct fathom_err *err),
		     void *data)
{
	size_t len;

	for (char *bytes; (bytes = next_message(input, &len)); free(bytes)) {
		struct fathom_err err = { 0 };
		int r = take(data, bytes, len, &err);

		/* Rejections have a message. */
		check(r >= 0 || *err.message);
	}
}

static void check_definition(const char *line, const char *path)
{
	static const char before[] = ":" GROUP "/";
	const char *p = line + 1;

	check(strchr("prf", *line) && *line);
	p += strspn(p, "0123456789");
	check(strncmp(p, before, strlen(before)) == 0);
	check(!path || (strchr(p, ' ') && strncmp(strchr(p, ' ') + 1, path, strlen(path)) == 0));
	for (; *line; line++)
		check((unsigned char)*line >= ' ' && *line != 0x7f);
}

static bool is_taken(void *data, const char *name)
{
	check(*name && strlen(name) < PROBE_NAME_SIZE);
	return name[0] == 't';
}

static int make(void *data, const char *name, const char *line, struct fathom_err *err)
{
	check_definition(line, data);
	return name[0] == 'e' ? err_set(err, -EEXIST, "there is one") : 0;
}

static int extend(void *data, const char *line)
{
	check_definition(line, data);
	return 0;
}

static void take_probes(struct input *input, const char *text)
{
	struct arena arena = { 0 };
	struct strbuf notes = { 0 }, enums = { 0 };
	const struct probe_program program = { PATH, PATH, -1 };
	struct confined_probe confined = { .request = { .where = { .root = "" }, .group = GROUP },
					   .notes = &notes };
	struct probe_sink sink = { NULL, is_taken, make, extend, &enums };

	confined.sink = &sink;
	check(probe_parse(text, &arena, &confined.request.probe, NULL) == 0);
	if (probe_in_program(confined.request.probe)) {
		confined.request.where.program = &program;
		sink.data = (void *)(uintptr_t)PATH;
	}
	take_all(input, confined_probe_take, &confined);
	check(confined.n <= PROBE_EVENTS_MAX);
	for (size_t i = 0; i < enums.len; i++)
		check(enums.s[i] == '\n' || (enums.s[i] >= ' ' && enums.s[i] <= '~'));
	strbuf_done(&confined.made);
	strbuf_done(&notes);
	strbuf_done(&enums);
	arena_done(&arena);
}

static void take_program_probes(struct input *input)
{
	take_probes(input, "u:app:f");
}

static void take_kernel_probes(struct input *input)
{
	take_probes(input, "k:vfs_read");
}

static void take_functions(struct input *input)
{
	struct choice choice = { 0 };
	struct choice_search search = { &choice, PATH, NULL };

	check(mem_reserve(&choice.files, &choice.cap_files, 1, sizeof(*choice.files)) == 0);
	choice.files[choice.n_files++] = (struct chosen_file){ .path = PATH, .probe_path = PATH };
	take_all(input, choice_take, &search);
	check(choice.n_files == 1 && choice.files[0].n == choice.n);
	for (size_t i = 0; i < choice.n; i++)
		check(choice.list[i].file == 0 && !strpbrk(choice.list[i].name, "\n\t") &&
		      !strpbrk(choice.list[i].readable, "\n\t"));
	choice_done(&choice);
}

static void take_member(struct input *input)
{
	struct watch_spec spec = { .text = "x" };
	struct watch_search search = { .spec = &spec, .shown = PATH };

	take_all(input, watch_search_take_member, &search);
}

static void take_symbol(struct input *input)
{
	struct watch_search search = { .shown = PATH };

	take_all(input, watch_search_take_symbol, &search);
	check(!search.place.guessed);
}

static void take_markers(struct input *input)
{
	struct marker_search search;

	marker_search_init(&search);
	search.path = PATH;
	take_all(input, marker_search_take, &search);
	check(search.table.n == search.n * search.table.n_columns);
	for (size_t i = 0; i < search.names.len; i++)
		check((unsigned char)search.names.s[i] >= ' ' || search.names.s[i] == '\n');
	marker_search_done(&search);
}

/* Only the format: a location is searched for in files of this machine. */
static void take_places(struct input *input)
{
	struct arena arena = { 0 };
	size_t len;

	for (char *bytes; (bytes = next_message(input, &len)); free(bytes)) {
		struct explain_message message = { 0 };

		if (explain_message_parse(bytes, len, &arena, &message) == 0)
			check(message.text && strlen(message.text) < len &&
			      (message.letter == EXPLAIN_NOTES ||
			       (*message.text && strlen(message.by) < len)));
	}
	arena_done(&arena);
}

static void take_ends(struct input *input)
{
	size_t len;

	for (char *bytes; (bytes = next_message(input, &len)); free(bytes)) {
		struct fathom_err err = { 0 };
		int r = confined_end_take(bytes, len, &err);

		check(r <= 0 && r >= -4095);
		check(memchr(err.message, '\0', sizeof(err.message)) != NULL);
		for (const char *p = err.message; *p; p++)
			check((unsigned char)*p >= ' ' || *p == '\n');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const takers[])(struct input * input) = {
		take_ends,   take_program_probes, take_kernel_probes, take_functions,
		take_member, take_symbol,	  take_markers,	      take_places,
	};
	struct input input = { data + 1, size - 1 };

	if (size)
		takers[data[0] % ARRAY_SIZE(takers)](&input);
	return 0;
}
