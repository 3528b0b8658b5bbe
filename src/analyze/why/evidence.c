/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/why/evidence.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stream/user-stacks.h"
#include "analyze/syscalls/syscall-list.h"
#include "analyze/why/failure-set.h"
#include "analyze/why/failures.h"
#include "analyze/why/meanings.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"

/* Longer lines of standard error are truncated. */
#define LINE_MAX_LEN 2048
/* A program that accomplished more than this after a failure did not fail because of it. */
#define WORK_MAX 1
/* Shorter names occur in too many messages. */
#define OBJECT_MIN 2

struct evidence_process {
	int32_t pid;
	uint64_t work; /* number of calls that accomplished something */
	struct strbuf line; /* incomplete line of standard error */
	char *message; /* first line with evidence, or else the first line; NULL: none */
	char *last; /* without evidence: the last line; NULL: there is only one */
	bool has_evidence;
	int32_t toucher; /* thread that caused the last page fault, @touched; 0: none */
	struct evidence_page touched;
	enum evidence_fault fault; /* of the last such signal */
	struct evidence_page page; /* FAULT_PAGE */
	int32_t deadly; /* last signal for a program error; 0: none */
	int32_t victim; /* thread that gets it; 0: unknown, or it continued */
	struct user_stack stack; /* of that thread at that time */
};

/* Calls that accomplish something, unlike queries and cleanup. */
static bool is_work(const char *name)
{
	return str_has_word("open openat openat2 creat execve execveat clone clone3 fork vfork "
			    "connect bind listen accept accept4 sendto sendmsg recvfrom recvmsg "
			    "mkdir mkdirat rename renameat renameat2 link linkat symlink symlinkat "
			    "mount nanosleep clock_nanosleep",
			    " ", name);
}

/* Queries: the success of one says nothing about a call that would have changed something. */
static bool is_question(const char *name)
{
	return strstr(name, "stat") || str_after(name, "access") || str_after(name, "faccess") ||
	       str_after(name, "readlink") || strstr(name, "xattr");
}

/* An io_uring request is named after the system call with the same effect. */
static const char *bare_name(const char *name)
{
	return str_after(name, "io_uring:") ?: name;
}

int32_t evidences_process(const struct evidences *evidences, int32_t pid, uint64_t time)
{
	const struct process *process = processes_find(&evidences->processes, pid, time);

	return process && process->leader != PROCESS_NONE ?
		       evidences->processes.list[process->leader].pid :
		       pid;
}

static struct evidence_process *evidence_get(struct evidences *evidences, int32_t process)
{
	struct evidence_process *found = u64_map_element(&evidences->pids, (uint32_t)process,
							 &evidences->list, &evidences->n,
							 &evidences->cap, sizeof(*found));

	if (found)
		found->pid = process;
	else
		evidences->nomem = true;
	return found;
}

static const struct evidence_process *evidence_find(const struct evidences *evidences,
						    int32_t process)
{
	uint32_t at = u64_map_get(&evidences->pids, (uint32_t)process);

	return at == U64_MAP_NONE ? NULL : &evidences->list[at];
}

/* Returns whether the kernel sends this signal because of a page that was accessed. */
static bool is_of_page(const struct decoded_event *decoded)
{
	int32_t code = decoded->signal.code;

	if (!decoded->signal.has_code)
		return false;
	return decoded->signal.number == SIGSEGV ?
		       code == SEGV_MAPERR || code == SEGV_ACCERR :
		       decoded->signal.number == SIGBUS && code == BUS_ADRERR;
}

/* Decodes the error code of x86; those of other architectures never have these values. */
static enum evidence_access access_of(uint64_t error)
{
	enum {
		PRESENT = 1,
		WRITE = 2,
		USER = 4,
		FETCH = 16
	};

	if ((error & ~(uint64_t)(PRESENT | WRITE | FETCH)) != USER)
		return ACCESS_UNKNOWN;
	return error & FETCH ? ACCESS_EXECUTE : error & WRITE ? ACCESS_WRITE : ACCESS_READ;
}

/*
 * A signal is for the page that the thread accessed last. Accesses by other threads, and accesses
 * before lost events, don't count.
 */
