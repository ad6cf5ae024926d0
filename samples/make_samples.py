"""Regenerate every sample document and the statements of what is true of it.

Run ``python samples/make_samples.py`` with the packages of samples/requirements.txt installed. The same
packages give the same bytes: dates are fixed, random numbers are seeded, fonts come from packages only.
"""

from __future__ import annotations

from pathlib import Path

from build import annex, commodity, policy, truth

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Build the three documents, then write the expected values from what the builders counted."""
    facts = {}
    builders = {"commodity-report": commodity, "jp-policy": policy, "scanned-annex-report": annex}
    for name, builder in builders.items():
        facts[name] = builder.build(HERE)
        print(f"{name}.pdf  {(HERE / f'{name}.pdf').stat().st_size:,} bytes")
    truth.write(HERE, facts)


if __name__ == "__main__":
    main()
