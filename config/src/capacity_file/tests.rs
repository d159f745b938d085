//! Rules that need more than one part of the reading: numbers of `docs/rules/capacity.md`.
