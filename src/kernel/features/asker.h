/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of features.c: one question of its table, who asks it, and how an answer is given. A
 * question is asked by a function from one of the probe-*.c files; it fills a
 * struct fathom_feature whose texts are "" and whose state is unknown, and it
 * leaves the machine as it was. Only features.c decides what a "no" means.
 *
 * There are three levels of intrusiveness: reading files; opening perf events and BPF
 * programs for this process only; and trying, which creates objects that other users
 * of tracing can see or makes the kernel patch its code. A question that tries also has
 * a @look function, which answers it without.
 */
#ifndef FATHOM_KERNEL_FEATURES_ASKER_H
#define FATHOM_KERNEL_FEATURES_ASKER_H

#include <signal.h>
#include <stdbool.h>

#include <fathom/features.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "kernel/host.h"
#include "kernel/tracefs/tracefs.h"

/* What asking in a private instance has shown; errors are 0 or a negative errno. */
struct instance_answers {
	bool asked;
	int made; /* 1: not tried */
	bool lists_graph; /* function_graph is among its tracers */
	int mapped; /* mapping the ring buffer; 1: not tried */
};

/* Everything that questions share; one per fathom_features_probe(). */
struct asker {
	const char *root; /* "" or a test's tree */
	bool look_only;
	bool may_try; /* FATHOM_FEATURES_TRY was given */
	bool ftrace_dead; /* the kernel has disabled ftrace after an internal error */
	struct tracefs tracefs;
	struct host host;
	struct arena *arena; /* of the answers */
	bool no_memory; /* a text could not be made; the whole probing fails */
	char name[48]; /* of what we create; nobody else uses it */
	struct strbuf readme; /* of tracefs */
	struct strbuf tracers;
	char *btf; /* of the kernel, mapped or read; NULL when there is none */
	size_t btf_len;
	bool btf_mapped;
	bool btf_tried;
	struct strbuf symbols; /* /proc/kallsyms, read on first use */
	int function_id; /* of QUIET_FUNCTION in it, see probe.h; 0: not looked for yet */
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
	const char *config; /* the configuration symbol that it needs */
	const char *fix; /* what it needs; NULL: a kernel built with @config */
	const char *instead_id; /* the feature that the workaround uses ... */
	const char *instead; /* ... and the workaround */
	enum question_needs needs;
};

/* Text that lives as long as the answers; "" without memory. */
const char *asker_text(struct asker *asker, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets state, how and why. */
void answer_set(struct asker *asker, struct fathom_feature *answer, enum fathom_feature_state state,
		const char *how, const char *why);
/* From an error number: no right to ask is unknown, all else is no. @r 0 is yes. */
void answer_from_errno(struct asker *asker, struct fathom_feature *answer, int r, const char *how);

/* Returns false, with the answer set to unknown, if perf and BPF must not be used. */
bool asker_may_open(struct asker *asker, struct fathom_feature *answer);

/* Signals wait while something that must be removed again exists. */
void signals_block(sigset_t *ret_old);
void signals_restore(const sigset_t *old);

/* What is created to ask bears this name, with our process in it. */
void asker_set_name(struct asker *asker);
/* Was @name made by an asker of this pid namespace that is no more? */
bool is_dead_name(const struct asker *asker, const char *name);

#endif
