"""Units have k slots each, whatever the others do."""

import numpy as np
import pytest

from privpac.data.samples.units import NAMELESS, Quota, digest, slots_of

RNG = np.random.default_rng(5)


def chosen(unit, content, k, key="4f", rule="raise"):
    """What each unit has in its slots, and n."""
    rows, n = slots_of(Quota(np.asarray(unit), k, key), [np.asarray(content)], rule)
    found = {}
    for row in rows:
        found.setdefault(unit[row], []).append(content[row])
    return {name: sorted(values) for name, values in found.items()}, n


def test_n_is_k_times_the_units():
    unit = RNG.integers(0, 7, 100)
    for k in (1, 3, 50):
        found, n = chosen(unit, RNG.integers(0, 9, 100), k)
        assert n == 7 * k
        assert all(len(values) == min(k, (unit == name).sum()) for name, values in found.items())


@pytest.mark.parametrize("names", [list, lambda unit: [f"unit {i}" for i in unit]], ids=["integers", "text"])
def test_what_a_unit_adds_depends_on_its_own_records_alone(names):
    unit, content = names(RNG.integers(0, 6, 60)), RNG.integers(0, 1000, 60).tolist()
    whole, _ = chosen(unit, content, 3)
    for name in set(unit):
        own = [i for i, other in enumerate(unit) if other == name]
        assert chosen([name] * len(own), [content[i] for i in own], 3)[0][name] == whole[name]


def test_the_order_of_rows_does_not_matter():
    unit, content = RNG.integers(0, 6, 60), RNG.integers(0, 1000, 60)
    order = RNG.permutation(60)
    assert chosen(unit, content, 3) == chosen(unit[order], content[order], 3)


@pytest.mark.slow
def test_the_key_decides_which_records_count():
    unit, content = ["ann"] * 100, list(range(100))
    assert len({tuple(chosen(unit, content, 2, key=str(key))[0]["ann"]) for key in range(20)}) > 15
    counts = np.bincount(
        [value for key in range(2000) for value in chosen(["ann"] * 4, [0, 1, 2, 3], 1, str(key))[0]["ann"]]
    )
    assert counts.min() > 400, "2000 keys and four records: 500 each, ± 5 standard deviations"


def test_equal_records_count_as_often_as_they_occur():
    assert chosen(["ann"] * 3, [5, 5, 5], 2)[0] == {"ann": [5, 5]}


def test_records_without_a_unit_are_refused_or_left_out():
    unit, content = np.array(["ann", None, "bob", float("nan"), {}], dtype=object), [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="some records have no unit") as refusal:
        chosen(unit, content, 2)
    assert refusal.value.sentence.parts == NAMELESS
    assert chosen(unit, content, 2, rule="default") == ({"ann": [1], "bob": [3]}, 4)


def test_every_record_needs_its_unit():
    with pytest.raises(ValueError, match="one unit for each record"):
        chosen([1, 2], [1, 2, 3], 2)


def test_a_column_that_another_unit_made_floats_of_leads_to_the_same_choice():
    """pandas stores integers as floats if one is missing: units that have none missing choose as before."""
    units = np.repeat(np.arange(20), 3)
    whole, numbers = np.arange(60), np.arange(60).astype(float)
    numbers[0] = np.nan
    chosen = [slots_of(Quota(u, 1, "4f"), [x], "raise")[0] for x in (whole, numbers) for u in (units, units * 1.0)]
    assert all(set(rows[1:]) == set(chosen[0][1:]) for rows in chosen)  # row 0 to 2 are of the unit that changed


def test_a_digest_reads_key_and_content():
    assert digest("a", [1, None]) == digest("a", [1, float("nan")])
    assert len({digest("a", [1, 2]), digest("b", [1, 2]), digest("a", [2, 1]), digest("a", ["J\ud800", 1])}) == 4


@pytest.mark.slow
def test_units_choose_each_for_itself():
    """Every record of a unit is as likely to count as every other, whatever the other units chose."""
    unit, content = np.arange(600).repeat(50), np.tile(np.arange(10).repeat(5), 600)
    rows, _ = slots_of(Quota(unit, 1, "4f"), [content], "raise")
    shares = np.bincount(content[rows], minlength=10) / 600
    assert shares.max() < 0.17 and shares.min() > 0.05  # 0.1 ± 0.012 each; one choice for all units would give 1 and 0


def test_what_occurs_more_often_counts_more_often():
    unit, content = np.arange(2000).repeat(4), np.tile([0, 0, 0, 1], 2000)
    rows, _ = slots_of(Quota(unit, 1, "4f"), [content], "raise")
    assert 0.2 < content[rows].mean() < 0.3  # a quarter ± 0.01; distinct contents, equally likely, would give a half


def test_what_cannot_be_spelled_raises_nothing():
    class Silent:
        def __str__(self):
            raise RuntimeError("no")

    content = np.array([10**5000, Silent(), None, 1] * 3, dtype=object)
    rows, n = slots_of(Quota(np.zeros(12, dtype=int), 2, "4f"), [content], "default")
    assert len(rows) == 2 == n
    assert digest("4f", ["ab", "c"]) != digest("4f", ["a", "bc"]) and digest("4f", [""]) != digest("4f", [None])
