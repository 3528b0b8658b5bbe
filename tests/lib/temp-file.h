/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An empty file for the tests of a program, removed afterwards. */
#ifndef FATHOM_TESTS_TEMP_FILE_H
#define FATHOM_TESTS_TEMP_FILE_H

/* In /tmp. */
extern const char *const temp_path;

/* For cmocka's groups of tests. */
int temp_file_setup(void **state);
int temp_file_teardown(void **state);

#endif
