/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/stream-names.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/files/file.h"

#define REFRESH_NS 100000000ULL

/* The task names cached by the kernel. Names are optional: ignore failures. */
static void stream_names_ask(struct stream_names *names)
{
	names->fresh = true;
	names->asked = names->now;
	strbuf_clear(&names->text);
	if (file_read(names->tracefs, "saved_cmdlines", &names->text) == 0)
		(void)tasks_rename(names->tasks, strbuf_str(&names->text), names->text.len);
}

void stream_names_tick(struct stream_names *names, uint64_t now)
{
	names->now = now;
	names->fresh = names->asked && now - names->asked < REFRESH_NS;
}

static void ask_proc(struct stream_names *names, int32_t pid)
{
	char path[64], comm[64];
	int len;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	len = file_read_line(AT_FDCWD, path, comm, sizeof(comm));
	if (len > 0)
		tasks_learn(names->tasks, pid, comm, (size_t)len);
}

void stream_names_see(struct stream_names *names, int32_t pid)
{
	if (!names->fresh)
		stream_names_ask(names);
	if (pid > 0 && !tasks_know(names->tasks, pid))
		ask_proc(names, pid);
}

void stream_names_done(struct stream_names *names)
{
	strbuf_done(&names->text);
}
