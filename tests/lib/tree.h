/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that a test fills to look like a machine, and that goes with the test. */
#ifndef FATHOM_TESTS_TREE_H
#define FATHOM_TESTS_TREE_H

/* A new empty directory below /tmp; its path, valid until tree_remove(). Fails the test if it can't. */
const char *tree_make(void);
/* Writes the file @path, which begins with a slash, below it; directories come as needed. */
void tree_file(const char *path, const char *text);
void tree_dir(const char *path);
void tree_link(const char *path, const char *target);
/* Removes one file. */
void tree_unlink(const char *path);
/*
 * For cmocka: makes a tree, and *@state a pointer to the descriptor of its directory; the
 * other one removes it.
 */
int tree_setup(void **state);
int tree_teardown(void **state);
/* That descriptor. */
int tree_fd(void);
/* The path of the tree. */
const char *tree_root(void);
/* Removes all; does nothing when there is no tree. */
void tree_remove(void);

#endif
