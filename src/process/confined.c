/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/confined.h"

#include <stddef.h>
#include <sys/resource.h>

#include "process/sandbox.h"

struct confined_work {
	void (*serve)(int fd, void *data);
	void *data;
	const struct confined_limits *limits;
};

static void confined_serve(int fd, void *data)
{
	const struct confined_work *work = data;
	unsigned seconds = work->limits->seconds;
	/* At the hard limit, the kernel would send SIGKILL, which does not reveal the reason. */
	const struct rlimit time = { seconds, seconds + 1 }, none = { 0, 0 };

	if (seconds)
		setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_CORE, &none);
	sandbox_limit_memory(work->limits->memory);
	if (sandbox_enter_asking(NULL) >= 0)
		work->serve(fd, work->data);
}

int confined_start(struct helper_process *process, void (*serve)(int fd, void *data), void *data,
		   const struct confined_limits *limits, struct fathom_err *err)
{
	struct confined_work work = { serve, data, limits };

	return helper_process_start(process,
				    &(struct helper_process_options){ .serve = confined_serve,
								      .data = &work,
								      .buffer = limits->buffer },
				    err);
}
