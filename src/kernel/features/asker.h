/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Feature checks, for features.c: the rows of its table (questions), the state they share, and the
 * functions that set an answer. Each question is answered by a function in one of the probe-*.c
 * files, which receives a struct fathom_feature with empty texts and unknown state, fills it in,
 * and leaves the machine unchanged. Only features.c interprets a "no". Not thread-safe.
 *
 * Checks are intrusive to three degrees: they read files; open perf events and BPF programs for
 * this process only; or try, that is, create objects that are visible to other users of tracing, or
 * make the kernel patch its code. A question that tries also has a @look function, which answers it
 * without trying.
 */
#ifndef FATHOM_KERNEL_FEATURES_ASKER_H
#define FATHOM_KERNEL_FEATURES_ASKER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include <fathom/features.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "kernel/host.h"
#include "kernel/tracefs/tracefs.h"

/* Results of checks in a private instance; errors are 0 or a negative errno. */
struct instance_answers {
	bool asked;
	int made; /* creating it; 1: not tried */
	bool lists_graph; /* available_tracers lists function_graph */
	int mapped; /* mapping its ring buffer; 1: not tried */
};

/* The state that questions share; one per fathom_features_probe(). */
struct asker {
	const char *root; /* the root for tracefs_find() */
	bool look_only;
	bool may_try; /* FATHOM_FEATURES_TRY was given */
	bool ftrace_dead; /* the kernel has disabled ftrace after an internal error */
	struct tracefs tracefs;
	struct host host;
	struct arena *arena; /* owns the texts of the answers */
	bool no_memory; /* allocating a text failed, and so does the whole check */
	char name[48]; /* of objects that checks create, unique to this process */
	struct strbuf readme; /* the README of tracefs */
	struct strbuf tracers; /* available_tracers */
	char *btf; /* BTF of the kernel, mapped or read; NULL: none */
	size_t btf_len;
	bool btf_mapped;
	bool btf_tried;
	struct strbuf symbols; /* contents of /proc/kallsyms, read on first use */
	int function_id; /* BTF ID of QUIET_FUNCTION, see probe.h; 0: not looked up yet */
	struct instance_answers instance;
};

struct question;
typedef void ask_fn(struct asker *asker, const struct question *question,
		    struct fathom_feature *answer);

enum question_needs {
	NEEDS_NOTHING,
	NEEDS_TRACEFS, /* to read */
	NEEDS_TRACEFS_WRITE,
};

struct question {
	const char *id, *group, *name, *title;
	ask_fn *ask;
	const char *arg; /* for @ask: a file, a word, a definition */
	ask_fn *look; /* answers without trying; NULL if @ask does not try */
	const char *sign; /* the @arg for @look */
	bool attaches; /* @ask attaches a BPF program, which may patch kernel code */
	const char *config; /* the configuration symbol that it depends on */
	const char *fix; /* requirement; NULL: a kernel built with @config */
	const char *instead_id; /* the feature that the workaround uses ... */
	const char *instead; /* ... and the workaround */
	enum question_needs needs;
};

/*
 * Formats a text that lives as long as the answers. Returns "", and sets @no_memory, if memory is
 * exhausted.
 */
const char *asker_text(struct asker *asker, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets @state, @how and @why. The texts must live as long as the answers. */
void answer_set(struct asker *asker, struct fathom_feature *answer, enum fathom_feature_state state,
		const char *how, const char *why);
/*
 * Sets the answer from the result of a system call: yes for 0, unknown if we lack the privilege to
 * find out, else no.
 */
void answer_from_errno(struct asker *asker, struct fathom_feature *answer, int r, const char *how);

/* Returns false, with the answer set to unknown, if perf and BPF must not be used. */
bool asker_may_open(struct asker *asker, struct fathom_feature *answer);

/* Blocks all signals of this thread, while an object exists that must be removed. */
void signals_block(sigset_t *ret_old);
void signals_restore(const sigset_t *old);

/* Sets the name of created objects, which contains our process ID. */
void asker_set_name(struct asker *asker);
/* Returns whether @name was set by a process of our PID namespace that has exited. */
bool is_dead_name(const struct asker *asker, const char *name);

#endif
