/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes rules files of 'fathom why'. Input: the name of a function on the first line, followed by
 * rules.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/why/meanings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct meanings *meanings, const char *name)
{
	const char *text = meanings_text(meanings, name, EACCES);

	if (text && !*text)
		abort();
	if (meanings_error_of_zero(meanings, name) < 0)
		abort();
	meanings_is_check(meanings, name);
	meanings_is_ignored(meanings, name);
	meanings_is_skipped(meanings, name);
	meanings_is_question(meanings, name);
	meanings_is_passing(meanings, name);
	if (!meanings_becomes(meanings, EPERM, EPERM))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[128] = "";
	const uint8_t *eol = memchr(data, '\n', size);
	size_t len = eol ? (size_t)(eol - data) : size;
	struct meanings *meanings = NULL;
	struct fathom_err err = { 0 };
	char *text;

	if (!eol || len >= sizeof(name))
		return 0;
	memcpy(name, data, len);
	size -= len + 1;
	/* Of its exact size, so that sanitizers detect an overread. */
	text = malloc(size ? size : 1);
	if (!text)
		return 0;
	memcpy(text, eol + 1, size);
	if (meanings_parse(text, size, &meanings, &err) == 0)
		ask(meanings, name);
	else if (!err.message[0])
		abort();
	meanings_free(meanings);
	free(text);
	return 0;
}
