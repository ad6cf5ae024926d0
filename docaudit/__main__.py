"""`python -m docaudit` is the command line."""

import sys

from docaudit.cli import main

sys.exit(main())
