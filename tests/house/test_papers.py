"""The pages of papers list every numbered statement of their paper, and name only tests that exist."""

import re

import pytest

STATEMENTS = {
    "Yan25": "Def. 1–20; Thm 1–13; Lemma 1–9; Cor. 1–2; Claim 1–6; Alg. 1–4; Assumption 1–2; Fact 1; Obs. 1; Example 1",
    "BBKN14": """Def. 2.1–2.3, 2.5, 3.1, 3.3, 3.5, 4.6–4.7, 4.10, 5.1, 5.3, 5.6; Remark 2.6, 5.5, 6.2; Obs. 2.7
        Thm 2.4, 3.2, 3.6, 4.2, 4.8–4.9, 4.11, 5.4, 5.8, 6.1, 7.1–7.2; Lemma 3.4, 3.9–3.10, 4.1, 4.4, 5.2
        Prop. 3.7; Cor. 3.8; Claim 4.3, 4.5; Example 5.7; Table 1""",
    "GGKM21": """Thm 1.1, 2.1, 5.7, 6.4, 6.6, 6.8–6.9, A.1, A.4
        Cor. 1.2–1.3, 6.5, 6.7, A.5; Def. 2.1–2.5, 4.1–4.4, 5.1
        Lemma 4.1–4.7, 5.1–5.5, 6.1–6.3, A.2–A.3, A.6; Alg. 1–3; Prop. 5.6, B.1; Remark 5.1; Claim 5.8–5.9; Figure 1""",
    "ABMS20": """Question 1.1–1.2
        Thm 2.1–2.4, 3.2, 3.8–3.9, 3.14, 6.1, 7.1; Def. 3.1, 3.3–3.7, 3.10–3.11, 5.1; Alg. 1–5
        Lemma 3.12, 5.3, 5.5, 7.2–7.3; Prop. 3.13, 4.2–4.3; Obs. 4.1; Example 5.2; Claim 5.4; Remark 7.4; Figure 1""",
    "HCT24": "Def. 1, 3–4, 6–8, 10; Lemma 2, 5, 9, 11–13, 16–17, 20; Thm 14, 21; Cor. 15, 18–19, 22; Alg. 1–7",
}
KIND = (
    r"(Def|Thm|Lemma|Cor|Claim|Alg|Assumption|Fact|Obs|Example|Remark|Prop|Question|Figure|Table)s?\.? (?=[A-Z]?\.?\d)"
)
NUMBER = r"(?:[A-Z]\.)?\d+(?:\.\d+)?"
FILE = re.compile(r"`((?:tests/)?[\w/]*test_\w+(?:\.py)?)`")


def statements(text: str) -> set[str]:
    """Thms 2.1–2.3, 3.1 → Thm 2.1, Thm 2.2, Thm 2.3, Thm 3.1."""
    _, *parts = re.split(KIND, text)
    found = set()
    for kind, rest in zip(parts[::2], parts[1::2], strict=True):
        numbers = re.match(rf"{NUMBER}(?:(?:–|, | and ){NUMBER}\b)*", rest)[0]
        for first, last in re.findall(rf"({NUMBER})(?:–({NUMBER}))?", numbers):
            *head, low = first.split(".")
            high = (last or first).split(".")[-1]
            found |= {f"{kind} {'.'.join([*head, str(i)])}" for i in range(int(low), int(high) + 1)}
    return found


def first_cells(page: str) -> str:
    return "; ".join(line.split("|")[1] for line in page.splitlines() if line.startswith("|"))


@pytest.mark.parametrize("key", STATEMENTS)
def test_every_numbered_statement_has_its_row(root, key):
    page = (root / "docs" / "papers" / f"{key}.md").read_text("utf-8")
    assert statements(STATEMENTS[key]) - statements(first_cells(page)) == set()


@pytest.mark.parametrize("key", STATEMENTS)
def test_the_tests_of_a_page_exist(root, key):
    page = (root / "docs" / "papers" / f"{key}.md").read_text("utf-8")
    files = {path.stem for path in (root / "tests").rglob("test_*.py")}
    functions = {
        name
        for path in (root / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text("utf-8"))
    }
    named = {each.removesuffix(".py").rpartition("/")[2] for each in FILE.findall(page)}
    assert named - files - functions == set()


def test_a_gap_is_seen():
    assert statements("Thms 2.1–2.3, Lemma A.2, A.3; E-X-5") == {
        "Thm 2.1",
        "Thm 2.2",
        "Thm 2.3",
        "Lemma A.2",
        "Lemma A.3",
    }
    assert statements("Def. 1–3") - statements(first_cells("| Def. 1, 2 | Def. 3 |")) == {"Def 3"}
