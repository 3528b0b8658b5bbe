/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that a test fills to imitate a machine, removed afterwards. */
#ifndef FATHOM_TESTS_TREE_H
#define FATHOM_TESTS_TREE_H

/*
 * Creates an empty directory in /tmp. Returns its path, valid until tree_remove(). Fails the test
 * on error.
 */
const char *tree_make(void);
/* Writes the file @path, which starts with a slash, in the tree; creates directories as needed. */
void tree_file(const char *path, const char *text);
void tree_dir(const char *path);
void tree_link(const char *path, const char *target);
/* Removes one file. */
void tree_unlink(const char *path);
/*
 * For cmocka: creates a tree, and sets *@state to a pointer to the descriptor of its directory; the
 * other one removes it.
 */
int tree_setup(void **state);
int tree_teardown(void **state);
/* Returns that descriptor. */
int tree_fd(void);
/* Returns the path of the tree. */
const char *tree_root(void);
/* Removes the tree, if there is one. */
void tree_remove(void);

#endif
