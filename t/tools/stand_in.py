"""stand_in - a job for tests without torch: tells tp-time or tp-capture over the
hook's socket what a job of torch would, ten steps or a trace of them.

    python3 stand_in.py TRACE.json [STATUS]
"""
import json
import os
import shutil
import socket
import sys

folder = os.environ["TP_HOOK"]
with open(os.path.join(folder, "conf.json"), encoding="ascii") as f:
    conf = json.load(f)
status = int(sys.argv[2]) if len(sys.argv) > 2 else 0
link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
try:
    link.connect(conf["socket"])
except OSError:
    sys.exit(status)  # nobody hears: as the hook


def say(kind, **more):
    try:
        link.sendall(json.dumps({"kind": kind, **more}).encode() + b"\n")
    except OSError:
        pass  # as the hook: the job goes on


say("tp_hello")
say("run", rank=0, world_size=1, pid=os.getpid(), step_rule="optimizer")
say("startup", rank=0, phase="import", start_ns=0, dur_ns=900_000_000)
for i in range(1, 31):
    say("step", rank=0, step=i, start_ns=i * 100_000_000, wall_ns=100_000_000 + i % 3 * 1000)
if "window" in conf:
    work = conf["window"]["dir"]
    raw, lines = (os.path.join(work, n) for n in ("raw.json", "lines.json"))
    shutil.copy(sys.argv[1], raw)
    with open(lines, "w", encoding="ascii") as f:
        f.write('{"ph": "X", "cat": "python_function", "name": "/u/train.py(7): main", "pid": 1,'
                ' "tid": 1, "ts": 5324933006841.029, "dur": 9.000}')
    say("tp_trace", path=raw, lines=lines, rank=0, world_size=1, pid=os.getpid())
say("tp_bye", dropped=0)
link.close()
sys.exit(status)
