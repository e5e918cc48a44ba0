"""What the jobs of t/gpu/ranks share.  RANKS_BACKEND (nccl, gloo) and RANKS_DEVICE
(cuda, cpu) say where; on the CPU everything is small."""
import os

import torch
import torch.distributed as dist

CUDA = os.environ.get("RANKS_DEVICE", "cpu") == "cuda"
BACKEND = os.environ.get("RANKS_BACKEND", "gloo")
WIDTH = 4096 if CUDA else 64
BATCH = 4096 if CUDA else 8
LAYERS = 8


def start():
    """The process group; this rank's device."""
    device = torch.device("cpu")
    if CUDA:
        # over gloo all ranks may share the one device
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count())
        torch.cuda.set_device(device)
    dist.init_process_group(BACKEND, **({"device_id": device} if BACKEND == "nccl" else {}))
    torch.manual_seed(dist.get_rank())
    return device


class Block(torch.nn.Module):
    def __init__(self, width=WIDTH):
        super().__init__()
        self.linear = torch.nn.Linear(width, width, bias=False)

    def forward(self, x):
        return torch.relu(self.linear(x))


def blocks(device, n=LAYERS):
    return torch.nn.Sequential(*(Block() for _ in range(n))).to(device)


def batch(device):
    return torch.randn(BATCH, WIDTH, device=device)


def end():
    if dist.get_rank() == 0:
        print("done")
    dist.destroy_process_group()
