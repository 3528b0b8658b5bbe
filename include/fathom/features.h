/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the running kernel can trace. Each feature is checked on the kernel itself (a file, an
 * option, a kernel function, a loaded program), never inferred from its version. Each answer says
 * how it was checked and, if the feature is missing, why and what it needs.
 */
#ifndef FATHOM_FEATURES_H
#define FATHOM_FEATURES_H

#include <stddef.h>

#include <fathom/err.h>
#include <fathom/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether a feature is supported. */
enum fathom_feature_state {
	FATHOM_FEATURE_UNKNOWN, /**< could not be checked, for example without root */
	FATHOM_FEATURE_NO, /**< unsupported; the feature names a workaround, if any */
	FATHOM_FEATURE_LIMITED, /**< partly supported */
	FATHOM_FEATURE_YES
};

/** Whether tracing works. */
enum fathom_verdict {
	FATHOM_VERDICT_USABLE, /**< it works */
	FATHOM_VERDICT_LIMITED, /**< a commonly used feature is missing */
	FATHOM_VERDICT_UNUSABLE /**< nothing can be recorded */
};

/**
 * A feature that a kernel may have. Texts are never NULL, may be empty, and belong to the struct
 * fathom_features that the feature came from. In the group "caution", a feature is a known kernel
 * bug, and "yes" means that this kernel has it.
 */
struct fathom_feature {
	const char *id; /**< stable name for programs, such as "probe.kprobe" */
	const char *name; /**< short established name, such as "kprobe" */
	const char *title; /**< one-line description */
	const char *group; /**< tracers, calls, probes, events, buffers, perf, bpf or caution */
	enum fathom_feature_state state;
	const char *value; /**< a number or a list, if any */
	const char *how; /**< how this was checked */
	const char *why; /**< unless yes: the reason */
	const char *fix; /**< unless yes: the requirement */
	const char *instead; /**< unless yes: the workaround, if any */
};

/** The answers; opaque. */
struct fathom_features;

/** For fathom_features_probe(): only read files; don't use perf or BPF. */
#define FATHOM_FEATURES_LOOK_ONLY 1u
/**
 * For fathom_features_probe(): also create probes and a tracing instance, attach BPF programs to a
 * kernel function, and remove them again. More reliable, but visible to other users of tracing, and
 * the kernel patches its code.
 */
#define FATHOM_FEATURES_TRY 2u

/**
 * Checks the running kernel. @flags is 0 or one of FATHOM_FEATURES_LOOK_ONLY and
 * FATHOM_FEATURES_TRY. With 0, reads files, and opens perf events and BPF programs for this process
 * only. A feature that cannot be checked (without root or tracefs) is "unknown", which is not an
 * error. Free *@ret_features with fathom_features_free(). Returns 0, or a negative errno with a
 * message in @err (may be NULL).
 */
FATHOM_API int fathom_features_probe(unsigned int flags, struct fathom_features **ret_features,
				     struct fathom_err *err);

/** Releases the answers; accepts NULL. */
FATHOM_API void fathom_features_free(struct fathom_features *features);

/** Returns the number of features. */
FATHOM_API size_t fathom_features_count(const struct fathom_features *features);

/** Returns feature number @index, ordered by group, or NULL past the end. */
FATHOM_API const struct fathom_feature *fathom_features_at(const struct fathom_features *features,
							   size_t index);

/** Returns the feature with this @id, or NULL if there is none. */
FATHOM_API const struct fathom_feature *fathom_features_find(const struct fathom_features *features,
							     const char *id);

/** Returns whether tracing works. */
FATHOM_API enum fathom_verdict fathom_features_verdict(const struct fathom_features *features);

/** Returns what prevents tracing, or "" if the verdict is "usable". Never NULL. */
FATHOM_API const char *fathom_features_obstacle(const struct fathom_features *features);

/** Returns how to remove the obstacle, or "" if there is none or no remedy. Never NULL. */
FATHOM_API const char *fathom_features_advice(const struct fathom_features *features);

/** Returns "yes", "limited", "no" or "unknown". The string is static. */
FATHOM_API const char *fathom_feature_state_name(enum fathom_feature_state state);

#ifdef __cplusplus
}
#endif

#endif