static void feed_page(struct evidences *evidences, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct evidence_process *state =
		evidence_get(evidences, evidences_process(evidences, event->pid, event->time));

	if (!state)
		return;
	if (decoded->kind == DECODED_FAULT) {
		state->touched =
			(struct evidence_page){ .address = decoded->amount.value,
						.access = access_of(decoded->amount.error) };
		state->toucher = event->pid;
		return;
	}
	if (state->toucher == event->pid && decoded->signal.pid == event->pid &&
	    is_of_page(decoded))
		state->fault = FAULT_PAGE;
	else if (evidences->machine == MACHINE_X86 && decoded->signal.number == SIGSEGV &&
		 decoded->signal.has_code && decoded->signal.code == SI_KERNEL)
		state->fault = FAULT_GENERAL;
	else
		state->fault = FAULT_UNKNOWN;
	state->page = state->touched;
	state->page.signal = decoded->signal.number;
	state->page.code = decoded->signal.code;
}

/* Signals for program errors. */
static bool is_deadly(int32_t number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGABRT || number == SIGSYS;
}

static void expect_stack(struct evidence_process *state, int32_t victim, int32_t number)
{
	state->victim = victim;
	state->deadly = number;
	state->stack.n = 0;
}

/*
 * The stack is recorded at the delivery of the signal, but its record may precede the delivery
 * event.
 */
static void feed_death(struct evidences *evidences, const struct decoded_event *decoded)
{
	bool is_sent = decoded->kind == DECODED_SIGNAL_SENT;
	const struct fathom_event *event = decoded->event;
	int32_t number, pid = is_sent ? decoded->signal.pid : event->pid;
	struct evidence_process *state;
	uint32_t at;

	if (is_sent || decoded->kind == DECODED_SIGNAL) {
		number = decoded->signal.number;
		state = is_deadly(number) ?
				evidence_get(evidences,
					     evidences_process(evidences, pid, event->time)) :
				NULL;
		/*
		 * The thread that receives a signal from another process is known only at the
		 * delivery.
		 */
		if (state && is_sent)
			expect_stack(state, pid == event->pid ? pid : 0, number);
		else if (state && (state->victim != pid || state->deadly != number))
			expect_stack(state, pid, number);
		return;
	}
	if (decoded->kind != DECODED_USER_STACK && decoded->kind != DECODED_SYSCALL_ENTRY)
		return;
	at = u64_map_get(&evidences->pids,
			 (uint32_t)evidences_process(evidences, pid, event->time));
	if (at == U64_MAP_NONE || evidences->list[at].victim != pid)
		return;
	if (decoded->kind == DECODED_USER_STACK)
		user_stack_take(&evidences->list[at].stack, decoded);
	else
		evidences->list[at].victim = 0;
}

void evidences_feed(struct evidences *evidences, const struct decoded_event *decoded)
{
	processes_feed(&evidences->processes, decoded);
	feed_death(evidences, decoded);
	if (decoded_has_gap(decoded))
		for (size_t i = 0; i < evidences->n; i++)
			evidences->list[i].toucher = 0;
	if (decoded->kind == DECODED_FAULT ?
		    decoded_is_fault_of_program(decoded) :
		    decoded->kind == DECODED_SIGNAL_SENT &&
			    (decoded->signal.number == SIGSEGV || decoded->signal.number == SIGBUS))
		feed_page(evidences, decoded);
}

/* Appends the first string argument without its quotes, if there is one. */
static void evidence_put_text(struct strbuf *buf, const struct listed_call *call)
{
	size_t n = call->args ? syscall_args_count(call->args, &call->how) : 0;

	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf arg = { 0 };
		const char *end;

		syscall_arg_put(&arg, call->args, &call->how, i);
		buf->err = buf->err ?: arg.err;
		end = arg.len && arg.s[0] == '"' ? strchr(arg.s + 1, '"') : NULL;
		if (end) {
			strbuf_add(buf, arg.s + 1, (size_t)(end - arg.s - 1));
			return;
		}
	}
}

