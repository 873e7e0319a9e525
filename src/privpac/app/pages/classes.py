"""The page of classes: the dimensions of a table of 0 and 1, what proves them, and a game against SOA.

Throughout this file
    V      the version space: the concepts that agree with every label so far
    SOA    predicts the label that leaves the larger Littlestone dimension
"""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import quote, unquote, urlencode

from privpac.app.markup import FormField, columns, facts, figure, html_table, live_form, page_frame, warning
from privpac.app.pages.table_editor import TypedTable, after_click, editor
from privpac.app.refusals import EXPECTED, explained
from privpac.app.session import Session
from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions import Dimension, littlestone_dimension, threshold_dimension, tree_order, vc_dimension
from privpac.online.soa import VersionSpaces
from privpac.refusals.refusal import Refused, Setting
from privpac.report.pictures.trees import draw_mistake_tree, draw_tree_order

ABOUT_CLASSES = (
    "How hard is it to learn one of these rules? A line of the table is a rule (a concept), a column is a case that it "
    "labels 0 or 1 (a point). Nothing here is about records."
)
MEANINGS = {
    "VC dimension": "the most points that the rules label in every way",
    "Littlestone dimension": "how many mistakes the best learner makes at worst, if cases come one by one",
    "Threshold dimension": "how many of the rules behave like cuts of a line, on as many points",
}
FIRST = "0000\n1000\n1100\n1010\n0001"
EXAMPLES = {
    "a tree": FIRST,
    "thresholds": "0000\n0001\n0011\n0111\n1111",
    "points": "1000\n0100\n0010\n0001",
    "all of 3 points": "000\n001\n010\n011\n100\n101\n110\n111",
}
ABOUT_SOA = (
    "The standard optimal algorithm predicts each label before it is shown. Choose points and labels, and try to make "
    "it err more often than it promises."
)
MOST_CONCEPTS, MOST_POINTS, SECONDS = 64, 40, 5
Move = tuple[str, bool]


def classes_page(session: Session, given: dict[str, str]) -> str:
    """The form, the dimensions with their pictures, and the game."""
    text = after_click(given.get("table", FIRST).replace("\r", ""), given.get("draw", ""))
    asked = [FormField("Concepts, a line each", "table", text, f"At most {MOST_CONCEPTS} lines of 0 and 1.", lines=10)]
    wrong = None
    try:
        table = TypedTable.read(text)
        H = _class_of(table)
        result = editor(table) + _dimensions(H) + _game(H, text, given.get("play", ""))
    except EXPECTED as error:
        told, wrong = explained(error, asked)
        result = f'<div data-wrong="{escape(wrong or "")}">{warning(told)}</div>'
    chips = "".join(f'<li><a href="{_address(each)}">{escape(name)}</a></li>' for name, each in EXAMPLES.items())
    left = live_form("/classes", asked, "Measure", wrong) + f'<ul class="chips" aria-label="Examples">{chips}</ul>'
    return page_frame("Classes", ABOUT_CLASSES, columns(left, result), "/classes", mode=session.mode)


def _class_of(table: TypedTable) -> ExplicitClass:
    if len(table.rows) > MOST_CONCEPTS or len(table.points) > MOST_POINTS:
        most = f" may have at most {MOST_CONCEPTS} lines of {MOST_POINTS} labels here; `privpac dimension` takes more"
        raise Refused("table", Setting("table"), most)
    return table.concept_class()


