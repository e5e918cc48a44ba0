"""A step whose lines matter: a function that reads back in a loop, and its caller."""
import torch


def norm(model):
    total = 0.0
    for p in model.parameters():
        total += p.grad.norm().item()
    return total


def main():
    model = torch.nn.Linear(64, 64)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for i in range(6):
        opt.zero_grad()
        model(torch.ones(4, 64)).sum().backward()
        norm(model)
        opt.step()
    print("done")


main()
