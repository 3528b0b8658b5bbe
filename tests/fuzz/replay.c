/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces libFuzzer in the ordinary tests: runs a target over a corpus (directories or files), and
 * over each of its inputs cut short and with bytes changed, always the same ones. Inputs found by
 * fuzzing are run unchanged. A crash, a hang or a sanitizer's report is a failure.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Modified copies of an input; fewer of a large one, so that the total takes seconds. */
#define VARIANTS	  200
#define LARGE		  ((size_t)64 << 10)
#define INPUT_MAX	  ((size_t)16 << 20)
#define VARIANTS_OF_LARGE 20

static unsigned long inputs, runs;

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The target gets memory of its exact size, so that sanitizers detect an overread. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(2);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	runs++;
}

static void run_variants(uint8_t *data, size_t size)
{
	uint64_t state = 0x9e3779b97f4a7c15 ^ size;
	int variants = size > LARGE ? VARIANTS_OF_LARGE : VARIANTS;

	run(data, size);
	for (int i = 0; i < variants && size; i++) {
		size_t at = next_random(&state) % size;
		uint8_t old = data[at];

		run(data, at);
		data[at] = (uint8_t)next_random(&state);
		run(data, size);
		data[at] = old;
	}
}

/* libFuzzer names files by the SHA-1 of their contents. */
static bool is_found(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return strlen(name) == 40 && strspn(name, "0123456789abcdef") == 40;
}

static void run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(INPUT_MAX);
	size_t size;

	if (!f || !data) {
		perror(path);
		exit(2);
	}
	size = fread(data, 1, INPUT_MAX, f);
	fclose(f);
	inputs++;
	if (is_found(path))
		run(data, size);
	else
		run_variants(data, size);
	free(data);
}

static void run_directory(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char name[4096];

	if (!dir) {
		perror(path);
		exit(2);
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		run_file(name);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	run((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) < 0) {
			perror(argv[i]);
			return 2;
		}
		if (S_ISDIR(st.st_mode))
			run_directory(argv[i]);
		else
			run_file(argv[i]);
	}
	printf("%lu inputs, %lu runs\n", inputs, runs);
	return inputs == 0;
}
