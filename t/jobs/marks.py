"""What the capture library is told of: a loader, ranges of the script's own, the
backward pass, an error in it, and the traceback of one that is not caught."""
import sys
import traceback

import torch
from torch.autograd.profiler import record_function
from torch.utils.data import DataLoader, TensorDataset


class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        raise ValueError("bad gradient")


def turn(model, opt, x):
    opt.zero_grad()
    with record_function("m\u00e9lange"):
        loss = model(x).sum()
    loss.backward()
    opt.step()


def main():
    model = torch.nn.Linear(4, 4)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, in DataLoader(TensorDataset(torch.ones(24, 4)), batch_size=4):
        turn(model, opt, x)
    try:
        Bad.apply(torch.ones(2, requires_grad=True)).sum().backward()
    except ValueError:
        print(traceback.format_exc().count("File"))
    x = torch.ones(2, requires_grad=True)
    print(torch.autograd.grad((x * x).sum(), x)[0].tolist(), sys.getprofile())
    print("%.6f" % sum(p.sum().item() for p in model.parameters()) != "")
    with record_function("last"):
        raise RuntimeError("the end")


main()
