"""The process of the local model: llama.cpp's own server on loopback, until standard input ends.

    python -m pairwright.models.chat.local_process < a job as one line of JSON > the server's address

Standard input ends when the process that started this one closes it, or ends in any way.
"""

import json
import os
import sys
from typing import Any


def serve(job: dict[str, Any]) -> Any:
    """Starts the server of a job. It runs as long as the returned object lives."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = job["path"]
    parameters.model_alias = {job["name"]}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [job["key"]]
    parameters.n_ctx = job["context"]
    parameters.n_parallel = job["slots"]
    for part in (parameters.cpuparams, parameters.cpuparams_batch):
        part.n_threads = job["threads"]
        # Threads that wait by spinning starve each other when other programs run as well.
        part.poll = 0
    parameters.n_gpu_layers = 0
    # No pages and no tools: only completions, and only for this machine.
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.cors_origins = ""
    return xllamacpp.Server(parameters)


def main() -> None:
    """Serves the job. Only the address goes to standard output; what llama.cpp prints goes to standard error."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        job = json.loads(sys.stdin.readline())
        try:
            server = serve(job)
        except Exception as fault:
            out.write(f"{type(fault).__name__}: {fault}\n")
            return
        out.write(f"{server.listening_address}\n")
        out.flush()
        sys.stdin.read()
    # Nobody is left to read answers that are still being written, so don't wait for them.
    os._exit(0)


if __name__ == "__main__":
    main()
