/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/why/failures.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "analyze/why/failure-set.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"

static void failure_done(struct failure *failure)
{
	free(failure->text);
	free(failure->via);
	free(failure->said);
	free(failure->evidence.object);
	free(failure->steps);
}

static bool same_way(const struct failure *a, const struct failure *b)
{
	if (a->n_steps != b->n_steps)
		return false;
	for (size_t i = 0; i < a->n_steps; i++)
		if (a->steps[i].func != b->steps[i].func)
			return false;
	return true;
}

/* Merges @earlier, which has the same text, error and call chain. */
static void failures_join(struct failure *failure, const struct failure *earlier)
{
	failure->count += earlier->count;
	if (failure->evidence.kind < earlier->evidence.kind &&
	    earlier->evidence.kind > EVIDENCE_NONE)
		failure->evidence.kind = earlier->evidence.kind;
}

/* Takes ownership of @failure, and appends it, replacing an equal one. */
static void failures_add(struct failures *failures, struct failure *failure)
{
	size_t at, keep;

	for (at = 0; at < failures->n; at++) {
		const struct failure *other = &failures->found[at];

		if (other->kind == failure->kind && other->error == failure->error &&
		    other->signal == failure->signal &&
		    (failures->of_all || other->pid == failure->pid) &&
		    strcmp(other->text, failure->text) == 0 && same_way(other, failure))
			break;
	}
	if (at == failures->n && at == FAILURES_MAX)
		for (at = 0;
		     at < failures->n - 1 && failures->found[at].evidence.kind > EVIDENCE_NONE;)
			at++;
	else if (at < failures->n)
		failures_join(failure, &failures->found[at]);
	if (at == failures->n) {
		if (mem_reserve(&failures->found, &failures->cap, failures->n + 1,
				sizeof(*failures->found)) < 0) {
			failures->nomem = true;
			failure_done(failure);
			return;
		}
		failures->n++;
	} else {
		failure_done(&failures->found[at]);
	}
	keep = failures->n - 1 - at;
	memmove(&failures->found[at], &failures->found[at + 1], keep * sizeof(*failures->found));
	failures->found[failures->n - 1] = *failure;
}

static int copy_steps(struct failure *failure, const struct blame_step *steps)
{
	if (!steps)
		return 0;
	for (const struct blame_step *step = steps; step; step = step->inner)
		failure->n_steps++;
	failure->steps = mem_zalloc(failure->n_steps, sizeof(*failure->steps));
	if (!failure->steps)
		return -ENOMEM;
	for (size_t i = 0; steps; i++, steps = steps->inner) {
		failure->steps[i] = *steps;
		failure->steps[i].inner = NULL;
	}
	return 0;
}

/* Reads the first argument, if known. */
static bool descriptor_of(const struct listed_call *call, int32_t *ret_fd)
{
	uint64_t fd;

	if (!call->has_start || !syscall_arg_value(call->args, &call->how, 0, &fd))
		return false;
	*ret_fd = (int32_t)fd;
	return true;
}

static bool is_netlink(const struct failures *failures, const struct listed_call *call,
		       int *ret_protocol)
{
	int32_t fd;

	return descriptor_of(call, &fd) &&
	       netlink_sockets_find(&failures->sockets,
				    evidences_process(&failures->evidences, call->pid, call->end),
				    fd, ret_protocol);
}

/* Keeps track of descriptors that are netlink sockets. */
static void note_socket(struct failures *failures, const struct listed_call *call)
{
	int32_t process = evidences_process(&failures->evidences, call->pid, call->end);
	uint64_t family, protocol;
	int32_t fd;

	if (str_eq(call->name, "close") && descriptor_of(call, &fd))
		netlink_sockets_remove(&failures->sockets, process, fd);
	if (!str_eq(call->name, "socket") || !call->has_start ||
	    !syscall_arg_value(call->args, &call->how, 0, &family) ||
	    !syscall_arg_value(call->args, &call->how, 2, &protocol))
		return;
	if ((int)family == AF_NETLINK)
		netlink_sockets_add(&failures->sockets, process, (int32_t)call->result,
				    (int)protocol);
	else
		netlink_sockets_remove(&failures->sockets, process, (int32_t)call->result);
}

