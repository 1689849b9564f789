// Makes spans of one run for some seconds with the official SDK for JavaScript, in batches, and prints which ones the
// exporter was told are kept. Usage: killed_sender.mjs ENDPOINT RUN SPANS.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const [endpoint, run, spans] = process.argv.slice(2);
const told = { acknowledged: [], exports: 0, exports_failed: 0 };
const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: 60_000 });
const send = exporter.export.bind(exporter);
exporter.export = (batch, done) => send(batch, (result) => {
  told.exports += 1;
  if (result.code === 0) {
    told.acknowledged.push(...batch.map((span) => span.spanContext().spanId));
  } else {
    told.exports_failed += 1;
  }
  done(result);
});
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': run }),
  spanProcessors: [new BatchSpanProcessor(exporter, {
    scheduledDelayMillis: 100, maxExportBatchSize: 32, exportTimeoutMillis: 60_000,
  })],
});
const tracer = provider.getTracer('recount-e2e');
for (let number = 0; number < Number(spans); number += 1) {
  tracer.startSpan(`execute_tool look_up_${number}`, {
    attributes: {
      'recount.run.id': run,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': `look_up_${number}`,
      'gen_ai.tool.call.result': `result ${number}`,
    },
  }).end();
  await new Promise((resume) => { setTimeout(resume, 10); });
}
await provider.shutdown();
console.log(JSON.stringify(told));
