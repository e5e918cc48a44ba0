"""24 turns under a gradient scaler, 5 of them skipped: 19 optimizer steps."""
import torch

model = torch.nn.Linear(8, 8)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
# before 2.3 there is no scaler for the CPU
Scaler = getattr(torch.amp, "GradScaler", None)
if Scaler is None:
    raise SystemExit("no gradient scaler for the CPU")
scaler = Scaler("cpu", init_scale=8.0)
done = 0
for i in range(24):
    loss = model(torch.ones(4, 8)).sum()
    if i % 5 == 2:
        loss = loss * float("inf")
    opt.zero_grad()
    scaler.scale(loss).backward()
    before = model.weight.detach().clone()
    scaler.step(opt)
    scaler.update()
    done += not torch.equal(before, model.weight)
print("turns 24, optimizer steps", done)
