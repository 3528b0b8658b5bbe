/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who we are on this machine and what its administrator allows: rights, lockdown,
 * sysctls, signs of a container, and the kernel's configuration. The last only
 * serves to explain an answer that was found by asking, never to find one.
 */
#ifndef FATHOM_KERNEL_HOST_H
#define FATHOM_KERNEL_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/strbuf.h"

enum host_lockdown {
	LOCKDOWN_UNKNOWN, /* no such file: not built in, or securityfs is not mounted */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

#define HOST_SYSCTL_UNKNOWN (-1000)

struct host {
	const char *root; /* prefix of all paths, the caller's */
	bool is_root; /* effective user id 0 */
	uint64_t caps; /* effective capabilities */
	bool seccomp; /* a filter may refuse system calls */
	enum host_lockdown lockdown;
	int kptr_restrict; /* these four: HOST_SYSCTL_UNKNOWN when not readable */
	int perf_paranoid;
	int unprivileged_bpf_disabled;
	int ftrace_enabled;
	bool user_namespace; /* not the initial one: root is not root */
	const char *container; /* what says that this is a container; NULL: nothing does */
	char release[65];
	bool config_read; /* it was tried */
	bool no_memory; /* and failed for this reason */
	struct strbuf config;
	char config_path[96]; /* where it came from; "" when there is none */
};

/* Looks around. @root as for tracefs_find(). 0 or -ENOMEM. */
int host_init(struct host *host, const char *root, struct fathom_err *err);
void host_done(struct host *host);
#define _cleanup_host_ __attribute__((cleanup(host_done)))

bool host_has_cap(const struct host *host, unsigned int cap);
/* How the kernel was built with @symbol ("CONFIG_..."): 'y', 'm', 'n', or 0 when there is no telling. */
char host_config(struct host *host, const char *symbol);
/* "none", "integrity", "confidentiality" or "unknown". */
const char *host_lockdown_name(enum host_lockdown lockdown);

#endif
