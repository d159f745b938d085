//! User elements.

use super::context::{Context, Field, Owner};
use super::elements::USER;
use super::error::AllocationFileError as Error;
use super::file::AllocationFile;
use crate::xml::Element;

/// Reads a `user` element.
pub(super) fn read_user(
    context: &mut Context<'_>,
    element: &Element<'_>,
    file: &mut AllocationFile,
) -> Result<(), Error> {
    context.warn_of_attributes(element, &["name"]);
    let name = element.attribute("name").unwrap_or_default();
    if name.is_empty() {
        context
            .warnings
            .warn("user-without-name", element.name_at(), "<user> has no name")
            .effect("it applies to nobody")
            .help("add name=\"...\"");
    }
    for element in element.elements() {
        let field = Field { owner: Owner::User(name), element };
        if element.name == "maxRunningApps" {
            let limit = context.integer(field);
            if let Some(limit) = context.settle(limit)? {
                file.users.insert(name.to_owned(), limit);
            }
        } else {
            context.warn_of_ignored(field, "user", USER);
        }
    }
    context.warn_of_stray_text(element);
    Ok(())
}
