/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/unwind/map-log.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "format/file/trace-file.h"
#include "record/unwind/map-log-parts.h"

/* Size of an option; readers keep options of up to a megabyte in memory. */
#define TEXT_MAX ((size_t)512 << 10)

/* JIT compilers remap the same range repeatedly; log it once. */
static bool is_duplicate(struct logged_process *process, const struct map_log_entry *entry)
{
	if (process->last_start == entry->start && process->last_end == entry->end &&
	    process->last_file == entry->file)
		return true;
	process->last_start = entry->start;
	process->last_end = entry->end;
	process->last_file = entry->file;
	return false;
}

static int add_mapping(struct map_log *log, const struct process_event *event)
{
	struct process_event own = *event;
	struct logged_process *process;
	struct map_log_entry entry = { .kind = 'M',
				       .pid = event->pid,
				       .time = event->time,
				       .start = event->start,
				       .end = event->end,
				       .offset = event->offset };
	int64_t file;

	/* A newline would break the format; such a file remains without symbols. */
	if (strchr(own.path, '\n'))
		own.path = "/?";
	file = map_log_file(log, &own);
	if (file < 0)
		return (int)file;
	entry.file = (uint32_t)file;
	process = map_log_process(log, event->pid);
	if (!process)
		return -ENOMEM;
	return is_duplicate(process, &entry) ? 0 : map_log_add_entry(log, &entry);
}

static int add_fork(struct map_log *log, const struct process_event *event)
{
	bool thread = event->pid == event->parent, wanted = map_log_is_wanted(log, event->parent);
	struct logged_process *process;

	if (!thread) {
		process = map_log_process(log, event->pid);
		if (!process)
			return -ENOMEM;
		*process = (struct logged_process){ .wanted = wanted, .parent = event->parent };
	}
	if (!wanted)
		return 0;
	return map_log_add_entry(log,
				 &(struct map_log_entry){ .kind = thread ? 'T' : 'C',
							  .pid = thread ? event->tid : event->pid,
							  .other = event->parent,
							  .time = event->time });
}

int map_log_add(struct map_log *log, const struct process_event *event)
{
	struct logged_process *process;

	switch (event->kind) {
	case PROCESS_MAPPED:
		return map_log_is_wanted(log, event->pid) ? add_mapping(log, event) : 0;
	case PROCESS_EXEC:
		if (!map_log_is_wanted(log, event->pid))
			return 0;
		process = map_log_process(log, event->pid);
		if (!process)
			return -ENOMEM;
		process->last_end = 0;
		return map_log_add_entry(log, &(struct map_log_entry){ .kind = 'X',
								       .pid = event->pid,
								       .time = event->time });
	case PROCESS_FORKED:
		return add_fork(log, event);
	case PROCESS_LOST:
		return map_log_add_entry(log, &(struct map_log_entry){ .kind = 'L',
								       .time = event->time,
								       .start = event->lost });
	case PROCESS_ENDED:
		break;
	}
	return 0;
}

/*
 * Parses "start-end rwxp offset dev inode   path". Returns false unless the mapping is executable
 * or has a name in brackets.
 */
static bool map_log_parse_line(const char *line, struct process_event *event, char *path,
			       size_t size)
{
	const char *flags, *name;
	size_t len;
	char *p;

	event->start = strtoull(line, &p, 16);
	if (*p != '-')
		return false;
	event->end = strtoull(p + 1, &p, 16);
	flags = p;
	if (*p != ' ' || strcspn(p + 1, " \n") != 4)
		return false;
	event->offset = strtoull(p + 6, &p, 16);
	p += strspn(p, " ");
	p += strcspn(p, " \n");
	event->inode = strtoull(p, &p, 10);
	name = p + strspn(p, " ");
	len = strcspn(name, "\n");
	if (len >= size || (flags[3] != 'x' && *name != '['))
		return false;
	memcpy(path, name, len);
	path[len] = '\0';
	return true;
}

static int add_maps(struct map_log *log, int32_t pid, uint64_t time, const char *maps)
{
	_cleanup_free_ char *path = mem_alloc(PATH_MAX);
	struct process_event event = { .kind = PROCESS_MAPPED, .pid = pid, .time = time };
	int r = map_log_add_entry(log,
				  &(struct map_log_entry){ .kind = 'A', .pid = pid, .time = time });

	if (!path)
		return -ENOMEM;
	event.path = path;
	for (const char *line = maps; *line && r == 0;
	     line += strcspn(line, "\n"), line += *line == '\n')
		if (map_log_parse_line(line, &event, path, PATH_MAX))
			r = add_mapping(log, &event);
	return r;
}