/* Appends the object of the call. Returns 0 or -ENOMEM. */
static int evidence_put_object(struct strbuf *buf, const struct listed_call *call)
{
	const struct syscall_start *how = &call->how;

	/* Paths during io_uring_enter() belong to its requests. */
	if (!call->has_start || (call->name && str_eq(call->name, "io_uring_enter")))
		return 0;
	if (how->path)
		strbuf_add(buf, how->path, how->path_len);
	else if (call->name && str_eq(call->name, "ioctl"))
		syscall_arg_put(buf, call->args, how, 1);
	else
		evidence_put_text(buf, call);
	if (!buf->len && how->files[0])
		strbuf_adds(buf, how->files[0]);
	return buf->err;
}

void evidences_begin_request(struct evidences *evidences, const struct evidence_request *request,
			     int error, struct evidence *ret_evidence)
{
	int32_t process = evidences_process(evidences, request->pid, request->time);
	const struct evidence_process *state = evidence_get(evidences, process);

	*ret_evidence = (struct evidence){ .kind = EVIDENCE_NONE, .process = process };
	if (!state)
		return;
	ret_evidence->work = state->work;
	if (request->object) {
		ret_evidence->object = mem_strdup(request->object);
		evidences->nomem |= !ret_evidence->object;
	}
	if (request->name && evidences->meanings &&
	    meanings_is_expected(evidences->meanings, request->name, request->object, error))
		ret_evidence->kind = EVIDENCE_EXPECTED;
}

void evidences_begin(struct evidences *evidences, const struct listed_call *call, int error,
		     struct evidence *ret_evidence)
{
	struct evidence_request request = { .pid = call->pid,
					    .time = call->end,
					    .name = call->name };
	_cleanup_strbuf_ struct strbuf object = { 0 };

	evidences->nomem |= evidence_put_object(&object, call) < 0;
	request.object = object.len && !object.err ? strbuf_str(&object) : NULL;
	evidences_begin_request(evidences, &request, error, ret_evidence);
}

const char *evidence_about(const struct failure *failure)
{
	if (failure->evidence.object)
		return failure->evidence.object;
	return failure->text && !strstr(failure->text, "0x") ? failure->text : NULL;
}

void evidences_compare(const struct evidences *evidences, struct failure *failure)
{
	const char *about = evidence_about(failure);

	if (!evidences->shared || !failure->name || !about ||
	    !failure_set_has(evidences->shared, failure->name, failure->error, about))
		return;
	failure->evidence.shared = true;
	failure->evidence.kind = EVIDENCE_SHARED;
}

/* Returns whether the success of a call @name accomplishes what the failed one attempted. */
static bool is_retry(const struct failure *failure, const char *name, const char *object)
{
	const char *wanted = failure->evidence.object;
	bool same_call = failure->name && str_eq(bare_name(failure->name), name);

	if (!wanted || !object || !str_eq(str_base_name(wanted), str_base_name(object)))
		return false;
	/* The missing file was found elsewhere, or created. */
	if (failure->error == ENOENT || failure->error == ENOTDIR)
		return !is_question(name) || (failure->name && is_question(failure->name));
	return same_call || (is_work(name) && !str_eq(wanted, object));
}

static bool is_open(const struct failure *failure, int32_t process)
{
	return failure->evidence.process == process && failure->evidence.kind == EVIDENCE_NONE &&
	       failure->evidence.object;
}

static bool any_is_open(const struct failure *failures, size_t n, int32_t process)
{
	for (size_t i = 0; i < n; i++)
		if (is_open(&failures[i], process))
			return true;
	return false;
}

/* Skips the object of most successful calls, which is not needed. */
static bool is_asked(const struct evidences *evidences, int32_t process, const char *name,
		     const struct failure *failures, size_t n)
{
	return (is_work(name) && evidences->meanings) || any_is_open(failures, n, process);
}

static void evidence_take_success(struct evidences *evidences, struct evidence_process *state,
				  const char *name, const char *object, struct failure *failures,
				  size_t n)
{
	for (size_t i = 0; i < n && object; i++)
		if (is_open(&failures[i], state->pid) && is_retry(&failures[i], name, object))
			failures[i].evidence.kind = EVIDENCE_RETRIED;
	if (is_work(name) && !(object && evidences->meanings &&
			       meanings_is_expected(evidences->meanings, name, object, ENOENT)))
		state->work++;
}

void evidences_request_succeeded(struct evidences *evidences,
				 const struct evidence_request *request, struct failure *failures,
				 size_t n)
{
	struct evidence_process *state =
		evidence_get(evidences, evidences_process(evidences, request->pid, request->time));

	if (state)
		evidence_take_success(evidences, state, bare_name(request->name), request->object,
				      failures, n);
}

