//! What a file of reservations brings into a run: the reservations, and the system that takes them.

use std::path::Path;

use crate::api::SiteProperties;
use crate::failure::Failure;
use crate::files::open;
use crate::traces::{Booking, read_bookings};

/// Reads the file that `--reservations` names.
///
/// # Errors
/// A file that cannot be read, and the first thing that is wrong in it.
pub fn bookings_in(path: &Path) -> Result<Vec<Booking>, Failure> {
    let name = path.display().to_string();
    let file = open(path, "--reservations")?;
    Ok(read_bookings(file, &name)?)
}

/// Switches the reservation system on, unless the site says otherwise.
pub fn switch_reservations_on(site: &mut SiteProperties) {
    const ENABLE: &str = "yarn.resourcemanager.reservation-system.enable";
    if site.get(ENABLE).ok().flatten().is_none_or(|text| text.trim().is_empty()) {
        site.set(ENABLE, "true");
    }
}
