#!/usr/bin/python3
"""Reads results directories of `spillway sweep` and `spillway reproduce` into pandas. Needs python3-pandas.

    scripts/read_results.py results/fig6                     the points, with the columns that vary and the metrics
    scripts/read_results.py results/fig6 --comparison        ours against published
    scripts/read_results.py before --against after           what changed between two runs of a sweep

As a module (put scripts/ on PYTHONPATH):

>>> folder = _example()
>>> points = read(folder)
>>> points[["experiment", "network", "buffer_bytes", "status", "latency_s", "io_tasks"]]
  experiment network  buffer_bytes      status  latency_s  io_tasks
0    example   vgg16         16384          ok       12.0     85871
1    example   vgg16        262144  infeasible       <NA>      <NA>
>>> points.dtypes[["network", "buffer_bytes", "latency_s", "io_tasks"]].astype(str).to_dict()
{'network': 'string', 'buffer_bytes': 'Int64', 'latency_s': 'Float64', 'io_tasks': 'Int64'}
>>> points["reason"][1]
'at least 4 buffers, "n" is 2'
>>> ok(points)["latency_s"].sum()
12.0
>>> read_comparison(folder)[["id", "network", "ours", "published", "ratio", "verdict"]]
           id network   ours  published  ratio verdict
0  vgg16-time   vgg16   12.0       11.8  1.017     hit
>>> after = read(_example(latency_s="15"))
>>> difference(points, after)[["network", "metric", "before", "after", "ratio"]]
  network     metric  before  after  ratio
0   vgg16  latency_s    12.0   15.0   1.25
>>> read(folder, _example()).groupby("directory").ngroups
2
>>> read(folder / "absent")
Traceback (most recent call last):
    ...
FileNotFoundError: .../absent holds no finished results: run.json is missing
"""

import argparse
import atexit
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import pandas

# Figures, whatever a column happens to hold; other numbers are counts where all of them are whole.
FIGURE = re.compile(r"(_s|_fps|_j|_w|_years|_days|_per_day|ratio|tolerance|contention|ours|published\w*)$")
# Columns that name a point. A column from before `status` is a parameter.
LABELS = ["experiment", "directory", "point"]


def _typed(column):
    """One column of text as strings, Int64 or Float64; an empty cell is <NA>."""
    cells = column.where(column != "", None)
    numbers = pandas.to_numeric(cells, errors="coerce")
    if (cells.notna() & numbers.isna()).any() or (cells.isna().all() and not FIGURE.search(column.name)):
        return cells.astype("string")
    if FIGURE.search(column.name) or not all(cell is None or re.fullmatch(r"-?\d+", cell) for cell in cells):
        return numbers.astype("Float64")
    return cells.map(lambda cell: pandas.NA if cell is None else int(cell)).astype("Int64")


def _table(directories, file):
    tables = []
    for directory in map(Path, directories):
        record = directory / "run.json"
        if not record.exists():
            raise FileNotFoundError(f"{directory} holds no finished results: run.json is missing")
        table = pandas.read_csv(directory / file, dtype=str, keep_default_na=False)
        table.insert(0, "experiment", json.loads(record.read_text(encoding="utf-8"))["experiment"])
        table.insert(1, "directory", str(directory))
        tables.append(table)
    # Types are decided over all directories, so that a column means the same in each.
    return pandas.concat(tables, ignore_index=True).fillna("").apply(_typed)


def read(*directories):
    """The points of one or several results directories, one row each, typed (experiments/results.md has the columns)."""
    return _table(directories, "results.csv")


def ok(points):
    """Only points that have metrics."""
    return points[points["status"] == "ok"]


def parameters(points):
    """The names of the parameter columns."""
    columns = list(points.columns)
    return [name for name in columns[:columns.index("status")] if name not in LABELS]


def metrics(points):
    """The names of the metric columns."""
    columns = list(points.columns)
    return columns[columns.index("reason") + 1:]


def read_comparison(*directories):
    """Ours against published, one row for each value and point, with the point's parameters."""
    points = read(*directories)
    keys = ["experiment", "directory", "point"]
    return _table(directories, "comparison.csv").merge(points[keys + parameters(points)], on=keys, how="left")


def difference(before, after, tolerance=0.0):
    """The metrics that differ by more than a relative tolerance between two runs; points are matched by parameters.

    A value that only one of them has, or a changed name, counts as different.
    """
    keys = [name for name in parameters(before) if name in after.columns]
    names = [name for name in ["status"] + metrics(before) if name in after.columns]
    both = before.merge(after, on=keys, how="outer", suffixes=(" before", " after"))
    rows = []
    for _, row in both.iterrows():
        for name in names:
            old, new = row[f"{name} before"], row[f"{name} after"]
            if pandas.isna(old) and pandas.isna(new):
                continue
            known = not (pandas.isna(old) or pandas.isna(new))
            numbers = known and not isinstance(old, str) and not isinstance(new, str)
            if known and (abs(new - old) <= tolerance * abs(old) if numbers else old == new):
                continue
            rows.append({**{key: row[key] for key in keys}, "metric": name, "before": old, "after": new,
                         "ratio": new / old if numbers and old else None})
    return pandas.DataFrame(rows, columns=keys + ["metric", "before", "after", "ratio"])


def varying(points):
    """The parameters that have more than one value."""
    return [name for name in parameters(points) if points[name].nunique(dropna=False) > 1]


def _example(latency_s="12"):
    """A small results directory for the examples above."""
    folder = Path(tempfile.mkdtemp(prefix="spillway-example-"))
    (folder / "results.csv").write_text(
        "point,network,buffer_bytes,status,reason,latency_s,io_tasks\n"
        f"1,vgg16,16384,ok,,{latency_s},85871\n"
        '2,vgg16,262144,infeasible,"at least 4 buffers, ""n"" is 2",,\n', encoding="utf-8")
    (folder / "comparison.csv").write_text(
        "id,metric,point,published,ours,ratio,verdict\nvgg16-time,latency_s,1,11.8,12,1.017,hit\n", encoding="utf-8")
    (folder / "run.json").write_text('{"experiment": "example"}', encoding="utf-8")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("directory", nargs="+", help="a results directory")
    parser.add_argument("--comparison", action="store_true", help="print ours against published")
    parser.add_argument("--against", metavar="DIR", help="print what differs in DIR, another run of the same sweep")
    arguments = parser.parse_args()
    try:
        if arguments.against:
            table = difference(read(*arguments.directory), read(arguments.against))
        elif arguments.comparison:
            table = read_comparison(*arguments.directory)[["experiment", "id", "ours", "published_per_frame", "ratio",
                                                           "tolerance", "verdict"]]
        else:
            points = read(*arguments.directory)
            table = points[["experiment", "point", *varying(points), "status", *metrics(points)]]
    except (OSError, KeyError, ValueError) as error:
        print(f"read_results: {error}", file=sys.stderr)
        return 2
    try:
        print(table.to_string(index=False, na_rep="") if len(table) else "no differences", flush=True)
    except BrokenPipeError:  # a reader such as `head` had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
