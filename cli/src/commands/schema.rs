//! `evenweave schema`: what the JSON of a command looks like.

use clap::Args;
use evenweave_tools::output;

use crate::arguments::{Word, one_of};

/// The files of docs/schemas.
const SCHEMAS: &[Word<&str>] = &[
    ("load", include_str!("../../schemas/load.schema.json"), "`load --json`"),
    ("soak", include_str!("../../schemas/soak.schema.json"), "`load --soak TIME --json`"),
    ("simulate", include_str!("../../schemas/simulate.schema.json"), "`simulate --json`"),
    ("replay", include_str!("../../schemas/replay.schema.json"), "`replay --json`"),
    ("check", include_str!("../../schemas/check.schema.json"), "`check --format json`"),
    ("bench", include_str!("../../schemas/bench.schema.json"), "A line of `bench`"),
    ("compare", include_str!("../../schemas/compare.schema.json"), "`bench compare --format json`"),
];

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Whose output.
    #[arg(value_name = "NAME", value_parser = one_of(SCHEMAS))]
    schema: &'static str,
}

/// Prints the schema.
pub(crate) fn run(args: &SchemaArgs) {
    output::write_raw(args.schema);
}
