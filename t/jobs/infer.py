"""Inference: warm-up calls of one network's forward, then a loop over a head,
as a job does that replays a graph; `net` runs the loop over the network."""
import sys

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net, head, x = Net(), torch.nn.Linear(8, 2), torch.ones(4, 8)
with torch.inference_mode():
    for _ in range(12 if sys.argv[1] == "net" else 4):
        out = net.forward(x)
    for _ in range(0 if sys.argv[1] == "net" else 20):
        head(out)
print("done")
