//! The files beside the pages: part of the binary, named after their content, kept by browsers for good.
use std::io::Write;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

struct Asset {
    name: &'static str,
    hashed: String,
    media: &'static str,
    body: &'static [u8],
    gzip: Vec<u8>,
}

static ASSETS: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    [
        asset("recount.css", "text/css; charset=utf-8", include_bytes!("../../static/recount.css")),
        asset("recount.js", "text/javascript; charset=utf-8", include_bytes!("../../static/recount.js")),
        asset("icon.svg", "image/svg+xml", include_bytes!("../../static/icon.svg")),
    ]
});

fn asset(name: &'static str, media: &'static str, body: &'static [u8]) -> Asset {
    let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(body));
    let (stem, ext) = name.rsplit_once('.').unwrap_or((name, ""));
    let hashed = format!("{stem}.{}.{ext}", digest.get(..10).unwrap_or_default());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail; an empty result would be noticed by the test below.
    let gzip = encoder.write_all(body).and_then(|()| encoder.finish()).unwrap_or_default();
    Asset { name, hashed, media, body, gzip }
}

/// The name under which a file is served.
pub(in crate::web) fn hashed(name: &str) -> &'static str {
    ASSETS.iter().find(|asset| asset.name == name).map_or("", |asset| &asset.hashed)
}

/// Serves a file by its hashed name.
pub(in crate::web) async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.hashed == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let kept = [
        (CONTENT_TYPE, asset.media),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (VARY, "accept-encoding"),
    ];
    let takes_gzip = headers
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.split(',').any(|coding| coding.trim() == "gzip"));
    if takes_gzip {
        (kept, [(CONTENT_ENCODING, "gzip")], asset.gzip.as_slice()).into_response()
    } else {
        (kept, asset.body).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_content() {
        for asset in ASSETS.iter() {
            assert!(asset.gzip.len() > 20, "{}", asset.name);
            assert_eq!(hashed(asset.name), asset.hashed);
        }
        assert!(hashed("recount.css").starts_with("recount."));
        assert_eq!(hashed("nothing.css"), "");
    }
}
