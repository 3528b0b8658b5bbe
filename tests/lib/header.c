/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Includes one public header twice and nothing else; HEADER is its name. */
#include HEADER
#include HEADER

extern int header_compiles;
