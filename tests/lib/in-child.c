/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "in-child.h"

int in_child(int (*inside)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(inside());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
