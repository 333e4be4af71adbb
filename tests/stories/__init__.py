"""Everyday chats of several sessions, told through the proxy: what prompts must and must not contain."""

import sys
from pathlib import Path

# `python -m tests.stories` finds the other test modules (`server.asgi`) as pytest does.
if (_TESTS := str(Path(__file__).parents[1])) not in sys.path:
    sys.path.append(_TESTS)
