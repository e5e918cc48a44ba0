/* tab_bar.c - see tab.h. */
#include "base.h"

#include <stdlib.h>

#include "mem.h"
#include "tab.h"

/* Cells of one part: whole ones, and what is left over for the ranking. */
struct cells {
	int64_t n, rest;
};

/* value * width must not overflow, and neither must the sum: shares hardly
 * change when all lose their low bits. */
static int scale_bits(const struct tab_part *part, size_t n, int width)
{
	int64_t top = 0, limit = INT64_MAX / ((int64_t)width * (int64_t)n);
	int bits = 0;
	size_t i;

	for (i = 0; i < n; i++)
		top = MAX(top, part[i].value);
	while (top >> bits > limit)
		bits++;
	return bits;
}

static int64_t part_value(const struct tab_part *p, int bits)
{
	return p->value > 0 ? p->value >> bits : 0;
}

void tab_bar(struct buf *b, const struct tab_part *part, size_t n, int width)
{
	struct cells *c;
	int64_t sum = 0, left = width, k;
	size_t i, best;
	int bits;

	if (n == 0 || width <= 0)
		return;
	bits = scale_bits(part, n, width);
	c = xcalloc(n, sizeof(*c));
	for (i = 0; i < n; i++)
		sum += part_value(&part[i], bits);
	for (i = 0; i < n && sum > 0; i++) {
		k = part_value(&part[i], bits) * width;
		c[i] = (struct cells){ k / sum, k % sum };
		left -= c[i].n;
	}
	/* fewer than n are left over, and each part takes at most one */
	for (; sum > 0 && left > 0; left--) {
		for (best = 0, i = 1; i < n; i++)
			if (c[i].rest > c[best].rest)
				best = i;
		c[best].n++;
		c[best].rest = -1;
	}
	for (i = 0; i < n; i++)
		for (k = 0; k < c[i].n; k++)
			buf_addc(b, part[i].letter);
	for (; left > 0; left--)
		buf_addc(b, ' ');
	free(c);
}

static int spark_level(int64_t v, int64_t lo, int64_t hi)
{
	uint64_t range, above;

	if (v <= lo || hi <= lo)
		return 0;
	if (v >= hi)
		return 7;
	range = (uint64_t)hi - (uint64_t)lo;
	above = (uint64_t)v - (uint64_t)lo;
	for (; range > UINT64_MAX / 8; range >>= 1)
		above >>= 1;
	return (int)MIN(above * 8 / range, 7);
}

void tab_spark(struct buf *b, const int64_t *v, size_t n, int width,
	int64_t lo, int64_t hi)
{
	size_t cells = width > 0 ? MIN((size_t)width, n) : 0, c, i, end;
	int64_t top;

	for (c = 0; c < cells; c++) {
		i = n / cells * c + n % cells * c / cells;
		end = n / cells * (c + 1) + n % cells * (c + 1) / cells;
		for (top = v[i]; i < end; i++)
			top = MAX(top, v[i]);
		/* U+2581 to U+2588 */
		buf_add(b, "\xe2\x96", 2);
		buf_addc(b, (char)(0x81 + spark_level(top, lo, hi)));
	}
}
