/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Significance tests: how often chance alone produces a difference at least as large as the
 * observed one. Pure functions; all chances are two-sided.
 */
#ifndef FATHOM_ANALYZE_COMPARE_STUDENT_H
#define FATHOM_ANALYZE_COMPARE_STUDENT_H

/*
 * Returns the chance that Student's t with @freedom degrees of freedom is further from 0 than @t.
 */
double student_p(double t, double freedom);
/* Returns the positive t whose chance is @p. */
double student_t(double p, double freedom);
/*
 * Returns the chance of a split at least as extreme as @here and @there, if the probability of
 * being @there is between @low and @high for each item. The numbers need not be integers.
 */
double split_p(double here, double there, double low, double high);

#endif
