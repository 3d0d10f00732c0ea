"""The process of the local model: llama.cpp's own server, on loopback, until standard input ends.

    python -m pairwright.llm.local_process < a job in JSON, then nothing > the server's address

Standard input ends when the process that started this one closes it, or is gone in any way.
"""

import json
import os
import sys
from typing import Any


def serve(job: dict[str, Any]) -> Any:
    """Starts the server of a job; it lasts as long as what this returns."""
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
        # Threads that wait by spinning starve each other where other programs run as well.
        part.poll = 0
    parameters.n_gpu_layers = 0
    # No pages and no tools: requests for completions alone, from this machine.
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.cors_origins = ""
    return xllamacpp.Server(parameters)


def main() -> None:
    """Only the address goes to standard output; what llama.cpp prints goes where its error messages go."""
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
    # Without waiting for what is still being answered: nobody is left to read it.
    os._exit(0)


if __name__ == "__main__":
    main()
