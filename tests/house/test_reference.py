"""The reference lists every public name."""

import re

import privpac


def test_every_public_name_is_listed(root):
    listed = set(re.findall(r"~privpac\.\S+\.(\w+)", (root / "docs" / "reference.md").read_text("utf-8")))
    public = {name for name in privpac.__all__ if callable(getattr(privpac, name))}
    assert listed == public
