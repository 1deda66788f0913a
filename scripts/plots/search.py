"""Drawings of a search for mappings: its Pareto front, as AutoDiCE's Figures 4 and 5, and how it grew."""

from matplotlib.lines import Line2D

from plots.common import BLUE, GREY, NEUTRAL, PANEL_INCHES, RED, finish, plt

MEGABYTE = 1e6


def draw_front(archive, front, column, unit, label, title):
    """Throughput against what a mapping costs: every mapping that was simulated, and the front, on SimGrid too where
    it was simulated there."""
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    step = max(1, len(archive) // 4000)  # more points than that only make the file larger
    axes.scatter([float(row[column]) / unit for row in archive[::step]],
                 [float(row["throughput_per_s"]) for row in archive[::step]], s=2, color=GREY, alpha=0.35, linewidths=0)
    axes.scatter([float(row[column]) / unit for row in front], [float(row["throughput_per_s"]) for row in front],
                 s=14, color=BLUE)
    simulated = "simgrid_energy_per_frame_j" if column == "energy_per_frame_j" else column
    on_simgrid = [row for row in front if "simgrid_throughput_per_s" in row]
    axes.scatter([float(row[simulated]) / unit for row in on_simgrid],
                 [float(row["simgrid_throughput_per_s"]) for row in on_simgrid], s=22, facecolors="none",
                 edgecolors=RED, linewidths=0.7)
    axes.set_xscale("log")
    axes.set_xlabel(label, color=NEUTRAL)
    axes.set_ylabel("frames/s", color=NEUTRAL)
    dot = {"linestyle": "", "marker": "o", "markersize": 4}
    handles = [Line2D([], [], color=GREY, label="every mapping", **dot), Line2D([], [], color=BLUE, label="front", **dot)]
    if on_simgrid:
        handles.append(Line2D([], [], color=RED, markerfacecolor="none", label="front on SimGrid", **dot))
    finish(figure, title, handles)
    return figure


def draw_growth(volumes):
    """Hypervolume by generation."""
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    last = float(volumes[-1]["hypervolume"])
    axes.plot([int(row["generation"]) for row in volumes],
              [100 * float(row["hypervolume"]) / last for row in volumes], color=BLUE, linewidth=1.4)
    axes.set_xlabel("generation", color=NEUTRAL)
    axes.set_ylabel("hypervolume, % of the last", color=NEUTRAL)
    finish(figure, "Growth of the front", [])
    return figure


def draw(archive, front, volumes):
    """(title, figure) of each panel."""
    yield "energy", draw_front(archive, front, "energy_per_frame_j", 1, "energy of a frame, J, highest board",
                               "Throughput and energy of a frame")
    yield "memory", draw_front(archive, front, "memory_bytes", MEGABYTE, "memory, MB, highest board",
                               "Throughput and memory")
    yield "growth", draw_growth(volumes)
