/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The entries of a map log, and the processes that were seen. The listener is notified of each
 * entry.
 */
#include <errno.h>

#include "base/mem.h"
#include "record/unwind/map-log-parts.h"

/* More entries are only counted. */
#define ENTRIES_MAX ((size_t)1 << 20)

struct logged_process *map_log_process(struct map_log *log, int32_t pid)
{
	return u64_map_element(&log->pids, (uint32_t)pid, &log->processes, &log->n_processes,
			       &log->cap_processes, sizeof(struct logged_process));
}

bool map_log_is_wanted(struct map_log *log, int32_t pid)
{
	uint32_t place = u64_map_get(&log->pids, (uint32_t)pid);

	return log->all || (place != U64_MAP_NONE && log->processes[place].wanted);
}

int map_log_add_entry(struct map_log *log, const struct map_log_entry *entry)
{
	if (log->n >= ENTRIES_MAX) {
		log->dropped++;
		return 0;
	}
	if (mem_reserve(&log->entries, &log->cap, log->n + 1, sizeof(*log->entries)) < 0)
		return -ENOMEM;
	log->entries[log->n] = *entry;
	if (!log->timed)
		log->entries[log->n].time = 0;
	if (log->listener.entry)
		log->listener.entry(log->listener.data, &log->entries[log->n]);
	log->n++;
	return 0;
}
