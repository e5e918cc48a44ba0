"""The hook: what tp-time and tp-capture run inside a Python process of the job.

core       one process: configuration, life, the way out
link       the socket to the starter
steps      what a step is and when one ends
taps       being told of a call without standing in it
forward    steps of a job without an optimizer
hookless   steps of optimizers that run no hooks
slow       why some steps are long
scope      whose code a frame is
device     the device's clock and memory
startup    where the time before the first step went
sampler    the main thread's line, some times a second
profilers  a profiler that the script has of its own
window     the profiled window (tp-capture)
lines      the executing line, inside the window
native     the capture library, engine cupti (tp-capture)
marks      ranges for it: what is named, the wait in backward
watch      --step FILE:LINE and MODULE:FUNC

Rules: standard library only; torch is never imported, only met; no frame of
ours stands in the job's stack when its own code raises (so that its tracebacks
stay what they are); whatever fails here switches the hook off and the job goes
on."""
