/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/tracefs/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"

#define TRACING	      "/sys/kernel/tracing"
#define DEBUGFS	      "/sys/kernel/debug"
#define DEBUGFS_PLACE DEBUGFS "/tracing"
#define MAGIC_TRACEFS 0x74726163

/* A line of mountinfo; strings point into it. */
struct mount {
	char *root; /* the directory of the file system that is mounted */
	char *point;
	char *type;
	bool read_only;
};

/* mountinfo escapes blanks and backslashes as \ooo. */
static void tracefs_unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Parses "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [FIELD...] - TYPE SOURCE SUPEROPTIONS". */
static bool mount_parse(char *line, struct mount *ret)
{
	char *field[6], *options, *word;

	for (size_t i = 0; i < ARRAY_SIZE(field); i++)
		if (!(field[i] = str_next_word(&line, " ")))
			return false;
	do
		word = str_next_word(&line, " ");
	while (word && !str_eq(word, "-"));
	ret->type = str_next_word(&line, " ");
	if (!ret->type || !str_next_word(&line, " "))
		return false;
	options = str_next_word(&line, " ");
	ret->root = field[3];
	ret->point = field[4];
	ret->read_only = str_has_word(field[5], ",", "ro") ||
			 (options && str_has_word(options, ",", "ro"));
	tracefs_unescape(ret->root);
	tracefs_unescape(ret->point);
	return true;
}

static enum tracefs_place tracefs_place_of(const char *point)
{
	if (str_eq(point, TRACING))
		return TRACEFS_AT_TRACING;
	if (str_eq(point, DEBUGFS_PLACE))
		return TRACEFS_AT_DEBUGFS;
	return TRACEFS_ELSEWHERE;
}

/* Prefers the usual place, then any other, then the deprecated one below debugfs. */
static int tracefs_rank(enum tracefs_place place)
{
	return place == TRACEFS_AT_TRACING ? 2 : place == TRACEFS_ELSEWHERE ? 1 : 0;
}

/* Results from the mount table; strings point into its text. */
struct found {
	const char *point; /* of the preferred tracefs, or NULL */
	bool read_only;
	bool debugfs; /* mounted at its usual place */
	bool covered; /* something other than tracefs is mounted at /sys/kernel/tracing */
};

static void scan_mounts(char *text, struct found *found)
{
	for (char *line; (line = str_next_line(&text));) {
		struct mount mount;

		if (!mount_parse(line, &mount))
			continue;
		if (str_eq(mount.point, TRACING))
			found->covered = !str_eq(mount.type, "tracefs");
		if (str_eq(mount.point, DEBUGFS))
			found->debugfs = str_eq(mount.type, "debugfs");
		/* A later mount covers an earlier one at the same mount point. */
		if (found->point && str_eq(found->point, mount.point))
			found->point = NULL;
		if (!str_eq(mount.type, "tracefs") || !str_eq(mount.root, "/"))
			continue;
		if (found->point && tracefs_rank(tracefs_place_of(found->point)) >
					    tracefs_rank(tracefs_place_of(mount.point)))
			continue;
		found->point = mount.point;
		found->read_only = mount.read_only;
	}
}

/* Returns 1, 0 or -ENOMEM. */
static int kernel_has(const char *root, const char *type)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/filesystems", root);
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	if (!path || file_read(AT_FDCWD, path, &buf) == -ENOMEM)
		return -ENOMEM;
	return str_has_word(strbuf_str(&buf), "\t\n", type);
}

/* Returns whether @fd is tracefs. Directory trees of tests never are; trust them. */
static bool is_tracefs(const char *root, int fd)
{
	struct statfs fs;

	if (*root)
		return true;
	return fstatfs(fd, &fs) == 0 && fs.f_type == MAGIC_TRACEFS;
}

static enum tracefs_state access_to(int dirfd, bool read_only)
{
	_cleanup_close_ int fd = openat(dirfd, "current_tracer", O_RDONLY | O_CLOEXEC);

	/* Files inside are world-readable, so a permission error concerns the directory. */
	if (fd < 0)
		return errno == EPERM ? TRACEFS_LOCKED : TRACEFS_NO_ACCESS;
	if (read_only)
		return TRACEFS_READ_ONLY;
	if (faccessat(dirfd, "current_tracer", W_OK, AT_EACCESS) == 0)
		return TRACEFS_WRITABLE;
	return errno == EROFS ? TRACEFS_READ_ONLY : TRACEFS_READABLE;
}

