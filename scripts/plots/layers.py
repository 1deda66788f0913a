"""Drawings of layers: normalized intensity, times by class, and how many layers are of which class."""

from matplotlib.patches import Patch

from plots.common import (BAR, BLUE, GREY, NEUTRAL, PANEL_INCHES, YELLOW, finish, mark, marks, panels, plt,
                          published_at)

# The paper's range: 64 to 480 MOPS are 32 to 240 million MAC/s.
MACS_PER_S, BYTES_PER_S = (32e6, 240e6), (10e6, 40e6)


def draw_intensity(rows, _, layers):
    """N of each layer with weights, with its range over the published processors and cards."""
    for (network,), members in panels([row for row in layers if row["counted"] == "yes"], ["network"]).items():
        figure, axes = plt.subplots(figsize=PANEL_INCHES)
        for x, row in enumerate(members):
            colour = YELLOW if row["class"] == "compute-bound" else GREY
            axes.bar(x, float(row["normalized_intensity"]), 0.75, color=colour)
            per_byte = float(row["work_per_byte"])
            axes.plot([x, x], [per_byte / MACS_PER_S[1] * BYTES_PER_S[0], per_byte / MACS_PER_S[0] * BYTES_PER_S[1]],
                      color=BLUE, linewidth=1.3, solid_capstyle="butt")
        axes.axhline(1, color=NEUTRAL, linewidth=1)
        axes.set_yscale("log")
        axes.set_ylabel("N")
        few = len(members) <= 21
        axes.set_xticks(range(len(members)) if few else [])
        axes.set_xticklabels([row["layer"] for row in members] if few else [], rotation=90, fontsize=6.5)
        axes.set_xlabel("" if few else f"{len(members)} layers, in order")
        axes.tick_params(length=0)
        finish(figure, network, [Patch(facecolor=YELLOW, label="compute-bound"), Patch(facecolor=GREY, label="IO-bound"),
                                 plt.Line2D([], [], color=BLUE, label="published range")], bottom=0.27 if few else 0.12)
        yield network, figure


def draw_times(rows, _, layers):
    """IO and compute time of the IO-bound and of the compute-bound layers."""
    for row in rows:
        figure, axes = plt.subplots(figsize=PANEL_INCHES)
        for x, bound in enumerate(("io_bound", "compute_bound")):
            axes.bar(x - BAR / 2, float(row[f"{bound}_io_s"]), BAR, color=GREY)
            axes.bar(x + BAR / 2, float(row[f"{bound}_compute_s"]), BAR, color=YELLOW)
        axes.set_xticks([0, 1])
        axes.set_xticklabels(["IO-bound layers", "compute-bound layers"])
        axes.set_xlim(-0.6, 1.6)
        axes.tick_params(length=0)
        axes.set_ylabel("seconds a frame")
        finish(figure, row["network"], [Patch(facecolor=GREY, label="IO"), Patch(facecolor=YELLOW, label="compute")])
        yield row["network"], figure


def bars_by_network(rows, title, parts, comparisons=()):
    """Grouped bars of counts: parts are (metric, colour, label)."""
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    width = 0.8 / len(parts)
    shown = set()
    for x, row in enumerate(rows):
        for place, (metrics, colour, _) in enumerate(parts):
            at = x + (place - (len(parts) - 1) / 2) * width
            count = int(row[metrics[0]])
            axes.bar(at, count, width * 0.92, color=colour)
            axes.text(at, count, str(count), ha="center", va="bottom", fontsize=7.5)
            for metric in metrics:
                for value, contradictory in published_at(row, comparisons, metric):
                    mark(axes, at, value, contradictory)
                    shown.add(contradictory)
    axes.set_xticks(range(len(rows)))
    axes.set_xticklabels([row["network"].replace("-dense", "\ndense") for row in rows], fontsize=7.5)
    axes.tick_params(length=0)
    axes.set_ylabel("layers")
    finish(figure, title, [*(Patch(facecolor=colour, label=label) for _, colour, label in parts),
                           *(marks(True in shown) if shown else [])])
    return figure


def draw_classes(rows, comparisons, _):
    """How many layers are compute-bound and IO-bound: with our rates, and over the published range."""
    title = "With the derived rates"
    yield title, bars_by_network(rows, title, [
        (["compute_bound_layers"], YELLOW, "compute-bound"),
        (["io_bound_layers", "io_bound_convolutions"], GREY, "IO-bound"),
    ], comparisons)
    title = "Over 64 to 480 MOPS and 10 to 40 MB per s"
    yield title, bars_by_network(rows, title, [
        (["always_compute_bound_layers"], YELLOW, "always compute-bound"),
        (["depending_layers"], BLUE, "depends"),
        (["always_io_bound_layers"], GREY, "always IO-bound"),
    ])


DRAWINGS = {"intensity": draw_intensity, "times": draw_times, "classes": draw_classes}
