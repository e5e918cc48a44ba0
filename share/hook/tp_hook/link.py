"""The socket to the starter: newline-delimited JSON, one way.

Lines are collected and sent at most every SEND_NS, from whatever thread calls
put(), never waiting: a send and what goes beside it cost 30 us, 180 us where the
two share a core with the starter, and a step of 5 ms must not pay for that."""
import _socket
import fcntl
import json
import os
import time

SEND_NS = 100_000_000
# While the starter does not read, lines wait here; beyond this they are dropped
# and counted: the job's memory is not ours.
HELD_BYTES = 8 << 20
# Descriptors of ours stay out of the job's way: it sees the same small numbers
# that it would see without us; where it may have few, the last ones are ours.
HIGH_FD = 512
LAST_FDS = 4


class Link:
    def __init__(self, path):
        sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            sock.connect(path)
            self.sock = self.move_up(sock)
            self.inode = os.fstat(self.sock.fileno()).st_ino
        except OSError:
            sock.close()
            raise
        self.sock.setblocking(False)
        self.held, self.held_bytes = [], 0
        self.dropped = 0
        self.sent_ns = 0
        self.broken = False

    @staticmethod
    def move_up(sock):
        limit = os.sysconf("SC_OPEN_MAX")
        least = HIGH_FD if limit < 0 else min(HIGH_FD, limit - LAST_FDS)
        try:
            high = fcntl.fcntl(sock.fileno(), fcntl.F_DUPFD_CLOEXEC, least)
        except OSError:
            return sock
        sock.close()
        return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, high)

    def ours(self):
        """A job that closes all descriptors may have a file of its own there."""
        try:
            return os.fstat(self.sock.fileno()).st_ino == self.inode
        except OSError:
            return False

    def put(self, line):
        """line: bytes with its newline."""
        if self.broken:
            return
        if self.held_bytes > HELD_BYTES:
            self.dropped += 1
            return
        self.held.append(line)
        self.held_bytes += len(line)

    def put_record(self, record):
        self.put(to_line(record))

    def due(self, now_ns):
        return now_ns - self.sent_ns >= SEND_NS

    def flush(self, now_ns):
        self.sent_ns = now_ns
        if self.broken or not self.held:
            return
        if not self.ours():
            self.close()
            return
        data = b"".join(self.held)
        try:
            n = self.sock.send(data, _socket.MSG_NOSIGNAL)
        except BlockingIOError:
            n = 0
        except OSError:
            self.close()
            return
        rest = data[n:]
        self.held, self.held_bytes = ([rest] if rest else []), len(rest)

    def finish(self, seconds=2.0):
        """At the process's end: what is held goes out, waiting so long at most."""
        if self.broken:
            return
        data = b"".join(self.held)
        try:
            if self.ours():
                self.sock.settimeout(seconds)
                self.sock.sendall(data, _socket.MSG_NOSIGNAL)
        except OSError:
            pass
        self.close()

    def close(self):
        self.broken = True
        self.held, self.held_bytes = [], 0
        try:
            if self.ours():
                self.sock.close()
            else:
                self.sock.detach()
        except OSError:
            pass


def to_line(record):
    return json.dumps(clean(record), separators=(",", ":")).encode("ascii") + b"\n"


def clean(value):
    """Text from the system can hold lone surrogates, which are no Unicode."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items() if v is not None}
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    return value


def host_rss_bytes(page=os.sysconf("SC_PAGE_SIZE")):
    """Resident bytes; 9 us, so only beside a send."""
    try:
        with open("/proc/self/statm", "rb") as f:
            return int(f.read().split()[1]) * page
    except (OSError, ValueError, IndexError):
        return None
