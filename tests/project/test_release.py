"""A release is refused until it is fit, and what it would publish says the same in every file."""

import re
import tomllib

import pytest
from sources import ROOT

from jobs import changelog, release
from jobs.changelog import merged, untold, waiting
from jobs.environment import project, requirements, wanted

PYPROJECT = project()
VERSION = release.version()
RECIPE = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
CITATION = (ROOT / "CITATION.cff").read_text("utf-8")
BEFORE = "# Changelog\n\nHow to read it.\n\n## 0.1.0 (2026-01-01)\n\n### Added\n\n* One.\n"


def test_the_version_is_one():
    """The package, its installation, the citation and the recipe name the same version."""
    import korba

    assert korba.__version__ == release.version()
    assert f"\nversion: {release.version()}\n" in CITATION
    assert f'\n  version: "{release.version()}"\n' in RECIPE


def test_the_recipe_asks_for_what_the_project_asks_for():
    """Libraries and bounds of conda-forge are those of pyproject.toml, and so is its build."""
    runs = re.findall(r"^    - (\S+ >=[\d.]+)$", RECIPE, re.M)
    build = PYPROJECT["build-system"]["requires"]
    needs = [*build, *PYPROJECT["project"]["dependencies"]]
    assert runs == [need.replace(">=", " >=") for need in needs]


def test_authors_are_the_developers():
    """Wherever somebody is named, it is the developers."""
    who = "The Korba developers"
    assert PYPROJECT["project"]["authors"] == [{"name": who}]
    assert f"authors:\n  - name: {who}\n" in CITATION
    assert f"Copyright (c) 2026, {who}" in (ROOT / "LICENSE").read_text("utf-8")


def test_it_is_refused_where_the_address_is_the_placeholder(monkeypatch):
    """The sentence names the files; without the placeholder it is not said."""
    monkeypatch.setattr(release, "_named", lambda: iter(["README.md"]))
    assert any("korba.invalid in README.md" in said for said in release.refusals())
    monkeypatch.setattr(release, "_named", lambda: iter([]))
    assert not any("korba.invalid" in said for said in release.refusals())


@pytest.mark.parametrize(
    ("heading", "fit"),
    [("{} (2026-11-19)", True), ("{} (not yet released)", False), ("9.9.9 (2026-11-19)", False)],
)
def test_it_is_refused_where_the_changelog_lacks_the_version(heading, fit, monkeypatch, tmp_path):
    """Its first version is this one, with a date."""
    (tmp_path / "CHANGELOG.md").write_text(f"## {heading.format(VERSION)}\n")
    monkeypatch.setattr(release, "version", lambda: VERSION)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "_git", lambda *_: [])
    assert any("CHANGELOG.md begins" in said for said in release.refusals()) is not fit


def test_notes_that_wait_refuse_a_release(monkeypatch, tmp_path):
    """What is in changelog.d has to be in CHANGELOG.md first."""
    (tmp_path / "CHANGELOG.md").write_text(f"## {VERSION} (2026-11-19)\n")
    (tmp_path / "changelog.d").mkdir()
    monkeypatch.setattr(release, "version", lambda: VERSION)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "_git", lambda *_: [])
    assert not [*release.refusals()]
    (tmp_path / "changelog.d" / "new.added.md").write_text("Something new.\n")
    assert ["1 notes wait" in said for said in release.refusals()] == [True]


@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_fragments_go_under_their_version(version):
    """One that is there keeps its sentences, a new one stands first; the preface stays."""
    text = merged(BEFORE, version, "2026-11-19", {"added": ["Two.\n"], "fixed": ["A\nfault.\n"]})
    assert text.startswith(
        f"# Changelog\n\nHow to read it.\n\n## {version} (2026-11-19)\n\n### Added"
    )
    own = text.split("## ")[0 if version == "0.1.0" else 1 :]
    assert text.count("* One.\n") == text.count("* Two.\n") == text.count("* A fault.\n") == 1
    assert text.index("* Two.") < text.index("### Fixed") < text.index("* A fault.")
    assert own
    assert (text.index("* One.") < text.index("* Two.")) == (version == "0.1.0")


