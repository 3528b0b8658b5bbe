/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages between processes, through a socket that keeps them apart, with or without an open file in them. */
#ifndef FATHOM_PROCESS_FD_MESSAGE_H
#define FATHOM_PROCESS_FD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* @file -1: none. @flags as of sendmsg(2). 0 or a negative errno. */
int fd_message_send(int to, const struct iovec *parts, size_t n, int file, int flags);
/*
 * How many bytes; 0: nobody is there any more, or with MSG_DONTWAIT no message, or it is longer than @len. The file that
 * came with it, if one did, or -1.
 */
size_t fd_message_receive(int from, void *bytes, size_t len, int flags, int *ret_file);

#endif
