"""What the scripts share that run experiments."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile

from record_format import compact


def end_when_terminated():
    """Lets SIGTERM end a script as an interrupt does, with the program that it has started; by itself it
    would leave that running."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def run(program, arguments=(), stdout=subprocess.DEVNULL):
    """The record of a run; what the program prints goes to `stdout`.
    Raises RuntimeError when nothing was measured, CalledProcessError when the program failed."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "record.json"
        subprocess.run([program, f"--benchmark_out={out}", "--benchmark_out_format=json",
                        *arguments], check=True, stdout=stdout)
        text = out.read_text() if out.exists() else ""
    if not text:
        raise RuntimeError(f"{program}: nothing was measured; it may need a GPU")
    return compact(json.loads(text))


def require(parser, build, experiments, out):
    """Ends with the parser's error before anything is measured, if one of the experiments has not
    been built or nothing can be written at `out`."""
    for experiment in experiments:
        program = build / "experiments" / experiment
        if not program.is_file():
            parser.error(f"there is no {program}; build it, or name the folder with --build")
    if out.is_dir() or not os.access(out if out.exists() else out.parent, os.W_OK):
        parser.error(f"--out: nothing can be written at {out}")
