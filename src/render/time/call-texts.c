/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/call-texts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

static void call_texts_take(void *data, const struct listed_call *call)
{
	struct call_texts *texts = data;
	/* This event may also end the call of the task that had the pid before. */
	uint64_t pid = (uint64_t)(call->old_pid ?: call->pid);
	uint32_t at = u64_map_get(&texts->pids, pid);

	if (at == U64_MAP_NONE) {
		if (mem_reserve(&texts->texts, &texts->cap, texts->n + 1, sizeof(*texts->texts)) ==
		    0)
			at = u64_map_put(&texts->pids, pid);
		if (at == U64_MAP_NONE) {
			texts->nomem = true;
			return;
		}
		texts->texts[texts->n++] = (struct strbuf){ 0 };
	}
	strbuf_clear(&texts->texts[at]);
	if (call->has_start)
		syscall_args_put(&texts->texts[at], call->args, &call->how);
	texts->nomem |= texts->texts[at].err != 0;
}

void call_texts_feed(struct call_texts *texts, const struct decoded_event *decoded)
{
	texts->list.take = call_texts_take;
	texts->list.data = texts;
	syscall_list_feed(&texts->list, decoded);
}

int call_texts_finish(struct call_texts *texts)
{
	texts->list.take = call_texts_take;
	texts->list.data = texts;
	if (syscall_list_finish(&texts->list) < 0)
		return -ENOMEM;
	return texts->nomem ? -ENOMEM : 0;
}

const char *call_texts_get(const struct call_texts *texts, int32_t pid)
{
	uint32_t at = u64_map_get(&texts->pids, (uint64_t)pid);

	return at == U64_MAP_NONE ? "" : strbuf_str(&texts->texts[at]);
}

static void time_call_texts_clear(struct call_texts *texts, int32_t pid)
{
	uint32_t at = u64_map_get(&texts->pids, (uint64_t)pid);

	if (at != U64_MAP_NONE)
		strbuf_clear(&texts->texts[at]);
}

void call_texts_clear(struct call_texts *texts, const struct decoded_event *decoded)
{
	if (decoded->kind != DECODED_SYSCALL_EXIT)
		return;
	time_call_texts_clear(texts, decoded->event->pid);
	if (decoded->call_number.old_pid)
		time_call_texts_clear(texts, decoded->call_number.old_pid);
}

void call_texts_done(struct call_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		strbuf_done(&texts->texts[i]);
	free(texts->texts);
	u64_map_done(&texts->pids);
	syscall_list_done(&texts->list);
}
