/* num.h - numbers in and out, strict and without the locale. */
#ifndef TP_NUM_H
#define TP_NUM_H

#include "base.h"
#include "buf.h"

/* Whole text must be a decimal integer in [lo, hi]; 0 or -1 (out untouched). */
int num_int(struct text t, int64_t lo, int64_t hi, int64_t *out) RESULT_USED;
int num_u64(struct text t, uint64_t *out) RESULT_USED;
/* A decimal number (sign, digits, fraction, exponent) times 10^scale as an
 * integer, rounded half to even, with no trip through a double: us to ns is
 * scale 3.  -1: not a number, or beyond int64. */
int num_scaled(struct text t, int scale, int64_t *out) RESULT_USED;
/* Bytes: bare numbers count in unit; GB MB KB = 1e9.., GiB MiB KiB = 2^30..;
 * a fraction is allowed ("139.8", "80GiB"). */
int num_bytes(struct text t, int64_t unit, int64_t *out) RESULT_USED;
/* "A:B" both included, "A:+N" N of them, "A" (= A:A); 0 <= A <= B. */
int num_range(struct text t, int64_t *first, int64_t *last) RESULT_USED;

/* For a person: fixed, short, right for the size.  out holds NUM_LEN. */
#define NUM_LEN 32
char *num_fmt_ns(char *out, int64_t ns);         /* "847 ns" "12.3 us" "54.7 ms" "1.33 s" */
char *num_fmt_bytes(char *out, int64_t bytes);   /* "4 B" "1.09 GB" "-33.3 KB" (1e3) */
char *num_fmt_gib(char *out, int64_t bytes);     /* "1.02 GiB" (2^10) */
char *num_fmt_count(char *out, int64_t n);       /* "3,654" */
char *num_fmt_share(char *out, int64_t part, int64_t whole); /* "12.4 %", "-" for whole 0 */
/* a/b as a decimal with the given digits (0..9) behind the point, rounded half
 * away from zero, in integers; b > 0.  For JSON: 0.1234 */
void num_add_ratio(struct buf *b, int64_t a, int64_t over, int digits);

#endif
