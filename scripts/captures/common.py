"""What all captures share: errors with their exit status, and files that appear whole or not at all."""

import os
from contextlib import contextmanager
from pathlib import Path


class CaptureError(Exception):
    """What went wrong. Status 1: the measurement failed; 2: the request was wrong."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


@contextmanager
def whole_file(path, mode):
    """A file under a temporary name that gets its own when nothing was raised."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise CaptureError(f"{path}: is no file; expected the path of one that is new or may be replaced", 2)
    temporary = path.with_name(f"{path.name}.partial-{os.getpid()}")
    try:
        with open(temporary, mode) as file:
            yield file
        temporary.replace(path)
    except OSError as error:
        raise CaptureError(f"{path}: {error.strerror}", 2) from error
    finally:
        temporary.unlink(missing_ok=True)


def seconds(text):
    """`10`, `10s`, `200ms`, `5min` in seconds, for argparse."""
    for unit, factor in (("ms", 1e-3), ("min", 60), ("s", 1), ("", 1)):
        if text.endswith(unit):
            value = float(text[: len(text) - len(unit)]) * factor
            if not 0 < value < 1e7:
                raise ValueError(text)
            return value
    raise ValueError(text)
