/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FATHOM_TESTS_IN_CHILD_H
#define FATHOM_TESTS_IN_CHILD_H

/*
 * Runs @inside in a child process and returns its exit status: for what a test cannot undo, or must not do to
 * cmocka's own descriptors. Fails the test if the child is killed.
 */
int in_child(int (*inside)(void));

#endif
