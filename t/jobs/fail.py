"""Fails in a module's forward in step 4, with a finally and an exit handler."""
import atexit
import sys

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n, self.inner = 0, torch.nn.Linear(4, 4)

    def forward(self, x):
        self.n += 1
        if self.n == 4:
            raise ValueError("step four")
        return self.inner(x)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
atexit.register(lambda: print("handler ran"))
try:
    for i in range(8):
        opt.zero_grad()
        net(torch.ones(2, 4)).sum().backward()
        opt.step()
finally:
    print("finally ran", file=sys.stderr)
