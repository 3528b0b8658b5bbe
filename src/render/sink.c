/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

int sink_init(struct sink *sink, int fd)
{
	size_t size = SINK_FULL + SINK_LINE_MAX;
	char *buf = mem_alloc(size);

	if (!buf)
		return -ENOMEM;
	sink->fd = fd;
	sink->err = 0;
	text_init(&sink->text, buf, size);
	return 0;
}

void sink_flush(struct sink *sink)
{
	const char *p = sink->text.s;

	while (p < sink->text.p && !sink->err) {
		ssize_t n = write(sink->fd, p, (size_t)(sink->text.p - p));

		if (n >= 0) {
			p += n;
		} else if (errno == EAGAIN) {
			struct pollfd ready = { .fd = sink->fd, .events = POLLOUT };

			poll(&ready, 1, -1);
		} else if (errno != EINTR) {
			sink->err = -errno;
		}
	}
	sink->text.p = sink->text.s;
}

void sink_done(struct sink *sink)
{
	free(sink->text.s);
	sink->text.s = NULL;
}
