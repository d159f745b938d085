//! What an embedder submits: an application, its AM's container, another attempt.

use crate::app::{Ask, Location};
use crate::engine::intake::locations::Locations;
use crate::event::Refused;
use crate::reservation::ReservationId;
use crate::resource::Resource;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// An application that the embedder submits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Submission {
    /// The number of the application. Together with the cluster timestamp it is the application's id.
    pub number: u32,
    /// The user who submits.
    pub user: String,
    /// The requested queue. `None` means `default`: the placement rules choose.
    #[cfg_attr(feature = "serde", serde(default))]
    pub queue: Option<String>,
    /// The AM's container. It is asked for at once (priority 0), and is the first container granted. `None`: an
    /// unmanaged AM, which runs outside the cluster.
    #[cfg_attr(feature = "serde", serde(default))]
    pub am: Option<AmRequest>,
    /// The application was accepted before into this leaf queue: by `accept`, or by a ResourceManager before its
    /// restart. Then placement rules and rights are not checked. If the queue no longer exists, a FairScheduler puts
    /// the application into `root.recovery`, as Hadoop does; a CapacityScheduler refuses it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub accepted: bool,
    /// Whether a ResourceManager accepted it before its restart, and its attempt is the stored one. It counts only if
    /// the application was [accepted](Submission::accepted). A STOPPED queue then drains for it, as in Hadoop.
    #[cfg_attr(feature = "serde", serde(default))]
    pub recovered: bool,
    /// The reservation whose queue the application enters, if the placement rules put it into the reservation's plan.
    #[cfg_attr(feature = "serde", serde(default))]
    pub reservation: Option<ReservationId>,
    /// The label of the nodes that the application wants where its AM's asks name none; an empty text is the default
    /// partition. `None`: what the queue has for such asks.
    #[cfg_attr(feature = "serde", serde(default))]
    pub label: Option<String>,
}

impl Submission {
    /// An application of a user, with an unmanaged AM, in the queue that the placement rules choose.
    #[must_use]
    pub fn new(number: u32, user: impl Into<String>) -> Submission {
        Submission {
            number,
            user: user.into(),
            queue: None,
            am: None,
            accepted: false,
            recovered: false,
            reservation: None,
            label: None,
        }
    }

    /// Returns the submission as accepted before into this leaf queue. Give the queue's full name.
    #[must_use]
    pub fn accepted_in(self, queue: impl Into<String>) -> Submission {
        Submission { queue: Some(queue.into()), accepted: true, ..self }
    }

    /// Returns the submission as accepted into this leaf queue by a ResourceManager before its restart.
    #[must_use]
    pub fn recovered_in(self, queue: impl Into<String>) -> Submission {
        Submission { recovered: true, ..self.accepted_in(queue) }
    }

    /// Returns the submission with a requested queue.
    #[must_use]
    pub fn in_queue(self, queue: impl Into<String>) -> Submission {
        Submission { queue: Some(queue.into()), ..self }
    }

    /// Returns the submission with a requested queue, or without one.
    #[must_use]
    pub fn maybe_in_queue(self, queue: Option<impl Into<String>>) -> Submission {
        Submission { queue: queue.map(Into::into), ..self }
    }

    /// Returns the submission with an AM that runs in a container. A [`Resource`] is a request for a container on any
    /// node.
    #[must_use]
    pub fn with_am(self, am: impl Into<AmRequest>) -> Submission {
        Submission { am: Some(am.into()), ..self }
    }

    /// Returns the submission for nodes with a label.
    #[must_use]
    pub fn labelled(self, label: impl Into<String>) -> Submission {
        Submission { label: Some(label.into()), ..self }
    }

    /// Returns the submission into the queue of a reservation.
    #[must_use]
    pub fn with_reservation(self, reservation: ReservationId) -> Submission {
        Submission { reservation: Some(reservation), ..self }
    }

    /// Returns the submission with an AM that runs in a container, or with an unmanaged AM.
    #[must_use]
    pub fn maybe_with_am(self, am: Option<impl Into<AmRequest>>) -> Submission {
        Submission { am: am.map(Into::into), ..self }
    }
}

/// What is asked for an AM's container: one, at priority 0. A [`Resource`] alone is one anywhere.
///
/// ```
/// use evenweave::{AmRequest, FairScheduler, Resource, SchedulerApi, Submission};
///
/// let mut stepped = FairScheduler::builder().stepped()?;
/// let (rack, bad) = (stepped.location("/r1"), stepped.location("n7"));
/// // On the rack or nowhere, and not on this node of it.
/// let am = AmRequest::from(Resource::new(1024, 1)).strict().at(rack).avoiding(&[bad]);
/// stepped.submit(Submission::new(1, "ann").with_am(am))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Feature `serde`: one that names places is written and cannot be read, as a [`Location`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AmRequest {
    resource: Resource,
    /// Of the `*` line.
    #[cfg_attr(feature = "serde", serde(default = "crate::app::relaxed"))]
    relax_locality: bool,
    /// Racks and nodes, each with its relaxation.
    #[cfg_attr(feature = "serde", serde(default))]
    places: Vec<(Location, bool)>,
    #[cfg_attr(feature = "serde", serde(default))]
    blacklist: Vec<Location>,
    #[cfg_attr(feature = "serde", serde(default))]
    runs: bool,
    /// Of the nodes that the container may get.
    #[cfg_attr(feature = "serde", serde(default))]
    label: Option<String>,
}

