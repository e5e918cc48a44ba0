"""Whose code a frame is: the user's own, or a library's (as in tp-store(5))."""
import os
import sys

_STDLIB = tuple({os.path.dirname(os.__file__) + os.sep,
                 os.path.join(sys.base_prefix, "lib", "python") + os.sep})
_HOOK = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# the folder of the starter, where our sitecustomize is found
_PLACE = os.path.abspath(os.environ.get("TP_HOOK") or _HOOK) + os.sep
_known = {}


def is_user(filename):
    mine = _known.get(filename)
    if mine is None:
        if len(_known) > 65536:
            _known.clear()
        mine = _known[filename] = _judge(filename)
    return mine


def _judge(name):
    if name.startswith("<"):
        return False
    path = os.path.abspath(name)
    return not ("/site-packages/" in path or "/dist-packages/" in path
                or path.startswith(_STDLIB) or path.startswith((_HOOK, _PLACE)))


def untrace(frame, fn):
    """Takes fn from the frames that it traces, from frame outwards.  A frame that has
    one when tracing is off stands still, up to Python 3.9: a traceback would have the
    line at which tracing ended."""
    while frame is not None:
        if frame.f_trace == fn:
            frame.f_trace = None
        frame = frame.f_back


def user_frame(frame):
    """The innermost frame of the user's own code at or outside frame."""
    while frame is not None and not is_user(frame.f_code.co_filename):
        frame = frame.f_back
    return frame