def _dimensions(H: ExplicitClass) -> str:
    found = {
        "VC dimension": vc_dimension(H, time_limit=SECONDS),
        "Littlestone dimension": littlestone_dimension(H, time_limit=SECONDS),
        "Threshold dimension": threshold_dimension(H, time_limit=SECONDS),
    }
    told = facts(*((name, _value(each), MEANINGS[name]) for name, each in found.items()))
    proofs = html_table(["dimension", "why it is not larger"], [[name, each.reason] for name, each in found.items()])
    told += f"<details><summary>Why these numbers</summary>{proofs}</details>"
    merged = len(H.twins) + len(H.point_twins)
    note = f"<p class=note>{merged} equal lines or columns were merged.</p>" if merged else ""
    tree = found["Littlestone dimension"].witness
    caption = (
        "Whatever a learner predicts, the other branch is the truth of some concept. 0 to the left, 1 to the right."
    )
    pictures = (
        ""
        if tree is None or not tree.value
        else f"<h2>Mistake tree</h2>{figure(draw_mistake_tree(tree, deepest=5), caption)}"
    )
    vc = found["VC dimension"]
    if vc.exact and vc.value <= 1 and H.size:
        caption = "VC dimension at most 1, so concepts are paths from the root, and one ends at each filled node."
        pictures += f"<h2>Tree order</h2>{figure(draw_tree_order(tree_order(H)), caption)}"
    return told + note + pictures


def _value(found: Dimension) -> str:
    return f"{found.value}" if found.exact else f"{found.lower} to {found.upper}"


def _game(H: ExplicitClass, text: str, played: str) -> str:
    """The moves so far, and those that are possible now."""
    spaces = VersionSpaces(H)
    V, rows, mistakes, moves = spaces.everything, [], 0, list(_moves(played))
    for x, y in moves:
        if x not in H.points:
            raise Refused("table", "the game belongs to another table; start again")
        ones = spaces.ones(x)
        said = spaces.soa(V, ones)
        mistakes += said != y
        rows.append([x, str(int(said)), str(int(y)), "mistake" if said != y else "right"])
        V = spaces.after(V, ones, y)
    left = set(spaces.names(V))
    chips = "".join(
        f'<li><a href="{_address(text, [*moves, (str(x), y)])}">{escape(str(x))} = {int(y)}{" ✗" * wrong}</a></li>'
        for x, y, wrong in _possible(spaces, V)
    )
    concepts = "".join(
        f'<li class="{"" if name in left else "gone"}">{escape(f"{name}: {_labels(H, name)}")}</li>'
        for name in H.concepts
    )
    over = (
        "<p>One concept is left, so SOA will be right from now on.</p>"
        if not chips
        else (
            "<p>Show SOA a point and its label (✗: SOA will be wrong):</p>"
            f'<ul class="chips" aria-label="Moves">{chips}</ul>'
        )
    )
    told = facts(
        ("Mistakes of SOA", f"{mistakes} of at most {spaces.dimension}", "the bound is the Littlestone dimension"),
        ("Left", f"{len(left)} of {H.size} concepts", f"of Littlestone dimension {spaces.ldim(V)}"),
    )
    listed = html_table(["point", "SOA said", "label", "result"], rows, "So far") if rows else ""
    again = f'<p><a href="{_address(text)}">Start again</a></p>' if rows else ""
    return (
        f"<h2>Play against SOA</h2><p class=note>{ABOUT_SOA}</p>{told}{over}"
        "<p>Concepts that agree with every label so far:</p>"
        f'<ul class="chips" aria-label="Concepts">{concepts}</ul>{listed}{again}'
    )


def _labels(H: ExplicitClass, name: Any) -> str:
    return "".join(str(int(label)) for label in H[name])


def _possible(spaces: VersionSpaces, V: int) -> list[tuple[str, bool, bool]]:
    """Points that some concepts of V label 0 and others 1: point, label, and whether SOA is wrong about it."""
    found = []
    for x in spaces.concept_class.points:
        ones = spaces.ones(x)
        if V & ones and V & ~ones:
            said = spaces.soa(V, ones)
            found += [(str(x), y, said != y) for y in (False, True)]
    return found


def _moves(played: str) -> list[Move]:
    """``x1:0,x4:1`` as moves."""
    parts = [each.partition(":") for each in played.split(",") if each]
    return [(unquote(x), y == "1") for x, _, y in parts[:MOST_POINTS]]


def _address(text: str, moves: list[Move] | None = None) -> str:
    asked = {"table": text} | ({"play": ",".join(f"{quote(x, safe='')}:{int(y)}" for x, y in moves)} if moves else {})
    return escape(f"/classes?{urlencode(asked)}")