/* Written text has a separate event, which may be missing for writev(). */
static void failures_take_success(struct failures *failures, const struct listed_call *call)
{
	int protocol;
	uint64_t fd;

	if (call->name)
		note_socket(failures, call);
	/* Reading the kernel's answer accomplishes nothing else. */
	if (call->name && str_has_word("recvmsg recvfrom", " ", call->name) &&
	    is_netlink(failures, call, &protocol))
		return;
	if (call->name && call->has_start && strcmp(call->name, "writev") == 0 &&
	    !(failures->writer == call->pid && failures->written >= call->start) &&
	    syscall_arg_value(call->args, &call->how, 0, &fd) && fd == STDERR_FILENO)
		evidences_wrote(&failures->evidences, call->pid, NULL, 0, failures->found,
				failures->n);
	evidences_succeeded(&failures->evidences, call, failures->found, failures->n);
}

/* Takes ownership of @failure, which has its evidence; @steps is the call chain. */
static void failures_take(struct failures *failures, struct failure *failure,
			  const struct blame_step *steps)
{
	failures->n_failed++;
	evidences_compare(&failures->evidences, failure);
	if (failures->set && failure->name && evidence_about(failure))
		failure_set_add(failures->set, failure->name, failure->error,
				evidence_about(failure));
	if (!failure->text || copy_steps(failure, steps) < 0) {
		failures->nomem = true;
		failure_done(failure);
		return;
	}
	failures_add(failures, failure);
}

/* Returns where the kernel's message during the current call is stored, or NULL. */
static char **said_of(struct failures *failures, int32_t pid)
{
	uint32_t at = u64_map_get(&failures->said_pids, (uint32_t)pid);

	return at == U64_MAP_NONE ? NULL : &failures->said[at];
}

static void feed_said(struct failures *failures, const struct decoded_event *decoded)
{
	int32_t pid = decoded->event->pid;
	char **place = said_of(failures, pid);

	if (decoded->kind == DECODED_SAID && decoded->path.len) {
		place = u64_map_element(&failures->said_pids, (uint32_t)pid, &failures->said,
					&failures->n_said, &failures->cap_said, sizeof(*place));
		if (place) {
			free(*place);
			*place = mem_strndup(decoded->path.text, decoded->path.len);
		}
		failures->nomem |= !place || !*place;
	} else if (decoded->kind == DECODED_SYSCALL_ENTRY && place) {
		free(*place);
		*place = NULL;
	}
}

static void take_result(struct failures *failures, const struct listed_call *call)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char **said;
	struct failure failure = { .name = call->name,
				   .pid = call->pid,
				   .start = call->has_start ? call->start : 0,
				   .end = call->end,
				   .signal = call->signal,
				   .count = 1 };

	if (call->result >= 0 || call->result < -ERROR_LIMIT) {
		failures_take_success(failures, call);
		return;
	}
	said = said_of(failures, call->pid);
	if (said) {
		failure.said = *said;
		*said = NULL;
	}
	failure.stack = user_stacks_get(&failures->stacks, call->pid);
	/* A stack that is older than the call belongs to the previous one. */
	if (!call->has_start || failure.stack.time < call->start)
		failure.stack = (struct user_stack){ 0 };
	failure.error = (int)-call->result;
	if (call->has_start)
		syscall_args_put(&text, call->args, &call->how);
	else
		strbuf_addf(&text, "%s(?)", call->name ?: "?");
	failure.text = strbuf_take(&text);
	evidences_begin(&failures->evidences, call, failure.error, &failure.evidence);
	failures_take(failures, &failure, blame_find(&failures->blame, call->pid, failure.error));
}

/* Returns the text of a request: its name and object. */
static char *request_text(const char *name, const char *object)
{
	const char *colon = strchr(name, ':');

	return mem_printf("%.*s%s%s%s%s%s", (int)strcspn(name, ":"), name, colon ? " " : " request",
			  colon ? colon + 1 : "", object ? " \"" : "", object ?: "",
			  object ? "\"" : "");
}

