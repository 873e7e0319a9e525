"""A preview tells what the release then costs."""

import pytest

from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.privacy.accounting.delta import LargeDelta
from privpac.release.private_release import PrivateRelease


@pytest.mark.parametrize("queries", [Points(), Thresholds(0, 99, direction="above")], ids=str)
@pytest.mark.parametrize("delta", [None, 1e-7])
def test_it_is_what_the_release_spends(queries, delta):
    front = PrivateRelease(queries, epsilon=2, delta=delta)
    ahead = front.preview(500)
    front.fit([i % 50 for i in range(500)])
    assert front.privacy_ == ahead.cost
    assert (front.guarantee_.certain is not None) == ahead.certain == (not ahead.measuring)
    assert front.release_.sanitizer == ahead.title


def test_it_refuses_what_the_release_refuses():
    with pytest.raises(LargeDelta):
        PrivateRelease(Points(), delta=0.01).preview(1000)
    with pytest.raises(ValueError, match="δ above 0"):
        PrivateRelease(Points(), delta=0).preview(1000)
