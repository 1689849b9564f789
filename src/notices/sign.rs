//! Signatures as Standard Webhooks write them.
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::domain::secret::Secret;

/// The value of `webhook-signature`: over the id, the time and the body, so that none can be changed and an
/// old message can be told.
pub(super) fn signature(secret: &Secret, id: &str, at_s: u64, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose()).ok()?;
    mac.update(format!("{id}.{at_s}.").as_bytes());
    mac.update(body);
    Some(format!("v1,{}", data_encoding::BASE64.encode(&mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the Standard Webhooks specification.
    #[test]
    fn signatures_are_those_of_the_specification() {
        let key = data_encoding::BASE64.decode(b"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = signature(
            &Secret::new(key),
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(signed.as_deref(), Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    }
}
