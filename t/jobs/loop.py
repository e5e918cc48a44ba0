"""No torch module at all in the loop: --step says what a step is."""
import torch


def turn(i):
    return torch.ones(4).sum() + i


total = 0.0
for i in range(7):
    total += float(turn(i))
print(total)
