"""Places of a line: floats by length, other values alike."""

import pytest

from privpac.data.domains.line import Line
from privpac.data.values.float_lengths import Places


def test_places_are_as_long_as_floats_are_apart():
    room = Line(0.0, 8.0).room
    one, two, four = (int(Line(0.0, 8.0).encode([value])[0]) for value in (1.0, 2.0, 4.0))
    assert (room.at(four) - room.at(two)) / (room.at(two) - room.at(one)) == pytest.approx(2, rel=1e-5)
    for number in (0, one, two - 1, room.size - 1):
        assert room.number_at(room.at(number)) == number
    assert Line(-1e300, 1e300).room == Places(Line(-1e300, 1e300).size)  # declared by where floats end
    assert Line(0.0, 5e-324).room == Places(2)
