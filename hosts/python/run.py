"""The program that the agent server starts: ``python run.py``, with its descriptors 3 and 4."""

import sys
from pathlib import Path

SOURCES = str(Path(__file__).resolve().parent / "src")


def run() -> None:
    """The project finds nothing of ours by its path, but for the package that is imported."""
    sys.path[0] = SOURCES
    from runyard_host.__main__ import main

    sys.path.remove(SOURCES)
    main()


if __name__ == "__main__":
    run()
