/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/elf/elf-debug-file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define STEP	   ((size_t)64 << 10)

static bool has_build_id(int fd, const unsigned char *id, size_t len)
{
	unsigned char found[ELF_BUILD_ID_MAX];
	struct elf_source source;
	struct elf_file file;
	size_t n;

	if (elf_source_fd(fd, &source) < 0 || elf_file_init(&file, &source, NULL) < 0)
		return false;
	n = elf_file_build_id(&file, found);
	elf_file_done(&file);
	return n == len && memcmp(found, id, len) == 0;
}

static int open_by_build_id(const struct elf_file *file, const struct elf_opener *opener)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len = elf_file_build_id(file, id);
	char path[sizeof(DEBUG_ROOT) + 32 + ELF_BUILD_ID_MAX * (size_t)2];
	_cleanup_close_ int fd = -1;
	int n;

	if (len < 2)
		return -ENOENT;
	n = snprintf(path, sizeof(path), "%s/.build-id/%02x/", DEBUG_ROOT, id[0]);
	for (size_t i = 1; i < len; i++)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x", id[i]);
	snprintf(path + n, sizeof(path) - (size_t)n, ".debug");
	fd = opener->open(opener->data, path);
	if (fd < 0)
		return fd;
	return has_build_id(fd, id, len) ? TAKE_FD(fd) : -EBADMSG;
}

void elf_debuginfod_name(const char *kind, const unsigned char *id, size_t len,
			 char name[ELF_DEBUGINFOD_NAME])
{
	int n = snprintf(name, ELF_DEBUGINFOD_NAME, ELF_DEBUGINFOD "%.10s:", kind);

	for (size_t i = 0; i < len && i < ELF_BUILD_ID_MAX; i++)
		n += snprintf(name + n, ELF_DEBUGINFOD_NAME - (size_t)n, "%02x", id[i]);
}

static int open_by_server(const struct elf_file *file, const struct elf_opener *opener)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len = elf_file_build_id(file, id);
	char name[ELF_DEBUGINFOD_NAME];
	_cleanup_close_ int fd = -1;

	if (len < 2 || !opener->debuginfod)
		return -ENOENT;
	elf_debuginfod_name("debuginfo", id, len, name);
	fd = opener->open(opener->data, name);
	if (fd < 0)
		return fd;
	return has_build_id(fd, id, len) ? TAKE_FD(fd) : -EBADMSG;
}

static int has_crc(int fd, uint32_t wanted)
{
	_cleanup_free_ unsigned char *buf = mem_alloc(STEP);
	struct elf_source source;
	uLong crc = crc32(0, NULL, 0);
	int r = elf_source_fd(fd, &source);

	if (!buf)
		return -ENOMEM;
	for (uint64_t at = 0; r == 0 && at < source.size; at += STEP) {
		size_t n = source.size - at < STEP ? (size_t)(source.size - at) : STEP;

		r = elf_source_read(&source, at, buf, n);
		if (r == 0)
			crc = crc32(crc, buf, (uInt)n);
	}
	return r < 0 ? r : crc == wanted ? 0 : -EBADMSG;
}

static int open_by_link(const struct elf_file *file, const char *path,
			const struct elf_opener *opener)
{
	static const char *const forms[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s" };
	const char *slash = strrchr(path, '/');
	char name[ELF_DEBUGLINK_MAX], candidate[PATH_MAX];
	int result = -ENOENT;
	uint32_t crc;

	if (!slash || !elf_file_debuglink(file, name, &crc))
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		_cleanup_close_ int fd = -1;
		int n = snprintf(candidate, sizeof(candidate), forms[i], (int)(slash - path), path,
				 name);
		int r;

		if (n < 0 || (size_t)n >= sizeof(candidate))
			continue;
		fd = opener->open(opener->data, candidate);
		if (fd < 0)
			continue;
		r = has_crc(fd, crc);
		if (r == 0)
			return TAKE_FD(fd);
		result = r;
	}
	return result;
}

int elf_debug_file_open(const struct elf_file *file, const char *path,
			const struct elf_opener *opener)
{
	int by_id = open_by_build_id(file, opener);
	int by_link, by_server;

	if (by_id >= 0 || by_id == -ENOMEM)
		return by_id;
	by_link = open_by_link(file, path, opener);
	if (by_link >= 0 || by_link == -ENOMEM)
		return by_link;
	by_server = open_by_server(file, opener);
	if (by_server >= 0 || by_server == -ENOMEM)
		return by_server;
	return by_id == -EBADMSG || by_link == -EBADMSG ? -EBADMSG : -ENOENT;
}
