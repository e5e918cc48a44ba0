"""Large all-reduces, argv[1] steps of four; `loop`: by themselves, timed by events
of the device, and the bus bandwidth printed."""
import sys

import torch
import torch.distributed as dist

import ranks_common as common

BYTES = (1 << 28) if common.CUDA else 1 << 16
EACH = 4


def loop(x, turns):
    """busbw of `turns` steps, in GB/s of 10^9 bytes."""
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(5):
        dist.all_reduce(x)
    dist.barrier()
    torch.cuda.synchronize()
    first.record()
    for _ in range(turns * EACH):
        dist.all_reduce(x)
    last.record()
    last.synchronize()
    n = dist.get_world_size()
    seconds = first.elapsed_time(last) / 1000 / turns / EACH
    return BYTES / seconds * 2 * (n - 1) / n / 1e9


def main(steps, alone):
    device = common.start()
    x = torch.zeros(BYTES // 4, device=device)
    if alone:
        gbps = loop(x, steps)
        if dist.get_rank() == 0:
            print("busbw_gbps %.2f" % gbps)
    model = common.blocks(device, 1)
    opt = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(0 if alone else steps):
        opt.zero_grad()
        model(common.batch(device)).square().mean().backward()
        for _ in range(EACH):
            dist.all_reduce(x)
        opt.step()
    common.end()


main(int(sys.argv[1]), sys.argv[2:] == ["loop"])
