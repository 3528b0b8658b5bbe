/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file in which the places of a probe are searched, and the list of those found. */
#include "symbols/probe/probe-parts.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/plain-file.h"
#include "symbols/probe/probe-path.h"
#include "symbols/user/program-path.h"
#include "symbols/user/user-program.h"

void probe_finder_done(struct probe_finder *finder)
{
	user_program_free(finder->program);
}

struct probe_site probe_new_site(const struct probe_finder *finder, const char *function,
				 uint64_t offset)
{
	return (struct probe_site){ .path = finder->probe_path ? finder->probe_path : finder->path,
				    .function = function,
				    .offset = offset,
				    .machine = finder->program->elf.machine,
				    .is_64 = finder->program->elf.is_64 };
}

void probe_add_site(const struct probe_finder *finder, const struct probe_site *site)
{
	struct probe_sites *sites = finder->sites;

	sites->list[sites->n++] = *site;
	sites->has_nop5 |= !site->symbol && user_program_has_nop5(finder->program, site->offset);
}

int probe_make_room(const struct probe_finder *finder, size_t n)
{
	finder->sites->list =
		arena_zalloc(&finder->sites->arena, n + 1, sizeof(*finder->sites->list));
	return finder->sites->list ? 0 : err_nomem(finder->err);
}

/* Adds the position in the text to a message about the file. */
static int point_at_file(const struct probe *probe, int code, const struct fathom_err *why,
			 struct fathom_err *err)
{
	if (code == -ENOMEM)
		return err_nomem(err);
	return probe_error(probe->text, code == -ESRCH ? probe->pid_at : probe->file_at, err,
			   "%.200s", why->message);
}

int probe_program_open(const struct probe_where *where, const struct probe *probe,
		       struct arena *arena, struct probe_program *ret_program,
		       struct fathom_err *err)
{
	struct probe_program program = { 0 };
	struct fathom_err why = { 0 };
	_cleanup_close_ int fd = -1;
	int r = program_path_find(where->root, probe->pid, probe->file, arena, &program.path, &why);

	if (r == 0 && !user_probe_path_is_possible(program.path))
		return probe_error(probe->text, probe->file_at, err,
				   "the kernel does not accept a path with a space: use a "
				   "symbolic link");
	if (r == 0) {
		fd = plain_file_open(program.path, &why);
		r = fd < 0 ? fd : 0;
	}
	if (r < 0)
		return point_at_file(probe, r, &why, err);
	program.probe_path = where->is_shown ? program.path : probe_path(fd, program.path, arena);
	if (!program.probe_path)
		return err_nomem(err);
	program.fd = TAKE_FD(fd);
	*ret_program = program;
	return 0;
}

int probe_finder_open(struct probe_finder *finder, const struct probe_where *where)
{
	struct probe_program program = { .fd = -1 };
	struct fathom_err why = { 0 };
	int r = 0;

	if (where->program)
		program = *where->program;
	else
		r = probe_program_open(where, finder->probe, &finder->sites->arena, &program,
				       finder->err);
	if (r < 0)
		return r;
	if (!where->program)
		close(program.fd);
	finder->path = program.path;
	finder->probe_path = program.probe_path;
	r = user_program_open(finder->path, &finder->program, &why);
	return r < 0 ? point_at_file(finder->probe, r, &why, finder->err) : 0;
}
