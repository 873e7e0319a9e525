"""The standard optimal algorithm, and the adversary that it is optimal against.

[Lit88]  docs/references.bib        proofs: docs/theory/online.md

Throughout this file
    V      a version space, as a bitset of concepts        V_y    its concepts that label x with y
    H      the concept class; d = Ldim(H)                  SOA(V) the function x ↦ [Ldim(V_1) ≥ Ldim(V_0)]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from privpac.classes.finite.explicit import ClassOrMatrix, explicit
from privpac.dimensions.littlestone import Littlestone
from privpac.dimensions.witnesses import MistakeTree, whole_tree
from privpac.online.online_learner import OnlineLearner


class VersionSpaces:
    """The version spaces of a class, as bitsets of its concepts; each dimension is computed once.

    >>> spaces = VersionSpaces([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> ones = spaces.ones(1)  # the concepts that say 1 on the point 1
    >>> spaces.soa(spaces.everything, ones), spaces.after(spaces.everything, ones, False) == 0b0011
    (True, True)
    """

    def __init__(self, concept_class: ClassOrMatrix) -> None:
        self.concept_class = explicit(concept_class)
        if not self.concept_class.size:
            raise ValueError("a class without concepts cannot predict; give a class with at least one concept")
        self._littlestone = Littlestone(self.concept_class.matrix)
        self.everything = self._littlestone.everything
        self.dimension = self.ldim(self.everything)

    def ones(self, x: Hashable) -> int:
        """The concepts that label ``x`` with 1; ValueError for an unknown point."""
        return self._littlestone.columns[int(self.concept_class.columns([x])[0])]

    def ldim(self, V: int) -> int:
        """Ldim(V); −1 if ``V`` is empty."""
        return self._littlestone.dimension(V)

    def soa(self, V: int, ones: int) -> bool:
        """The label that leaves the larger Littlestone dimension of ``V``; 1 if they are equal [GGKM21, Def 4.2]."""
        return self._littlestone.soa(V, ones)

    def after(self, V: int, ones: int, y: bool) -> int:
        """V_y, the concepts of ``V`` with this label; ``V`` itself if no concept has it."""
        return (V & ones if y else V & ~ones) or V

    def moves(self, V: int, flips: int, ones: int) -> Iterator[tuple[bool, tuple[int, int]]]:
        """The predictions that an expert may make, each with the state that it leads to.

        An expert follows SOA, except for at most d *flips*, rounds in which it predicts the opposite. Its state is its
        version space V and the number of its ``flips`` so far.
        """
        soa = self.soa(V, ones)
        yield soa, (self.after(V, ones, soa), flips)
        if flips < self.dimension:
            yield not soa, (self.after(V, ones, not soa), flips + 1)

    def names(self, V: int) -> tuple[Hashable, ...]:
        """The concepts of ``V`` by their names."""
        return tuple(name for i, name in enumerate(self.concept_class.concepts) if V >> i & 1)


class StandardOptimal(OnlineLearner):
    """SOA: predict the label that leaves the larger Littlestone dimension.

    Mistakes  at most d = Ldim(H) if some concept gives all labels; no deterministic learner has a better bound [Lit88]
    Time      two Littlestone dimensions per prediction

    A label that no concept of the version space gives counts as a mistake and changes nothing.

    >>> soa = StandardOptimal([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> soa.partial_fit([1, 0, 2], [0, 1, 0]).mistakes, soa.version_space, soa.mistake_bound()
    (1, (1,), 2)
    """

    def __init__(self, concept_class: ClassOrMatrix) -> None:
        self._spaces = VersionSpaces(concept_class)
        self._V = self._spaces.everything

    @property
    def version_space(self) -> tuple[Hashable, ...]:
        """The concepts that agree with every label learned."""
        return self._spaces.names(self._V)

    def mistake_bound(self) -> int:
        """Ldim(H): no deterministic learner has a smaller bound."""
        return self._spaces.dimension

    def predict_one(self, x: Hashable) -> bool:
        return self._spaces.soa(self._V, self._spaces.ones(x))

    def _check(self, x: Hashable) -> None:
        self._spaces.ones(x)

    def _learn(self, x: Hashable, y: bool) -> None:
        self._V = self._spaces.after(self._V, self._spaces.ones(x), y)


class Adversary:
    """Contradict every prediction of a learner, along a mistake tree, so that some ``concept`` still gives all answers.

    Any deterministic learner makes a mistake in each of the d rounds; a randomized one at least d/2 in expectation.

    >>> tree = MistakeTree(points=(1, 0, 2), concepts=(0, 1, 2, 3))
    >>> adversary = Adversary(tree)
    >>> adversary.next_point(), adversary.answer(True), adversary.next_point(), adversary.answer(False)
    (1, False, 0, True)
    >>> adversary.over, adversary.concept
    (True, 1)
    """

    def __init__(self, mistake_tree: MistakeTree) -> None:
        self._tree = whole_tree(mistake_tree)
        self._node = 0

    @property
    def over(self) -> bool:
        """Whether the game has reached a leaf of the tree."""
        return self._node >= len(self._tree.points)

    @property
    def concept(self) -> Hashable:
        """A concept that gives all the answers so far."""
        node = self._node
        while node < len(self._tree.points):
            node = 2 * node + 1
        return self._tree.concepts[node - len(self._tree.points)]

    def next_point(self) -> Hashable:
        """The point to predict next."""
        if self.over:
            raise ValueError("the game is over: the path has reached a leaf of the tree")
        return self._tree.points[self._node]

    def answer(self, prediction: bool) -> bool:
        """The true label, which is the opposite of the prediction. The game moves on to the child for this label."""
        self.next_point()
        label = not prediction
        self._node = 2 * self._node + 1 + label
        return label

    def play(self, learner: OnlineLearner) -> list[tuple[Hashable, bool]]:
        """Play to the end, against the likelier prediction in each round. Returns the points and the labels shown."""
        examples = []
        while not self.over:
            x = self.next_point()
            y = self.answer(learner.probability_one(x) >= 1 / 2)
            learner.learn_one(x, y)
            examples.append((x, y))
        return examples
