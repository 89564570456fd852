"""Streams of the Python client; prints a line of JSON for each test. Arguments: kubeconfig, port of a server that answers in capitals."""

import hashlib
import json
import sys
import traceback

from kubernetes import client, config
from kubernetes.stream import portforward, stream

config.load_kube_config(sys.argv[1])
api = client.CoreV1Api()
shout_port = int(sys.argv[2])


def execute(command, **options):
    defaults = dict(stdin=False, stdout=True, stderr=True, tty=False)
    return stream(
        api.connect_get_namespaced_pod_exec, "p", "default", command=command, **{**defaults, **options}
    )


def is_given_all_output():
    assert execute(["sh", "-c", "echo out; echo err >&2"]) in ("out\nerr\n", "err\nout\n")


def is_given_the_exit_code():
    session = execute(["sh", "-c", "exit 7"], _preload_content=False)
    session.run_forever(timeout=60)
    assert session.returncode == 7, session.returncode


def is_given_success():
    session = execute(["true"], _preload_content=False)
    session.run_forever(timeout=60)
    assert session.returncode == 0, session.returncode


def writes_text_and_bytes_to_the_input():
    session = execute(["head", "-c", "8"], stdin=True, _preload_content=False)
    session.write_stdin("text")
    session.write_stdin(b"byte")
    session.run_forever(timeout=60)
    assert session.read_stdout() == "textbyte"


def writes_a_large_message():
    data = b"0123456789abcdef" * (20 * 65536)
    session = execute(["sh", "-c", "head -c %d | sha256sum" % len(data)], stdin=True, _preload_content=False)
    session.write_stdin(data)
    session.run_forever(timeout=60)
    assert session.read_stdout().split()[0] == hashlib.sha256(data).hexdigest()


def forwards_a_port():
    forwarded = portforward(
        api.connect_get_namespaced_pod_portforward, "p", "default", ports=str(shout_port)
    )
    socket = forwarded.socket(shout_port)
    socket.sendall(b"quiet\n")
    assert socket.recv(100) == b"QUIET\n"
    socket.close()
    assert forwarded.error(shout_port) is None, forwarded.error(shout_port)


def is_told_that_nobody_listens():
    forwarded = portforward(api.connect_get_namespaced_pod_portforward, "p", "default", ports="1")
    assert forwarded.socket(1).recv(100) == b""
    assert "error forwarding port 1 to pod p, uid 0a: connect ECONNREFUSED" in forwarded.error(1)


tests = [
    is_given_all_output,
    is_given_the_exit_code,
    is_given_success,
    writes_text_and_bytes_to_the_input,
    writes_a_large_message,
    forwards_a_port,
    is_told_that_nobody_listens,
]
for test in tests:
    error = None
    try:
        test()
    except BaseException:
        error = traceback.format_exc()
    print(json.dumps({"name": test.__name__.replace("_", " "), "error": error}), flush=True)
