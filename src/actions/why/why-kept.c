/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-kept.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <fathom/version.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "record/file/kernel-lists.h"
#include "record/file/stored-file.h"

#define FILE_MAX ((size_t)4 << 20)

/* What a text depends on, as the first line of its file. 0 or a negative errno. */
static int why_kept_make_key(const struct session_env *env, const struct why_kept *kept,
			     char key[static 256])
{
	uint64_t modules;
	int r = kernel_lists_modules(env->root, &modules);

	if (r == 0 && snprintf(key, 256, "fathom-why %s %s %" PRIx64 " %" PRIx64 "\n",
			       fathom_version(), env->boot_id, kept->of, modules) >= 256)
		r = -E2BIG;
	if (r < 0)
		key[0] = '\0';
	return r;
}

int why_kept_text(const struct session_env *env, struct why_kept *kept, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf all = { 0 };
	const char *rest;
	int r = why_kept_make_key(env, kept, kept->key);

	if (r == 0)
		r = stored_file_read(env, kept->name, FILE_MAX, &all);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	rest = str_after(strbuf_str(&all), kept->key);
	if (!rest)
		return 0;
	strbuf_add(text, rest, strlen(rest));
	return text->err ? -ENOMEM : 1;
}

void why_keep_text(struct session_env *env, const struct why_kept *kept, const char *text)
{
	_cleanup_strbuf_ struct strbuf all = { 0 };
	_cleanup_close_ int lock = -1;
	char now[256];

	if (why_kept_make_key(env, kept, now) < 0 || !str_eq(now, kept->key))
		return;
	strbuf_add(&all, now, strlen(now));
	strbuf_add(&all, text, strlen(text));
	if (all.err || session_env_make_journals(env, NULL) < 0)
		return;
	lock = stored_file_lock(env);
	if (lock >= 0)
		stored_file_write(env, kept->name, &all);
}

void why_forget(const struct session_env *env, const struct why_kept *kept)
{
	_cleanup_close_ int lock = stored_file_lock(env);

	if (lock >= 0)
		stored_file_write(env, kept->name, &(struct strbuf){ 0 });
}
