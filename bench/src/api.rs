//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use crate::api_stub::*;
