"""HolisticTraceAnalysis on one trace: load it and run six of its analyses, for
t/bench.sh to measure.  Usage: bench_hta.py TRACE; with no TRACE: is it installed?"""
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis  # noqa: E402


def main(path):
    trace = TraceAnalysis(trace_files={0: path})
    trace.get_temporal_breakdown(visualize=False)
    trace.get_comm_comp_overlap(visualize=False)
    trace.get_gpu_kernel_breakdown(visualize=False)
    trace.get_idle_time_breakdown(ranks=[0], visualize=False)
    trace.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)
    trace.get_memory_bw_summary(ranks=[0])


if len(sys.argv) == 2:
    main(sys.argv[1])
