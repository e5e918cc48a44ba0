/* rank_put.h - findings and cleared causes as records (tp-stream(5)). */
#ifndef TP_RANK_PUT_H
#define TP_RANK_PUT_H

#include "rank.h"
#include "stream.h"

int rank_put(struct stream_writer *w, const struct rank *rank) RESULT_USED;

#endif
