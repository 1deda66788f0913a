"""A simulated run against a measured one: busy times of each layer, and both timelines."""

from matplotlib.patches import Patch

from plots.common import BLUE, GREEN, GREY, NEUTRAL, RED, YELLOW, plt

COLOURS = {"read_input": BLUE, "read_weights": GREY, "write_output": GREEN, "compute": YELLOW}
RUNS = ("simulated", "measured")
NARROWEST = 1 / 2000  # of the time axis: what is closer together is drawn as one


def joined(tasks, gap_ns):
    """Neighbours of one kind, as [kind, start, end]; gaps that nobody would see are closed."""
    bars = []
    for task in tasks:
        if bars and bars[-1][0] == task["kind"] and task["start_ns"] - bars[-1][2] <= gap_ns:
            bars[-1][2] = max(bars[-1][2], task["end_ns"])
        else:
            bars.append([task["kind"], task["start_ns"], task["end_ns"]])
    return bars


def draw_layers(axes, layers, resource):
    """A pair of bars for each layer, the error above it."""
    places = range(len(layers))
    times = {run: [layer[resource][f"{run}_s"] for layer in layers] for run in RUNS}
    for run, colour, shift in (("simulated", BLUE, -0.2), ("measured", YELLOW, 0.2)):
        axes.bar([place + shift for place in places], times[run], width=0.38, color=colour)
    for place, layer in zip(places, layers):
        error = layer[resource]["relative_error"]
        if error is not None and len(layers) <= 40:
            axes.text(place, max(times["simulated"][place], times["measured"][place]), f"{100 * error:+.0f} %",
                      ha="center", va="bottom", fontsize=6, rotation=90 if len(layers) > 12 else 0)
    axes.set_xticks(list(places))
    axes.set_xticklabels([layer["name"] for layer in layers], rotation=90, fontsize=6.5)
    axes.set_ylabel(f"{'IO' if resource == 'io' else resource}, s")
    axes.margins(y=0.18)
    axes.tick_params(length=0)


def draw_timelines(axes, timelines):
    ends = [task["end_ns"] for run in RUNS for task in timelines[run]]
    gap_ns = NARROWEST * max(ends)
    tracks = []
    for run in RUNS:
        for name in ("IO", "CPU"):
            tasks = [task for task in timelines[run] if (task["kind"] == "compute") == (name == "CPU")]
            if not tasks:
                continue
            first = min(task["start_ns"] for task in timelines[run])
            place = len(tracks)
            tracks.append(f"{name}, {run}")
            for kind, start, end in joined(tasks, gap_ns):
                axes.broken_barh([((start - first) / 1e9, (end - start) / 1e9)], (place - 0.35, 0.7),
                                 facecolor=COLOURS[kind], linewidth=0)
    axes.set_yticks(range(len(tracks)))
    axes.set_yticklabels(tracks)
    axes.invert_yaxis()
    axes.grid(False)
    axes.set_xlim(left=0)
    axes.set_xlabel("s")
    axes.tick_params(length=0)


def draw(comparison):
    """(title, figure)."""
    layers = comparison["layers"]
    resources = [resource for resource in ("io", "compute") if any(layer[resource]["simulated_s"] or
                                                                   layer[resource]["measured_s"] for layer in layers)]
    rows = len(resources) + 1
    figure, axes = plt.subplots(rows, 1, figsize=(max(7.0, 0.2 * len(layers)), 2.4 * rows + 0.7))
    for one, resource in zip(axes, resources):
        draw_layers(one, layers, resource)
    draw_timelines(axes[-1], comparison["timelines"])
    error = comparison["makespan"]["relative_error"]
    title = "simulated against measured" + ("" if error is None else f": makespan {100 * error:+.2f} %")
    kinds = sorted({task["kind"] for run in RUNS for task in comparison["timelines"][run]}, key=list(COLOURS).index)
    figure.suptitle(title, fontsize=10)
    figure.legend(handles=[Patch(facecolor=BLUE, label="layers: simulated"), Patch(facecolor=YELLOW, label="measured"),
                           *(Patch(facecolor=COLOURS[kind], label=kind.replace("_", " ")) for kind in kinds)],
                  loc="lower center", ncol=6, frameon=False, fontsize=7)
    figure.tight_layout(rect=(0, 0.35 / figure.get_figheight(), 1, 1))
    if not comparison["order"]["io"].get("first_difference") and not comparison["order"]["compute"].get(
            "first_difference"):
        axes[-1].set_title("the same decisions", fontsize=8, color=NEUTRAL)
    else:
        axes[-1].set_title("the decisions differ", fontsize=8, color=RED)
    return title, figure
