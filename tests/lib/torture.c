/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torture TEST-PROGRAM: runs it once for every allocation that it makes, with
 * that allocation failing (see oom.c). The program's own checks may fail then;
 * dying by a signal, hanging, or a sanitizer's report may not.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* An ordinary run takes milliseconds. */
#define SECONDS_PER_RUN 60

static char count_path[] = "/tmp/fathom-torture-XXXXXX";
static char log_path[] = "/tmp/fathom-torture-XXXXXX";

static int run(const char *program, unsigned long n)
{
	char number[32];
	int status;
	pid_t pid;

	snprintf(number, sizeof(number), "%lu", n);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		setenv("FATHOM_FAIL_ALLOC", number, 1);
		setenv("FATHOM_FAIL_COUNT", count_path, 1);
		/* A failed check jumps out of the test and leaves its memory: no leak of ours. */
		setenv("ASAN_OPTIONS", "detect_leaks=0:exitcode=99", 1);
		setenv("UBSAN_OPTIONS", "halt_on_error=1:exitcode=99", 1);
		if (!freopen(log_path, "w", stdout) || dup2(1, 2) < 0)
			_exit(98);
		alarm(SECONDS_PER_RUN);
		execl(program, program, (char *)NULL);
		_exit(98);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static int bad(int status)
{
	return !WIFEXITED(status) || WEXITSTATUS(status) == 99 || WEXITSTATUS(status) == 98;
}

static void show_log(void)
{
	char line[1024];
	FILE *f = fopen(log_path, "r");

	while (f && fgets(line, sizeof(line), f))
		fputs(line, stdout);
	if (f)
		fclose(f);
}

static long allocations(void)
{
	FILE *f = fopen(count_path, "r");
	long n = -1;

	if (f && fscanf(f, "%ld", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	int failures = 0, status;
	long total;

	if (argc != 2 || mkstemp(count_path) < 0 || mkstemp(log_path) < 0) {
		fprintf(stderr, "usage: torture TEST-PROGRAM\n");
		return 2;
	}
	status = run(argv[1], 0);
	total = allocations();
	if (status != 0 || total < 0) {
		printf("%s fails without any failing allocation\n", argv[1]);
		show_log();
		failures++;
	}
	for (long n = 1; n <= total; n++) {
		status = run(argv[1], (unsigned long)n);
		if (!bad(status))
			continue;
		printf("allocation %ld of %ld: %s %d\n", n, total,
		       WIFEXITED(status) ? "exit code" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		show_log();
		if (++failures == 3)
			break;
	}
	unlink(count_path);
	unlink(log_path);
	printf("%ld allocations, %d failures\n", total, failures);
	return failures != 0;
}
