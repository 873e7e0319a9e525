"""Sphinx configuration: builds offline, from Markdown pages and docstrings, with warnings as errors.

The pages of the gallery, the table of learners, and the tour show what came out when they ran: in the tests, or here
if the tests have not run them.
"""

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import chdir
from importlib.metadata import version as installed_version
from os.path import relpath
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
warnings.filterwarnings("ignore", "this is fit")  # pages fit one class a hundred times, to show how rules vary

from notebooks import run_notebook  # noqa: E402  (which lies beside this file)
from outcomes import kept  # noqa: E402  (and so do these)
from pages import run_page  # noqa: E402

project = "privpac"
author = "The privpac authors"
project_copyright = author
release = version = installed_version("privpac")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_design"]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_theme_options = {"secondary_sidebar_items": ["page-toc"], "navbar_end": ["theme-switcher"]}
html_title = project
html_static_path = ["_static"]
html_css_files = ["wrap.css", "cards.css"]
html_show_sourcelink = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_type_aliases = {name: name for name in ("ArrayLike", "Number")}
autosummary_generate = True
PACKAGE = HERE.parent / "src"
autosummary_context = {  # folders of rooms have pages of their own
    "folders": {".".join(path.parent.relative_to(PACKAGE).parts) for path in PACKAGE.rglob("__init__.py")}
}
numpydoc_show_class_members = False

# Without the network only our own names can be resolved, so only they are required to resolve.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!privpac\b).*"),
    # type variables
    (r"py:class", r"privpac\.[\w.]+\.(Answer|AnyRequest|Entry|Front|Function|Made|Planned|Result|Returned|State|Task)"),
]

RUN = ("gallery/", "guide/learners")  # pages that show what came out
TOUR = "guide/tour"  # a notebook, shown below its own heading as a page
LEGENDS = ("Throughout this file", "Throughout this room", "Main declarations")


def readable(lines: Iterable[str]) -> Iterator[str]:
    """Our docstrings as reStructuredText: legends keep their columns, and outside code |X| is a size."""
    legend = example = False
    for line in lines:
        legend = line.startswith(LEGENDS) or (legend and not line[:1].strip())
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if line.startswith(LEGENDS):
            yield from (f"{line}::", "")
        else:
            yield line if legend or example else line.replace("|", r"\|")


def read_house_docstring(*event: Any) -> None:
    """Rewrite the lines that autodoc hands over as the last part of its event."""
    lines: list[str] = event[-1]
    lines[:] = readable(lines)


def name_aliases(*event: Any) -> tuple[str, str] | None:
    """Sphinx shows an alias inside a union as TypeAliasForwardRef('Name'); show its name."""
    signature, returned = (re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", part or "") for part in event[-2:])
    return (signature, returned) if signature else None


def skip_what_is_imported(*event: Any) -> bool | None:
    """Autodoc reads the signature of a name that a module only imports, and stumbles over some builtins."""
    *_, thing, _, _ = event
    return None if (getattr(thing, "__module__", None) or project).startswith(project) else True


def run_shown(app: Sphinx, docname: str, source: list[str]) -> None:
    """Show a page with what came out and the pictures that it saved; stop if something is wrong."""
    if not docname.startswith(RUN):
        return
    folder = Path(app.doctreedir, "gallery")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(HERE.parent / "examples")
    pictures = relpath(folder, Path(app.srcdir, docname).parent)
    shown = kept(source[0], folder)
    text = _run(source[0], docname, folder) if shown is None else shown
    source[0] = re.sub(r"\]\((?=[\w-]+\.svg\))", f"]({pictures}/", text)


def _run(text: str, docname: str, folder: Path) -> str:
    """The page, run here."""
    with chdir(folder):
        page = run_page(text, docname)
    if page.reports:
        raise ExtensionError("".join(page.reports))
    return page.text


def show_notebook(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the page's own text below the heading of the notebook, and above what its cells show."""
    if docname == TOUR:
        notebook = Path(app.srcdir, f"{TOUR}.ipynb")
        app.env.note_dependency(str(notebook))
        text = notebook.read_text("utf-8")
        shown = kept(text, notebook.parent)
        heading, _, rest = (run_notebook(text, docname) if shown is None else shown).partition("\n")
        source[0] = f"{heading}\n\n{source[0]}\n{rest}"


def setup(app: Sphinx) -> None:
    """Run pages; read docstrings before numpydoc does, and signatures after it."""
    app.connect("source-read", run_shown)
    app.connect("source-read", show_notebook)
    app.connect("autodoc-skip-member", skip_what_is_imported)
    app.connect("autodoc-process-signature", name_aliases, priority=900)
    app.connect("autodoc-process-docstring", read_house_docstring, priority=100)
