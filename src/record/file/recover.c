/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/confined-call.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "format/bytes.h"
#include "record/file/trace-out-parts.h"

#define HEAD_FIXED 18 /* magic, "7", byte order, size of long, page size */

static long read_fd(void *ctx, uint64_t offset, void *buf, size_t size)
{
	ssize_t n = pread(*(const int *)ctx, buf, size, (off_t)offset);

	return n < 0 ? negative_errno() : n;
}

/* Takes the lock that a recorder holds on its file. */
static int recover_lock(int fd, const char *path, struct fathom_err *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return err_set(err, -EBUSY,
			       "'%s' is still being recorded: wait until the recording ends", path);
	return 0;
}

int recording_open_left(const char *path, struct fathom_err *err)
{
	_cleanup_close_ int fd = place_open(path, O_RDWR, err);
	int r = fd < 0 ? fd : recover_lock(fd, path, err);

	return r < 0 ? r : TAKE_FD(fd);
}

int recording_create(const char *path, mode_t mode, struct new_file *ret_file,
		     struct fathom_err *err)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	_cleanup_close_ int old = -1;
	int r = new_file_open(&file, path, NEW_FILE_QUICK | NEW_FILE_EARLY, mode, err);

	if (r == 0 && file.replaces)
		old = openat(file.place.dir, file.place.name,
			     O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (old >= 0)
		r = recover_lock(old, path, err);
	if (r == 0)
		r = recover_lock(file.fd, path, err);
	if (r < 0)
		return r;
	*ret_file = TAKE_STRUCT(file, NEW_FILE_NONE);
	return 0;
}

static int adopt_options(struct trace_out *out, const struct trace_file *file)
{
	out->options = mem_zalloc(file->n_options, sizeof(*out->options));
	if (!out->options)
		return -ENOMEM;
	for (size_t i = 0; i < file->n_options; i++) {
		const struct trace_option *option = &file->options[i];
		void *data;

		if (!option->data || option->id == TRACE_ID_BUFFER ||
		    option->id == TRACE_ID_FATHOM_STATE ||
		    (option->id < TRACE_SECTION_IDS && file->section_at[option->id]))
			continue;
		data = mem_dup(option->data, option->size);
		if (!data)
			return -ENOMEM;
		out->options[out->n_options++] =
			(struct trace_out_option){ option->id, data, option->size };
	}
	return 0;
}

static int adopt_buffer(struct trace_out *out, const struct trace_buffer *from,
			struct out_buffer *to)
{
	to->name = mem_strdup(from->name);
	to->clock = mem_strdup(from->clock);
	if (!to->name || !to->clock)
		return -ENOMEM;
	to->page_size = from->layout.size;
	to->section = from->offset;
	to->first = out->n_streams;
	to->n = from->n_cpus;
	for (uint32_t i = 0; i < from->n_cpus; i++) {
		struct trace_out_stream *stream = &out->streams[out->n_streams++];

		stream->fd = out->fd;
		stream->cpu = from->cpus[i].cpu;
		stream->page_size = to->page_size;
		stream->start = from->cpus[i].offset;
		stream->limit = from->cpus[i].size;
		stream->size = from->cpus[i].size;
	}
	return 0;
}

