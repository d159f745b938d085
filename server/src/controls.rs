//! What the live page may change of a cluster that is simulated: nodes, load, applications, the file that the scheduler goes by.
//!
//! Whoever simulates implements [`Controls`]; a server over a real cluster has none, and the page shows none. Killing and moving are REST's.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};

/// One thing to be done.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// So many more nodes.
    AddNodes {
        /// How many.
        count: u32,
    },
    /// A node is gone, with all that runs on it.
    LoseNode {
        /// Its name.
        node: String,
    },
    /// A node takes nothing new, and goes when it is empty.
    DecommissionNode {
        /// Its name.
        node: String,
    },
    /// Such a node takes work again.
    RecommissionNode {
        /// Its name.
        node: String,
    },
    /// How much is handed in.
    Load {
        /// Of what keeps the cluster full.
        percent: u32,
    },
    /// An application.
    Submit {
        /// Whose it is.
        user: String,
        /// Where it is to run.
        queue: String,
        /// How many containers it asks for, besides its ApplicationMaster's.
        tasks: u32,
        /// How long each runs.
        seconds: u32,
    },
}

/// How things stand.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Standing {
    /// How much is handed in, of what keeps the cluster full.
    pub load_percent: u32,
    /// What the file is called.
    pub file: String,
    /// The file that is in force.
    pub text: String,
}

/// Something about the file.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Finding {
    /// It keeps the file from being taken.
    pub error: bool,
    /// Its short name.
    pub code: String,
    /// From 1.
    pub line: Option<u32>,
    /// From 1.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What comes of it.
    pub effect: Option<String>,
    /// What would be right.
    pub help: Option<String>,
}

/// What whoever simulates a cluster lets others do.
pub trait Controls: Send + Sync {
    /// How things stand.
    fn standing(&self) -> Standing;
    /// Does something; what was done, in a sentence.
    ///
    /// # Errors
    /// Why not, in a sentence.
    fn act(&self, action: Action) -> Result<String, String>;
    /// What there is to say of a file, without taking it.
    fn check(&self, text: &str) -> Vec<Finding>;
    /// Takes a file; what there is to say of it.
    ///
    /// # Errors
    /// Why it was not taken; the one before stays.
    fn apply(&self, text: &str) -> Result<Vec<Finding>, Vec<Finding>>;
}

type Of = Arc<dyn Controls>;

/// `/controls` and what is below it.
pub(crate) fn routes(of: Of) -> Router {
    Router::new()
        .route("/controls", get(standing).post(act))
        .route("/controls/check", post(check))
        .route("/controls/file", post(apply))
        .with_state(of)
}

fn answer(status: StatusCode, of: &impl Serialize) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/json;charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, headers, serde_json::to_string(of).unwrap_or_default()).into_response()
}

#[derive(Serialize)]
struct Said {
    said: String,
}

/// What waits for the scheduler is done where waiting is allowed.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Response> {
    tokio::task::spawn_blocking(work).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

async fn standing(State(of): State<Of>) -> Response {
    match blocking(move || of.standing()).await {
        Ok(standing) => answer(StatusCode::OK, &standing),
        Err(panicked) => panicked,
    }
}

async fn act(State(of): State<Of>, headers: HeaderMap, body: Bytes) -> Response {
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_json {
        return answer(StatusCode::UNSUPPORTED_MEDIA_TYPE, &Said { said: "Send application/json.".to_owned() });
    }
    let action: Action = match serde_json::from_slice(&body) {
        Ok(action) => action,
        Err(error) => return answer(StatusCode::BAD_REQUEST, &Said { said: format!("That is no action: {error}") }),
    };
    match blocking(move || of.act(action)).await {
        Ok(Ok(said)) => answer(StatusCode::OK, &Said { said }),
        Ok(Err(said)) => answer(StatusCode::BAD_REQUEST, &Said { said }),
        Err(panicked) => panicked,
    }
}

fn no_text() -> Response {
    let message = "The file is no UTF-8 text.".to_owned();
    let finding =
        Finding { error: true, code: "not-utf-8".to_owned(), line: None, column: None, message, effect: None, help: None };
    answer(StatusCode::BAD_REQUEST, &[finding])
}

async fn check(State(of): State<Of>, body: Bytes) -> Response {
    let Ok(text) = String::from_utf8(body.into()) else { return no_text() };
    match blocking(move || of.check(&text)).await {
        Ok(findings) => answer(StatusCode::OK, &findings),
        Err(panicked) => panicked,
    }
}

async fn apply(State(of): State<Of>, body: Bytes) -> Response {
    let Ok(text) = String::from_utf8(body.into()) else { return no_text() };
    match blocking(move || of.apply(&text)).await {
        Ok(Ok(findings)) => answer(StatusCode::OK, &findings),
        Ok(Err(findings)) => answer(StatusCode::BAD_REQUEST, &findings),
        Err(panicked) => panicked,
    }
}
