/* native_rank.c - see native_rank.h. */
#include "base.h"
#include "native_rank.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "buf.h"
#include "mem.h"
#include "num.h"

/* Environments are some KB; a rank that stands behind this is not found. */
#define ENVIRON_MAX (256u << 10)

void native_told(struct native *n, const struct rec *r)
{
	struct text torch = rec_text(r, "torch"), python = rec_text(r, "python");
	struct native_process p = { .rank = NO_INT, .world = NO_INT };
	struct buf b = BUF_INIT;

	if (!text_is(r->kind, "run") || rec_int(r, "pid", &p.pid) ||
	    rec_int(r, "rank", &p.rank) || native_rank_told(n, p.pid))
		return;
	if (rec_int(r, "world_size", &p.world))
		p.world = NO_INT;
	if (torch.s && python.s)
		buf_addf(&b, "torch %.*s, python %.*s", (int)torch.n, torch.s,
			(int)python.n, python.s);
	p.words = b.data;
	GROW(n->told, n->ntold, n->cap_told);
	n->told[n->ntold++] = p;
}

const struct native_process *native_rank_told(const struct native *n, int64_t pid)
{
	for (size_t i = n->ntold; i-- > 0;)
		if (n->told[i].pid == pid)
			return &n->told[i];
	return NULL;
}

void native_rank_release(struct native *n)
{
	for (size_t i = 0; i < n->ntold; i++)
		free(n->told[i].words);
	free(n->told);
	n->told = NULL;
	n->ntold = 0;
}

static int64_t number_of(const char *word, size_t n, const char *key)
{
	size_t k = strlen(key);
	int64_t v;

	if (n > k && memcmp(word, key, k) == 0 && word[k] == '=' &&
	    num_int((struct text){ word + k + 1, n - k - 1 }, 0, INT32_MAX, &v) == 0)
		return v;
	return NO_INT;
}

static void environ_read(struct native_process *p, const char *s, size_t n)
{
	static const char *const ranks[] = { "SLURM_PROCID", "PMI_RANK",
		"OMPI_COMM_WORLD_RANK", "RANK" };
	static const char *const worlds[] = { "SLURM_NTASKS", "PMI_SIZE",
		"OMPI_COMM_WORLD_SIZE", "WORLD_SIZE" };
	size_t best = 0;

	for (size_t at = 0, len; at < n; at += len + 1) {
		len = strnlen(s + at, n - at);
		for (size_t i = best; i < ARRAY_LEN(ranks); i++) {
			int64_t rank = number_of(s + at, len, ranks[i]);

			if (rank == NO_INT)
				continue;
			p->rank = rank;
			best = i;
		}
	}
	for (size_t at = 0, len; p->rank != NO_INT && at < n; at += len + 1) {
		len = strnlen(s + at, n - at);
		if (number_of(s + at, len, worlds[best]) != NO_INT)
			p->world = number_of(s + at, len, worlds[best]);
	}
}

void native_rank_of_process(struct native_process *p, int socket_fd)
{
	struct ucred peer = { 0 };
	socklen_t len = sizeof peer;
	char name[64], *bytes;
	ssize_t got;
	size_t n = 0;
	int fd;

	if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return;
	snprintf(name, sizeof name, "/proc/%ld/environ", (long)peer.pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* it has ended, or is another user's */
	bytes = xmalloc(ENVIRON_MAX);
	while (n < ENVIRON_MAX && (got = read(fd, bytes + n, ENVIRON_MAX - n)) > 0)
		n += (size_t)got;
	close(fd);
	environ_read(p, bytes, n);
	free(bytes);
}
