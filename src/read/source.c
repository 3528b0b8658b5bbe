/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/negative-errno.h"

int source_init(struct source *source, int fd, unsigned flags, struct fathom_err *err)
{
	_cleanup_close_ int owned = flags & SOURCE_KEEP_FD ? -1 : fd;
	void *map = MAP_FAILED;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set_errno(err, negative_errno(), "cannot access the file");
	if (S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "is a directory");
	if (!S_ISREG(st.st_mode))
		return err_set(err, -ESPIPE, "not a regular file (fathom needs to seek)");
	memset(source, 0, sizeof(*source));
	source->size = (uint64_t)st.st_size;
	source->has_holes = (uint64_t)st.st_blocks * 512 < source->size;
	if (!(flags & SOURCE_NO_MAP) && source->size && source->size <= SIZE_MAX / 2)
		map = mmap(NULL, (size_t)source->size, PROT_READ, MAP_SHARED, fd, 0);
	source->map = map == MAP_FAILED ? NULL : map;
	if (source->map)
		madvise(map, (size_t)source->size, MADV_RANDOM);
	source->fd = fd;
	source->keep_fd = flags & SOURCE_KEEP_FD;
	(void)TAKE_FD(owned);
	return 0;
}

void source_done(struct source *source)
{
	if (source->map)
		munmap((void *)(uintptr_t)source->map, (size_t)source->size);
	if (source->fd >= 0 && !source->keep_fd)
		close(source->fd);
	source->map = NULL;
	source->fd = -1;
}

long source_read(struct source *source, uint64_t offset, void *buf, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n =
			pread(source->fd, (char *)buf + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return negative_errno();
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (long)done;
}

uint64_t source_next_data(struct source *source, uint64_t offset)
{
	off_t at = lseek(source->fd, (off_t)offset, SEEK_DATA);

	if (at >= 0)
		return (uint64_t)at < source->size ? (uint64_t)at : source->size;
	/* ENXIO: only a hole follows. Otherwise holes are not supported: assume data. */
	return errno == ENXIO ? source->size : offset;
}

/* SEEK_DATA only searches forward: go back in doubling steps, then forward from there. */
uint64_t source_prev_data(struct source *source, uint64_t low, uint64_t offset)
{
	uint64_t start = offset, end = 0;

	for (uint64_t step = SOURCE_TOUCH_SIZE; !end && start > low; step *= 2) {
		start = start - low > step ? start - step : low;
		for (uint64_t at = source_next_data(source, start); at < offset;
		     at = source_next_data(source, end)) {
			off_t hole = lseek(source->fd, (off_t)at, SEEK_HOLE);

			if (hole < 0 || (uint64_t)hole >= offset)
				return offset;
			end = (uint64_t)hole;
		}
	}
	return end;
}

void source_touch(struct source *source, uint64_t offset, bool more)
{
	uint64_t start = offset - offset % SOURCE_TOUCH_SIZE;
	uint64_t before = atomic_fetch_add_explicit(&source->touched,
						    more ? SOURCE_TOUCH_SIZE : SOURCE_LARGE_SIZE,
						    memory_order_relaxed);

	/* Only advice: on file systems that ignore it, reading is slower. */
	if (!more)
		posix_fadvise(source->fd, (off_t)start, (off_t)SOURCE_TOUCH_SIZE,
			      POSIX_FADV_WILLNEED);
	else if (start / SOURCE_TOUCH_SIZE % (SOURCE_AHEAD / SOURCE_TOUCH_SIZE / 2) == 0)
		posix_fadvise(source->fd, (off_t)start, (off_t)SOURCE_AHEAD, POSIX_FADV_WILLNEED);
	if (before < SOURCE_RESIDENT_MAX)
		return;
	atomic_store_explicit(&source->touched, 0, memory_order_relaxed);
	madvise((void *)(uintptr_t)source->map, (size_t)source->size, MADV_DONTNEED);
}

static long view_read(void *ctx, uint64_t offset, void *buf, size_t size)
{
	return source_read(ctx, offset, buf, size);
}

struct view source_view(struct source *source)
{
	return (struct view){ .size = source->size, .read = view_read, .ctx = source };
}
