"""Functions for both pages: tables, and the figures of a kernel, each of which is computed once."""

import hashlib, inspect, json, os
from functools import cache

from . import targets
from .cycles import ARM
from .targets import ROOT


def table(heads, rows, numbers=False):
    print("| " + " | ".join(heads) + " |")
    print("| " + " | ".join("---:" if numbers and i else "---" for i in range(len(heads))) + " |")
    for row in rows:
        print("| " + " | ".join(str(item) for item in row) + " |")
    print()


def figure(number, digits=2):
    return f"{number:.{digits}f}".replace("-", "−")


def remembered(compute, *key):
    """Returns the result of `compute`, and keeps it in a file. The key is the content of everything that the result depends on."""
    file = f"{ROOT}/target/model/{hashlib.sha256(repr(key).encode()).hexdigest()}"
    if not os.path.exists(file):
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(f"{file}.{os.getpid()}", "w") as new:
            json.dump(compute(), new)
        os.rename(new.name, file)
    with open(file) as kept:
        return json.load(kept)


@cache
def content(*files):
    return [hashlib.sha256(open(file, "rb").read()).hexdigest() for file in files]


def traced(program, what, kernel, size):
    """The instructions that a method of the program finds."""
    return tuple(remembered(lambda: what(kernel, size), content(program.binary, targets.__file__), program.target.cpu, what.__name__, kernel, size))


@cache
def added(program, kernel, size=1024):
    return traced(program, program.added, kernel, size)


@cache
def whole(program, kernel, size):
    return traced(program, program.whole, kernel, size)


@cache
def cycles_of(text, model):
    return remembered(lambda: model(list(text)), () if model is len else content(inspect.getsourcefile(model)), model.__name__, text)


def per_byte(program, kernel, models=ARM, size=1024):
    """Returns the figure of each of `models` for a byte, from the instructions that `size` more bytes add to a call."""
    return {name: cycles_of(added(program, kernel, size), model) / size for name, model in models.items()}
