//! The scheduler's public surface as this program uses it; nothing here reaches deeper.

pub(crate) use evenweave::clock::{Clock, VirtualClock};
pub(crate) use evenweave::config::capacity::{
    CapacityFigures, CapacityFile, CapacityFileError, CapacityMode, CapacityQueue, MixedFractions, QueueMaking,
    QueueState,
};
pub(crate) use evenweave::config::convert::{
    Allocations, Change, Conversion, ConversionRules, ConvertError, ConvertFault, ConvertOptions, Converted, FairFiles,
    JavaException, Weight, convert, site_file,
};
pub(crate) use evenweave::config::{
    AccessControlList, AllocationFileError, CheckOptions, Diagnostic, Included, LARGEST_FILE, Limit, Missing, Place,
    PlacementRule, QueueAccess, QueueSettings, SchedulerKind, SettingsError, Severity, SiteFile, SiteFileError,
    SiteProperties, default_rules, open_file, parse_resource, read_file, rooted,
};
pub(crate) use evenweave::groups::{Groups, GroupsFile};
pub(crate) use evenweave::labels::{NewLabel, StoredLabels};
pub(crate) use evenweave::policy::Precedence;
pub(crate) use evenweave::reason::Words as CoreWords;
#[cfg(test)]
pub(crate) use evenweave::reason::{
    AppEnd, AppTried, CapacityPass, CapacityWait, FairReason, FairWait, KeyEnd, PassCourse, QueueTried, Watch,
};
pub(crate) use evenweave::reason::{
    AppOutcome, AppVisit, CapacityReason, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, Obstacle, PassEnd,
    QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit, Told, nearness, precedence,
};
pub(crate) use evenweave::reservation::profile::{Piece, Point};
pub(crate) use evenweave::reservation::{
    Interpreter, PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationRequests,
    ReservationSubmission, ReserveError, Stage,
};
pub(crate) use evenweave::resource::ResourceTypes;
pub(crate) use evenweave::testing::ByNumber;
pub(crate) use evenweave::view::{
    AllocatedView, AppView, CapacityAppView, CapacityLeafView, CapacityPartitionView, CapacityQueueView,
    CapacityUserView, ContainerView, HeldView, Journal, LabelView, NodeView, PreemptionRound, QueueConfig, QueueView,
};
pub(crate) use evenweave::{
    AllocateRequest, Allocation, AllocationFile, AmRequest, AppHandle, Ask, Capacity, CapacityConfiguration,
    CapacityScheduler, CapacityStepped, ContainerId, EndReason, Fair, FairScheduler, Heartbeat, Label, Location,
    NewAttempt, NewNode, NodeHandle, RecoveredContainer, Refused, Resource, SchedulerApi, SchedulerEvent, Settings,
    Stepped, Submission, SubmitTerms,
};
