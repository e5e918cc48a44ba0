"""Has a torch.profiler of its own: turns 2 and 3 of 8, and looks at it after."""
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule

model = torch.nn.Linear(8, 8)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
with profile(activities=[ProfilerActivity.CPU],
             schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
             on_trace_ready=lambda p: p.export_chrome_trace("own.json")) as prof:
    for i in range(8):
        opt.zero_grad()
        model(torch.ones(4, 8)).sum().backward()
        opt.step()
        prof.step()
with profile(activities=[ProfilerActivity.CPU]) as plain:
    model(torch.ones(4, 8))
plain.export_chrome_trace("plain.json")
rows = len(plain.key_averages())
with torch.autograd.profiler.profile() as legacy:
    model(torch.ones(4, 8))
table = legacy.key_averages().table()
if len(sys.argv) > 1:
    print("rows", rows)
print("own profile written")
