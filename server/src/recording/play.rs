//! All requests of a recording, one after the other through the router.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, header};
use tower::ServiceExt;

use super::compare::{difference, from_xml, in_order};
use super::file::{Recorded, Recording};
use super::json_members::Json;
use super::setup::State;
use super::volatile::Volatile;
use crate::router;

/// What came of one request.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its place, method and path, and what was accepted.
    pub name: String,
    /// Where it differs from what was recorded, if it does.
    pub difference: Option<Difference>,
}

/// The first difference of an answer.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where.
    pub place: String,
    /// What was recorded.
    pub expected: String,
    /// What came.
    pub got: String,
}

struct Response {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Response {
    fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Recording {
    /// Sets the state up, asks everything and compares.
    ///
    /// # Errors
    /// A state that cannot be set up: what stands against it.
    pub fn play(&self) -> Result<Vec<Case>, String> {
        let volatile = Volatile::parse(&self.volatile)?;
        let mut state = State::start(self)?;
        self.setup.steps.iter().for_each(|step| state.step(step));
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
        let mut cases = Vec::new();
        for (index, recorded) in self.responses.iter().enumerate() {
            recorded.before.iter().for_each(|step| state.step(step));
            let asked = &recorded.request;
            let accept = asked.accept.as_deref().unwrap_or("anything");
            let name = format!("{index} {} {} ({accept})", asked.method, asked.path);
            let difference = match runtime.block_on(ask(&state, recorded)) {
                Ok(response) => against(&volatile, recorded, &response, self.scheduler == "fair"),
                Err(error) => {
                    Some(Difference { place: "the call".to_owned(), expected: "an answer".to_owned(), got: error })
                }
            };
            state.settle();
            cases.push(Case { name, difference });
        }
        Ok(cases)
    }
}

async fn ask(state: &State, recorded: &Recorded) -> Result<Response, String> {
    let asked = &recorded.request;
    let mut request = Request::builder().method(asked.method.as_str()).uri(&asked.path);
    if let Some(accept) = &asked.accept {
        request = request.header(header::ACCEPT, accept);
    }
    if let Some(kind) = &asked.content_type {
        request = request.header(header::CONTENT_TYPE, kind);
    }
    let body = asked.body.clone().map_or(Body::empty(), Body::from);
    let request = request.body(body).map_err(|error| error.to_string())?;
    let response = router::router(state.manager()).oneshot(request).await.map_err(|error| error.to_string())?;
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.map_err(|error| error.to_string())?.to_vec();
    Ok(Response { status: parts.status.as_u16(), headers: parts.headers, body })
}

/// The first difference.
fn against(volatile: &Volatile, recorded: &Recorded, got: &Response, queues: bool) -> Option<Difference> {
    let differ =
        |place: &str, expected: String, got: String| Some(Difference { place: place.to_owned(), expected, got });
    if recorded.status != got.status {
        let body = String::from_utf8_lossy(&got.body).into_owned();
        return differ("status", recorded.status.to_string(), format!("{} {body}", got.status));
    }
    let headers = [
        ("content type", recorded.content_type.as_deref(), header::CONTENT_TYPE),
        ("location", recorded.location.as_deref(), header::LOCATION),
        ("allow", recorded.allow.as_deref(), header::ALLOW),
    ];
    for (place, expected, name) in headers {
        // A status without a body may say of what kind that would be.
        let found = got.header(name);
        if expected != found {
            return differ(place, format!("{expected:?}"), format!("{found:?}"));
        }
    }
    let kind = recorded.content_type.as_deref().unwrap_or_default();
    // Of pages status and kind count.
    if kind.starts_with("text/") {
        return None;
    }
    let text = String::from_utf8_lossy(&got.body);
    let (expected, found) = match &recorded.body {
        Json::Text(body) if kind.starts_with("application/xml") => match (from_xml(body), from_xml(&text)) {
            (Ok(expected), Ok(found)) => (expected, found),
            (_, found) => return differ("body", body.clone(), format!("{found:?}")),
        },
        Json::Text(body) => (Json::Text(body.clone()), Json::Text(text.into_owned())),
        body @ (Json::Null | Json::Flag(_) | Json::Number(_) | Json::List(_) | Json::Members(_)) => {
            match serde_json::from_str(&text) {
                Ok(found) => (body.clone(), found),
                Err(error) => return differ("body", body.to_string(), format!("{error}: {text}")),
            }
        }
    };
    let method = &recorded.request.method;
    let (expected, found) = (without_java(expected), without_java(found));
    let blanked = |body: &Json| in_order(&volatile.blanked(method, body), queues);
    let (place, expected, got) = difference("", &blanked(&expected), &blanked(&found))?;
    Some(Difference { place, expected, got })
}

/// Sentences of Java's own are not compared: of what it says when something is null, and of its parsers.
fn without_java(body: Json) -> Json {
    let Json::Members(mut members) = body else { return body };
    for (name, value) in &mut members {
        let Json::Members(fault) = value else { continue };
        let text = |of: &[(String, Json)], name: &str| {
            of.iter().find(|(other, _)| other == name).and_then(|(_, value)| match value {
                Json::Text(text) => Some(text.clone()),
                Json::Null | Json::Flag(_) | Json::Number(_) | Json::List(_) | Json::Members(_) => None,
            })
        };
        let is_null = text(fault, "exception").is_some_and(|exception| exception == "NullPointerException");
        let is_parsers = text(fault, "message").is_some_and(|message| message.starts_with("javax.xml.bind."));
        if name == "RemoteException" && (is_null || is_parsers) {
            fault.retain(|(name, _)| name != "message");
        }
    }
    Json::Members(members)
}
