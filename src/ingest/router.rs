//! All paths of the listeners, in one list. Both ports have all of them: a sender that mistakes one port for
//! the other is served, not turned away.
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::routing::post;

use crate::access::Access;
use crate::ingest::admit::admit;
use crate::ingest::door::{Door, DoorSettings, Intake};
use crate::ingest::grpc;
use crate::ingest::http;
use crate::ingest::meters::Meters;
use crate::ingest::signal::Signal;

/// The paths of OTLP over HTTP and over gRPC: one router for both ports.
pub fn router(
    settings: &DoorSettings,
    access: Access,
    meters: Arc<Meters>,
    intake: Arc<dyn Intake>,
) -> Router {
    let door = Arc::new(Door::new(settings, access, meters, intake));
    let mut router = Router::new();
    for signal in Signal::ALL {
        let (over_http, over_grpc) = (door.clone(), door.clone());
        let http = post(move |request: Request| http::export(over_http.clone(), signal, request));
        let grpc = post(move |request: Request| grpc::export(over_grpc.clone(), signal, request));
        for also in signal.also() {
            router = router.route(also, http.clone());
        }
        router = router.route(signal.path(), http).route(signal.grpc_path(), grpc);
    }
    let (no_method, no_path) = (door.clone(), door.clone());
    router
        .method_not_allowed_fallback(move |request: Request| http::wrong_method(no_method.clone(), request))
        .fallback(move |request: Request| http::wrong_path(no_path.clone(), request))
        .layer(from_fn_with_state(door, admit))
}
