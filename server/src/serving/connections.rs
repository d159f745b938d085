//! Connections: how many there are, over TLS or without, how large and how slow the head of a request may be, how slow
//! who reads an answer, and how they end.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Version, header};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use super::limited_log::Seldom;
use super::tls::Tls;
use crate::access::Peer;
use crate::outgoing::ROOM;
use crate::responses::{closed, whole};

/// What a server bears.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once; one more is told so by 503.
    pub connections: usize,
    /// The head of a request is there within so long, and so is the next one on a connection that stays open. TLS has
    /// begun within so long.
    pub head_time: Duration,
    /// Who takes nothing of his answer for so long has gone.
    pub write_time: Duration,
    /// Bytes of large answers that wait to be taken, all together. Where they are used up, no further answer is worked
    /// out until some are taken, or dropped because their readers are behind a pace of 1 MiB a second.
    pub unread_bytes: usize,
    /// Bytes of the head of a request, at least 8,192. A larger one is told so by 431.
    pub head_bytes: usize,
    /// So long the server goes on answering after it was told to end. It is not ready then, so that whoever sends it
    /// requests stops to.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 2048,
            head_time: Duration::from_secs(20),
            write_time: Duration::from_secs(20),
            unread_bytes: ROOM,
            head_bytes: 64 << 10,
            drain: Duration::ZERO,
        }
    }
}

/// The least that the HTTP library reads into.
const LEAST_HEAD: usize = 8192;
/// So many of those who find no place are told so at once; the others find the connection closed.
const MAX_TOLD: usize = 64;
/// One who is told has so long to read it.
const TELLING: Duration = Duration::from_secs(2);
/// Where no connection can be had, as when files run out: so long until the next try.
const BREATH: Duration = Duration::from_millis(100);

/// Answers by `site` whoever connects, until `ended` ends; then those that are open have `last` to end too.
pub(super) async fn answer_all(
    listener: TcpListener,
    tls: Option<Tls>,
    site: Router,
    limits: Limits,
    ended: impl Future<Output = ()>,
    last: Duration,
) {
    let (places, told) = (Arc::new(Semaphore::new(limits.connections)), Arc::new(Semaphore::new(MAX_TOLD)));
    let mut refusals = Seldom::default();
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    http.header_read_timeout(limits.head_time).max_buf_size(limits.head_bytes.max(LEAST_HEAD));
    tokio::pin!(ended);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut ended => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "no connection can be taken");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            if let Some(refused) = refusals.one_more(Instant::now()) {
                tracing::warn!(%peer, connections = limits.connections, refused, "connections too many are refused");
            }
            if let Ok(turn) = told.clone().try_acquire_owned() {
                tokio::spawn(async move {
                    // He may have gone meanwhile.
                    let _ = tokio::time::timeout(TELLING, tell_no_place(stream, limits.connections)).await;
                    drop(turn);
                });
            }
            continue;
        };
        let talk = Talk { http: http.clone(), site: site.clone(), peer, watcher: graceful.watcher() };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.write_time));
        let (stream, tls) = (Box::pin(stream), tls.clone());
        tokio::spawn(async move {
            match tls {
                None => talk.over(stream).await,
                Some(Tls(acceptor)) => match tokio::time::timeout(limits.head_time, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => talk.over(stream).await,
                    Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS has not begun"),
                    Err(_) => tracing::debug!(%peer, "TLS has not begun in time"),
                },
            }
            drop(place);
        });
    }
    drop(listener);
    // Whoever reads events never ends by himself.
    let _ = tokio::time::timeout(last, graceful.shutdown()).await;
}

/// With one who has connected.
struct Talk {
    http: http1::Builder,
    site: Router,
    peer: SocketAddr,
    watcher: Watcher,
}

impl Talk {
    async fn over(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let Talk { http, site, peer, watcher } = self;
        let service = service_fn(move |request| answer(site.clone(), peer, request));
        // Whoever breaks off, or is too slow, has ended.
        if let Err(error) = watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await {
            tracing::debug!(%peer, %error, "a connection broke off");
        }
    }
}

const ONE_HOST: &str = "A request of HTTP/1.1 has one Host line, and of HTTP/1.0 not more than one.\n";

async fn answer(site: Router, peer: SocketAddr, request: hyper::Request<Incoming>) -> Result<Response, Infallible> {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    // Two servers in a row may take the one or the other of two.
    if hosts > 1 || hosts == 0 && request.version() == Version::HTTP_11 {
        return Ok(closed(whole(400, Some("text/plain;charset=utf-8"), ONE_HOST.to_owned()).map(Body::from)).await);
    }
    let mut request: Request = request.map(Body::new);
    request.extensions_mut().insert(Peer(peer));
    site.oneshot(request).await
}

/// Says that there is no place, and reads what was asked, so that the connection does not break before the answer is
/// read.
async fn tell_no_place(mut stream: TcpStream, most: usize) -> io::Result<()> {
    let sentence = format!("{most} connections are open already, and this server bears no more. Come again later.\n");
    let length = sentence.len();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain;charset=utf-8\r\nx-content-type-options: nosniff\r\ncache-control: \
         no-store\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{sentence}"
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    let mut asked = [0; 1024];
    while stream.read(&mut asked).await? > 0 {}
    Ok(())
}
