"""New files have the mode that they were made with, whatever the umask allows; files that exist keep theirs."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from privpac.data.files.private_files import GROUP, OWNER, make, opener, own_folder, write_new


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


@pytest.mark.parametrize(("mask", "group"), [(0, GROUP), (0o022, GROUP), (0o077, OWNER)])
def test_modes_do_not_come_from_the_umask(tmp_path, mask, group):
    before = os.umask(mask)
    try:
        make(tmp_path / "store")
        write_new(tmp_path / "model", "ü\n")
        with open(tmp_path / "key", "x", opener=opener(OWNER)) as file:
            file.write("key")
    finally:
        os.umask(before)
    assert [mode(tmp_path / name) for name in ("store", "model", "key")] == [OWNER, group, OWNER]
    assert (tmp_path / "model").read_text("utf-8") == "ü\n"


def test_a_file_that_exists_keeps_its_mode_and_is_not_made_twice(tmp_path):
    (tmp_path / "page").write_text("a long text")
    (tmp_path / "page").chmod(0o604)
    write_new(tmp_path / "page", "new")
    assert (mode(tmp_path / "page"), (tmp_path / "page").read_text()) == (0o604, "new")
    with pytest.raises(FileExistsError):
        make(tmp_path / "page")


def test_a_process_has_a_folder_of_its_own_until_it_ends():
    assert mode(own_folder()) == 0o700
    code = "from privpac.data.files.private_files import own_folder; print(own_folder())"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert other != own_folder()
    assert not Path(other).exists()
