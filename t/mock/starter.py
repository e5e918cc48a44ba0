"""What tp-capture is to the hook, and nothing more: starter.py HOOK CONF COMMAND...

HOOK is the folder of sitecustomize.py, CONF what conf.json holds beside the
socket.  The job's status is ours; what the hook said goes to the file `said`."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

hook, conf, command = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]


def listen(server, out):
    while True:
        try:
            link, _ = server.accept()
        except OSError:
            return
        with link, link.makefile("rb") as lines:
            for line in lines:
                out.write(line)


with tempfile.TemporaryDirectory() as place, open("said", "wb") as said:
    os.symlink(os.path.join(hook, "sitecustomize.py"), os.path.join(place, "sitecustomize.py"))
    conf["socket"], conf["epoch_mono_ns"] = os.path.join(place, "s"), 0
    with open(os.path.join(place, "conf.json"), "w", encoding="ascii") as f:
        json.dump(conf, f)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(conf["socket"])
    server.listen(8)
    ear = threading.Thread(target=listen, args=(server, said))
    ear.start()
    path = [place] + [p for p in [os.environ.get("PYTHONPATH")] if p]
    status = subprocess.call(command, env=dict(
        os.environ, TP_HOOK=place, PYTHONPATH=os.pathsep.join(path)))
    server.shutdown(socket.SHUT_RDWR)
    ear.join(10)
    server.close()
sys.exit(status)
