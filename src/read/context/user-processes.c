/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/context/user-processes.h"

#include <fathom/cursor.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "format/bytes.h"
#include "format/file/trace-file.h"
#include "read/trace.h"

/* Precedes the data of an option: u16 id, u32 size. */
#define OPTION_HEAD 6

DEFINE_CLEANUP(struct fathom_cursor, fathom_cursor_free);

/* An event with two PIDs. */
struct pids_event {
	const struct event_format *format; /* NULL: the trace has no such format */
	const struct event_field *fields[2];
	unsigned id;
};

static struct pids_event user_processes_find_event(struct event_table *events, const char *name,
						   const char *first, const char *second)
{
	struct event_entry *entry = event_table_find_name(events, "sched", name);
	struct pids_event event = { 0 };

	if (!entry || !entry->format)
		return event;
	event.fields[0] = event_field_find(entry->format, first);
	event.fields[1] = event_field_find(entry->format, second);
	if (event.fields[0] && event.fields[1]) {
		event.format = entry->format;
		event.id = (unsigned)entry->id;
	}
	return event;
}

static bool read_pids(const struct pids_event *kind, const struct fathom_event *event,
		      int64_t pids[2])
{
	if (!kind->format || event->id != kind->id || !event->data)
		return false;
	for (int i = 0; i < 2; i++)
		if (!event_field_s64(kind->format, kind->fields[i], event->data, event->size,
				     &pids[i]))
			return false;
	return true;
}

static int user_processes_read_events(struct fathom_trace *trace, struct event_table *events,
				      struct user_maps *maps, struct fathom_err *err)
{
	struct pids_event forks =
		user_processes_find_event(events, "sched_process_fork", "parent_pid", "child_pid");
	struct pids_event execs =
		user_processes_find_event(events, "sched_process_exec", "pid", "old_pid");
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	int64_t pids[2];
	int r;

	if (!forks.format && !execs.format)
		return 0;
	r = fathom_cursor_new(trace, NULL, &cursor, err);
	if (r < 0)
		return r;
	while ((r = fathom_cursor_next(cursor, &event)) > 0) {
		int added = 0;

		if (read_pids(&forks, &event, pids))
			added = user_maps_add_fork(maps, (int32_t)pids[0], (int32_t)pids[1],
						   event.time);
		else if (read_pids(&execs, &event, pids))
			added = user_maps_add_exec(maps, (int32_t)pids[0], event.time);
		if (added < 0)
			return err_nomem(err);
	}
	return r < 0 ? err_nomem(err) : 0;
}

/* Returns the location of an option's bytes. False: they are not accessible. */
static bool option_source(struct fathom_trace *trace, const struct fathom_trace_option *option,
			  struct elf_source *ret_source)
{
	struct source *source = &trace->source;
	bool big_endian = trace->file.big_endian;
	uint8_t head[OPTION_HEAD];

	/*
	 * Prefer the location in the file, which can be passed on. For an option in a compressed
	 * section, only the location of the section is known.
	 */
	if (option->offset >= sizeof(head) &&
	    source_read(source, option->offset - sizeof(head), head, sizeof(head)) ==
		    (long)sizeof(head) &&
	    load_u16(head, big_endian) == option->id &&
	    load_u32(head + 2, big_endian) == option->size) {
		*ret_source = (struct elf_source){ .fd = source->fd,
						   .base = option->offset,
						   .size = option->size };
		return true;
	}
	if (!option->data)
		return false;
	*ret_source = (struct elf_source){ .fd = -1, .bytes = option->data, .size = option->size };
	return true;
}

/* Adds a file stored in the trace: a number, followed by its contents. */
static int user_processes_add_copy(struct fathom_trace *trace,
				   const struct fathom_trace_option *option,
				   struct user_symbols *symbols)
{
	struct elf_source source;
	uint8_t number[sizeof(uint64_t)];
	uint64_t value;

	if (!option_source(trace, option, &source) ||
	    elf_source_read(&source, 0, number, sizeof(number)) < 0)
		return 0;
	value = load_u64(number, trace->file.big_endian);
	/* The recorder writes them in this order; ignore others. */
	if (value > UINT32_MAX ||
	    (symbols->n_copies && value <= symbols->copies[symbols->n_copies - 1].number))
		return 0;
	if (source.bytes)
		source.bytes += sizeof(number);
	source.base += sizeof(number);
	source.size -= sizeof(number);
	return user_symbols_add_copy(symbols, (uint32_t)value, &source);
}

/* Reads the data stored by the recorder. Returns 1 if there is any. */
static int read_log(struct fathom_trace *trace, struct user_symbols *symbols)
{
	const struct trace_file *file = &trace->file;
	uint64_t shift = file->n_buffers ? time_convert(&file->buffers[0].time, 0, 0) : 0;
	struct fathom_trace_option option;
	int r = 0, found = 0;

	for (size_t i = 0; r == 0 && fathom_trace_option(trace, i, &option) == 0; i++) {
		if (option.id == TRACE_ID_FATHOM_MAPS && option.data) {
			found = 1;
			r = user_maps_add_log(&symbols->maps, shift, option.data, option.size);
		} else if (option.id == TRACE_ID_FATHOM_FILE) {
			r = user_processes_add_copy(trace, &option, symbols);
		}
	}
	if (r == 0 && found)
		r = user_maps_seal(&symbols->maps);
	return r < 0 ? r : found;
}

int user_processes_read(struct fathom_trace *trace, struct event_table *events,
			struct user_symbols *symbols, struct fathom_err *err)
{
	struct fathom_trace_option option;
	int r = read_log(trace, symbols);

	if (r < 0)
		return err_nomem(err);
	if (r > 0)
		return 0;
	r = user_processes_read_events(trace, events, &symbols->maps, err);
	/* These are the mappings at the end of the recording. */
	for (size_t i = 0; r == 0 && fathom_trace_option(trace, i, &option) == 0; i++)
		if (option.id == TRACE_ID_PROCMAPS && option.data &&
		    user_maps_add_option(&symbols->maps, USER_TIME_END, option.data, option.size) <
			    0)
			r = err_nomem(err);
	return r;
}
