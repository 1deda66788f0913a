"""Drawings of wear: bytes a day, and years until cells fail."""

from matplotlib.patches import Patch

from plots.common import BLUE, GREY, NEUTRAL, PANEL_INCHES, RED, YELLOW, finish, mark, marks, panels, plt, published_at

GIGABYTE = 1e9


def name_axis(axes, networks):
    axes.set_xticks(range(len(networks)))
    axes.set_xticklabels([network.replace("-dense", "\ndense") for network in networks], fontsize=7.5)
    axes.tick_params(length=0)


def draw_daily(rows, comparisons):
    """Bytes a day of our runs with the published ones."""
    rows = [row for row in rows if row["daily_writes"] == "run" and row["mode"] == "parallel"]
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    for x, row in enumerate(rows):
        axes.bar(x, float(row["written_bytes_per_day"]) / GIGABYTE, 0.5, color=BLUE)
        for value, contradictory in published_at(row, comparisons, "written_bytes_per_day"):
            mark(axes, x, value / GIGABYTE, contradictory)
    axes.set_yscale("log")
    axes.set_ylabel("GB a day")
    name_axis(axes, [row["network"] for row in rows])
    finish(figure, "Written a day", [Patch(facecolor=BLUE, label="ours"), *marks(True)])
    return figure


def draw_lifetimes(rows, comparisons):
    """First failed cell, as a range, and half of the cells, from the published bytes a day."""
    rows = [row for row in rows if row["daily_writes"] != "run"]
    figure, axes = plt.subplots(figsize=PANEL_INCHES)
    for x, row in enumerate(rows):
        low, high = float(row["first_cell_low_years"]), float(row["first_cell_high_years"])
        axes.bar(x - 0.15, high - low, 0.27, bottom=low, color=YELLOW)
        axes.bar(x + 0.15, float(row["half_cells_years"]), 0.27, color=GREY)
        for metric, shift in (("first_cell_low_years", -0.15), ("first_cell_high_years", -0.15),
                              ("half_cells_years", 0.15)):
            for value, contradictory in published_at(row, comparisons, metric):
                mark(axes, x + shift, value, contradictory)
    axes.set_yscale("log")
    axes.set_ylabel("years")
    name_axis(axes, [f"{row['network']}\n{row['daily_writes']}" for row in rows])
    finish(figure, "Lifetime from the published bytes a day", [
        Patch(facecolor=YELLOW, label="first failed cell"), Patch(facecolor=GREY, label="half of the cells"), *marks(False)],
        bottom=0.22)
    return figure


def draw_cards(endurance, rows):
    """Years by kind of card: as written, and when every write programs a whole erase block."""
    wanted = {row["point"] for row in rows if row["daily_writes"] == "run" and row["mode"] == "parallel"}
    endurance = [row for row in endurance if row["point"] in wanted]
    for (network,), members in panels(endurance, ["network"]).items():
        figure, axes = plt.subplots(figsize=PANEL_INCHES)
        kinds = list(dict.fromkeys(row["card_kind"] for row in members))
        for row in members:
            amplified = row["programming"] == "amplified"
            axes.bar(kinds.index(row["card_kind"]) + (-0.18 if amplified else 0.18), float(row["years"]), 0.33,
                     **({"color": BLUE} if amplified else {"facecolor": "none", "edgecolor": NEUTRAL}))
        axes.axhline(1, color=RED, linewidth=1, linestyle="--")
        axes.set_yscale("log")
        axes.set_ylabel("years")
        axes.set_xticks(range(len(kinds)))
        axes.set_xticklabels(kinds, fontsize=7.5)
        axes.tick_params(length=0)
        title = f"{network}, real cards"
        finish(figure, title, [Patch(facecolor=BLUE, label="as written"),
                               Patch(facecolor="none", edgecolor=NEUTRAL, label="whole erase blocks")])
        yield title, figure


def draw(rows, comparisons, endurance):
    """(title, figure) of each panel."""
    yield "Written a day", draw_daily(rows, comparisons)
    yield "Lifetime from the published bytes a day", draw_lifetimes(rows, comparisons)
    yield from draw_cards(endurance, rows)
