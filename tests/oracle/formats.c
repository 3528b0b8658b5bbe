/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "formats.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/files/file.h"
#include "base/mem.h"

/* Far more than the formats of a kernel, far less than a damaged file could claim. */
#define TEXT_MAX ((unsigned long long)64 << 20)

char *formats_read(const char *path)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	unsigned long long size;
	char *text;

	if (file_read(AT_FDCWD, path, &file) < 0) {
		fprintf(stderr, "cannot read '%s'\n", path);
		return NULL;
	}
	size = ZSTD_getFrameContentSize(file.s, file.len);
	if (size > TEXT_MAX) {
		fprintf(stderr, "'%s' is not a zstd file of formats\n", path);
		return NULL;
	}
	text = mem_alloc(size + 1);
	if (!text || ZSTD_decompress(text, size, file.s, file.len) != size) {
		fprintf(stderr, "cannot decompress '%s'\n", path);
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

bool formats_next(char **text, struct format_text *ret)
{
	char *start = *text;
	char *nl = strchr(start, '\n');
	char *end;

	if (strncmp(start, "### ", 4) != 0 || !nl)
		return false;
	(void)snprintf(ret->system, sizeof(ret->system), "%.*s", (int)(nl - start - 4), start + 4);
	ret->text = nl + 1;
	end = strstr(nl, "\n### ");
	end = end ? end + 1 : nl + strlen(nl);
	ret->len = (size_t)(end - ret->text);
	*text = end;
	return true;
}
