/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/features/asker.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

#define NAME_PREFIX "fathom_probe_"

const char *asker_text(struct asker *asker, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(asker->arena, fmt, ap);
	va_end(ap);
	if (!text)
		asker->no_memory = true;
	return text ? text : "";
}

void answer_set(struct asker *asker, struct fathom_feature *answer, enum fathom_feature_state state,
		const char *how, const char *why)
{
	answer->state = state;
	answer->how = how;
	answer->why = why;
}

bool asker_may_open(struct asker *asker, struct fathom_feature *answer)
{
	if (asker->look_only)
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN, "not tried",
			   "can only be found by trying");
	return !asker->look_only;
}

/* Permission was denied despite being root: because of lockdown, or in a container. */
static void answer_refused(struct asker *asker, struct fathom_feature *answer, const char *how)
{
	const struct host *host = &asker->host;

	if (host->lockdown == LOCKDOWN_CONFIDENTIALITY) {
		answer_set(asker, answer, FATHOM_FEATURE_NO, how,
			   asker_text(asker, "permission denied: the kernel is locked down (%s)",
				      host_lockdown_name(host->lockdown)));
		answer->fix = "lockdown mode none or integrity";
	} else if (host->container || host->user_namespace || host->seccomp) {
		answer_set(asker, answer, FATHOM_FEATURE_NO, how,
			   "permission denied in this container");
		answer->fix = "the host, or a privileged container";
	} else {
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN, how,
			   "permission denied although root, possibly by a security module");
	}
}

void answer_from_errno(struct asker *asker, struct fathom_feature *answer, int r, const char *how)
{
	if (r == 0) {
		answer_set(asker, answer, FATHOM_FEATURE_YES, how, "");
	} else if ((r == -EPERM || r == -EACCES) && asker->host.is_root) {
		answer_refused(asker, answer, how);
	} else if (r == -EPERM || r == -EACCES) {
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN, how, "needs root");
		answer->fix = "run it with sudo";
	} else if (r == -EROFS) {
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN, how, "tracefs is read-only");
		answer->fix = tracefs_advice(&asker->tracefs);
	} else if (r == -ENOMEM) {
		asker->no_memory = true;
	} else {
		answer_set(asker, answer, FATHOM_FEATURE_NO, how,
			   asker_text(asker, "rejected: %s", strerrordesc_np(-r)));
	}
}

void signals_block(sigset_t *ret_old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, ret_old);
}

void signals_restore(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* Process IDs repeat in other namespaces, so the namespace is part of the name. */
static unsigned long asker_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned long)st.st_ino : 0;
}

void asker_set_name(struct asker *asker)
{
	snprintf(asker->name, sizeof(asker->name), NAME_PREFIX "%ld_%lu", (long)getpid(),
		 asker_pid_namespace());
}

bool is_dead_name(const struct asker *asker, const char *name)
{
	const char *rest = str_after(name, NAME_PREFIX);
	char *end;
	long pid;

	if (!rest || str_eq(name, asker->name))
		return false;
	pid = strtol(rest, &end, 10);
	if (end == rest || pid <= 0 || pid > INT32_MAX || *end != '_' ||
	    strtoul(end + 1, &end, 10) != asker_pid_namespace() || *end)
		return false;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}
