// An agent of the Vercel AI SDK: the loop of generateText, which tells the model what a tool threw.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

const services = process.env.SERVICES;
const model = createOpenAICompatible({ name: 'openai', baseURL: `${services}/v1` })('gpt-4o-mini');

async function call(path, body) {
  const sent = body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const answer = await fetch(services + path, { ...sent, signal: AbortSignal.timeout(body ? 2000 : 60000) });
  return answer.json();
}

const result = await generateText({
  model,
  prompt: 'Order 4812 arrived broken, please refund it.',
  stopWhen: stepCountIs(8),
  experimental_telemetry: telemetry,
  tools: {
    lookup_order: tool({
      description: 'Looks an order up.',
      inputSchema: z.object({ order_id: z.string() }),
      execute: ({ order_id }) => call(`/orders/${order_id}`),
    }),
    issue_refund: tool({
      description: 'Refunds an amount of an order.',
      inputSchema: z.object({ order_id: z.string(), amount: z.number() }),
      execute: (refund) => call('/refunds', refund),
    }),
  },
});
console.log(result.text);
await provider.shutdown();
