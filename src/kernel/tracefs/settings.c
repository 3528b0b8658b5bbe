/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/tracefs/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"

static int settings_add(struct settings *s, const char *name, bool on, const char *what)
{
	char *copy = arena_strdup(&s->arena, name);

	if (!copy || mem_reserve(&s->list, &s->cap, s->n + 1, sizeof(*s->list)) < 0)
		return -ENOMEM;
	s->list[s->n++] = (struct setting){ .name = copy, .on = on, .what = what };
	return 0;
}

static int settings_finish(struct settings *s, struct settings *ret_settings)
{
	*ret_settings = *s;
	*s = (struct settings){ 0 };
	return 0;
}

int settings_read_tracers(int tracefs, struct settings *ret_settings, struct fathom_err *err)
{
	_cleanup_(settings_done) struct settings s = { 0 };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char current[64] = "";
	char *words;
	int r;

	r = file_read(tracefs, "available_tracers", &buf);
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'available_tracers'");
	r = file_read_line(tracefs, "current_tracer", current, sizeof(current));
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'current_tracer'");
	words = buf.s;
	for (char *word; (word = str_next_word(&words, " \n"));)
		if (settings_add(&s, word, str_eq(word, current), setting_tracer_words(word)) < 0)
			return err_nomem(err);
	return settings_finish(&s, ret_settings);
}

/* trace_clock is a line with the current clock in brackets: "[local] global". */
int settings_read_clocks(int tracefs, struct settings *ret_settings, struct fathom_err *err)
{
	_cleanup_(settings_done) struct settings s = { 0 };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char *words;
	int r;

	r = file_read(tracefs, "trace_clock", &buf);
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'trace_clock'");
	words = buf.s;
	for (char *word; (word = str_next_word(&words, " \n"));) {
		bool current = word[0] == '[';

		word += current;
		word[strcspn(word, "]")] = '\0';
		if (settings_add(&s, word, current, setting_clock_words(word)) < 0)
			return err_nomem(err);
	}
	return settings_finish(&s, ret_settings);
}

static int settings_compare_names(const void *a, const void *b)
{
	return strcmp(((const struct setting *)a)->name, ((const struct setting *)b)->name);
}

/* trace_options has one name per line, prefixed with "no" if it is off. */
static int add_options_from_list(int tracefs, struct settings *s)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = file_read(tracefs, "trace_options", &buf);
	char *text = buf.s;

	if (r < 0)
		return r;
	for (char *line; (line = str_next_line(&text));) {
		const char *off = str_after(line, "no");

		if (!*line)
			continue;
		r = settings_add(s, off ? off : line, !off, setting_option_words(off ? off : line));
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_options_from_directory(int tracefs, struct settings *s)
{
	int fd = openat(tracefs, "options", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (!dir) {
		int r = negative_errno();

		if (fd >= 0)
			close(fd);
		return r;
	}
	for (struct dirent *d; (d = readdir(dir));) {
		char value[8];

		if (d->d_name[0] == '.')
			continue;
		if (file_read_line(dirfd(dir), d->d_name, value, sizeof(value)) < 0)
			continue;
		if (settings_add(s, d->d_name, value[0] == '1', setting_option_words(d->d_name)) <
		    0)
			return -ENOMEM;
	}
	return 0;
}

int settings_read_options(int tracefs, struct settings *ret_settings, struct fathom_err *err)
{
	_cleanup_(settings_done) struct settings s = { 0 };
	int r = add_options_from_directory(tracefs, &s);

	if (r == -ENOENT)
		r = add_options_from_list(tracefs, &s);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'options'");
	if (s.n)
		qsort(s.list, s.n, sizeof(*s.list), settings_compare_names);
	return settings_finish(&s, ret_settings);
}

void settings_done(struct settings *settings)
{
	free(settings->list);
	arena_done(&settings->arena);
	*settings = (struct settings){ 0 };
}
