"""together - N tp-ingest at once into one store, with readers on it.

    together.py WRITERS READERS ROUNDS [new]

All ranks are there, nobody fails, no reader sees anything but a whole store, and
no wait passes the stated bound (STORE_WAIT_MS).  `new`: the store is not there
yet.  Prints `count` and `bad` lines (hurt.py)."""
import os
import subprocess
import sys
import threading
import time

import hurt

BOUND_S = 60


def reader(number, stop, tally):
    """Views, one after another, while the store grows: each ends with 0, or says
    that there is no store yet."""
    views = ["tp-view1", "tp-view3", "tp-view2"]
    while not stop.is_set():
        began = time.monotonic()
        there = os.path.exists("s.db")
        status, _, err = hurt.run([views[number % 3], "-j", "s.db"], timeout=2 * BOUND_S)
        took = time.monotonic() - began
        if status != 0 and (there or "No such file" not in err):
            hurt.bad("a reader: status %s: %s" % (status, err))
        if took > BOUND_S:
            hurt.bad("a reader waited %.1f s" % took)
        tally.append(took)


def writer(rank, tally):
    began = time.monotonic()
    status, _, err = hurt.run(["tp-ingest", "-q", "-o", "s.db", "rank%d.json" % rank],
                              timeout=2 * BOUND_S)
    took = time.monotonic() - began
    if status != 0:
        hurt.bad("the writer of rank %d: status %s: %s" % (rank, status, err))
    if took > BOUND_S:
        hurt.bad("the writer of rank %d waited %.1f s" % (rank, took))
    tally.append(took)


def main(writers, readers, rounds, new):
    for rank in range(writers + 1):
        hurt.small_trace("rank%d.json" % rank, rank, writers + 1, us=400, shift_us=rank)
    waits, reads = [], []
    for _ in range(rounds):
        if os.path.exists("s.db"):
            os.unlink("s.db")
        if not new:
            subprocess.run(["tp-ingest", "-q", "-o", "s.db", "rank%d.json" % writers], check=True)
        stop = threading.Event()
        rs = [threading.Thread(target=reader, args=(i, stop, reads)) for i in range(readers)]
        ws = [threading.Thread(target=writer, args=(i, waits)) for i in range(writers)]
        for t in rs + ws:
            t.start()
        for t in ws:
            t.join()
        stop.set()
        for t in rs:
            t.join()
        if len(hurt.store_content("s.db")) != 64:
            hurt.bad("the store is " + hurt.store_content("s.db"))
        got = subprocess.run(["sqlite3", "s.db", "SELECT group_concat(rank, ' ') FROM"
                              " (SELECT DISTINCT rank FROM traces ORDER BY rank)"],
                             capture_output=True, text=True, check=False).stdout.strip()
        want = " ".join(str(r) for r in range(writers + (not new)))
        if got != want:
            hurt.bad("ranks %s are there, not %s" % (got, want))
        left = [n for n in os.listdir(".") if "s.db" in n and n != "s.db"]
        if left:
            hurt.bad("left behind: %s" % left)
    hurt.count(len(waits), "writers at once")
    hurt.count(len(reads), "reads meanwhile")
    print("longest write %.1f s, read %.1f s" % (max(waits), max(reads + [0])))
    hurt.end()


main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), "new" in sys.argv)
