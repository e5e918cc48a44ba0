"""Twelve micro-batches, three optimizer steps; a second optimizer steps too."""
import time

import torch

a, b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
first = torch.optim.SGD(a.parameters(), lr=0.01)
second = torch.optim.AdamW(b.parameters(), lr=0.01)
for i in range(12):
    (b(a(torch.ones(4, 8))).sum() / 4).backward()
    time.sleep(0.02)
    if (i + 1) % 4 == 0:
        first.step()
        second.step()
        second.step()
        first.zero_grad()
        second.zero_grad()
print("micro-batches 12, optimizer steps 3")
