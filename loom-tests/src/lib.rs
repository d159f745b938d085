//! Models of the lock-free protocols of `evenweave`; see `tests/` and the README.
