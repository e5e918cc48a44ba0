"""Why some steps are long: the lines that only long steps show.

The sampler leaves the user's lines of the main thread, outermost first.  Of a
long step the outermost line that ordinary steps never show is named: the call
of an evaluation, a checkpoint, an upload."""
from .scope import is_user

SLOW_NUM, SLOW_DEN = 5, 4   # longer than 5/4 of the median ...
SLOW_NS = 30_000_000        # ... and by this much
OVERDUE_NS = 10_000_000_000 # a step's first seconds tell what makes it long
# Until so many looks have been at ordinary steps little is known of their lines: what
# they show seldom would be taken for a long step's.
LOOKS = 40
RECENT = 33
DEPTH_MAX = 12
CHAINS_MAX = 512
LINES_MAX = 3
SEEN_MAX = 4096


class Slow:
    def __init__(self):
        self.chains = {}   # of the running step: chain -> ns that its samples stand for
        self.seen = set()  # (code, line) of ordinary steps
        self.looks = 0     # at the running step
        self.ordinary = 0  # looks at ordinary steps
        self.recent = []
        self.median_ns = None
        self.steps = 0

    def sample(self, frame, age_ns, waited_ns):
        """Of a step that runs for age_ns; whether to look again soon."""
        chain = []
        while frame is not None:
            code = frame.f_code
            if is_user(code.co_filename):
                chain.append((code, frame.f_lineno))
            frame = frame.f_back
        chain = tuple(chain[:-DEPTH_MAX - 1:-1])
        chains = self.chains
        if chain in chains or len(chains) < CHAINS_MAX:
            chains[chain] = chains.get(chain, 0) + min(age_ns, waited_ns)
        self.looks += 1
        return self.ordinary < LOOKS or (age_ns < OVERDUE_NS and self.is_slow(age_ns))

    def is_slow(self, wall_ns):
        return (self.median_ns is not None
                and wall_ns * SLOW_DEN > self.median_ns * SLOW_NUM
                and wall_ns - self.median_ns > SLOW_NS)

    def step_ended(self, wall_ns):
        """The lines of a long step, as record values; else None."""
        chains, self.chains = self.chains, {}
        looks, self.looks = self.looks, 0
        slow = self.is_slow(wall_ns)
        self.learn(wall_ns)
        if slow:
            return self.name_lines(chains)
        self.ordinary += looks
        for chain in chains:
            if len(self.seen) >= SEEN_MAX:
                break
            self.seen.update(chain)
        return None

    def learn(self, wall_ns):
        self.recent.append(wall_ns)
        self.steps += 1
        if len(self.recent) > RECENT:
            del self.recent[0]
        if self.steps % 8 == 5 or self.steps in (3, 4):
            self.median_ns = sorted(self.recent)[len(self.recent) // 2]

    def name_lines(self, chains):
        named = {}
        for chain, ns in chains.items():
            place = next((p for p in chain if p not in self.seen), None)
            if place is not None:
                named[place] = named.get(place, 0) + ns
        top = sorted(named.items(), key=lambda kv: (-kv[1], kv[0][0].co_filename, kv[0][1]))
        return [{"file": code.co_filename, "line": line, "func": code.co_name,
                 "dur_ns": ns}
                for (code, line), ns in top[:LINES_MAX]]
