"""Two ranks over gloo."""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(10):
    opt.zero_grad()
    model(torch.ones(4, 8)).sum().backward()
    opt.step()
dist.barrier()
if dist.get_rank() == 0:
    print("world", dist.get_world_size())
dist.destroy_process_group()
