/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scope-based cleanup: a variable declared with one of these macros is released on every path out
 * of its scope. Declare and initialize it in one statement. TAKE_PTR(), TAKE_FD() and TAKE_STRUCT()
 * transfer ownership and leave an empty variable behind.
 */
#ifndef FATHOM_BASE_CLEANUP_H
#define FATHOM_BASE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* Defines fn##_p(), the form that the cleanup attribute calls, for a free function of @type *. */
#define DEFINE_CLEANUP(type, fn)            \
	static inline void fn##_p(type **p) \
	{                                   \
		fn(*p);                     \
	}                                   \
	struct cleanup_needs_a_semicolon

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0) {
		int saved = errno;

		close(*fd);
		errno = saved;
	}
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup_closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define _cleanup_free_	   _cleanup_(cleanup_free)
#define _cleanup_close_	   _cleanup_(cleanup_close)
#define _cleanup_fclose_   _cleanup_(cleanup_fclose)
#define _cleanup_closedir_ _cleanup_(cleanup_closedir)

#define TAKE_PTR(p)                        \
	({                                 \
		__typeof__(p) taken = (p); \
		(p) = NULL;                \
		taken;                     \
	})

#define TAKE_FD(fd)               \
	({                        \
		int taken = (fd); \
		(fd) = -1;        \
		taken;            \
	})

#define TAKE_STRUCT(s, empty)               \
	({                                  \
		__typeof__(s) taken = (s);  \
		(s) = (__typeof__(s))empty; \
		taken;                      \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
