/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/compare/student.h"

#include <math.h>

#define STEPS_MAX 300
#define TINY	  1e-300
#define ENOUGH	  1e-12

static double away_from_zero(double value)
{
	return fabs(value) < TINY ? TINY : value;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;

	for (int i = 1; i < STEPS_MAX; i++) {
		double even = i * (b - i) * x / ((a - 1 + 2 * i) * (a + 2 * i));
		double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 1 + 2 * i));

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		value *= d * c;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		value *= d * c;
		if (fabs(d * c - 1) < ENOUGH)
			break;
	}
	return value;
}

/* The regularized incomplete beta function. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double freedom)
{
	return beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_t(double p, double freedom)
{
	double low = 0, high = 1;

	while (high < 1e9 && student_p(high, freedom) > p)
		high *= 2;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (student_p(middle, freedom) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double split_p(double here, double there, double low, double high)
{
	double all = here + there, tail = 1;

	if (there > all * high)
		tail = beta(there, here + 1, high);
	else if (there < all * low)
		tail = beta(here, there + 1, 1 - low);
	return tail < 0.5 ? 2 * tail : 1;
}
