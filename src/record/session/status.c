/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/tracefs/instance-dir.h"
#include "record/rings/cpu-stats.h"

static uint64_t number_in(int dir, const char *file)
{
	char line[STATUS_WORD_SIZE];

	return file_read_line(dir, file, line, sizeof(line)) > 0 ? strtoull(line, NULL, 10) : 0;
}

/* The size reads "7 (expanded: 1408)" before first use, "X" if CPUs differ. */
static void status_read_size(struct status_buffer *buffer, int dir)
{
	char line[STATUS_WORD_SIZE];
	const char *expanded;

	if (file_read_line(dir, "buffer_size_kb", line, sizeof(line)) > 0) {
		expanded = strstr(line, "(expanded: ");
		buffer->unused = expanded != NULL;
		buffer->size_kb =
			strtoull(expanded ? expanded + strlen("(expanded: ") : line, NULL, 10);
	}
	buffer->total_kb = buffer->unused ? buffer->size_kb * buffer->n_cpus :
					    number_in(dir, "buffer_total_size_kb");
	buffer->subbuf_kb = number_in(dir, "buffer_subbuf_size_kb");
}

static void status_read_clock(struct status_buffer *buffer, int dir)
{
	char line[256], *begin, *end;

	if (file_read_line(dir, "trace_clock", line, sizeof(line)) <= 0)
		return;
	begin = strchr(line, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	snprintf(buffer->clock, sizeof(buffer->clock), "%s", begin + 1);
}

/* Counts the bits of a mask like "ff,ffffffff". */
static size_t bits_in(const char *mask)
{
	size_t n = 0;

	for (; *mask; mask++) {
		const char digit[] = { *mask, '\0' };

		n += (size_t)__builtin_popcountl(strtoul(digit, NULL, 16));
	}
	return n;
}

static void status_read_words(struct status_buffer *buffer, int dir)
{
	char line[STATUS_WORD_SIZE];

	if (file_read_line(dir, "tracing_cpumask", line, sizeof(line)) > 0 &&
	    bits_in(line) < buffer->n_cpus)
		memcpy(buffer->cpumask, line, sizeof(line));
	/* Microseconds; -1 if it was set to the maximum. */
	if (file_read_line(dir, "tracing_max_latency", line, sizeof(line)) > 0 && line[0] != '-')
		buffer->max_latency_ns = strtoull(line, NULL, 10) * 1000;
}

static int read_rings(struct status_buffer *buffer, int dir)
{
	_cleanup_free_ uint32_t *cpus = NULL;
	int r = cpu_list_read(dir, &cpus, &buffer->n_cpus);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < buffer->n_cpus; i++) {
		struct cpu_stats stats;

		r = cpu_stats_read(dir, cpus[i], &stats, NULL);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			continue;
		buffer->entries += stats.entries;
		buffer->lost += cpu_stats_lost(&stats);
	}
	return 0;
}

static const struct session_info *session_of(const struct session_list *sessions, const char *name)
{
	for (size_t i = 0; i < sessions->n; i++) {
		const struct session_info *session = &sessions->list[i];

		if (*name ? str_has_word(session->instances, " ", name) : session->top)
			return session;
	}
	return NULL;
}

static int status_read_buffer(struct status *status, const struct state_buffer *state, bool options)
{
	struct status_buffer *buffer = &status->buffers[status->n];
	_cleanup_close_ int fd = *state->name ?
					 instance_dir_open(status->env.tracefs.fd, state->name) :
					 fcntl(status->env.tracefs.fd, F_DUPFD_CLOEXEC, 0);
	int r;

	/* It has been removed since. */
	if (fd < 0)
		return 0;
	*buffer = (struct status_buffer){ .state = state };
	buffer->session = session_of(&status->sessions, state->name);
	r = read_rings(buffer, fd);
	if (r < 0)
		return r;
	status_read_size(buffer, fd);
	status_read_clock(buffer, fd);
	status_read_words(buffer, fd);
	if (options && settings_read_options(fd, &buffer->options, NULL) == -ENOMEM)
		return -ENOMEM;
	status->n++;
	return 0;
}

static int status_read_all(struct status *status, const char *root, bool options,
			   struct fathom_err *err)
{
	size_t count;
	int r = session_env_open(root, &status->env, err);

	if (r == 0 && !tracefs_readable(&status->env.tracefs))
		r = session_env_check(&status->env, err);
	if (r < 0)
		return r;
	/* Without permission to read sessions, everything else is still visible. */
	if (session_list_read(&status->env, &status->sessions, NULL) == -ENOMEM)
		return err_nomem(err);
	r = trace_state_read(root, &status->env.tracefs, &status->state, err);
	if (r < 0)
		return r;
	count = status->state.buffers.count;
	status->buffers = mem_zalloc(count ? count : 1, sizeof(*status->buffers));
	if (!status->buffers)
		return err_nomem(err);
	for (size_t i = 0; i < count; i++)
		if (status_read_buffer(status, &status->state.buffers.items[i], options) < 0)
			return err_nomem(err);
	return 0;
}

static bool sysctl_is(const struct status *status, const char *file, char value)
{
	char line[16];

	return file_read_line(status->env.proc_sys, file, line, sizeof(line)) > 0 &&
	       line[0] == value;
}

int status_read(const char *root, bool options, struct status *ret_status, struct fathom_err *err)
{
	_cleanup_status_ struct status status = { .env = SESSION_ENV_NONE };
	int r = status_read_all(&status, root, options, err);

	if (r < 0)
		return r;
	status.no_functions = sysctl_is(&status, "kernel/ftrace_enabled", '0');
	status.stack_tracer = sysctl_is(&status, "kernel/stack_tracer_enabled", '1');
	if (file_read(status.env.tracefs.fd, "error_log", &status.errors) == -ENOMEM)
		return err_nomem(err);
	*ret_status = status;
	status = (struct status){ .env = SESSION_ENV_NONE };
	return 0;
}

void status_done(struct status *status)
{
	for (size_t i = 0; i < status->n; i++)
		settings_done(&status->buffers[i].options);
	free(status->buffers);
	strbuf_done(&status->errors);
	session_list_done(&status->sessions);
	trace_state_done(&status->state);
	session_env_done(&status->env);
	status->buffers = NULL;
	status->n = 0;
}
