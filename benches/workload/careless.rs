//! Text with secrets in it, which is what redaction is for.
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;

/// Appends secrets to every text attribute, as a careless agent would log them.
pub(crate) fn careless(mut request: ExportTraceServiceRequest) -> ExportTraceServiceRequest {
    let spans = request.resource_spans.iter_mut().flat_map(|group| &mut group.scope_spans);
    for pair in spans.flat_map(|scope| &mut scope.spans).flat_map(|span| &mut span.attributes) {
        if let Some(Value::StringValue(text)) = pair.value.as_mut().and_then(|value| value.value.as_mut()) {
            // At the end of the text, inside the last quotes where it is JSON.
            let at = text.rfind('"').unwrap_or(text.len());
            text.insert_str(at, " password=hunter22 card 4111 1111 1111 1111 Bearer abcdefgh12345678");
        }
    }
    request
}
