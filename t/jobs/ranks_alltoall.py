"""Each of argv[1] steps sends every rank its part (an all-to-all), works on what
came, and sends it back."""
import sys

import torch
import torch.distributed as dist

import ranks_common as common


def main(steps):
    device = common.start()
    model = common.blocks(device, 2)
    opt = torch.optim.SGD(model.parameters(), lr=1e-4)
    for _ in range(steps):
        opt.zero_grad()
        mine = common.batch(device)
        theirs, back = torch.empty_like(mine), torch.empty_like(mine)
        dist.all_to_all_single(theirs, mine)
        y = model(theirs)
        dist.all_to_all_single(back, y.detach())
        y.square().mean().backward()
        opt.step()
    common.end()


main(int(sys.argv[1]))
