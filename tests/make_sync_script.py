"""`tools/make_sync.py`, imported for tests."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType


def load() -> ModuleType:
    """Import the script; it is not part of the package."""
    path = Path(__file__).parent.parent / "tools" / "make_sync.py"
    spec = spec_from_file_location("make_sync", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_sync = load()