void evidences_succeeded(struct evidences *evidences, const struct listed_call *call,
			 struct failure *failures, size_t n)
{
	int32_t process = evidences_process(evidences, call->pid, call->end);
	struct evidence_process *state = evidence_get(evidences, process);
	_cleanup_strbuf_ struct strbuf object = { 0 };

	if (!state || !call->name)
		return;
	if (is_asked(evidences, process, call->name, failures, n) &&
	    evidence_put_object(&object, call) < 0) {
		evidences->nomem = true;
		return;
	}
	evidence_take_success(evidences, state, call->name, object.len ? strbuf_str(&object) : NULL,
			      failures, n);
}

static bool is_part_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '/';
}

/*
 * Returns whether the line contains the name, not as part of a longer one. It may follow
 * directories.
 */
static bool evidence_has_name(const char *line, const char *name, bool in_directory)
{
	size_t len = strlen(name);

	if (len < OBJECT_MIN)
		return false;
	for (const char *at = line; (at = strstr(at, name)); at++) {
		char before = at == line ? ' ' : at[-1];
		bool begins = before == '/' ? in_directory :
					      before != '.' && !is_part_of_name(before);

		if (begins && !is_part_of_name(at[len]))
			return true;
	}
	return false;
}

/* Returns the evidence in the line for the failure. */
static enum evidence_kind evidence_in_line(const char *line, const struct failure *failure)
{
	const char *words = strerrordesc_np(failure->error), *object = failure->evidence.object;
	const char *said = failure->said;
	bool has_error = (words && strstr(line, words)) || (said && strstr(line, said));
	bool has_object = object && (evidence_has_name(line, object, false) ||
				     evidence_has_name(line, str_base_name(object), true));

	return has_error && has_object ? EVIDENCE_BOTH :
	       has_error	       ? EVIDENCE_ERROR :
	       has_object	       ? EVIDENCE_OBJECT :
					 EVIDENCE_NONE;
}

/*
 * Returns whether a line with this evidence can be about the failure. Merely naming the object does
 * not count if there is evidence against the failure: programs also name files that they have just
 * used successfully. For a failure that a successful command had as well, the line must contain all
 * that is possible.
 */
static bool is_credible(enum evidence_kind kind, const struct evidence *evidence)
{
	if (evidence->shared)
		return kind >= (evidence->object ? EVIDENCE_BOTH : EVIDENCE_ERROR);
	return kind != EVIDENCE_OBJECT || evidence->kind >= EVIDENCE_NONE;
}

/*
 * Returns whether @later is only a fallback after @earlier: a file that could not be created does
 * not exist.
 */
static bool is_fallback(const struct failure *later, const struct failure *earlier)
{
	const char *object = later->evidence.object;

	return later->error == ENOENT && earlier->error != ENOENT && object &&
	       earlier->evidence.object && str_eq(object, earlier->evidence.object);
}

/* Returns the last failure of the process, if it has accomplished nothing since. */
static struct failure *evidence_last_of(const struct evidence_process *state,
					struct failure *failures, size_t n)
{
	struct failure *last = NULL;

	for (size_t i = n; i--;) {
		const struct evidence *evidence = &failures[i].evidence;

		if (evidence->process != state->pid || evidence->kind < EVIDENCE_NONE)
			continue;
		if (!last && state->work - evidence->work > WORK_MAX)
			return NULL;
		if (last && is_fallback(last, &failures[i]))
			return &failures[i];
		last = last ?: &failures[i];
	}
	return last;
}

/* Returns false if memory is exhausted. */
static bool evidence_remember(struct evidence_process *state, const char *line, bool has_evidence)
{
	char **place = state->message && !has_evidence ? &state->last : &state->message;

	if (state->has_evidence)
		return true;
	free(*place);
	*place = mem_strdup(line);
	state->has_evidence = has_evidence;
	return *place;
}

/*
 * Returns false if memory is exhausted. A line refers to a single failure: the one with the
 * strongest evidence or, of several, the last one that is not a fallback.
 */
