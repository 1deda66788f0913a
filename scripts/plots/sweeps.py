"""Drawings of sweeps over the buffer size: a panel for each network and what else varies."""

import math

from matplotlib.patches import Patch

from plots.common import (BAR, BLUE, GREEN, GREY, NEUTRAL, PANEL_INCHES, PARAMETERS, RED, YELLOW, finish_by_buffer, gap,
                          mark, marks, panels, plt, published_at, size, title_of)


def draw_latency(rows, comparisons, title):
    """Grouped bars by buffer size: IO time, sequential and parallel execution; a gap where no plan exists."""
    buffers = sorted({int(row["buffer_bytes"]) for row in rows})
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    shown = set()
    for row in rows:
        x = buffers.index(int(row["buffer_bytes"]))
        if row["status"] != "ok":
            gap(axes, x, row)
            continue
        if row["mode"] == "sequential":
            axes.bar(x, float(row["latency_s"]), BAR, facecolor="none", edgecolor=NEUTRAL, linewidth=1)
        else:
            axes.bar(x + BAR, float(row["latency_s"]), BAR, color=YELLOW)
        axes.bar(x - BAR, float(row["io_per_frame_s"]), BAR, color=GREY)
        for value, contradictory in published_at(row, comparisons, "io_s"):
            mark(axes, x - BAR, value, contradictory)
            shown.add(contradictory)
    axes.set_ylabel("seconds a frame")
    finish_by_buffer(figure, axes, buffers, title, [
        Patch(facecolor=GREY, label="IO time"),
        Patch(facecolor="none", edgecolor=NEUTRAL, label="sequential"),
        Patch(facecolor=YELLOW, label="parallel"),
        *(marks(True in shown) if shown else []),
    ])
    return figure


def draw_tasks(rows, comparisons, title):
    """Grouped bars by buffer size: IO and compute tasks of one frame, on a logarithmic axis."""
    buffers = sorted({int(row["buffer_bytes"]) for row in rows})
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    shown = set()
    for row in rows:
        x = buffers.index(int(row["buffer_bytes"]))
        if row["status"] != "ok":
            gap(axes, x, row)
            continue
        axes.bar(x - BAR / 2, float(row["io_tasks_per_frame"]), BAR, color=GREY)
        axes.bar(x + BAR / 2, float(row["compute_tasks_per_frame"]), BAR, color=BLUE)
        for value, contradictory in published_at(row, comparisons, "io_tasks_per_frame"):
            mark(axes, x - BAR / 2, value, contradictory)
            shown.add(contradictory)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_ylim(10 ** math.floor(math.log10(low)), high)
    axes.set_ylabel("tasks a frame")
    finish_by_buffer(figure, axes, buffers, title, [
        Patch(facecolor=GREY, label="IO tasks"),
        Patch(facecolor=BLUE, label="compute tasks"),
        *(marks(True in shown) if shown else []),
    ])
    return figure


def draw_throughput(rows, comparisons, title):
    """Frames a second by buffer size, with all frames in flight and, where it was run, with one at a time."""
    buffers = sorted({int(row["buffer_bytes"]) for row in rows})
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    shown = set()
    for row in rows:
        x = buffers.index(int(row["buffer_bytes"]))
        if row["status"] != "ok":
            gap(axes, x, row)
            continue
        value = float(row["throughput_fps"])
        if row["window"] == "1":
            axes.bar(x - BAR / 2, value, BAR, facecolor="none", edgecolor=NEUTRAL, linewidth=1)
        else:
            axes.bar(x + BAR / 2, value, BAR, color=BLUE)
        for published, contradictory in published_at(row, comparisons, "throughput_fps", rows):
            mark(axes, x + BAR / 2, published, contradictory)
            shown.add(contradictory)
    axes.set_ylabel("frames/s")
    both = any(row["window"] == "1" for row in rows)
    finish_by_buffer(figure, axes, buffers, title, [
        *([Patch(facecolor="none", edgecolor=NEUTRAL, label="one frame at a time")] if both else []),
        Patch(facecolor=BLUE, label="10 frames in flight"),
        *(marks(True in shown) if shown else []),
    ])
    figure.subplots_adjust(left=0.2)
    return figure


def draw_variants(rows, title, variants, metric, label, line=None):
    """Grouped bars by buffer size, one for each variant: (name, colour or nothing, whether a row is of it)."""
    buffers = sorted({int(row["buffer_bytes"]) for row in rows})
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    width = 0.8 / len(variants)
    for place, (_, colour, is_of) in enumerate(variants):
        look = {"color": colour} if colour else {"facecolor": "none", "edgecolor": NEUTRAL, "linewidth": 1}
        for row in filter(is_of, rows):
            x = buffers.index(int(row["buffer_bytes"])) + (place - (len(variants) - 1) / 2) * width
            if row["status"] == "ok":
                axes.bar(x, float(row[metric]), width * 0.92, **look)
            else:
                gap(axes, x, row)
    handles = [Patch(facecolor=colour or "none", edgecolor=colour or NEUTRAL, label=name)
               for name, colour, _ in variants]
    if line:
        value, words = line
        handles.append(axes.axhline(value, color=RED, linewidth=1.2, linestyle="--", label=words))
    axes.set_ylabel(label)
    finish_by_buffer(figure, axes, buffers, title, handles)
    return figure


def draw_energy(rows, _, title):
    """Energy of a swapped frame over that in core, against the published worst case."""
    return draw_variants(rows, title, [("sequential", None, lambda row: row["mode"] == "sequential"),
                                       ("parallel", YELLOW, lambda row: row["mode"] == "parallel")],
                         "energy_ratio", "energy swapped / in core", (1.42, "published worst case"))


def draw_crypto(rows, _, title):
    """Latency without crypto, with crypto on the CPU and on an accelerator."""
    colours = {"none": None, "cpu": YELLOW, "accelerator": GREEN}
    return draw_variants(rows, title, [(name, colour, lambda row, name=name: row["crypto"] == name)
                                       for name, colour in colours.items()], "latency_s", "seconds a frame")


def draw_sensitivity(rows, _, title):
    """Latency by queue and contention."""
    variants = []
    for (queue, contention), colour in zip(
            sorted({(row["queue"], row["contention"]) for row in rows}), (None, GREY, YELLOW, BLUE), strict=False):
        variants.append((queue if float(contention) == 0 else f"{queue}, contention", colour,
                         lambda row, key=(queue, contention): (row["queue"], row["contention"]) == key))
    return draw_variants(rows, title, variants, "latency_s", "seconds a frame")


# Which drawing an experiment asks for, and what the bars and groups of one panel stand for.
DRAWINGS = {
    "latency": (draw_latency, {"buffer_bytes", "mode"}),
    "tasks": (draw_tasks, {"buffer_bytes", "mode", "sram_bytes"}),
    "throughput": (draw_throughput, {"buffer_bytes", "mode", "window"}),
    "energy": (draw_energy, {"buffer_bytes", "mode", "contention"}),
    "crypto": (draw_crypto, {"buffer_bytes", "mode", "crypto"}),
    "sensitivity": (draw_sensitivity, {"buffer_bytes", "mode", "queue", "contention"}),
}


def draw(kind, rows, comparisons):
    """(title, figure) of each panel."""
    drawing, not_shared = DRAWINGS[kind]
    shared = [key for key in PARAMETERS if key in rows[0] and key not in not_shared]
    varying = {key for key in shared if len({row[key] for row in rows}) > 1} - {"card", "board"}
    for members in panels(rows, shared).values():
        title = title_of(members[0], shared, varying)
        yield title, drawing(members, comparisons, title)