/* Handles an error with which the kernel answers, inside the call that sent the request. */
static void feed_netlink(struct failures *failures, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct failure failure = { .kind = FAILURE_NETLINK,
				   .pid = event->pid,
				   .error = decoded->netlink.error,
				   .data = decoded->netlink.type,
				   .count = 1 };
	char device[NETLINK_DEVICE_SIZE];
	bool ok = true;

	if (failure.error <= 0 || failure.error > ERROR_LIMIT)
		return;
	if (decoded->netlink.text.len)
		failure.said = mem_strndup(decoded->netlink.text.s, decoded->netlink.text.len);
	ok = !decoded->netlink.text.len || failure.said;
	if (netlink_device(decoded, device)) {
		failure.evidence.object = mem_strdup(device);
		ok &= !!failure.evidence.object;
	}
	if (!ok ||
	    copy_steps(&failure, blame_peek(&failures->blame, event->pid, failure.error, 0)) < 0 ||
	    mem_reserve(&failures->pending, &failures->cap_pending, failures->n_pending + 1,
			sizeof(*failures->pending)) < 0) {
		failures->nomem = true;
		failure_done(&failure);
		return;
	}
	failures->pending[failures->n_pending++] = failure;
}

/* Takes ownership of @failure: @call sent the request. */
static void take_netlink(struct failures *failures, struct failure *failure,
			 const struct listed_call *call)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_free_ char *object = failure->evidence.object;
	uint16_t type = (uint16_t)failure->data;
	int protocol = NETLINK_UNKNOWN;
	int32_t fd;

	if (!is_netlink(failures, call, &protocol) && descriptor_of(call, &fd) && call->name &&
	    strncmp(call->name, "send", 4) == 0)
		netlink_sockets_add(&failures->sockets,
				    evidences_process(&failures->evidences, call->pid, call->end),
				    fd, NETLINK_UNKNOWN);
	/* In other protocols, the numbers have another meaning. */
	if (protocol != NETLINK_ROUTE) {
		free(object);
		object = NULL;
	}
	failure->name = netlink_name(protocol, type);
	failure->data = 0;
	failure->start = call->has_start ? call->start : 0;
	failure->end = call->end;
	failure->text = request_text(failure->name, object);
	if (call->has_start) {
		syscall_args_put(&text, call->args, &call->how);
		failure->via = strbuf_take(&text);
	}
	evidences_begin_request(&failures->evidences,
				&(struct evidence_request){ .pid = call->pid,
							    .time = call->end,
							    .name = failure->name,
							    .object = object },
				failure->error, &failure->evidence);
	failures_take(failures, failure, NULL);
}

/* Takes the answers to requests sent by the call. */
static void take_answers(struct failures *failures, const struct listed_call *call)
{
	size_t left = 0;

	for (size_t i = 0; i < failures->n_pending; i++)
		if (failures->pending[i].pid == call->pid)
			take_netlink(failures, &failures->pending[i], call);
		else
			failures->pending[left++] = failures->pending[i];
	failures->n_pending = left;
}

static void take_call(void *data, const struct listed_call *call)
{
	struct failures *failures = data;

	if (call->fate == SYSCALL_RETURNED)
		take_result(failures, call);
	take_answers(failures, call);
}

/* Handles the completion of an io_uring request. */
static void feed_completion(struct failures *failures, const struct decoded_event *decoded)
{
	int32_t result = decoded->uring.result;
	struct uring_request request;
	struct evidence_request ended;
	struct failure failure = { .kind = FAILURE_URING,
				   .end = decoded->event->time,
				   .error = -result,
				   .data = decoded->uring.data,
				   .count = 1 };

	if (!urings_complete(&failures->urings, decoded, &request))
		return;
	ended = (struct evidence_request){ .pid = request.pid,
					   .time = decoded->event->time,
					   .name = request.name,
					   .object = request.path };
	if (result >= 0 || result < -ERROR_LIMIT) {
		evidences_request_succeeded(&failures->evidences, &ended, failures->found,
					    failures->n);
		return;
	}
	failure.pid = request.pid;
	failure.name = request.name;
	failure.request = request.number;
	failure.text = request_text(request.name, request.path);
	evidences_begin_request(&failures->evidences, &ended, failure.error, &failure.evidence);
	failures_take(failures, &failure,
		      request.tag ? blame_peek(&failures->blame, decoded->event->pid, failure.error,
					       request.tag) :
				    NULL);
}

