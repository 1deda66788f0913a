"""For what measures times: waits until nothing else keeps the machine busy."""

import os
import sys
import time
from pathlib import Path


def busy_seconds():
    """Of all cores since the machine started."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def wait_for_quiet(program, most):
    """Ends the program where others keep the machine busy for two minutes."""
    for _ in range(24):
        before = busy_seconds()
        time.sleep(5)
        load = (busy_seconds() - before) / 5
        if load <= most:
            return
    sys.exit(f"{program}: the machine is busy (load {load:.2f}, at most {most}); wait, or raise --max-load")
