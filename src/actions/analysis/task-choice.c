/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/task-choice.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

static int task_choice_add_pids(struct task_choice *choice, const char *text,
				struct fathom_err *err)
{
	_cleanup_free_ char *list = mem_strdup(text);
	char *rest = list;

	if (!list)
		return err_nomem(err);
	for (char *word; (word = str_next_word(&rest, ", "));) {
		char *end;
		unsigned long pid = strtoul(word, &end, 10);

		if (*end || *word == '-' || pid > INT32_MAX)
			return err_set(err, -EINVAL, "invalid PID '%s': expected a number", word);
		if (mem_reserve(&choice->pids, &choice->cap_pids, choice->n_pids + 1,
				sizeof(*choice->pids)) < 0)
			return err_nomem(err);
		choice->pids[choice->n_pids++] = (int32_t)pid;
	}
	return 0;
}

int task_choice_take(struct task_choice *choice, struct report_args *args, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->pids.n; i++)
		r = task_choice_add_pids(choice, args->pids.items[i], err);
	choice->comms = args->comms;
	args->pids.n = args->comms.n = 0;
	return r;
}

bool task_choice_has(const struct task_choice *choice, int32_t pid, const char *name)
{
	for (size_t i = 0; i < choice->n_pids; i++)
		if (choice->pids[i] == pid)
			return true;
	for (size_t i = 0; i < choice->comms.n; i++)
		if (str_has_word(choice->comms.items[i], ",", name))
			return true;
	return !choice->n_pids && !choice->comms.n;
}

void task_choice_done(struct task_choice *choice)
{
	free(choice->pids);
	*choice = (struct task_choice){ 0 };
}
