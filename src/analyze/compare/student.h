/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often chance alone makes a difference as large as one that was seen. */
#ifndef FATHOM_ANALYZE_COMPARE_STUDENT_H
#define FATHOM_ANALYZE_COMPARE_STUDENT_H

/* The chance that Student's t with @freedom degrees is further from 0 than @t, on either side. */
double student_p(double t, double freedom);
/* The t, above 0, for which that is @p. */
double student_t(double p, double freedom);
/*
 * The chance that of what is there rather than here with a chance of @low to @high, @here and @there or a split that is further
 * from that comes out. They need not be whole numbers.
 */
double split_p(double here, double there, double low, double high);

#endif
