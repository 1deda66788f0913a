"""Drawings of the traffic of tiling rules and of what follows from it."""

from matplotlib.patches import Patch

from plots.common import BAR, BLUE, GREY, NEUTRAL, PANEL_INCHES, RED, YELLOW, finish_by_buffer, gap, panels, plt

COLOURS = {"paper": GREY, "halo": YELLOW, "min-traffic": BLUE}
MEASURES = [("moved_bytes_per_frame", 1e6, "MB a frame", "bytes moved"),
            ("latency_s", 1, "seconds a frame", "latency"),
            ("energy_per_frame_j", 1, "J a frame", "energy"),
            ("written_bytes_per_frame", 1e6, "MB written a frame", "wear")]


def draw_measure(rows, title, metric, unit, label):
    """Grouped bars by buffer size, one for each rule; the least possible as a line."""
    buffers = sorted({int(row["buffer_bytes"]) for row in rows})
    rules = [rule for rule in COLOURS if any(row["rule"] == rule for row in rows)]
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    for row in rows:
        x = buffers.index(int(row["buffer_bytes"])) + (rules.index(row["rule"]) - (len(rules) - 1) / 2) * BAR
        if row["status"] != "ok":
            gap(axes, x, row)
            continue
        value = float(row[metric]) / unit
        axes.bar(x, value, BAR * 0.92, color=COLOURS[row["rule"]])
        axes.annotate(f"{value:.3g}", (x, value), (0, 2), textcoords="offset points", ha="center", va="bottom",
                      fontsize=7.5, rotation=90)
    handles = [Patch(facecolor=COLOURS[rule], label=rule) for rule in rules]
    least = [float(row["least_bytes_per_frame"]) / unit for row in rows if row["status"] == "ok"]
    if metric == "moved_bytes_per_frame" and least:
        handles.append(axes.axhline(max(least), color=RED, linewidth=1.2, linestyle="--", label="each tensor once"))
    axes.set_ylabel(label, color=NEUTRAL)
    axes.margins(y=0.2)  # room for the numbers above the bars
    finish_by_buffer(figure, axes, buffers, title, handles)
    return figure


def draw(rows):
    """(title, figure) of each panel."""
    for (network,), members in panels(rows, ["network"]).items():
        for metric, unit, label, name in MEASURES:
            title = f"{network}, {name}"
            yield title, draw_measure(members, title, metric, unit, label)