/* Returns the number after a word in /proc/PID/status, or 0. */
static int32_t status_number(const char *status, const char *word)
{
	const char *line = strstr(status, word);

	return line ? (int32_t)strtol(line + strlen(word), NULL, 10) : 0;
}

static int map_log_add_threads(struct map_log *log, int32_t pid, uint64_t time)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/%d/task", log->root, (int)pid);
	DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;
	int r = path ? 0 : -ENOMEM;

	while (r == 0 && dir && (entry = readdir(dir)) != NULL) {
		int32_t tid = (int32_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && tid != pid)
			r = map_log_add_entry(
				log, &(struct map_log_entry){
					     .kind = 'T', .pid = tid, .other = pid, .time = time });
	}
	if (dir)
		closedir(dir);
	return r;
}

/* Logs the current mappings. A process that has exited, or has no address space, adds nothing. */
static int map_log_take_process(struct map_log *log, int32_t pid)
{
	_cleanup_strbuf_ struct strbuf status = { 0 }, maps = { 0 };
	_cleanup_free_ char *of_status = mem_printf("%s/proc/%d/status", log->root, (int)pid);
	_cleanup_free_ char *of_maps = mem_printf("%s/proc/%d/maps", log->root, (int)pid);
	struct logged_process *process;
	uint64_t time = log->events ? process_events_now(log->events) : 0;
	int32_t leader;
	int r;

	if (!of_status || !of_maps)
		return -ENOMEM;
	if (file_read(AT_FDCWD, of_status, &status) < 0 ||
	    file_read(AT_FDCWD, of_maps, &maps) < 0 || !maps.len)
		return status.err ?: maps.err;
	leader = status_number(strbuf_str(&status), "\nTgid:") ?: pid;
	process = map_log_process(log, leader);
	if (!process)
		return -ENOMEM;
	process->wanted = true;
	process->parent = status_number(strbuf_str(&status), "\nPPid:");
	r = add_maps(log, leader, time, strbuf_str(&maps));
	return r < 0 ? r : map_log_add_threads(log, leader, time);
}

