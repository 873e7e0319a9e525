"""``python -m privpac`` is the program ``privpac``."""

from privpac.cli import app

if __name__ == "__main__":
    app()
