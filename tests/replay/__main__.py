"""`python -m tests.replay` compares, `--write` writes anew."""

import sys

from tests.replay.net import main

if __name__ == "__main__":
    sys.exit(main())
