"""Power of a Jetson's rails while a command runs: from the INA3221's files in sysfs, or from tegrastats.

Writes CSV with the columns `time_s` (from the command's start), and for each rail `<rail>_W`: what `capture energy` reads
of one rail after renaming, and what anything else reads as it is. Prints each rail's energy over the command's run.
"""

import re
import subprocess
import threading
import time
from pathlib import Path

from captures.common import CaptureError, whole_file


def add_to(commands):
    parser = commands.add_parser("rails", help="power of a Jetson's rails while a command runs")
    parser.add_argument("--output", required=True, metavar="FILE", help="the CSV")
    parser.add_argument("--every", type=float, default=0.1, metavar="SECONDS", help="between readings [0.1]")
    parser.add_argument("--sysfs", default="/sys", metavar="DIR", help="[/sys]")
    parser.add_argument("--tegrastats", metavar="PROGRAM", help="reads that program's lines instead of sysfs")
    parser.add_argument("command", nargs="+", help="behind `--`: what runs meanwhile")
    parser.set_defaults(run=run)


def number(path):
    return float(path.read_text().strip())


def sysfs_rails(root):
    """{rail: function that reads its power in W}: hwmon (JetPack 5 and later), or iio (before)."""
    rails = {}
    for label in sorted(Path(root).glob("bus/i2c/drivers/ina3221*/*/hwmon/hwmon*/in*_label")):
        channel = re.fullmatch(r"in(\d+)_label", label.name)[1]
        volts, amperes = label.with_name(f"in{channel}_input"), label.with_name(f"curr{channel}_input")
        name = label.read_text().strip()
        if volts.exists() and amperes.exists() and name not in ("", "NC"):
            rails[name] = lambda volts=volts, amperes=amperes: number(volts) * number(amperes) / 1e6
    for label in sorted(Path(root).glob("bus/i2c/drivers/ina3221*/*/iio:device*/rail_name_*")):
        power = label.with_name(f"in_power{label.name.rsplit('_', 1)[1]}_input")
        if power.exists():
            rails[label.read_text().strip()] = lambda power=power: number(power) / 1e3
    return rails


def tegrastats_rails(line):
    """{rail: W} of a line: `VDD_IN 5040mW/4980mW` (now/mean), older `POM_5V_IN 2532/2532`, both in mW."""
    found = re.findall(r"\b((?:VDD|POM|VIN|GPU|CPU|SOC|CV|SYS5V|DDR)\w*) (\d+)(?:mW)?/\d+(?:mW)?", line)
    return {name: int(power) / 1e3 for name, power in found}


class Readings:
    """(seconds since `begin`, {rail: W}), taken by a thread until stopped."""

    def __init__(self, take):
        self.rows = []
        self.problem = None
        self.stop = threading.Event()
        self.first = threading.Event()
        self.begin = time.monotonic()
        self.thread = threading.Thread(target=self.loop, args=(take,), daemon=True)
        self.thread.start()

    def loop(self, take):
        try:
            for rails in take(self.stop):
                self.rows.append((time.monotonic(), rails))
                self.first.set()
        except (OSError, ValueError) as error:
            self.problem = str(error)
        self.first.set()

    def end(self):
        self.stop.set()
        self.thread.join(timeout=5)
        return [(at - self.begin, rails) for at, rails in self.rows]


def from_sysfs(rails, every):
    def take(stop):
        while True:
            yield {name: read() for name, read in rails.items()}
            if stop.wait(every):
                yield {name: read() for name, read in rails.items()}
                return

    return take


def from_tegrastats(program, every):
    def take(stop):
        command = [program, "--interval", str(max(1, round(every * 1000)))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                for line in process.stdout:
                    if rails := tegrastats_rails(line):
                        yield rails
                    if stop.is_set():
                        return
            finally:
                process.terminate()

    return take


def energies(rows):
    """{rail: J}, by trapezoids."""
    return {name: sum((after - before) * (a[name] + b[name]) / 2 for (before, a), (after, b) in zip(rows, rows[1:]))
            for name in rows[0][1]}


def run(arguments):
    if arguments.tegrastats:
        take = from_tegrastats(arguments.tegrastats, arguments.every)
    else:
        rails = sysfs_rails(arguments.sysfs)
        if not rails:
            raise CaptureError(f"{arguments.sysfs}: no INA3221 with named rails; is this a Jetson? (--tegrastats PROGRAM "
                               "reads tegrastats instead)", 2)
        take = from_sysfs(rails, arguments.every)
    readings = Readings(take)
    if not readings.first.wait(timeout=10) or not readings.rows:
        readings.end()
        raise CaptureError(f"no reading: {readings.problem or 'nothing came within 10 s'}")
    readings.begin = time.monotonic()
    try:
        status = subprocess.run(arguments.command, check=False).returncode
    except OSError as error:
        readings.end()
        raise CaptureError(f"{arguments.command[0]}: {error.strerror}", 2) from error
    took = time.monotonic() - readings.begin
    # The last reading before the command began stands for its beginning.
    rows = readings.end()
    before = [row for row in rows if row[0] <= 0]
    rows = [(max(at, 0.0), powers) for at, powers in before[-1:] + [row for row in rows if row[0] > 0]]
    names = sorted(set.intersection(*(set(powers) for _, powers in rows)))
    rows = [(at, {name: powers[name] for name in names}) for at, powers in rows]
    with whole_file(arguments.output, "w") as file:
        file.write(",".join(["time_s", *(f"{name}_W" for name in names)]) + "\n")
        for at, powers in rows:
            file.write(",".join([f"{at:.6f}", *(f"{powers[name]:.6g}" for name in names)]) + "\n")
    print(f"{arguments.output}: {len(rows)} readings in {took:.3f} s")
    for name, energy in energies(rows).items():
        print(f"{name:<20}{energy:.6g} J, {energy / took:.6g} W")
    if readings.problem:
        raise CaptureError(f"readings ended: {readings.problem}")
    if status:
        raise CaptureError(f"{arguments.command[0]} ended with status {status}")
    return 0
