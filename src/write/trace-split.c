/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "write/trace-split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <fathom/cursor.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "read/cursor.h"

struct trace_split {
	struct fathom_trace *trace;
	const struct trace_split_options *options;
	struct trace_dat_plan whole, part;
	/* new names of the trace's buffers, in file order; NULL: not selected */
	const char **names;
	bool has_top; /* one of these is the top-level buffer */
	uint16_t *numbers; /* of the selected buffers */
	size_t n_numbers;
	/* For each stream: start of the next piece, its end, end of the last piece. */
	struct stream_mark *from, *to, *limit;
	bool begun; /* a piece was returned */
};

DEFINE_CLEANUP(struct trace_split, trace_split_free);

static bool trace_split_is_before(const struct stream_mark *a, const struct stream_mark *b)
{
	return a->page < b->page || (a->page == b->page && a->data < b->data);
}

static const char *trace_split_new_name(const struct trace_split_options *options, const char *name)
{
	if (!options->buffers)
		return name;
	for (size_t i = 0; i < options->n_buffers; i++)
		if (str_eq(options->buffers[i].name, name))
			return options->buffers[i].new_name;
	return NULL;
}

static int check_buffers(struct trace_split *split, struct fathom_err *err)
{
	const struct trace_split_options *options = split->options;
	const struct trace_file *file = &split->trace->file;

	for (size_t i = 0; options->buffers && i < options->n_buffers; i++) {
		const struct trace_split_buffer *wanted = &options->buffers[i];
		size_t found = 0;

		for (size_t k = 0; k < file->n_buffers; k++)
			found += str_eq(file->buffers[k].name, wanted->name);
		if (!found)
			return err_set(err, -ENOENT, "no buffer '%s' in the trace",
				       wanted->name[0] ? wanted->name : "top");
		for (size_t k = 0; k < i; k++)
			if (str_eq(options->buffers[k].new_name, wanted->new_name) ||
			    str_eq(options->buffers[k].name, wanted->name))
				return err_set(err, -EINVAL, "duplicate buffer name '%s'",
					       wanted->new_name[0] ? wanted->new_name : "top");
	}
	return 0;
}

static int check_cpu(struct trace_split *split, struct fathom_err *err)
{
	const struct trace_split_options *options = split->options;

	for (size_t i = 0; options->has_cpu && i < split->trace->n_streams; i++)
		if (split->trace->streams[i].cpu->cpu == options->cpu)
			return 0;
	return options->has_cpu ?
		       err_set(err, -ENOENT, "no events of CPU %u in the trace", options->cpu) :
		       0;
}

static int choose_buffers(struct trace_split *split, struct fathom_err *err)
{
	const struct trace_file *file = &split->trace->file;

	for (size_t i = 0; i < file->n_buffers; i++) {
		uint32_t place = split->trace->buffer_order[i];
		const struct trace_buffer *buffer = &file->buffers[place];
		const char *name = trace_split_new_name(split->options, buffer->name);

		if (!name)
			continue;
		if (buffer->is_text)
			return err_set(err, -ENOTSUP,
				       "no events: the file contains the text of a latency tracer");
		split->names[place] = name;
		split->has_top |= !name[0];
		split->numbers[split->n_numbers++] = (uint16_t)i;
	}
	return 0;
}

/* Creates a cursor over all selected streams, or over one of them. */
static int new_cursor(struct trace_split *split, const struct trace_stream *of,
		      struct fathom_cursor **ret_cursor, struct fathom_err *err)
{
	const struct trace_split_options *options = split->options;
	struct fathom_window window = {
		.from = options->from,
		.to = options->to,
		.cpus = options->has_cpu ? &options->cpu : NULL,
		.n_cpus = options->has_cpu,
		.buffers = split->numbers,
		.n_buffers = split->n_numbers,
	};

	if (of) {
		window.cpus = &of->cpu->cpu;
		window.buffers = &of->number;
		window.n_cpus = window.n_buffers = 1;
	}
	return fathom_cursor_new(split->trace, &window, ret_cursor, err);
}

static int find_limits(struct trace_split *split, struct fathom_err *err)
{
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	int r = new_cursor(split, NULL, &cursor, err);

	if (r < 0)
		return r;
	r = cursor_get_marks(cursor, split->from);
	if (r == 0)
		r = fathom_cursor_last(cursor, 0, NULL);
	if (r == 0)
		r = cursor_get_marks(cursor, split->limit);
	return r < 0 ? err_nomem(err) : 0;
}