static int map_log_take_all(struct map_log *log)
{
	_cleanup_free_ char *path = mem_printf("%s/proc", log->root);
	DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;
	int r = path ? 0 : -ENOMEM;

	while (r == 0 && dir && (entry = readdir(dir)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]))
			r = map_log_take_process(log, (int32_t)strtol(entry->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	return r;
}

int map_log_new(const char *root, const pid_t *pids, size_t n_pids, struct process_events *events,
		const struct map_log_listener *listener, struct map_log **ret_log,
		struct fathom_err *err)
{
	struct map_log *log = mem_zalloc(1, sizeof(*log));
	int r = 0;

	if (!log) {
		process_events_free(events);
		return err_nomem(err);
	}
	log->root = root;
	log->events = events;
	if (listener)
		log->listener = *listener;
	log->all = !n_pids;
	log->timed = events && process_events_timed(events);
	for (size_t i = 0; i < n_pids && r == 0; i++)
		r = map_log_take_process(log, (int32_t)pids[i]);
	if (log->all)
		r = map_log_take_all(log);
	if (r < 0) {
		map_log_free(log);
		return err_nomem(err);
	}
	*ret_log = log;
	return 0;
}

void map_log_free(struct map_log *log)
{
	if (!log)
		return;
	process_events_free(log->events);
	for (size_t i = 0; i < log->n_files; i++)
		strbuf_done(&log->files[i].copy);
	for (size_t i = 0; i < log->n_texts; i++)
		strbuf_done(&log->texts[i]);
	free(log->texts);
	free(log->options);
	free(log->entries);
	free(log->processes);
	free(log->files);
	u64_map_done(&log->pids);
	u64_map_done(&log->file_keys);
	arena_done(&log->arena);
	free(log);
}

int map_log_fd(const struct map_log *log)
{
	return log->events ? process_events_fd(log->events) : -1;
}

int map_log_read(struct map_log *log)
{
	struct process_event event;
	int r = 0;

	while (r == 0 && log->events && process_events_next(log->events, &event))
		r = map_log_add(log, &event);
	return r;
}

void map_log_announce(struct map_log *log)
{
	map_log_announce_files(log);
	for (size_t i = 0; log->listener.entry && i < log->n; i++)
		log->listener.entry(log->listener.data, &log->entries[i]);
}

const char *map_log_path(const struct map_log *log, uint32_t number)
{
	return number && number <= log->n_files ? log->files[number - 1].path : NULL;
}

/* Returns the text for the next line, or NULL if memory is exhausted. */
static struct strbuf *text_with_room(struct map_log *log)
{
	if (log->n_texts && log->texts[log->n_texts - 1].len < TEXT_MAX)
		return &log->texts[log->n_texts - 1];
	if (mem_reserve(&log->texts, &log->cap_texts, log->n_texts + 1, sizeof(*log->texts)) < 0)
		return NULL;
	log->texts[log->n_texts] = (struct strbuf){ 0 };
	return &log->texts[log->n_texts++];
}

static void map_log_put_file(struct strbuf *text, const struct logged_file *file, size_t number)
{
	strbuf_addf(text, "F %zx %" PRIx64 " %" PRIx64 " %zx ", number, file->size, file->mtime,
		    file->copy.len ? number : 0);
	if (!file->build_id_len)
		strbuf_addc(text, '-');
	for (size_t i = 0; i < file->build_id_len; i++)
		strbuf_addf(text, "%02x", file->build_id[i]);
	strbuf_addf(text, " %s\n", file->path);
}

static void map_log_put_entry(struct strbuf *text, const struct map_log_entry *entry)
{
	unsigned pid = (unsigned)entry->pid;

	switch (entry->kind) {
	case 'M':
		strbuf_addf(text, "M %x %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %x\n", pid,
			    entry->time, entry->start, entry->end, entry->offset, entry->file);
		break;
	case 'L':
		strbuf_addf(text, "L %" PRIx64 " %" PRIx64 "\n", entry->time, entry->start);
		break;
	case 'C':
	case 'T':
		strbuf_addf(text, "%c %x %" PRIx64 " %x\n", entry->kind, pid, entry->time,
			    (unsigned)entry->other);
		break;
	default:
		strbuf_addf(text, "%c %x %" PRIx64 "\n", entry->kind, pid, entry->time);
		break;
	}
}

/*
 * A stable sort: entries of the same time are in order, because they come from one CPU or were read
 * at once.
 */
static int sort_entries(struct map_log *log)
{
	_cleanup_free_ struct map_log_entry *other = mem_zalloc(log->n ?: 1, sizeof(*other));
	struct map_log_entry *from = log->entries, *to = other;

	if (!other)
		return -ENOMEM;
	for (size_t width = 1; width < log->n; width *= 2) {
		struct map_log_entry *done = from;

		for (size_t low = 0, out = 0; low < log->n; low += 2 * width) {
			size_t middle = low + width < log->n ? low + width : log->n;
			size_t end = middle + width < log->n ? middle + width : log->n;
			size_t a = low, b = middle;

			while (a < middle || b < end)
				to[out++] =
					b == end || (a < middle && from[a].time <= from[b].time) ?
						from[a++] :
						from[b++];
		}
		from = to;
		to = done;
	}
	if (from != log->entries)
		memcpy(log->entries, from, log->n * sizeof(*from));
	return 0;
}

static int make_texts(struct map_log *log)
{
	struct strbuf *text = NULL;
	int r = sort_entries(log);

	for (size_t i = 0; i < log->n_files && r == 0; i++) {
		text = text_with_room(log);
		if (!text)
			return -ENOMEM;
		map_log_put_file(text, &log->files[i], i + 1);
	}
	for (size_t i = 0; i < log->n && r == 0; i++) {
		text = text_with_room(log);
		if (!text)
			return -ENOMEM;
		map_log_put_entry(text, &log->entries[i]);
	}
	if (r == 0 && log->dropped && (text = text_with_room(log)) != NULL)
		map_log_put_entry(text,
				  &(struct map_log_entry){ .kind = 'L', .start = log->dropped });
	for (size_t i = 0; i < log->n_texts; i++)
		r = log->texts[i].err ?: r;
	return r;
}

int map_log_options(struct map_log *log, const struct trace_out_option **ret_options)
{
	size_t n = 0;
	int r = make_texts(log);

	if (r < 0)
		return r;
	free(log->options);
	log->options = mem_zalloc(log->n_texts + log->n_files + 1, sizeof(*log->options));
	if (!log->options)
		return -ENOMEM;
	for (size_t i = 0; i < log->n_texts; i++)
		log->options[n++] = (struct trace_out_option){ TRACE_ID_FATHOM_MAPS,
							       log->texts[i].s,
							       (uint32_t)log->texts[i].len };
	for (size_t i = 0; i < log->n_files; i++) {
		const struct strbuf *copy = &log->files[i].copy;

		if (copy->len)
			log->options[n++] = (struct trace_out_option){ TRACE_ID_FATHOM_FILE,
								       copy->s,
								       (uint32_t)copy->len };
	}
	*ret_options = log->options;
	return (int)n;
}
