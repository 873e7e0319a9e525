"""Every citation has an entry in docs/references.bib, which is sorted and has each key once."""

import io
import re
import tokenize

import pytest

CITATION = re.compile(
    r"\[([A-Z][A-Za-z]*\d\d[a-z]?)(?=[],;])|\[([A-Z][A-Za-z]*), (?:Thm|Theorem|Alg|Lemma|Def|Prop|Cor|§)"
)
SECOND = re.compile(r"\[[A-Z][^]\n]*; ([A-Z][A-Za-z]*\d\d[a-z]?)(?=[],;])")
ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.MULTILINE)


def cited(text: str) -> set[str]:
    """The keys in ``[Key25]``, ``[Key25, Thm 3]``, ``[Key25, Thm 3; Other24]``, ``[Key, Thm 3]``."""
    found = {first or second for first, second in CITATION.findall(text)}
    return found | set(SECOND.findall(text))


def prose(source: str) -> str:
    """The comments and strings of a Python file: subscripts are no citations."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "\n".join(token.string for token in tokens if token.type in {tokenize.COMMENT, tokenize.STRING})


def unknown(texts: dict[str, str], bibliography: str) -> dict[str, set[str]]:
    """Keys cited in each text that the bibliography lacks."""
    keys = set(ENTRY.findall(bibliography))
    return {name: cited(text) - keys for name, text in texts.items() if cited(text) - keys}


@pytest.mark.slow
def test_every_citation_is_known(root):
    texts = {str(path.relative_to(root)): prose(path.read_text("utf-8")) for path in (root / "src").rglob("*.py")}
    pages = [path for path in (root / "docs").rglob("*.md") if "_build" not in path.parts]
    texts |= {str(path.relative_to(root)): path.read_text("utf-8") for path in pages}
    assert any(cited(text) for text in texts.values())
    assert unknown(texts, (root / "docs" / "references.bib").read_text("utf-8")) == {}


def test_the_bibliography_is_sorted_without_repetition(root):
    keys = ENTRY.findall((root / "docs" / "references.bib").read_text("utf-8"))
    assert keys == sorted(set(keys))


def test_citations_are_read():
    assert cited("see [KOV15, Thm 3.3] and [Yan25] and [Knuth, Alg. 2]") == {"KOV15", "Yan25", "Knuth"}
    assert cited("[ABMS20, Lemma 5.3; DRV10]") == {"ABMS20", "DRV10"}
    assert cited("x[3], NDArray[Int], [selection, Theorem 2], [Yan25](Yan25.md), a [link](page.md)") == {"Yan25"}


def test_an_unknown_key_is_seen():
    assert unknown({"page": "by [Abc99, Thm 1]"}, "@misc{Yan25,\n}") == {"page": {"Abc99"}}
    assert unknown({"code": prose('x = table[Abc99]  # as in [Yan25]\n"""[Def98, §2]"""')}, "") == {
        "code": {"Yan25", "Def98"}
    }