/* Initializes the plan of the whole, and that of a part, which can have one more buffer. */
static int make_plans(struct trace_split *split)
{
	size_t n = split->trace->file.n_buffers + 1;
	struct trace_dat_buffer *buffers;

	if (trace_dat_plan_init(&split->whole, split->trace) < 0 ||
	    trace_dat_plan_init(&split->part, split->trace) < 0)
		return -ENOMEM;
	buffers = mem_resize(split->part.buffers, n, sizeof(*buffers));
	if (!buffers)
		return -ENOMEM;
	split->part.buffers = buffers;
	return 0;
}

int trace_split_new(struct fathom_trace *trace, const struct trace_split_options *options,
		    struct trace_split **ret_split, struct fathom_err *err)
{
	_cleanup_(trace_split_free_p) struct trace_split *split = mem_zalloc(1, sizeof(*split));
	size_t n = trace->n_streams;
	int r;

	if (!split)
		return err_nomem(err);
	split->trace = trace;
	split->options = options;
	split->names = mem_zalloc(trace->file.n_buffers, sizeof(*split->names));
	split->numbers = mem_zalloc(trace->file.n_buffers, sizeof(*split->numbers));
	split->from = mem_zalloc(n, sizeof(*split->from));
	split->to = mem_zalloc(n, sizeof(*split->to));
	split->limit = mem_zalloc(n, sizeof(*split->limit));
	if (!split->names || !split->numbers || !split->from || !split->to || !split->limit ||
	    make_plans(split) < 0)
		return err_nomem(err);
	/* Streams that are not selected end where they begin. */
	for (size_t i = 0; i < n; i++)
		split->from[i].page = split->to[i].page = split->limit[i].page = STREAM_END;
	r = check_buffers(split, err);
	if (r == 0)
		r = check_cpu(split, err);
	if (r == 0)
		r = choose_buffers(split, err);
	if (r == 0)
		r = find_limits(split, err);
	if (r < 0)
		return r;
	*ret_split = TAKE_PTR(split);
	return 0;
}

void trace_split_free(struct trace_split *split)
{
	if (!split)
		return;
	trace_dat_plan_done(&split->whole);
	trace_dat_plan_done(&split->part);
	free(split->names);
	free(split->numbers);
	free(split->from);
	free(split->to);
	free(split->limit);
	free(split);
}

/* Moves @cursor past @count events, or to the end. */
static int pass_events(struct fathom_cursor *cursor, uint64_t count)
{
	struct fathom_event event;
	int r = 1;

	while (count-- && r == 1)
		r = fathom_cursor_next(cursor, &event);
	return r < 0 ? r : 0;
}

/* Moves it past the duration of the piece, which starts with its first event. */
static int pass_time(struct trace_split *split, struct fathom_cursor *cursor)
{
	const struct trace_split_options *options = split->options;
	struct fathom_event event;
	uint64_t start, end;
	int r = fathom_cursor_next(cursor, &event);

	if (r <= 0)
		return r;
	/* The first piece starts at the requested time, unless it would be empty. */
	start = event.time;
	if (!split->begun && event.time >= options->from &&
	    event.time - options->from <= options->count)
		start = options->from;
	if (__builtin_add_overflow(start, options->count, &end) || end == UINT64_MAX)
		return fathom_cursor_last(cursor, 0, NULL);
	return fathom_cursor_seek(cursor, end + 1);
}

/* Moves it past @count pages with events. It has a single stream, number @stream. */
static int pass_pages(struct trace_split *split, struct fathom_cursor *cursor, size_t stream)
{
	const struct stream_mark *at = &split->to[stream], *limit = &split->limit[stream];
	uint64_t page = split->from[stream].page, pages = 1;
	int r = cursor_get_marks(cursor, split->to);

	while (r == 0 && trace_split_is_before(at, limit)) {
		if (at->page != page && ++pages > split->options->count)
			break;
		page = at->page;
		r = pass_events(cursor, 1);
		if (r == 0)
			r = cursor_get_marks(cursor, split->to);
	}
	return r;
}

/* Finds the end of the piece in all streams of @cursor. */
static int trace_split_find_end(struct trace_split *split, struct fathom_cursor *cursor,
				size_t stream)
{
	int r = cursor_set_marks(cursor, split->from);

	if (r < 0)
		return r;
	switch (split->options->unit) {
	case TRACE_SPLIT_EVENTS:
		r = pass_events(cursor, split->options->count);
		break;
	case TRACE_SPLIT_TIME:
		r = pass_time(split, cursor);
		break;
	case TRACE_SPLIT_PAGES:
		r = pass_pages(split, cursor, stream);
		break;
	default:
		r = fathom_cursor_last(cursor, 0, NULL);
	}
	return r == 0 ? cursor_get_marks(cursor, split->to) : r;
}

