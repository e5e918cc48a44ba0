/* pytable.h - the stacks and code objects that were sent: a key to an id.
 *
 * Lock-free, for any number of threads; of fixed size.  Two threads that meet the
 * same new stack at once may both send it, under two ids: both are good.
 * What is put was sent before, so whoever finds an id may use it at once. */
#ifndef TP_PYTABLE_H
#define TP_PYTABLE_H

#include "base.h"
#include "capwire.h"

/* The id that is known under this key, 0: none. */
uint32_t pytable_stack(uint64_t key);
uint32_t pytable_code(uint64_t key);

/* Is there room for a stack more?  Where not, that was said, and nothing more about
 * a new one need be found out. */
bool pytable_room(void);

/* Send it and keep it: its id, 0 where there is no room (in the tables, which is
 * said once, or in the ring). */
uint32_t pytable_put_stack(uint64_t key, const struct cap_frame *frame, uint32_t n);
uint32_t pytable_put_code(uint64_t key, struct text file, struct text name,
	int32_t first_line);

#endif
