// Sends one agent run with the official OpenTelemetry SDK for JavaScript, over HTTP/JSON. Prints the trace id.
import { SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const [endpoint] = process.argv.slice(2);
const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'javascript-http-json' }),
  spanProcessors: [new BatchSpanProcessor(exporter)],
});
const tracer = provider.getTracer('recount-e2e');

const history = [{ role: 'user', parts: [{ type: 'text', content: 'Order 4812 arrived broken. Café über 退款?' }] }];

function within(parent, name, options, work) {
  const span = tracer.startSpan(name, options, trace.setSpan(context.active(), parent));
  work(span);
  span.end();
}

function chat(parent, output) {
  within(parent, 'chat gpt-4o-mini', { kind: SpanKind.CLIENT }, (span) => span.setAttributes({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o-mini',
    'gen_ai.usage.input_tokens': 164,
    'gen_ai.usage.output_tokens': 21,
    'gen_ai.input.messages': JSON.stringify(history),
    'gen_ai.output.messages': JSON.stringify([output]),
  }));
  history.push(output);
}

function tool(parent, id, name, args, result, failure) {
  within(parent, `execute_tool ${name}`, {}, (span) => {
    span.setAttributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.call.arguments': JSON.stringify(args),
    });
    if (failure) {
      span.recordException(failure);
      span.setAttribute('error.type', failure.name);
      span.setStatus({ code: SpanStatusCode.ERROR, message: failure.message });
    } else {
      span.setAttribute('gen_ai.tool.call.result', JSON.stringify(result));
    }
  });
  const response = failure ? `Error: ${failure.message}` : result;
  history.push({ role: 'tool', parts: [{ type: 'tool_call_response', id, response }] });
}

function propose(id, name, args) {
  return { role: 'assistant', parts: [{ type: 'tool_call', id, name, arguments: args }] };
}

const root = tracer.startSpan('invoke_agent support_agent', {
  attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support_agent' },
});
// No agent takes its next step in the same instant, which is all that some clocks can tell apart.
const pause = () => new Promise((resume) => { setTimeout(resume, 5); });
const refund = { order_id: '4812', amount: 20 };
const timeout = Object.assign(new Error('The operation was aborted due to timeout'), { name: 'TimeoutError' });
await pause();
chat(root, propose('call_1', 'lookup_order', { order_id: '4812' }));
await pause();
tool(root, 'call_1', 'lookup_order', { order_id: '4812' }, { order_id: '4812', total: 20 });
await pause();
chat(root, propose('call_2', 'issue_refund', refund));
await pause();
tool(root, 'call_2', 'issue_refund', refund, null, timeout);
await pause();
chat(root, propose('call_3', 'issue_refund', refund));
await pause();
tool(root, 'call_3', 'issue_refund', refund, { refund_id: 're_9013', status: 'succeeded' });
await pause();
chat(root, { role: 'assistant', parts: [{ type: 'text', content: 'Your refund is on its way.' }] });
root.end();
await provider.forceFlush();
await provider.shutdown();
console.log(root.spanContext().traceId);
