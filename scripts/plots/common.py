"""What every drawing shares: colours, style, panels, legends, and SVG files that do not change from run to run."""

import csv
import math
import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

NEUTRAL = "#767676"  # readable on white and on black
GREY, YELLOW, BLUE, RED, GREEN = "#9a9a9a", "#e3a008", "#3b82c4", "#d6336c", "#2f9e6e"
BAR = 0.27
PANEL_INCHES = (3.9, 2.9)
PARAMETERS = ["network", "board", "card", "rule", "element", "sram_bytes", "buffer_bytes", "mode", "frames", "window",
              "queue", "pools", "contention", "driver", "crypto", "daily_writes"]


def style():
    plt.rcParams.update({
        "svg.fonttype": "none",
        "svg.hashsalt": "spillway",
        "font.family": "sans-serif",
        "font.size": 9,
        "text.color": NEUTRAL,
        "axes.edgecolor": NEUTRAL,
        "axes.labelcolor": NEUTRAL,
        "xtick.color": NEUTRAL,
        "ytick.color": NEUTRAL,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.axisbelow": True,
        "grid.color": NEUTRAL,
        "grid.alpha": 0.25,
        "savefig.transparent": True,
    })


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def size(text):
    count = int(text)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or count % 1024:
            return f"{count} {unit}"
        count //= 1024
    return f"{count} TiB"


def panels(rows, shared):
    """The rows of each panel, in the order of the file."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in shared), []).append(row)
    return found


def title_of(row, shared, varying):
    words = [row["network"]]
    for key in shared:
        if key == "sram_bytes":
            words.append(f"{size(row[key])} SRAM")
        elif key != "network" and key in varying:
            words.append(row[key] if not row[key].replace(".", "").isdigit() else f"{key} {row[key]}")
    return ", ".join(words)


def published_at(row, comparisons, metric, rows=()):
    """Published values of one point: (value, whether the paper contradicts it). A ratio is taken of ours at its
    reference point, where `rows` has it."""
    by_number = {other["point"]: other for other in rows}
    found = []
    for one in comparisons:
        if one["point"] != row["point"] or one["metric"] != metric or not one["published_per_frame"]:
            continue
        value = float(one["published_per_frame"])
        if one["reference_point"]:
            if one["reference_point"] not in by_number:
                continue
            value *= float(by_number[one["reference_point"]][metric])
        found.append((value, one["verdict"] == "contradictory"))
    return found


def mark(axes, x, value, contradictory):
    axes.plot([x], [value], marker="D", markersize=5, linestyle="none", zorder=5, markeredgecolor=RED,
              markerfacecolor="none" if contradictory else RED)


def gap(axes, x, row):
    """Says why a place is empty."""
    if row["mode"] == "parallel":
        words = "no plan" if row["status"] == "infeasible" else row["status"]
        axes.text(x, 0.03, words, rotation=90, ha="center", va="bottom", fontsize=7.5, transform=axes.get_xaxis_transform())


def marks(with_contradictory):
    handles = [Line2D([], [], marker="D", markersize=5, linestyle="none", color=RED, label="published")]
    if with_contradictory:
        handles.append(Line2D([], [], marker="D", markersize=5, linestyle="none", markeredgecolor=RED,
                              markerfacecolor="none", label="published, contradicted"))
    return handles


def legend(figure, handles):
    """Above the axes; gives the number of its lines."""
    # Points that an entry takes: its line and the space around it, and half the size of the font a letter.
    size = 7.5
    widest = (1.6 + 0.5 + 1.0 + 0.53 * max(len(handle.get_label()) for handle in handles)) * size
    columns = max(1, min(4 if len(handles) == 4 else 3, int(72 * figure.get_figwidth() / widest)))
    figure.legend(handles=handles, loc="upper center", ncol=columns, frameon=False, fontsize=size, bbox_to_anchor=(0.5, 0.92),
                  columnspacing=1.0, handletextpad=0.5, handlelength=1.6)
    return math.ceil(len(handles) / columns)


def finish(figure, title, handles, bottom=0.16):
    """Title and legend."""
    figure.suptitle(title, fontsize=10, y=0.985)
    lines = legend(figure, handles) if handles else 0
    figure.subplots_adjust(left=0.16, right=0.98, bottom=bottom, top=0.82 - 0.05 * lines)


def finish_by_buffer(figure, axes, buffers, title, handles):
    axes.set_xticks(range(len(buffers)))
    axes.set_xticklabels([str(size(buffer)).replace(" KiB", "") for buffer in buffers])
    axes.set_xlim(-0.6, len(buffers) - 0.4)
    axes.set_xlabel("buffer size, KiB")
    axes.tick_params(length=0)
    finish(figure, title, handles)


def save(figure, path, title):
    """Writes the SVG with a title for screen readers and identifiers that are unique on a page of many figures."""
    figure.savefig(path, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    plt.close(figure)
    text = path.read_text(encoding="utf-8")
    prefix = path.stem
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', text)
    text = re.sub(r"(<svg[^>]*>)", lambda found: f'{found.group(1)}\n <title>{title}</title>', text, count=1)
    path.write_text(text, encoding="utf-8")