/* Opens @point and sets the state. Returns 0 or -ENOMEM. */
static int open_at(const char *root, const char *point, bool read_only, struct tracefs *tracefs)
{
	_cleanup_free_ char *path = mem_printf("%s%s", root, point);
	_cleanup_close_ int fd = -1;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		/* A parent directory may not be searchable; debugfs has mode 700. */
		tracefs->state = errno == EACCES || errno == EPERM ? TRACEFS_NO_ACCESS :
								     TRACEFS_HIDDEN;
	} else if (!is_tracefs(root, fd)) {
		tracefs->state = TRACEFS_HIDDEN;
		return 0;
	} else {
		tracefs->state = access_to(fd, read_only);
	}
	tracefs->place = tracefs_place_of(point);
	tracefs->path = TAKE_PTR(path);
	tracefs->fd = TAKE_FD(fd);
	return 0;
}

/*
 * With debugfs mounted, tracefs appears in it as an automount, which is not in the mount table
 * until first use. Checking for its existence does not trigger the mount. Returns 1, 0 or -ENOMEM.
 */
static int debugfs_has_it(const char *root)
{
	_cleanup_free_ char *path = mem_printf("%s%s", root, DEBUGFS_PLACE);
	struct stat st;

	if (!path)
		return -ENOMEM;
	return fstatat(AT_FDCWD, path, &st, AT_NO_AUTOMOUNT) == 0 && S_ISDIR(st.st_mode);
}

int tracefs_find(const char *root, struct tracefs *ret_tracefs, struct fathom_err *err)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	_cleanup_free_ char *table = mem_printf("%s/proc/self/mountinfo", root);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct found found = { 0 };
	int r;

	if (!table)
		return err_nomem(err);
	/* Without the table, for example without /proc, try the usual place. */
	r = file_read(AT_FDCWD, table, &text);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		found.point = TRACING;
	else if (text.s)
		scan_mounts(text.s, &found);

	r = 0;
	if (!found.point && found.debugfs) {
		r = debugfs_has_it(root);
		if (r > 0)
			found.point = DEBUGFS_PLACE;
	}
	if (r >= 0 && found.point) {
		r = open_at(root, found.point, found.read_only, &tracefs);
	} else if (r >= 0 && found.covered) {
		tracefs.state = TRACEFS_HIDDEN;
	} else if (r >= 0) {
		r = kernel_has(root, "tracefs");
		tracefs.state = r > 0 ? TRACEFS_NOT_MOUNTED : TRACEFS_NOT_IN_KERNEL;
	}
	if (r < 0)
		return err_nomem(err);
	*ret_tracefs = TAKE_STRUCT(tracefs, TRACEFS_NONE);
	return 0;
}

void tracefs_done(struct tracefs *tracefs)
{
	if (tracefs->fd >= 0)
		close(tracefs->fd);
	free(tracefs->path);
	*tracefs = (struct tracefs)TRACEFS_NONE;
}

/* What users see for each state. */
static const struct {
	const char *name, *obstacle, *advice;
} states[] = {
	[TRACEFS_WRITABLE] = { "writable", "", "" },
	[TRACEFS_READ_ONLY] = { "read-only", "tracefs is mounted read-only",
				"to remount it: sudo mount -o remount,rw /sys/kernel/tracing" },
	[TRACEFS_READABLE] = { "readable", "tracing needs root", "run it with sudo" },
	[TRACEFS_NO_ACCESS] = { "no-access", "tracing needs root", "run it with sudo" },
	[TRACEFS_LOCKED] = { "locked", "the kernel is locked down in confidentiality mode",
			     "boot without lockdown=confidentiality, or disable Secure Boot" },
	[TRACEFS_NOT_MOUNTED] = { "not-mounted", "tracefs is not mounted",
				  "to mount it: sudo fathom doctor --mount" },
	[TRACEFS_HIDDEN] = { "hidden", "tracefs is hidden by another mount, as in a container",
			     "run it on the host, or mount /sys/kernel/tracing in the container" },
	[TRACEFS_NOT_IN_KERNEL] = { "not-in-kernel", "the kernel was built without tracing",
				    "needs a kernel built with CONFIG_FTRACE" },
};

const char *tracefs_obstacle(const struct tracefs *tracefs)
{
	return states[tracefs->state].obstacle;
}

const char *tracefs_advice(const struct tracefs *tracefs)
{
	return states[tracefs->state].advice;
}

const char *tracefs_state_name(enum tracefs_state state)
{
	return states[state].name;
}

bool tracefs_functions_dead(const struct tracefs *tracefs)
{
	_cleanup_close_ int fd = -1;

	if (!tracefs_readable(tracefs))
		return false;
	fd = openat(tracefs->fd, "available_filter_functions", O_RDONLY | O_CLOEXEC);
	return fd < 0 && errno == ENODEV;
}

int tracefs_mount(const char *root, struct fathom_err *err)
{
	_cleanup_free_ char *path = mem_printf("%s%s", root, TRACING);

	if (!path)
		return err_nomem(err);
	if (mount("tracefs", path, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return err_set_errno(err, negative_errno(), "cannot mount tracefs at '%s'", path);
	return 0;
}
