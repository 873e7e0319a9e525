"""What the recipes of other packagers say agrees with pyproject.toml, and all files that they name exist."""

import re
import tomllib

import privpac

RUN = re.compile(r"^  run:\n((?:    - .*\n)+)", re.MULTILINE)
COPIED = re.compile(r"^COPY (?!--from)(.+) \S+$", re.MULTILINE)


def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))


def conda_run(recipe: str) -> set[str]:
    """The packages that a recipe asks for when the package runs, as pip spells them."""
    return {line.removeprefix("    - ").replace(" ", "") for line in RUN.search(recipe)[1].splitlines()}


def test_the_conda_recipe_asks_for_what_pip_does(root):
    recipe, asked = (root / "conda" / "recipe.yaml").read_text("utf-8"), project(root)["project"]
    assert conda_run(recipe) == {f"python{asked['requires-python']}", *asked["dependencies"]}
    assert f"\n  version: {privpac.__version__}\n" in recipe
    (script,) = asked["scripts"].items()
    assert f"- {' = '.join(script)}\n" in recipe
    assert all(f"- {each.replace('>=', ' >=')}\n" in recipe for each in project(root)["build-system"]["requires"])


def test_a_recipe_that_asks_for_another_version_is_seen():
    assert conda_run("requirements:\n  run:\n    - python >=3.11\n    - rich >=12\n\ntests:\n") == {
        "python>=3.11",
        "rich>=12",
    }


def test_the_image_copies_files_that_exist_and_installs_extras_that_exist(root):
    steps = (root / "Dockerfile").read_text("utf-8")
    copied = {name for names in COPIED.findall(steps) for name in names.split()}
    shown = {line[1:] for line in (root / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert copied == shown
    assert all((root / name).exists() for name in copied)
    extras = re.search(r"'\.\[(.+)\]'", steps)[1].split(",")
    assert set(extras) <= set(project(root)["project"]["optional-dependencies"])
    assert steps.index("USER analyst") < steps.index("ENTRYPOINT")


def test_the_source_archive_holds_files_that_exist(root):
    held = project(root)["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"/Makefile", "/constraints.txt", "/CONTRIBUTING.md", "/benchmarks", "/tests"} <= set(held)
    assert [name for name in held if not (root / name.removeprefix("/")).exists()] == []


def test_every_version_of_python_that_is_declared_has_a_classifier(root):
    declared = project(root)["project"]["classifiers"]
    versions = {each.rpartition(" :: ")[2] for each in declared if "Python :: 3." in each}
    assert versions == {"3.11", "3.12", "3.13", "3.14"}


def test_all_files_that_name_a_version_name_this_one(root):
    assert f"\nversion: {privpac.__version__}\n" in (root / "CITATION.cff").read_text("utf-8")
    assert f"\n## [{privpac.__version__}]" in (root / "CHANGELOG.md").read_text("utf-8")


def test_the_workflow_runs_everything_on_every_version_of_python(root):
    workflow = (root / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    declared = [each for each in project(root)["project"]["classifiers"] if "Python :: 3." in each]
    matrix = re.search(r"python: \[(.+)\]", workflow)[1]
    assert re.findall(r'"(.+?)"', matrix) == [each.rpartition(" :: ")[2] for each in declared]
    assert "run: .ci/run\n" in workflow


def test_hooks_call_what_lint_calls(root):
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", (root / "Makefile").read_text("utf-8"), re.MULTILINE)[1]
    hooks = re.findall(r"entry: \.venv/bin/(.+)", (root / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [line.removeprefix("\t$(BIN)/") for line in lint.splitlines()] == [
        each.removesuffix(" --force-exclude") for each in hooks
    ]