/* The stack of a failed call may be recorded just after its exit. */
static void feed_stack(struct failures *failures, const struct decoded_event *decoded)
{
	for (size_t i = failures->n; i--;) {
		struct failure *failure = &failures->found[i];

		if (failure->pid != decoded->event->pid)
			continue;
		/* If the task is in another call now, the stack belongs to that. */
		if (user_stacks_get(&failures->stacks, failure->pid).entry <= failure->end)
			user_stack_take(&failure->stack, decoded);
		return;
	}
}

/* Unknown parts are left out; if the last one is unknown, the line is considered complete. */
static void take_parts(struct failures *failures, const struct decoded_event *decoded)
{
	struct evidences *evidences = &failures->evidences;
	int32_t pid = decoded->event->pid;
	bool known = false, missing = false;

	for (size_t i = 0; i < decoded->path.parts; i++) {
		const char *text;
		size_t len;

		missing = !decoded_part(decoded, i, &text, &len);
		known |= !missing;
		if (!missing)
			evidences_wrote(evidences, pid, text, len, failures->found, failures->n);
	}
	if (known && missing)
		evidences_wrote(evidences, pid, "\n", 1, failures->found, failures->n);
	if (known) {
		failures->writer = pid;
		failures->written = decoded->event->time;
	}
}

static void feed_written(struct failures *failures, const struct decoded_event *decoded)
{
	if (decoded->path.dir != STDERR_FILENO)
		return;
	if (decoded->path.parts)
		take_parts(failures, decoded);
	else
		evidences_wrote(&failures->evidences, decoded->event->pid, decoded->path.text,
				decoded->path.len, failures->found, failures->n);
}

/*
 * Returns whether this is a second event, recorded for the stack that follows it. The other one has
 * more information.
 */
static bool failures_is_second(struct failures *failures, const struct decoded_event *decoded)
{
	bool is_exit = decoded->kind == DECODED_SYSCALL_EXIT;

	if (decoded->kind == DECODED_SIGNAL_SENT || decoded->kind == DECODED_SIGNAL) {
		if (!failures->has_signals)
			failures->signals = decoded->event->buffer;
		failures->has_signals = true;
		return failures->signals != decoded->event->buffer;
	}
	if (!is_exit && decoded->kind != DECODED_SYSCALL_ENTRY)
		return false;
	if (decoded_syscall_name(decoded))
		failures->has_names = true;
	return is_exit && failures->has_names && !decoded_syscall_name(decoded);
}

void failures_feed(struct failures *failures, const struct decoded_event *decoded)
{
	failures->list.take = take_call;
	failures->list.data = failures;
	if (failures_is_second(failures, decoded))
		return;
	evidences_feed(&failures->evidences, decoded);
	if (decoded->kind == DECODED_WRITTEN)
		feed_written(failures, decoded);
	feed_said(failures, decoded);
	if (decoded->kind == DECODED_NETLINK)
		feed_netlink(failures, decoded);
	urings_feed(&failures->urings, decoded);
	if (decoded->kind == DECODED_URING_COMPLETE)
		feed_completion(failures, decoded);
	/* The list looks up the call chain of a failed call: feed the exit to blame afterwards. */
	syscall_list_feed(&failures->list, decoded);
	blame_feed(&failures->blame, decoded);
	if (decoded->kind == DECODED_URING_SUBMIT)
		blame_tag(&failures->blame, decoded->event->pid, failures->urings.tag);
	user_stacks_feed(&failures->stacks, decoded);
	if (decoded->kind == DECODED_USER_STACK)
		feed_stack(failures, decoded);
}

const char *failures_func_name(const struct failures *failures, uint32_t func)
{
	return func == FUNC_NONE ? NULL : failures->blame.funcs.list[func].name;
}

