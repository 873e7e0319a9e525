"""The page of classes: the dimensions of a table of 0 and 1, what proves them, and a game against SOA.

Throughout this file
    V      the version space: the concepts that agree with every label so far
    SOA    predicts the label that leaves the larger Littlestone dimension
"""

from __future__ import annotations

from urllib.parse import quote, unquote, urlencode

from privpac.app.forms import FormField, FormValues
from privpac.app.markup import inline, render
from privpac.app.pages.table_editor import TypedTable, after_click
from privpac.app.refusals import result_or_refusal
from privpac.app.session import Session
from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions import Dimension, littlestone_dimension, threshold_dimension, tree_order, vc_dimension
from privpac.online.soa import VersionSpaces
from privpac.refusals.refusal import Refused, Setting
from privpac.report.pictures.trees import draw_mistake_tree, draw_tree_order

MEANINGS = {
    "VC dimension": "the most points that the rules label in every way",
    "Littlestone dimension": "how many mistakes the best learner makes at worst, if cases come one by one",
    "Threshold dimension": "how many of the rules behave like cuts of a line, on as many points",
}
FIRST_TABLE = "0000\n1000\n1100\n1010\n0001"
EXAMPLES = {
    "a tree": FIRST_TABLE,
    "thresholds": "0000\n0001\n0011\n0111\n1111",
    "points": "1000\n0100\n0010\n0001",
    "all of 3 points": "000\n001\n010\n011\n100\n101\n110\n111",
}
MOST_CONCEPTS, MOST_POINTS, SECONDS = 64, 40, 5
Move = tuple[str, bool]


def classes_page(session: Session, values: FormValues) -> str:
    """The form, the dimensions with their pictures, and the game."""
    text = after_click(values.get("table", FIRST_TABLE).replace("\r", ""), values.get("draw", ""))
    hint = f"At most {MOST_CONCEPTS} lines of 0 and 1."
    fields = [FormField("Concepts, a line each", "table", text, hint, lines=10)]
    result = result_or_refusal(lambda: _result(text, values.get("play", "")), fields)
    examples = [(name, _address(table)) for name, table in EXAMPLES.items()]
    return render("theory/classes.html", mode=session.mode, fields=fields, examples=examples, **result)


def _result(text: str, game: str) -> dict[str, object]:
    table = TypedTable.read(text)
    if len(table.rows) > MOST_CONCEPTS or len(table.points) > MOST_POINTS:
        most = f" may have at most {MOST_CONCEPTS} lines of {MOST_POINTS} labels here; `privpac dimension` takes more"
        raise Refused("table", Setting("table"), most)
    H = table.concept_class()
    return {"editor": table} | _dimensions(H) | _game(H, text, game)


def _dimensions(H: ExplicitClass) -> dict[str, object]:
    vc, littlestone = vc_dimension(H, time_limit=SECONDS), littlestone_dimension(H, time_limit=SECONDS)
    threshold = threshold_dimension(H, time_limit=SECONDS)
    dimensions = dict(zip(MEANINGS, (vc, littlestone, threshold), strict=True))
    tree = littlestone.witness
    return {
        "dimensions": [(name, _value(dimension), MEANINGS[name]) for name, dimension in dimensions.items()],
        "proofs": [[name, dimension.reason] for name, dimension in dimensions.items()],
        "merged": len(H.twins) + len(H.point_twins),
        "mistake_tree": inline(draw_mistake_tree(tree, deepest=5)) if tree is not None and tree.value else None,
        "tree_order": inline(draw_tree_order(tree_order(H))) if vc.exact and vc.value <= 1 and H.size else None,
    }


def _value(dimension: Dimension) -> str:
    return f"{dimension.value}" if dimension.exact else f"{dimension.lower} to {dimension.upper}"


def _game(H: ExplicitClass, text: str, game: str) -> dict[str, object]:
    """The moves so far, and those that are possible now."""
    spaces = VersionSpaces(H)
    V, moves = spaces.everything, _moves(game)
    rounds, mistakes = [], 0
    for x, y in moves:
        if x not in H.points:
            raise Refused("table", "the game belongs to another table; start again")
        ones = spaces.ones(x)
        prediction = spaces.soa(V, ones)
        mistakes += prediction != y
        rounds.append([x, str(int(prediction)), str(int(y)), "mistake" if prediction != y else "right"])
        V = spaces.after(V, ones, y)
    names_left = set(spaces.names(V))
    so_far = f"{mistakes} of at most {spaces.dimension}"
    return {
        "score": [
            ("Mistakes of SOA", so_far, "the bound is the Littlestone dimension"),
            ("Left", f"{len(names_left)} of {H.size} concepts", f"of Littlestone dimension {spaces.ldim(V)}"),
        ],
        "moves": [
            (f"{x} = {int(y)}{' ✗' if is_mistake else ''}", _address(text, [*moves, (x, y)]))
            for x, y, is_mistake in _possible_moves(spaces, V)
        ],
        "concepts": [(f"{c}: {''.join(str(int(label)) for label in H[c])}", c in names_left) for c in H.concepts],
        "rounds": rounds,
        "first_round": _address(text),
    }


def _possible_moves(spaces: VersionSpaces, V: int) -> list[tuple[str, bool, bool]]:
    """Points that some concepts of V label 0 and others 1: point, label, and whether SOA is wrong about it."""
    moves = []
    for x in spaces.concept_class.points:
        ones = spaces.ones(x)
        if V & ones and V & ~ones:
            prediction = spaces.soa(V, ones)
            moves += [(str(x), y, prediction != y) for y in (False, True)]
    return moves


def _moves(game: str) -> list[Move]:
    """``x1:0,x4:1`` as moves."""
    parts = [move.partition(":") for move in game.split(",") if move]
    return [(unquote(x), y == "1") for x, _, y in parts[:MOST_POINTS]]


def _address(text: str, moves: list[Move] | None = None) -> str:
    game = {"play": ",".join(f"{quote(x, safe='')}:{int(y)}" for x, y in moves)} if moves else {}
    return f"/classes?{urlencode({'table': text} | game)}"
