/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"

#define PATH_SIZE 4096
/* PROC_PID_INIT_INO of the kernel's proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xeffffffcU
/* Upper limit; a real configuration has 0.3 MB. */
#define CONFIG_MAX ((size_t)8 << 20)

/* Reads the first line of @path below the root. Returns false if that fails. */
static bool host_read_line(const struct host *host, const char *path, char *line, size_t size)
{
	char full[PATH_SIZE];
	int n = snprintf(full, sizeof(full), "%s%s", host->root, path);

	return n > 0 && (size_t)n < sizeof(full) && file_read_line(AT_FDCWD, full, line, size) >= 0;
}

static bool host_exists(const struct host *host, const char *path)
{
	char full[PATH_SIZE];
	int n = snprintf(full, sizeof(full), "%s%s", host->root, path);

	return n > 0 && (size_t)n < sizeof(full) && access(full, F_OK) == 0;
}

static int read_sysctl(const struct host *host, const char *name)
{
	char path[128], line[32], *end;
	long value;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	if (!host_read_line(host, path, line, sizeof(line)))
		return HOST_SYSCTL_UNKNOWN;
	value = strtol(line, &end, 10);
	if (end == line || value < -10 || value > 1000)
		return HOST_SYSCTL_UNKNOWN;
	return (int)value;
}

static enum host_lockdown read_lockdown(const struct host *host)
{
	char line[128];

	if (!host_read_line(host, "/sys/kernel/security/lockdown", line, sizeof(line)))
		return LOCKDOWN_UNKNOWN;
	if (strstr(line, "[confidentiality]"))
		return LOCKDOWN_CONFIDENTIALITY;
	if (strstr(line, "[integrity]"))
		return LOCKDOWN_INTEGRITY;
	return strstr(line, "[none]") ? LOCKDOWN_NONE : LOCKDOWN_UNKNOWN;
}

static int read_status(struct host *host, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	_cleanup_free_ char *path = mem_printf("%s/proc/self/status", host->root);
	char *text;
	int r;

	if (!path)
		return err_nomem(err);
	r = file_read(AT_FDCWD, path, &buf);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return 0;
	text = buf.s;
	for (char *line; (line = str_next_line(&text));) {
		const char *value;

		if ((value = str_after(line, "CapEff:")))
			host->caps = strtoull(value + strspn(value, " \t"), NULL, 16);
		else if ((value = str_after(line, "Seccomp:")))
			host->seccomp = strtol(value, NULL, 10) != 0;
	}
	return 0;
}

/* In the initial user namespace, all IDs map to themselves. */
static bool in_user_namespace(const struct host *host)
{
	unsigned long inside, outside, count;
	char line[128], *at;

	if (!host_read_line(host, "/proc/self/uid_map", line, sizeof(line)))
		return false;
	inside = strtoul(line, &at, 10);
	outside = strtoul(at, &at, 10);
	count = strtoul(at, NULL, 10);
	return inside != 0 || outside != 0 || count != UINT32_MAX;
}

/*
 * An image that contains the files that indicate a container may be booted on a machine. Only
 * outside containers is the PID namespace the initial one, which has a fixed inode number.
 */
static const char *find_container(const struct host *host)
{
	static const char *const signs[] = { "/run/systemd/container", "/.dockerenv",
					     "/run/.containerenv", "/run/host/container-manager" };
	struct stat st;

	if (!*host->root && stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == FIRST_PID_NAMESPACE)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (host_exists(host, signs[i]))
			return signs[i];
	return NULL;
}

int host_init(struct host *host, const char *root, struct fathom_err *err)
{
	struct utsname uts;

	*host = (struct host){ .root = root };
	host->is_root = geteuid() == 0;
	if (uname(&uts) == 0)
		snprintf(host->release, sizeof(host->release), "%s", uts.release);
	host->lockdown = read_lockdown(host);
	host->kptr_restrict = read_sysctl(host, "kptr_restrict");
	host->perf_paranoid = read_sysctl(host, "perf_event_paranoid");
	host->unprivileged_bpf_disabled = read_sysctl(host, "unprivileged_bpf_disabled");
	host->ftrace_enabled = read_sysctl(host, "ftrace_enabled");
	host->user_namespace = in_user_namespace(host);
	host->container = find_container(host);
	return read_status(host, err);
}

void host_done(struct host *host)
{
	strbuf_done(&host->config);
}

bool host_has_cap(const struct host *host, unsigned int cap)
{
	return cap < 64 && (host->caps >> cap & 1);
}

/* Appends the uncompressed contents of a file. */
static int read_gzip(const char *path, struct strbuf *buf)
{
	gzFile file = gzopen(path, "rb");
	int n = 0;

	if (!file)
		return -ENOENT;
	while (buf->len < CONFIG_MAX) {
		char *at = strbuf_room(buf, 65536);

		if (!at || (n = gzread(file, at, 65536)) <= 0)
			break;
		buf->len += (size_t)n;
		buf->s[buf->len] = '\0';
	}
	gzclose(file);
	return n < 0 || !buf->len ? -EIO : 0;
}

static void read_config(struct host *host)
{
	static const char *const places[] = { "/proc/config.gz", "/boot/config-%s",
					      "/lib/modules/%s/config",
					      "/usr/lib/modules/%s/config" };

	host->config_read = true;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char full[PATH_SIZE];
		int n;

		n = snprintf(host->config_path, sizeof(host->config_path), places[i],
			     host->release);
		if (n < 0 || (size_t)n >= sizeof(host->config_path))
			continue;
		n = snprintf(full, sizeof(full), "%s%s", host->root, host->config_path);
		if (n < 0 || (size_t)n >= sizeof(full))
			continue;
		/* zlib returns the contents of an uncompressed file unchanged. */
		if (read_gzip(full, &host->config) == 0)
			return;
		host->no_memory |= host->config.err != 0;
		strbuf_clear(&host->config);
	}
	host->config_path[0] = '\0';
}

char host_config(struct host *host, const char *symbol)
{
	const char *text;
	size_t len = strlen(symbol);

	if (!host->config_read)
		read_config(host);
	text = strbuf_str(&host->config);
	if (!*text)
		return 0;
	for (const char *at = text; (at = strstr(at, symbol)); at += len) {
		if (at != text && at[-1] != '\n')
			continue;
		if (at[len] == '=')
			return at[len + 1] == 'm' ? 'm' : at[len + 1] == 'n' ? 'n' : 'y';
	}
	return 'n';
}

const char *host_lockdown_name(enum host_lockdown lockdown)
{
	static const char *const names[] = { "unknown", "none", "integrity", "confidentiality" };

	return names[lockdown];
}
