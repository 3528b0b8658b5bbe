/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/kernel/kernel-file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "process/confined-call.h"
#include "base/str.h"

/* Where distributions and kernel builds install the file; formatted with root and release. */
static const char *const kernel_files[] = {
	"%s/usr/lib/debug/boot/vmlinux-%s",
	"%s/usr/lib/debug/lib/modules/%s/vmlinux",
	"%s/usr/lib/debug/usr/lib/modules/%s/vmlinux",
	"%s/usr/lib/debug/boot/vmlinux-%s.debug",
	"%s/lib/modules/%s/build/vmlinux",
	"%s/boot/vmlinux-%s",
};

bool kernel_file_place(size_t i, const char *root, const char *release, char *path, size_t size)
{
	int n;

	if (i >= ARRAY_SIZE(kernel_files))
		return false;
	n = snprintf(path, size, kernel_files[i], root, release);
	if (n < 0 || (size_t)n >= size)
		path[0] = '\0';
	return true;
}

bool kernel_file_has_debug(int fd)
{
	struct elf_source source;
	struct elf_file file;
	bool has;

	if (elf_source_fd(fd, &source) < 0 || elf_file_init(&file, &source, NULL) < 0)
		return false;
	has = elf_file_named(&file, ".debug_info");
	elf_file_done(&file);
	return has;
}

static bool kernel_file_has_debug_information(const char *path)
{
	_cleanup_close_ int fd = confined_open(path);

	return fd >= 0 && kernel_file_has_debug(fd);
}

bool kernel_file_find(const char *root, const char *release, char *path, size_t size)
{
	for (size_t i = 0; kernel_file_place(i, root, release, path, size); i++)
		if (kernel_file_has_debug_information(path))
			return true;
	return false;
}

/* Returns whether the file has the build ID in the notes at @path. */
static bool kernel_file_has_notes(const struct elf_file *elf, const char *path)
{
	unsigned char running[ELF_BUILD_ID_MAX], id[ELF_BUILD_ID_MAX];
	_cleanup_strbuf_ struct strbuf notes = { 0 };
	size_t n, len;

	if (confined_read(path, &notes) < 0 || !notes.s)
		return false;
	n = elf_notes_build_id(elf, (const unsigned char *)notes.s, notes.len, running);
	len = elf_file_build_id(elf, id);
	return n && n == len && memcmp(id, running, n) == 0;
}

bool kernel_file_is_running(const char *root, const struct elf_file *elf)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	return kernel_file_has_notes(elf, path);
}

/*
 * Where modules and their debug information are; formatted with root, release and the path below
 * that.
 */
static const char *const module_files[] = {
	"%s/usr/lib/debug/lib/modules/%s/%.*s",
	"%s/usr/lib/debug/usr/lib/modules/%s/%.*s",
	"%s/usr/lib/debug/lib/modules/%s/%.*s.debug",
	"%s/usr/lib/debug/usr/lib/modules/%s/%.*s.debug",
	"%s/lib/modules/%s/%.*s",
};

/* Returns whether "kernel/fs/foo-bar.ko" is the file of the module foo_bar. */
static bool is_file_of(const char *file, size_t len, const char *module)
{
	const char *name = memrchr(file, '/', len);
	size_t n = strlen(module);

	name = name ? name + 1 : file;
	if ((size_t)(file + len - name) != n + strlen(".ko"))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((name[i] == '-' ? '_' : name[i]) != module[i])
			return false;
	return true;
}

bool kernel_file_find_module(const char *root, const char *release, const char *module, char *path,
			     size_t size)
{
	_cleanup_strbuf_ struct strbuf list = { 0 };
	char *rest, *line;

	snprintf(path, size, "%s/lib/modules/%s/modules.dep", root, release);
	if (confined_read(path, &list) < 0)
		return false;
	rest = list.s;
	/* "kernel/fs/ext4/ext4.ko.xz: kernel/..." */
	while ((line = str_next_line(&rest))) {
		const char *end = strstr(line, ".ko");
		size_t len = end && strchr(line, ':') > end ? (size_t)(end - line) + 3 : 0;

		if (!len || !is_file_of(line, len, module))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(module_files); i++) {
			int n = snprintf(path, size, module_files[i], root, release, (int)len,
					 line);

			if (n > 0 && (size_t)n < size && kernel_file_has_debug_information(path))
				return true;
		}
	}
	return false;
}

bool kernel_file_is_loaded(const char *root, const char *module, const struct elf_file *elf)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id", root, module);
	return kernel_file_has_notes(elf, path);
}
