/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-cache.h"

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

/*
 * Writes the key of a text, on which it depends: the first line of its file. Returns 0 or a
 * negative errno.
 */
static int why_cache_make_key(const struct session_env *env, const struct why_cache *cache,
			      char key[static 256])
{
	uint64_t modules;
	int r = kernel_lists_modules(env->root, &modules);

	if (r == 0 && snprintf(key, 256, "fathom-why %s %s %" PRIx64 " %" PRIx64 "\n",
			       fathom_version(), env->boot_id, cache->of, modules) >= 256)
		r = -E2BIG;
	if (r < 0)
		key[0] = '\0';
	return r;
}

int why_cache_read(const struct session_env *env, struct why_cache *cache, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf all = { 0 };
	const char *rest;
	int r = why_cache_make_key(env, cache, cache->key);

	if (r == 0)
		r = stored_file_read(env, cache->name, FILE_MAX, &all);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	rest = str_after(strbuf_str(&all), cache->key);
	if (!rest)
		return 0;
	strbuf_add(text, rest, strlen(rest));
	return text->err ? -ENOMEM : 1;
}

void why_cache_write(struct session_env *env, const struct why_cache *cache, const char *text)
{
	_cleanup_strbuf_ struct strbuf all = { 0 };
	_cleanup_close_ int lock = -1;
	char now[256];

	if (why_cache_make_key(env, cache, now) < 0 || !str_eq(now, cache->key))
		return;
	strbuf_add(&all, now, strlen(now));
	strbuf_add(&all, text, strlen(text));
	if (all.err || session_env_make_journals(env, NULL) < 0)
		return;
	lock = stored_file_lock(env);
	if (lock >= 0)
		stored_file_write(env, cache->name, &all);
}

void why_cache_drop(const struct session_env *env, const struct why_cache *cache)
{
	_cleanup_close_ int lock = stored_file_lock(env);

	if (lock >= 0)
		stored_file_write(env, cache->name, &(struct strbuf){ 0 });
}