impl From<Resource> for AmRequest {
    fn from(resource: Resource) -> AmRequest {
        AmRequest {
            resource,
            relax_locality: true,
            places: Vec::new(),
            blacklist: Vec::new(),
            runs: false,
            label: None,
        }
    }
}

impl AmRequest {
    /// Returns the request without relaxed locality at `*`: only named racks and nodes are used.
    #[must_use]
    pub fn strict(mut self) -> AmRequest {
        self.relax_locality = false;
        self
    }

    /// Returns the request with a relaxed line for a rack or node, as in an [`Ask`]. A node also needs a line for its
    /// rack. Of two lines for one place the last counts. For [`Location::ANY`] it sets the relaxation of `*`.
    #[must_use]
    pub fn at(self, place: Location) -> AmRequest {
        self.with_line(place, true)
    }

    /// As [`at`](Self::at), with a line that is not relaxed.
    #[must_use]
    pub fn strictly_at(self, place: Location) -> AmRequest {
        self.with_line(place, false)
    }

    fn with_line(mut self, place: Location, relax_locality: bool) -> AmRequest {
        if place == Location::ANY {
            self.relax_locality = relax_locality;
        } else {
            self.places.push((place, relax_locality));
        }
        self
    }

    /// Returns the request with the system's blacklist: nodes and racks on which attempts failed. It counts in place of
    /// the AM's own blacklist while the application waits for its AM's container. It is not handed over to the next
    /// attempt.
    #[must_use]
    pub fn avoiding(mut self, places: &[Location]) -> AmRequest {
        self.blacklist.extend(places.iter().filter(|place| **place != Location::ANY));
        self
    }

    /// Returns the request for an AM that already runs: nothing is asked for. `recover_container` reports its container
    /// later. The AM's calls are accepted at once.
    #[must_use]
    pub fn running(mut self) -> AmRequest {
        self.runs = true;
        self
    }

    /// Returns the request for nodes with a label; an empty text is the default partition.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    pub(crate) fn runs(&self) -> bool {
        self.runs
    }

    /// Refuses what names a node or rack that has no number, or is another scheduler's.
    pub(crate) fn check_places(&self, locations: &Locations) -> Result<(), Refused> {
        locations.check(self.places.iter().map(|(place, _)| place).chain(&self.blacklist))
    }

    /// In order, as those are that look for a place in it.
    pub(crate) fn sorted_blacklist(&self) -> Box<[u32]> {
        let mut places: Vec<u32> = self.blacklist.iter().map(|place| place.number()).collect();
        places.sort_unstable();
        places.into()
    }

    pub(crate) fn resource(&self) -> &Resource {
        &self.resource
    }

    /// Its lines, `*` first, for a container of this size.
    pub(crate) fn asks(&self, size: Resource) -> SmallVec<[Ask; 1]> {
        let any = Ask { relax_locality: self.relax_locality, ..Ask::anywhere(0, size, 1) };
        // Of two for one place the last counts.
        let places: BTreeMap<Location, bool> = self.places.iter().copied().collect();
        let places = places.into_iter().map(|(location, relax_locality)| Ask { location, relax_locality, ..any });
        std::iter::once(any).chain(places).collect()
    }
}

/// How another attempt of an application begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct NewAttempt {
    /// The new AM's container. `None`: an unmanaged AM.
    pub am: Option<AmRequest>,
    /// Whether running containers and the AM's blacklist are kept. All other containers end. YARN's
    /// `keepContainersAcrossApplicationAttempts`.
    pub keep_containers: bool,
}

impl NewAttempt {
    /// Returns the attempt with an AM that runs in a container. A [`Resource`] is a request for a container on any
    /// node.
    #[must_use]
    pub fn with_am(self, am: impl Into<AmRequest>) -> NewAttempt {
        NewAttempt { am: Some(am.into()), ..self }
    }

    /// Returns the attempt with an AM that runs in a container, or with an unmanaged AM.
    #[must_use]
    pub fn maybe_with_am(self, am: Option<impl Into<AmRequest>>) -> NewAttempt {
        NewAttempt { am: am.map(Into::into), ..self }
    }

    /// Returns the attempt with or without keeping running containers.
    #[must_use]
    pub fn keep_containers(self, keep_containers: bool) -> NewAttempt {
        NewAttempt { keep_containers, ..self }
    }
}
