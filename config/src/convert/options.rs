//! What a conversion is told.

use super::rules::ConversionRules;
use evenweave_resource::Resource;

/// How to convert; the default is what Hadoop's command does without options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// `-pc`: percentages in place of weights.
    pub percentages: bool,
    /// `-a`: containers are placed asynchronously.
    pub asynchronous: bool,
    /// `-t`: a placement rule that always decides may stand before others.
    pub no_terminal_rule_check: bool,
    /// `-sp`: placement rules are left out.
    pub skip_placement_rules: bool,
    /// `-e`: mapping rules get a file of their own.
    pub rules_to_file: bool,
    /// `-dp observeonly`: preemption only tells what it would do.
    pub observe_only: bool,
    /// `-dp nopolicy`: no preemption. Hadoop's converter takes no notice; with [`ConvertOptions::safe`] it counts.
    pub no_preemption: bool,
    /// `-d`: what would end the conversion is noted down.
    pub dry_run: bool,
    /// `-c`: what the cluster has. Without effect in Hadoop's converter; with [`ConvertOptions::safe`] maxima in
    /// amounts become parts of it.
    pub cluster: Option<Resource>,
    /// Where the file of mapping rules will lie, for [`ConvertOptions::safe`]: then a property points to it.
    pub rules_path: Option<String>,
    /// What was meant is written, where Hadoop's converter writes something that harms. Not Hadoop's.
    pub safe: bool,
    /// What is done about settings that cannot be converted.
    pub rules: ConversionRules,
}
