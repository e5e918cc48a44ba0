#!/bin/sh
# The hook's reading of the device's clock, with events that pass when they are told
# to: order, what is read when, the end of the job, a graph's capture; and how often
# its sampler looks, since each look takes the job's turn.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all 'no python3'
plan 15
cat >device.py <<'END'
import json, sys, time
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from tp_hook import device

now = 0            # what the device has passed
class Event:
    asked = 0
    def __init__(self, enable_timing):
        assert enable_timing
    def record(self):
        Event.made = self.at = getattr(Event, "made", 0) + 1
    def query(self):
        Event.asked += 1
        assert not Cuda.capturing, "a query would spoil the capture"
        return self.at <= now
    def elapsed_time(self, other):
        return float(other.at - self.at)
class Cuda:
    capturing = False
    Event = Event
    is_initialized = staticmethod(lambda: True)
    is_current_stream_capturing = staticmethod(lambda: Cuda.capturing)
class Hook:
    timed = True
    class torch: cuda = Cuda
    class link:
        lines = []
        put = staticmethod(lambda line: Hook.link.lines.append(json.loads(line)))

def told():
    lines, Hook.link.lines = Hook.link.lines, []
    return " ".join("%d:%s" % (x["step"], x.get("device_ns", "-")) for x in lines)

d = device.Device(Hook)
d.begin()
for n in range(1, 4):
    d.step({"step": n}, False, None, False)
print("not due", Event.asked, told())
now = 3
d.step({"step": 4}, False, None, True)
print("due", told())
now = 5
Cuda.capturing = True
d.step({"step": 5}, False, None, True)
print("capture", told())
Cuda.capturing = False
d.step({"step": 6}, False, None, True)
print("behind it", told())
d.step({"step": 7}, True, None, True)
now = 99
for n in range(8, 8 + device.READ_AT):
    d.step({"step": n}, False, None, False)
print("many", told().count(":1000000"), len(d.spare) > 8)
told()
passes = time.monotonic() + 0.05
Event.query = lambda self: time.monotonic() > passes
d.step({"step": 200}, False, None, False)
d.finish()
print("last", told().rpartition(" ")[2])
d = device.Device(Hook)
d.begin()
Event.query = lambda self: False
d.step({"step": 1}, False, None, False)
began = time.monotonic()
d.finish()
print("hangs", told(), 0.4 < time.monotonic() - began < 5)
d = device.Device(Hook)
d.begin()
d.step({"step": 1}, False, None, False)
Cuda.capturing = True
began = time.monotonic()
d.finish()
print("ending", told(), time.monotonic() - began < 0.4)
END
python3 device.py "$TOP/share/hook" >out 2>err
said() { sed -n "s|^$1 *||p" out | sed 's| *$||'; }
is "$(cat err)" '' 'it works'
is "$(said 'not due')" 0 'no event is read where no send follows'
is "$(said 'due')" '1:1000000 2:1000000' 'then all that the device has passed are, in order'
is "$(said 'capture')" '' 'none while a graph is captured'
is "$(said 'behind it')" '3:1000000 4:1000000 5:-' 'behind it they come, one that ended in it without'
is "$(said 'many' | cut -d' ' -f2)" True 'events are used again'
is "$(said last)" '200:1000000' 'the last steps wait for the device'
is "$(said 'hangs')" '1:- True' 'but not for ever'
is "$(said ending)" '1:- True' 'nor in a capture'

cat >sampler.py <<'END'
import linecache, sys, time
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from tp_hook import sampler, slow

class Startup: open = False
class Steps:
    def __init__(self):
        self.slow, self.age_ns, self.looks = slow.Slow(), 5_000_000, 0
    def sample(self, frame, now, waited_ns):
        self.looks += 1
        return self.slow.sample(frame, self.age_ns, waited_ns)
class Hook:
    alive, timed, startup, steps = True, True, Startup, Steps()

steps = Hook.steps
def looks(seconds):
    s = sampler.Sampler(Hook)
    steps.looks = 0
    s.start()
    time.sleep(seconds)
    s.stop()
    return steps.looks

for _ in range(5):
    steps.slow.step_ended(5_000_000)
print("first", looks(1.05))
steps.slow.step_ended(5_000_000)
steps.slow.ordinary = slow.LOOKS
print("ordinary", looks(1.05))
steps.slow.step_ended(5_000_000)
steps.age_ns = 900_000_000
print("long", looks(1.05))
steps.age_ns = 11_000_000_000
print("endless", looks(1.05))
steps.age_ns = 900_000_000
def evaluation():
    time.sleep(0.3)
steps.slow.chains = {}
s = sampler.Sampler(Hook)
s.start()
evaluation()
s.stop()
for l in steps.slow.step_ended(900_000_000):
    print("line", linecache.getline(l["file"], l["line"]).strip(), 0 < l["dur_ns"] <= 400_000_000)
END
python3 sampler.py "$TOP/share/hook" >out 2>err
is "$(cat err)" '' 'the sampler works'
# a machine that is busy takes looks away, and never adds one
few() { [ "$(said "$1")" -ge 3 ] && [ "$(said "$1")" -le 13 ]; }
many() { [ "$(said "$1")" -gt 13 ] && [ "$(said "$1")" -le 43 ]; }
many first
t_result $? 'forty looks a second until the lines of ordinary steps are known' || diag "$(said first)"
few ordinary
t_result $? 'ten then' || diag "$(said ordinary)"
many long
t_result $? 'forty at a step that is long' || diag "$(said long)"
few endless
t_result $? 'but not for ever' || diag "$(said endless)"
is "$(said line | head -1)" 'evaluation() True' 'whose line is told, with its time'
