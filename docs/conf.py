"""Sphinx configuration: builds offline, from Markdown pages and docstrings, with warnings as errors."""

import re
from importlib.metadata import version as installed_version

from sphinx.application import Sphinx

project = "privpac"
author = "The privpac authors"
project_copyright = author
release = version = installed_version("privpac")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_theme_options = {"secondary_sidebar_items": ["page-toc"], "navbar_end": ["theme-switcher"]}
html_show_sourcelink = False

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autosummary_generate = True
numpydoc_show_class_members = False

# Without the network only our own names can be resolved, so only they are required to resolve.
nitpick_ignore_regex = [(r"py:.*", r"(?!privpac\b).*")]

LEGENDS = ("Throughout this file", "Main declarations")


def read_house_docstring(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Our docstrings are plain text with ``code`` and doctests: legends are kept line by line, and |X| is a size."""
    text = "\n".join(lines)
    for legend in LEGENDS:
        text = re.sub(rf"^{legend}.*$", r"\g<0>::\n", text, flags=re.MULTILINE)
    lines[:] = [line if line.startswith((" ", ">>>", "...")) else line.replace("|", r"\|") for line in text.split("\n")]


def setup(app: Sphinx) -> None:
    """Read docstrings before numpydoc does."""
    app.connect("autodoc-process-docstring", read_house_docstring, priority=100)
