"""Where the fonts come from: only the generators' own packages, never the machine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def _package_dir(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"samples: the font package {name} is missing; see samples/README.md")
    return Path(spec.origin).parent


def fira_dir() -> Path:
    """Fira Sans (OFL 1.1), headings and charts."""
    return _package_dir("fontpkg_fira_sans") / "files"


def ipaex_gothic() -> Path:
    """IPAex Gothic (IPA Font License 1.0), all Japanese text."""
    return _package_dir("matplotlib_fontja") / "fonts" / "ipaexg.ttf"


def script_font(package: str) -> Path:
    """A handwriting-like font (OFL 1.1) for the filled-in form of the scanned annex."""
    return min((_package_dir(package) / "files").glob("*.ttf"))