/* If time goes backwards, places found by time may be out of order. */
static void put_in_order(struct trace_split *split)
{
	for (size_t i = 0; i < split->trace->n_streams; i++) {
		if (trace_split_is_before(&split->limit[i], &split->to[i]))
			split->to[i] = split->limit[i];
		if (trace_split_is_before(&split->to[i], &split->from[i]))
			split->to[i] = split->from[i];
	}
}

/* Finds the end of a piece that must not be empty, or there would be infinitely many. */
static int find_next(struct trace_split *split, struct fathom_err *err)
{
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	int r = new_cursor(split, NULL, &cursor, err);

	if (r < 0)
		return r;
	r = cursor_set_marks(cursor, split->from);
	if (r == 0)
		r = pass_events(cursor, 1);
	if (r == 0)
		r = cursor_get_marks(cursor, split->to);
	put_in_order(split);
	return r < 0 ? err_nomem(err) : 0;
}

static int find_ends(struct trace_split *split, struct fathom_err *err)
{
	bool apart = split->options->per_cpu || split->options->unit == TRACE_SPLIT_PAGES;
	int r = 0;

	for (size_t i = 0; r == 0 && i < (apart ? split->trace->n_streams : 1); i++) {
		_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;

		if (apart && !trace_split_is_before(&split->from[i], &split->limit[i])) {
			split->to[i] = split->from[i];
			continue;
		}
		r = new_cursor(split, apart ? &split->trace->streams[i] : NULL, &cursor, err);
		if (r == 0 && trace_split_find_end(split, cursor, i) < 0)
			r = err_nomem(err);
	}
	put_in_order(split);
	return r;
}

/* Makes the plan of the streams with events in the piece. Returns 1 if there are any. */
static int trace_split_make_plan(struct trace_split *split)
{
	const struct trace_dat_plan *whole = &split->whole;
	struct trace_dat_plan *part = &split->part;
	size_t cpus = 0;

	part->n_buffers = 0;
	part->bytes = 0;
	/* Readers take any buffer for the top-level one if that is missing. */
	if (!split->has_top) {
		part->buffers[part->n_buffers++] = (struct trace_dat_buffer){
			.name = "",
			.clock = split->trace->file.clock,
			.layout = split->trace->file.layout,
			.cpus = part->cpus,
		};
		part->buffers[0].layout.size = whole->page_size;
	}
	for (size_t i = 0; i < whole->n_buffers; i++) {
		const struct trace_dat_buffer *of = &whole->buffers[i];
		struct trace_dat_buffer *buffer = &part->buffers[part->n_buffers];

		if (!split->names[i])
			continue;
		part->n_buffers++;
		*buffer = *of;
		buffer->name = split->names[i];
		buffer->cpus = &part->cpus[cpus];
		buffer->n_cpus = 0;
		for (uint32_t k = 0; k < of->n_cpus; k++) {
			size_t stream = (size_t)(of->cpus[k].of - split->trace->streams);

			if (!trace_split_is_before(&split->from[stream], &split->to[stream]))
				continue;
			part->cpus[cpus] = of->cpus[k];
			part->cpus[cpus].from = &split->from[stream];
			part->cpus[cpus++].to = &split->to[stream];
			part->bytes += of->cpus[k].of->cpu->size;
			buffer->n_cpus++;
		}
	}
	return cpus > 0;
}

int trace_split_next(struct trace_split *split, const struct trace_dat_plan **ret_plan,
		     struct fathom_err *err)
{
	int r;

	if (split->begun)
		memcpy(split->from, split->to, split->trace->n_streams * sizeof(*split->from));
	r = find_ends(split, err);
	if (r < 0)
		return r;
	split->begun = true;
	r = trace_split_make_plan(split);
	if (r == 0 && trace_split_has_more(split)) {
		r = find_next(split, err);
		if (r == 0)
			r = trace_split_make_plan(split);
	}
	*ret_plan = &split->part;
	return r;
}

bool trace_split_has_more(const struct trace_split *split)
{
	const struct stream_mark *next = split->begun ? split->to : split->from;

	for (size_t i = 0; i < split->trace->n_streams; i++)
		if (trace_split_is_before(&next[i], &split->limit[i]))
			return true;
	return false;
}

const struct stream_mark *trace_split_place(const struct trace_split *split, size_t *ret_n)
{
	*ret_n = split->trace->n_streams;
	return split->begun ? split->to : split->from;
}

bool trace_split_resume(struct trace_split *split, const struct stream_mark *marks, size_t n)
{
	if (n != split->trace->n_streams)
		return false;
	if (n)
		memcpy(split->to, marks, n * sizeof(*marks));
	split->begun = true;
	return true;
}
