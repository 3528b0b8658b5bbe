/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/sink.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

int sink_init(struct sink *sink, int fd)
{
	size_t size = SINK_FULL + SINK_LINE_MAX;
	char *buf = mem_alloc(size);

	if (!buf)
		return -ENOMEM;
	sink->fd = fd;
	sink->printable = NULL;
	sink->err = 0;
	text_init(&sink->text, buf, size);
	return 0;
}

void sink_flush(struct sink *sink)
{
	const struct text *text = &sink->text;

	if (!sink->err)
		sink->err = sink->printable ?
				    printable_write(sink->printable, text->s, text_len(text)) :
				    printable_write_raw(sink->fd, text->s, text_len(text));
	sink->text.p = sink->text.s;
}

void sink_done(struct sink *sink)
{
	free(sink->text.s);
	sink->text.s = NULL;
}
