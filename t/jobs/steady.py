"""argv[1] steps of about argv[2] ms, every tenth (with argv[3]) 150 ms longer;
prints the median that it saw itself."""
import sys
import time

import torch


def evaluate():
    time.sleep(0.15)


def main(steps, ms, periodic):
    model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(20)])
    opt = torch.optim.SGD(model.parameters(), lr=0.001)
    x, walls = torch.ones(8, 64), []
    for n in range(steps):
        t = time.perf_counter()
        opt.zero_grad()
        model(x).sum().backward()
        opt.step()
        left = ms / 1000 - (time.perf_counter() - t)
        if left > 0:
            time.sleep(left)
        if periodic and (n + 1) % 10 == 0:
            evaluate()
        walls.append(time.perf_counter() - t)
    print("median_us", round(sorted(walls)[len(walls) // 2] * 1e6))


main(int(sys.argv[1]), float(sys.argv[2]), len(sys.argv) > 3)
