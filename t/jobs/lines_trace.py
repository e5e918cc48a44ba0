"""Prints a trace in which executing lines stand among frames, as tp-capture puts
them there; argv[1] stacks: with the frames of the functions too."""
import json
import sys

events = []


def add(cat, name, ts, dur, tid=7, pid=7, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
                   "ts": ts, "dur": dur, "args": args})


stacks = sys.argv[1:] == ["stacks"]
if stacks:
    add("python_function", "/u/t.py(3): main", 0, 2000)
for n, s in enumerate((0, 1000), 1):
    add("user_annotation", "ProfilerStep#%d" % n, s, 1000)
    add("python_function", "/u/t.py(20): main [line]", s, 100)
    add("python_function", "/u/t.py(42): norm [line]", s + 100, 500)
    if stacks:  # it begins a little after its first line was noted
        add("python_function", "/u/t.py(38): norm", s + 101, 499)
    add("python_function", "/u/t.py(21): main [line]", s + 600, 400)
    add("cpu_op", "aten::mul", s + 10, 20)
    add("cuda_runtime", "cudaLaunchKernel", s + 15, 5, correlation=s + 1)
    add("kernel", "k1", s + 30, 20, tid=9, pid=0, correlation=s + 1, device=0, stream=9)
    add("cpu_op", "aten::item", s + 110, 400)
    add("cuda_runtime", "cudaStreamSynchronize", s + 120, 380, correlation=s + 2)
    add("cuda_runtime", "cudaLaunchKernel", s + 700, 5, correlation=s + 3)
    add("kernel", "k2", s + 710, 200, tid=9, pid=0, correlation=s + 3, device=0, stream=9)
json.dump({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1},
           "deviceProperties": [{"id": 0, "name": "G", "totalGlobalMem": 1000000,
                                 "numSms": 1}],
           "traceEvents": events}, sys.stdout)
