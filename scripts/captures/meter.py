"""Energy of a window from the CSV of a USB power meter.

Columns are known by their names, with the unit in brackets or behind an underscore: time (s, ms, us), voltage (V, mV),
current (A, mA, uA), power (W, mW, uW), and a marker: a digital input that the board's green light holds high, or any column
that is not 0 inside the window.
"""

import csv
import json
import re

from captures.common import CaptureError, whole_file

UNITS = {"time": {"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}, "voltage": {"V": 1, "mV": 1e-3},
         "current": {"A": 1, "mA": 1e-3, "uA": 1e-6, "µA": 1e-6}, "power": {"W": 1, "mW": 1e-3, "uW": 1e-6, "µW": 1e-6}}
NAMES = {"time": ("time", "timestamp", "elapsed"), "voltage": ("voltage", "volt", "bus voltage"),
         "current": ("current",), "power": ("power",)}


def add_to(commands):
    parser = commands.add_parser("energy", help="energy of a window, from a power meter's CSV")
    parser.add_argument("--meter", required=True, metavar="FILE", help="the CSV")
    window = parser.add_mutually_exclusive_group()
    window.add_argument("--marker", metavar="COLUMN", help="the window is where this column is not 0")
    window.add_argument("--window", metavar="FROM:TO", help="in seconds of the time column")
    window.add_argument("--above", type=float, metavar="WATT", help="the window is from the first reading above it to the last")
    parser.add_argument("--least-rate", type=float, default=10, metavar="HZ",
                        help="fewer readings a second are an error [10]")
    parser.add_argument("--json", metavar="FILE", help="writes the numbers")
    parser.set_defaults(run=run)


def unit_of(heading):
    """(name, unit) of a heading: `Current (mA)`, `current_mA`, `Current[mA]`."""
    found = re.fullmatch(r"\s*(.*?)\s*(?:[(\[]\s*([^)\]]+?)\s*[)\]]|_([a-zA-Zµ]+))\s*", heading)
    return (found[1].lower(), found[2] or found[3]) if found else (heading.strip().lower(), None)


def columns_of(headings, file):
    """The place and factor of each known quantity."""
    found = {}
    for place, heading in enumerate(headings):
        name, unit = unit_of(heading)
        for quantity, names in NAMES.items():
            if name not in names or quantity in found:
                continue
            if unit not in UNITS[quantity]:
                raise CaptureError(f"{file}:1: column '{heading}' has no unit; expected {name} with one of "
                                   f"{', '.join(UNITS[quantity])}, as in '{name} ({next(iter(UNITS[quantity]))})'", 2)
            found[quantity] = (place, UNITS[quantity][unit])
    if "time" not in found or not ("power" in found or {"voltage", "current"} <= found.keys()):
        raise CaptureError(f"{file}:1: expected a time column and power, or voltage and current; found "
                           f"{', '.join(headings)}", 2)
    return found


def readings_of(path, marker):
    """[(seconds, watts, inside)] and everything that is wrong."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file)]
    except (OSError, UnicodeDecodeError) as error:
        raise CaptureError(f"{path}: {error}", 2) from error
    if not rows:
        raise CaptureError(f"{path}: is empty; expected a line of headings", 2)
    columns = columns_of(rows[0], path)
    headings = [heading.strip() for heading in rows[0]]
    if marker is not None and marker not in headings:
        raise CaptureError(f"{path}:1: no column '{marker}' for --marker; expected one of {', '.join(headings)}", 2)
    readings, problems = [], []
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        try:
            value = {name: float(row[place]) * factor for name, (place, factor) in columns.items()}
            inside = marker is None or float(row[headings.index(marker)]) != 0
        except (ValueError, IndexError):
            problems.append(f"{path}:{number}: a number is missing or none")
            continue
        if readings and value["time"] <= readings[-1][0]:
            problems.append(f"{path}:{number}: the time does not go on")
        readings.append((value["time"], value.get("power", value.get("voltage", 0) * value.get("current", 0)), inside))
    if problems:
        raise CaptureError("\n".join(problems[:20]), 2)
    return readings


def window_of(readings, arguments):
    """First and last place of the window's readings."""
    if arguments.window:
        try:
            begin, end = (float(part) for part in arguments.window.split(":"))
        except ValueError as error:
            raise CaptureError(f"--window: '{arguments.window}' is none; expected FROM:TO in seconds", 2) from error
        places = [place for place, (at, _, _) in enumerate(readings) if begin <= at <= end]
    elif arguments.above is not None:
        places = [place for place, (_, power, _) in enumerate(readings) if power > arguments.above]
    else:
        places = [place for place, (_, _, inside) in enumerate(readings) if inside]
        gaps = [place for place, after in zip(places, places[1:]) if after != place + 1]
        if gaps:
            raise CaptureError(f"--marker: {len(gaps) + 1} windows, the first ends at {readings[gaps[0]][0]:g} s; "
                               "expected one", 1)
    if len(places) < 2:
        raise CaptureError("fewer than two readings in the window")
    return places[0], places[-1]


def energy_of(readings):
    """J, by trapezoids."""
    return sum((after[0] - before[0]) * (before[1] + after[1]) / 2 for before, after in zip(readings, readings[1:]))


def run(arguments):
    readings = readings_of(arguments.meter, arguments.marker)
    first, last = window_of(readings, arguments)
    window = readings[first : last + 1]
    time = window[-1][0] - window[0][0]
    longest = max(after[0] - before[0] for before, after in zip(window, window[1:]))
    energy = energy_of(window)
    if 1 / longest < arguments.least_rate:
        raise CaptureError(f"{longest:g} s without a reading; expected {arguments.least_rate:g} a second (--least-rate)")
    result = {"window_s": time, "energy_J": energy, "energy_Wh": energy / 3600, "mean_power_W": energy / time,
              "readings": len(window), "sampling_Hz": (len(window) - 1) / time, "longest_gap_s": longest}
    for name, value in result.items():
        print(f"{name:<15}{value:.6g}")
    if arguments.json:
        with whole_file(arguments.json, "w") as file:
            json.dump(result, file, indent=2)
            file.write("\n")
    return 0
