"""Drawings of pipeline experiments: the best mapping by number of boards, and every mapping of the searches."""

from matplotlib.lines import Line2D

from plots.common import BLUE, GREEN, GREY, NEUTRAL, PANEL_INCHES, YELLOW, finish, mark, marks, plt, published_at
from plots.search import MEGABYTE, draw_front

# What a panel shows: its name, the name of the axis, the unit, and the metrics whose published values are marked.
BEST = {"throughput_fps": ("throughput", "frames/s", 1, ["throughput_fps", "throughput_up_to_fps"]),
        "least_energy_j": ("least energy", "J a frame, highest board", 1, ["least_energy_j", "energy_j"]),
        "least_memory_bytes": ("least memory", "MB, highest board", MEGABYTE, ["least_memory_bytes", "memory_bytes"])}
COLOURS = [BLUE, GREEN, YELLOW, GREY, NEUTRAL, "#7c5cc4"]


def series_of(row, rows):
    """What a line of a drawing has in common, in words: where its mappings come from, and what tells it from others."""
    words = [row["how"].replace("-", " ")]
    # A search over more boards than some of its mappings use is one line, its last point included.
    over_all = {other["search_devices"] for other in rows if other["search_devices"] != other["devices"]}
    if row["how"] == "search" and row["search_devices"] in over_all:
        words = [f"search over {row['search_devices']}"]
    alike = [other for other in rows if other["how"] == row["how"]]
    words += [row[key] for key in ("comm", "resources") if len({other[key] for other in alike}) > 1]
    words += own_words(row["cluster"], {other["cluster"] for other in alike})
    return " ".join(words)


def own_words(name, names):
    """A name's words behind those that all names begin with: of nx8 and nx8-fitted none and "fitted"."""
    apart = [other.split("-") for other in names]
    common = next((at for at, words in enumerate(zip(*apart)) if len(set(words)) > 1), min(map(len, apart)))
    return name.split("-")[common:]


def draw_best(rows, comparisons, column, title):
    """The best by number of boards, a line for each way to find it."""
    _, unit_name, unit, metrics = BEST[column]
    lines = {}
    for row in rows:
        if row["status"] == "ok":
            lines.setdefault(series_of(row, rows), []).append(row)
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    handles, shown = [], False
    for (name, points), colour in zip(sorted(lines.items()), COLOURS * len(lines)):
        style = {"color": colour, "marker": "o", "markersize": 4, "linewidth": 1.4,
                 "linestyle": "-" if len(points) > 1 else ""}
        axes.plot([int(row["devices"]) for row in points], [float(row[column]) / unit for row in points], **style)
        handles.append(Line2D([], [], label=name, **style))
    for row in rows:
        for metric in metrics:
            for value, contradictory in published_at(row, comparisons, metric, rows):
                mark(axes, int(row["devices"]), value / unit, contradictory)
                shown = True
    axes.set_ylim(bottom=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("boards", color=NEUTRAL)
    axes.set_ylabel(unit_name, color=NEUTRAL)
    finish(figure, title, handles + (marks(False) if shown else []))
    return figure


def draw_searches(searches, network):
    """Every mapping of a network's searches with the front of the largest one, as AutoDiCE's Figure 4."""
    most = max(int(row["search_devices"]) for row in searches)
    rows = [row for row in searches if int(row["search_devices"]) == most]
    front = [row for row in rows if row["front"] == "yes"]
    rows = rows[::max(1, len(rows) // 1200)]  # several such panels stand on one page
    for column, unit, label in [("energy_per_frame_j", 1, "energy of a frame, J, highest board"),
                                ("memory_bytes", MEGABYTE, "memory, MB, highest board")]:
        title = f"{network}, throughput and {label.split(',')[0]}"
        yield title, draw_front(rows, front, column, unit, label, title)


def draw(rows, comparisons, searches):
    """(title, figure) of each panel; `searches` may be empty."""
    for network in dict.fromkeys(row["network"] for row in rows):
        here = [row for row in rows if row["network"] == network]
        yield from draw_searches([row for row in searches if row["network"] == network], network) if searches else ()
        if len({row["devices"] for row in here}) > 1:
            for column, (name, *_) in BEST.items():
                title = f"{network}, {name}"
                yield title, draw_best(here, comparisons, column, title)