def a_project(folder, page, monkeypatch):
    """A folder with a page and two fragments, in the place of this project."""
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n{page}")
    (folder / "changelog.d").mkdir()
    (folder / "changelog.d" / "one.added.md").write_text("`kb.told` and `kb.new(1)`\nare there.\n")
    (folder / "changelog.d" / "two.fixed.md").write_text("A fault is gone.\n")
    monkeypatch.setattr(changelog, "ROOT", folder)
    return folder


def test_the_first_version_is_told_as_a_whole(monkeypatch, tmp_path, capsys):
    """Its page is dated and stays as it is; names that it does not have are told."""
    page = "## 0.1.0 (not yet released)\n\nAll of it: `kb.told`.\n"
    root = a_project(tmp_path, page, monkeypatch)
    assert waiting(root) == ""
    assert changelog.main(["0.1.0"]) == 0
    assert "not on the page: kb.new (one.added)\n" in capsys.readouterr().out
    text = (root / "CHANGELOG.md").read_text()
    assert re.fullmatch(
        r"# Changelog\n\n## 0\.1\.0 \(\d{4}-\d\d-\d\d\)\n\nAll of it: `kb.told`.\n", text
    )
    assert not [*(root / "changelog.d").iterdir()]
    assert untold(text, {"a": "`kb.told` is there."}) == {}


def test_later_versions_have_their_fragments(monkeypatch, tmp_path):
    """The handbook shows them before, the changelog after."""
    root = a_project(tmp_path, "## 0.1.0 (2026-01-01)\n\nAll of it.\n", monkeypatch)
    shown = "### Added\n\n* `kb.told` and `kb.new(1)` are there.\n"
    assert waiting(root).startswith(f"\n## Unreleased\n\n{shown}")
    assert changelog.main(["0.2.0"]) == 0
    text = (root / "CHANGELOG.md").read_text()
    assert text.index("## 0.2.0") < text.index("kb.new(1)") < text.index("A fault is gone")
    assert text.index("A fault is gone") < text.index("## 0.1.0")


def test_the_recipe_is_filled_in(monkeypatch, tmp_path):
    """With the version and the checksum of the sources."""
    (tmp_path / "dist").mkdir()
    (tmp_path / "korba.tar.gz").write_bytes(b"sources")
    monkeypatch.setattr(release, "version", lambda: "7.8.9")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    release._recipe_of(tmp_path / "korba.tar.gz")
    text = (tmp_path / "dist" / "recipe.yaml").read_text("utf-8")
    assert '  version: "7.8.9"\n' in text
    assert re.search(r"  sha256: [0-9a-f]{64}\n", text)
    assert "${{ version }}" in text


def test_the_page_of_the_index_has_whole_addresses():
    """No link and no picture of README.md is left that an index cannot follow."""
    text = (ROOT / "README.md").read_text("utf-8")
    hook = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for each in hook["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    links = re.findall(r"\]\((.+?)\)", text)
    assert links
    assert all(link.startswith("https://") for link in links)
    assert "![Leg of Jansen's walker" in text
    assert "/raw/main/docs/pictures/" in text


def test_what_is_installed_depends_on_bounds_alone(monkeypatch, tmp_path):
    """Another rule of the linter installs nothing again, another bound does."""
    monkeypatch.setattr("jobs.environment.ROOT", tmp_path)
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    texts = [
        text,
        text.replace("line-length = 100", "line-length = 90"),
        text.replace(">=8.3", ">=8.4"),
    ]
    found = []
    for each in texts:
        assert tomllib.loads(each)
        (tmp_path / "pyproject.toml").write_text(each, "utf-8")
        found.append(wanted(("test",)))
    assert found[0] == found[1] != found[2]
    assert "pytest>=8.4" in requirements("test")