const struct process *failures_command(const struct failures *failures)
{
	return failures->command ? processes_find(&failures->evidences.processes, failures->command,
						  UINT64_MAX) :
				   evidences_command(&failures->evidences);
}

struct process_ending failures_ending(const struct failures *failures)
{
	const struct process *command = failures_command(failures);

	if (failures->ending.how != PROCESS_END_UNKNOWN || !command)
		return failures->ending;
	return process_ending(&failures->evidences.processes, command);
}

enum command_outcome failures_outcome(const struct failures *failures)
{
	struct process_ending ending = failures_ending(failures);

	if (ending.how == PROCESS_END_UNKNOWN || (ending.how == PROCESS_EXITED && !ending.has_code))
		return COMMAND_UNKNOWN;
	return ending.how == PROCESS_EXITED && !ending.code ? COMMAND_SUCCEEDED : COMMAND_FAILED;
}

/* Returns the least evidence of failures that matter: the strongest one that there is. */
static enum evidence_kind least_evidence(const struct failures *failures)
{
	enum evidence_kind most = EVIDENCE_NONE;

	for (size_t i = 0; i < failures->n; i++)
		if (failures->found[i].evidence.kind > most)
			most = failures->found[i].evidence.kind;
	/* A program can report several errors. */
	if (most == EVIDENCE_BOTH)
		return EVIDENCE_ERROR;
	return failures_outcome(failures) == COMMAND_SUCCEEDED && most < EVIDENCE_ERROR ?
		       EVIDENCE_KINDS :
		       most;
}

int failures_finish(struct failures *failures)
{
	if (syscall_list_finish(&failures->list) < 0 ||
	    evidences_finish(&failures->evidences, failures->found, failures->n) < 0)
		failures->nomem = true;
	failures->least = least_evidence(failures);
	return failures->nomem || failures->blame.nomem || failures->blame.gaps.nomem ||
			       failures->stacks.nomem || failures->urings.nomem ||
			       failures->sockets.nomem ?
		       -ENOMEM :
		       0;
}

bool failures_is_chosen(const struct failures *failures, size_t i)
{
	enum evidence_kind least = failures->least;

	if (least <= EVIDENCE_NONE)
		return false;
	if (least > EVIDENCE_MESSAGE)
		return failures->found[i].evidence.kind >= least;
	/* Of the last failures of several processes, only the last counts. */
	for (size_t j = i + 1; j < failures->n; j++)
		if (failures->found[j].evidence.kind == least)
			return false;
	return failures->found[i].evidence.kind == least;
}

/* "netlink" includes all "netlink:...". */
static bool failures_is_called(const struct failure *failure, const char *call)
{
	const char *rest = str_after(failure->name, call);

	return rest && (!*rest || (*rest == ':' && failure->kind != FAILURE_CALL));
}

bool failures_is_wanted(const struct failures *failures, size_t i,
			const struct failure_choice *choice)
{
	const struct failure *failure = &failures->found[i];
	bool fits_error = !choice->n_errors, fits_call = !choice->n_calls;

	for (size_t k = 0; k < choice->n_errors; k++)
		fits_error |= choice->errors[k] == failure->error;
	for (size_t k = 0; k < choice->n_calls; k++)
		fits_call |= failure->name && failures_is_called(failure, choice->calls[k]);
	return fits_error && fits_call &&
	       (choice->all || choice->n_errors || choice->n_calls ||
		failures_is_chosen(failures, i));
}

void failures_done(struct failures *failures)
{
	for (size_t i = 0; i < failures->n; i++)
		failure_done(&failures->found[i]);
	for (size_t i = 0; i < failures->n_pending; i++)
		failure_done(&failures->pending[i]);
	free(failures->pending);
	for (size_t i = 0; i < failures->n_said; i++)
		free(failures->said[i]);
	free(failures->said);
	u64_map_done(&failures->said_pids);
	free(failures->found);
	urings_done(&failures->urings);
	netlink_sockets_done(&failures->sockets);
	syscall_list_done(&failures->list);
	user_stacks_done(&failures->stacks);
	evidences_done(&failures->evidences);
	blame_done(&failures->blame);
}