static int adopt_buffers(struct trace_out *out, const struct trace_file *file)
{
	size_t n = 0;

	for (size_t i = 0; i < file->n_buffers; i++)
		n += file->buffers[i].n_cpus;
	out->buffers = mem_zalloc(file->n_buffers, sizeof(*out->buffers));
	out->streams = mem_zalloc(n, sizeof(*out->streams));
	if (!out->buffers || !out->streams)
		return -ENOMEM;
	for (; out->n_buffers < file->n_buffers; out->n_buffers++) {
		int r = adopt_buffer(out, &file->buffers[out->n_buffers],
				     &out->buffers[out->n_buffers]);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Finds the parts before the data. Returns -EINVAL if they differ from those of fathom's recorder.
 */
static int adopt_front(struct trace_out *out, const struct trace_file *file)
{
	uint64_t pointed;
	uint8_t bytes[8];
	unsigned slots = 0;

	out->head_options = HEAD_FIXED + strlen(file->compression_name) + 1 +
			    strlen(file->compression_version) + 1;
	if (read_fd(&out->fd, out->head_options, bytes, sizeof(bytes)) != sizeof(bytes))
		return -EINVAL;
	pointed = load_u64(bytes, BYTES_HOST_BIG);
	for (size_t i = 0; i < file->n_sections; i++) {
		const struct trace_section *section = &file->sections[i];

		if (section->id == TRACE_ID_DONE && slots < 2) {
			out->slots[slots++] = section->offset;
			out->slot_size = section->body + section->size - section->offset;
		}
		if (section->id == TRACE_ID_BUFFER)
			out->data_section = section->offset;
	}
	if (slots != 2 || !out->data_section || file->big_endian != BYTES_HOST_BIG)
		return -EINVAL;
	out->slot = pointed == out->slots[1];
	memcpy(out->sections, file->section_at, sizeof(out->sections));
	return out->slots[out->slot] == pointed ? 0 : -EINVAL;
}

/* Data start at the first region, even if its CPU has no data. */
static uint64_t data_start(const struct trace_out *out)
{
	uint64_t at = out->data_section + 16;

	return (at + TRACE_OUT_ALIGN - 1) / TRACE_OUT_ALIGN * TRACE_OUT_ALIGN;
}

static int recover_adopt(int fd, const struct trace_file *file, struct trace_out **ret_out)
{
	_cleanup_trace_out_ struct trace_out *out = trace_out_alloc(fd);
	int r;

	if (!out)
		return -ENOMEM;
	r = adopt_front(out, file);
	if (r == 0)
		r = adopt_options(out, file);
	if (r == 0)
		r = adopt_buffers(out, file);
	if (r < 0)
		return r;
	out->data = data_start(out);
	*ret_out = TAKE_PTR(out);
	return 0;
}

struct look {
	const char *path;
	char is_unfinished;
};

/* Runs in the confined process. */
static int recover_look(void *data, struct fathom_err *err)
{
	const struct look *what = data;
	_cleanup_close_ int fd = confined_open(what->path);
	struct trace_file file;
	struct stat st;
	struct view view;
	char answer;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fd < 0 ? fd : negative_errno();
	view = (struct view){ .size = (uint64_t)st.st_size, .read = read_fd, .ctx = &fd };
	r = trace_file_init(&file, &view, 0, err);
	if (r < 0)
		return r;
	answer = file.state.stage != TRACE_FINISHED;
	trace_file_done(&file);
	return confined_send(&answer, 1);
}

static int take_look(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct look *what = data;

	if (len != 1)
		return -EPROTO;
	what->is_unfinished = bytes[0];
	return 0;
}

int recording_is_unfinished(int fd, const char *path)
{
	const struct confined_file file = { path, fd };
	struct look what = { path, 0 };
	int r = confined_call(&(struct confined_call){ .work = recover_look,
						       .take = take_look,
						       .data = &what,
						       .subject = path,
						       .files = &file,
						       .n_files = 1 },
			      NULL);

	return r < 0 ? r : what.is_unfinished != 0;
}

int recording_recover(int fd, const char *path, struct trace_out_result *ret_result,
		      struct fathom_err *err)
{
	static const char note[] = "recovered: its recorder had died\n";
	const struct trace_out_option info = { TRACE_ID_FATHOM_INFO, note, sizeof(note) };
	_cleanup_trace_out_ struct trace_out *out = NULL;
	struct trace_file file;
	struct stat st;
	struct view view;
	int r;

	if (fstat(fd, &st) < 0)
		return err_set_errno(err, negative_errno(), "cannot access '%s'", path);
	view = (struct view){ .size = (uint64_t)st.st_size, .read = read_fd, .ctx = &fd };
	r = trace_file_init(&file, &view, 0, err);
	if (r < 0)
		return err_prefix(err, "cannot read '%s'", path), r;
	if (file.state.stage == TRACE_FINISHED)
		r = err_set(err, -EALREADY, "'%s' is not an unfinished recording of fathom", path);
	else
		r = recover_adopt(fd, &file, &out);
	trace_file_done(&file);
	if (r == -EINVAL)
		err_set(err, r, "'%s' has a damaged header: 'fathom report' reads what it can",
			path);
	if (r == -ENOMEM)
		err_nomem(err);
	return r < 0 ? r : trace_out_finish(out, NULL, 0, &info, 1, ret_result, err);
}
