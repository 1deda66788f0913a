"""Timelines: executed tasks on a track of the card and a track of the processor."""

from matplotlib.patches import Patch

from plots.common import BLUE, GREEN, GREY, PANEL_INCHES, RED, YELLOW, finish, panels, plt

COLOURS = {"read_input": BLUE, "read_weights": GREY, "write_output": GREEN, "compute": YELLOW}
FRAME_HATCH = ["", "////", "....", "xxxx"]
NANOSECONDS = 1e9


def runs(tasks):
    """Neighbouring tasks of one frame, layer and kind with no gap between them, as (task, start, end)."""
    joined = []
    for task in tasks:
        start, end = int(task["start_ns"]), int(task["end_ns"])
        key = (task["frame"], task["layer"], task["tile"], task["kind"])
        if joined and joined[-1][3] == key and joined[-1][2] == start:
            joined[-1][2] = end
        else:
            joined.append([task, start, end, key])
    return [(task, start, end) for task, start, end, _ in joined]


def draw_timeline(title, tasks):
    figure, axes = plt.subplots(figsize=(PANEL_INCHES[0], 2.9))
    first = min(int(task["start_ns"]) for task in tasks)
    last = max(int(task["end_ns"]) for task in tasks)
    for track, name in enumerate(("CPU", "IO")):
        mine = [task for task in tasks if (task["kind"] == "compute") == (name == "CPU")]
        labelled = None
        for task, start, end in runs(sorted(mine, key=lambda task: int(task["start_ns"]))):
            left, width = (start - first) / NANOSECONDS, (end - start) / NANOSECONDS
            hatch = FRAME_HATCH[int(task["frame"]) % len(FRAME_HATCH)]
            axes.broken_barh([(left, width)], (track - 0.3, 0.6), facecolor=COLOURS[task["kind"]], hatch=hatch,
                             edgecolor="white", linewidth=0.3)
            key = (task["frame"], task["layer_name"])
            if key != labelled and width > 0.12 * (last - first) / NANOSECONDS:
                late = left > 0.7 * (last - first) / NANOSECONDS
                axes.text(left + width if late else left, track + 0.34, f"{task['layer_name']}, frame {task['frame']}",
                          fontsize=7.5, ha="right" if late else "left", va="bottom")
                labelled = key
    axes.set_yticks([0, 1])
    axes.set_yticklabels(["CPU", "IO"])
    axes.set_ylim(-0.5, 1.75)
    axes.grid(False)
    axes.tick_params(length=0)
    axes.set_xlabel(f"seconds since {first / NANOSECONDS:.3f} s")
    frames = sorted({int(task["frame"]) for task in tasks})
    kinds = [kind for kind in COLOURS if any(task["kind"] == kind for task in tasks)]
    finish(figure, title, [
        *(Patch(facecolor=COLOURS[kind], label=kind.replace("_", " ")) for kind in kinds),
        *(Patch(facecolor="none", edgecolor=RED, hatch=FRAME_HATCH[frame], label=f"frame {frame}") for frame in frames
          if len(frames) > 1),
    ], bottom=0.2)
    figure.subplots_adjust(left=0.1)
    return figure


def draw(timelines):
    """(title, figure) of each timeline."""
    for (_, title), tasks in panels(timelines, ["timeline", "title"]).items():
        yield title, draw_timeline(title, tasks)
