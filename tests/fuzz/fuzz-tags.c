/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes tags files and versions. Input: a name on the first line, followed by a tags file, which
 * also serves as the source.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel/tags.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[128] = "", version[64];
	const uint8_t *eol = memchr(data, '\n', size);
	size_t len = eol ? (size_t)(eol - data) : size;
	char *text;
	struct tag tags[4];

	if (!size || len >= sizeof(name))
		return 0;
	memcpy(name, data, len);
	size -= eol ? len + 1 : len;
	/* Of its exact size, so that sanitizers detect an overread. */
	text = malloc(size ? size : 1);
	if (!text)
		return 0;
	if (size)
		memcpy(text, eol + 1, size);
	for (size_t i = 0, n = tags_find(text, size, name, tags, 4); i < n; i++)
		if (!*tags[i].file || strlen(tags[i].pattern) >= TAG_PATTERN_SIZE ||
		    (tag_line(&tags[i], text, size) == 0 && tags[i].line))
			abort();
	if (source_version(name, "", version, sizeof(version)) && strlen(version) < 3)
		abort();
	free(text);
	return 0;
}
