/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of this machine that determine what tracing is allowed: privileges, lockdown, sysctls,
 * containers, and the configuration of the kernel. The configuration only explains a result that
 * was obtained by other means.
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
	const char *root; /* prefix of all paths; belongs to the caller, must outlive this */
	bool is_root; /* effective user ID 0 */
	uint64_t caps; /* effective capabilities, one bit each */
	bool seccomp; /* seccomp may reject system calls */
	enum host_lockdown lockdown;
	int kptr_restrict; /* these four: HOST_SYSCTL_UNKNOWN if not readable */
	int perf_paranoid;
	int unprivileged_bpf_disabled;
	int ftrace_enabled;
	bool user_namespace; /* not the initial one, so root has few privileges outside it */
	const char *container; /* the file that indicates a container, static; NULL: none */
	char release[65];
	bool config_read; /* host_config() has tried to read it */
	bool no_memory; /* and failed for this reason */
	struct strbuf config;
	char config_path[96]; /* the file that it came from; "" if there is none */
};

/*
 * Collects the properties, except for the configuration. @root as for tracefs_find(). Returns 0 or
 * -ENOMEM.
 */
int host_init(struct host *host, const char *root, struct fathom_err *err);
void host_done(struct host *host);
#define _cleanup_host_ __attribute__((cleanup(host_done)))

/* Returns whether we have @cap, a number of linux/capability.h. */
bool host_has_cap(const struct host *host, unsigned int cap);
/*
 * Returns how the kernel was built with @symbol ("CONFIG_..."): 'y', 'm' or 'n', or 0 if its
 * configuration cannot be found. The first call reads the configuration.
 */
char host_config(struct host *host, const char *symbol);
/* Returns "none", "integrity", "confidentiality" or "unknown". The string is static. */
const char *host_lockdown_name(enum host_lockdown lockdown);

#endif
