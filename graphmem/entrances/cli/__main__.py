"""`python -m graphmem.entrances.cli` does what the command `graphmem` does."""

from __future__ import annotations

import sys

from graphmem.entrances.cli import main

sys.exit(main())
