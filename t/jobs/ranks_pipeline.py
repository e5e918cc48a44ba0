"""A pipeline of two stages: argv[1] steps of four micro-batches, all forward, then
all backward."""
import sys

import torch
import torch.distributed as dist

import ranks_common as common

MICRO = 4


def first_stage(stage, device):
    outs = []
    for _ in range(MICRO):
        y = stage(common.batch(device))
        dist.send(y.detach(), 1)
        outs.append(y)
    for y in outs:
        grad = torch.empty_like(y)
        dist.recv(grad, 1)
        y.backward(grad)


def last_stage(stage, device):
    grads = []
    for _ in range(MICRO):
        x = torch.empty(common.BATCH, common.WIDTH, device=device)
        dist.recv(x, 0)
        x.requires_grad_()
        stage(x).square().mean().backward()
        grads.append(x.grad)
    for grad in grads:
        dist.send(grad, 0)


def main(steps):
    device = common.start()
    stage = common.blocks(device, common.LAYERS // 2)
    opt = torch.optim.SGD(stage.parameters(), lr=1e-4)
    for _ in range(steps):
        opt.zero_grad()
        (first_stage if dist.get_rank() == 0 else last_stage)(stage, device)
        opt.step()
    common.end()


main(int(sys.argv[1]))
