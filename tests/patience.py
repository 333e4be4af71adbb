"""How long a test waits for what must come to pass: each wait ends as soon as it does, so a long one costs nothing."""

import os

PATIENCE_S = int(os.environ.get("TEST_PATIENCE_S", "600"))
"""No machine is so busy that what takes seconds takes this long; what does is a fault. Planted defects get less."""
