"""``python -m privpac`` is the program ``privpac``."""

from privpac.cli import run_typed

if __name__ == "__main__":
    run_typed()
