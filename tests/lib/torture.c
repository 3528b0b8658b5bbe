/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torture TEST-PROGRAM [SECONDS]: runs the program once for every allocation that it makes, with
 * that allocation failing (see oom.c). The program's own checks may fail; it must not be killed by
 * a signal, hang, or cause a sanitizer's report. With SECONDS, it stops after that time, with
 * allocations from all parts of the program, and says so. Each run starts with another allocation,
 * so that all have their turn eventually; a failure names the allocation that failed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char count_path[] = "/tmp/fathom-torture-XXXXXX";
static char log_path[] = "/tmp/fathom-torture-XXXXXX";

static int to_program, from_program;

/* Starts the program, which then waits for numbers. */
static int start(const char *program)
{
	int in[2], out[2];
	char pipes[32];
	pid_t pid;

	if (pipe(in) < 0 || pipe(out) < 0)
		return -1;
	snprintf(pipes, sizeof(pipes), "%d,%d", in[0], out[1]);
	pid = fork();
	if (pid == 0) {
		close(in[1]);
		close(out[0]);
		setenv("FATHOM_FAIL_ALLOC", pipes, 1);
		setenv("FATHOM_FAIL_COUNT", count_path, 1);
		/*
		 * A failed check jumps out of the test and leaves its memory: not a leak of the
		 * program.
		 */
		setenv("ASAN_OPTIONS", "detect_leaks=0:exitcode=99", 1);
		setenv("UBSAN_OPTIONS", "halt_on_error=1:exitcode=99", 1);
		if (!freopen(log_path, "a", stdout) || dup2(1, 2) < 0)
			_exit(98);
		execl(program, program, (char *)NULL);
		_exit(98);
	}
	close(in[0]);
	close(out[1]);
	to_program = in[1];
	from_program = out[0];
	return pid < 0 ? -1 : 0;
}

/* Returns how the program ends when its @n-th allocation fails. */
static int run(unsigned long n)
{
	int status;

	/* Its log is that of the last run. */
	if (truncate(log_path, 0) < 0 || write(to_program, &n, sizeof(n)) != sizeof(n) ||
	    read(from_program, &status, sizeof(status)) != sizeof(status))
		return 98 << 8;
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

static long greatest_divisor(long a, long b)
{
	return b ? greatest_divisor(b, a % b) : a;
}

/* Returns a stride that visits all numbers below @total, each far from the previous one. */
static long find_stride(long total)
{
	long stride = (long)((double)total * 0.618);

	while (stride > 1 && greatest_divisor(total, stride) > 1)
		stride--;
	return stride > 0 ? stride : 1;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the number of failures. */
static int try_all(long total, long seconds)
{
	double end = seconds_now() + (double)seconds;
	long stride = find_stride(total), tried = 0;
	long first = total > 0 ? (getpid() ^ time(NULL)) % total : 0;
	int failures = 0;

	for (; tried < total && failures < 3; tried++) {
		/* Below 2^20 allocations, the product cannot overflow. */
		long n = (first + tried) * stride % total + 1;
		int status;

		if (seconds && seconds_now() >= end)
			break;
		status = run((unsigned long)n);
		if (!bad(status))
			continue;
		printf("allocation %ld of %ld: %s %d\n", n, total,
		       WIFEXITED(status) ? "exit code" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		show_log();
		failures++;
	}
	printf("%ld of %ld allocations tried, %d failures\n", tried, total, failures);
	return failures;
}

int main(int argc, char **argv)
{
	int failures = 0, status;
	long total;

	if (argc < 2 || argc > 3 || mkstemp(count_path) < 0 || mkstemp(log_path) < 0) {
		fprintf(stderr, "usage: torture TEST-PROGRAM [SECONDS]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	if (start(argv[1]) < 0) {
		perror(argv[1]);
		return 2;
	}
	status = run(0);
	total = allocations();
	if (status != 0 || total < 0) {
		printf("%s fails without any failing allocation\n", argv[1]);
		show_log();
		failures++;
	}
	failures += try_all(total, argc == 3 ? strtol(argv[2], NULL, 10) : 0);
	unlink(count_path);
	unlink(log_path);
	return failures != 0;
}