static bool judge_line(struct evidence_process *state, const char *line, struct failure *failures,
		       size_t n)
{
	enum evidence_kind best = EVIDENCE_NONE;
	struct failure *about = NULL;

	for (size_t i = n; i--;) {
		enum evidence_kind kind;

		if (failures[i].evidence.process != state->pid)
			continue;
		kind = evidence_in_line(line, &failures[i]);
		if (!is_credible(kind, &failures[i].evidence))
			continue;
		if (kind > best || (about && kind == best && is_fallback(about, &failures[i]))) {
			best = kind;
			about = &failures[i];
		}
	}
	if (!about) {
		about = evidence_last_of(state, failures, n);
		best = EVIDENCE_MESSAGE;
	}
	if (about && about->evidence.kind < best)
		about->evidence.kind = best;
	return evidence_remember(state, line, best > EVIDENCE_MESSAGE);
}

/* Ends a line that is complete, or will never be. */
static void evidence_end_line(struct evidences *evidences, struct evidence_process *state,
			      struct failure *failures, size_t n)
{
	if (!state->line.len)
		return;
	if (state->line.err || !judge_line(state, strbuf_str(&state->line), failures, n))
		evidences->nomem = true;
	strbuf_clear(&state->line);
}

void evidences_wrote(struct evidences *evidences, int32_t pid, const char *text, size_t len,
		     struct failure *failures, size_t n)
{
	struct evidence_process *state =
		evidence_get(evidences, evidences_process(evidences, pid, UINT64_MAX));
	struct failure *about;

	if (!state)
		return;
	if (!text) {
		about = evidence_last_of(state, failures, n);
		if (about && about->evidence.kind < EVIDENCE_MESSAGE)
			about->evidence.kind = EVIDENCE_MESSAGE;
		return;
	}
	for (size_t i = 0; i < len && text[i]; i++) {
		if (text[i] == '\n')
			evidence_end_line(evidences, state, failures, n);
		else if (state->line.len < LINE_MAX_LEN)
			strbuf_addc(&state->line, text[i]);
	}
	evidences->nomem |= state->line.err != 0;
}

int evidences_finish(struct evidences *evidences, struct failure *failures, size_t n)
{
	for (size_t i = 0; i < evidences->n; i++) {
		struct evidence_process *state = &evidences->list[i];
		const struct process *process =
			processes_find(&evidences->processes, state->pid, UINT64_MAX);
		struct process_ending ending = { 0 };
		struct failure *last;

		evidence_end_line(evidences, state, failures, n);
		if (process)
			ending = process_ending(&evidences->processes, process);
		last = process_ended_badly(&ending) ? evidence_last_of(state, failures, n) : NULL;
		if (last && last->evidence.kind < EVIDENCE_LAST)
			last->evidence.kind = EVIDENCE_LAST;
	}
	return evidences->nomem || evidences->processes.nomem ? -ENOMEM : 0;
}

const char *evidences_message(const struct evidences *evidences, int32_t process,
			      const char **ret_last)
{
	const struct evidence_process *state = evidence_find(evidences, process);

	*ret_last = state && !state->has_evidence ? state->last : NULL;
	return state ? state->message : NULL;
}

enum evidence_fault evidences_fault(const struct evidences *evidences, int32_t process,
				    struct evidence_page *ret_page)
{
	const struct evidence_process *state = evidence_find(evidences, process);

	*ret_page = state ? state->page : (struct evidence_page){ 0 };
	return state ? state->fault : FAULT_UNKNOWN;
}

const struct user_stack *evidences_stack(const struct evidences *evidences, int32_t process,
					 int32_t number)
{
	const struct evidence_process *state = evidence_find(evidences, process);

	return state && state->deadly == number && state->stack.n ? &state->stack : NULL;
}

const struct process *evidences_command(const struct evidences *evidences)
{
	const struct processes *processes = &evidences->processes;

	for (size_t i = 0; i < processes->n; i++)
		if (processes->list[i].acted && !processes->list[i].thread)
			return &processes->list[i];
	return NULL;
}

void evidences_done(struct evidences *evidences)
{
	for (size_t i = 0; i < evidences->n; i++) {
		strbuf_done(&evidences->list[i].line);
		free(evidences->list[i].message);
		free(evidences->list[i].last);
	}
	free(evidences->list);
	u64_map_done(&evidences->pids);
	processes_done(&evidences->processes);
}
