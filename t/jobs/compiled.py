"""torch.compile around the model, with the eager back end (no compiler)."""
import torch

model = torch.compile(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(),
                                          torch.nn.Linear(8, 8)), backend="eager")
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(6):
    opt.zero_grad()
    model(torch.ones(4 if i < 5 else 5, 8)).sum().backward()
    opt.step()
print("done")
