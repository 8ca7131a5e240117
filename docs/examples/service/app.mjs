/**
 * Claims: messages come in through a webhook and go out to one. A conversation takes a claim down, reminds people who fall
 * silent, and somebody approves the payment. Every step survives the death of this process.
 *
 *     node docs/examples/service/app.mjs
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import {
  compile,
  conversationLifecycle,
  createHost,
  sqliteStore,
  understudyPorts,
  webhookChannel,
} from 'dramaturg';
import { serveHost } from 'dramaturg/service';

const {
  STORE = 'claims.db',
  PORT = '8080',
  WEBHOOK_PORT = '8081',
  POST_TO = 'http://127.0.0.1:8082',
  REMIND_AFTER_MS = '600000',
} = process.env;

async function definition(fileName) {
  const text = await readFile(new URL(fileName, import.meta.url), 'utf8');
  return compile(text, { fileName });
}

/** Reminds people after a time of its own. */
const lifecycle = compile(
  JSON.stringify({
    ...conversationLifecycle,
    policies: {
      ...conversationLifecycle.policies,
      heartbeat: { interval_ms: Number(REMIND_AFTER_MS), max_followups: 3 },
    },
  }),
);

const host = await createHost({
  store: sqliteStore(STORE),
  definitions: {
    intake: { definition: await definition('intake.plan.json'), lifecycle },
    claim: await definition('claim.asl.json'),
  },
  ports: {
    // In place of a model: it reads the answers by rules.
    ...understudyPorts(),
    // The key is the same when a call is repeated after a crash: a bank takes it as its idempotency key.
    runAgent: async ({ key, input }) => ({
      result: { id: key, paid: input.intake.deliverables.amount },
    }),
  },
  channels: { webhook: webhookChannel({ url: POST_TO }) },
});
const service = await serveHost(host, { http: `127.0.0.1:${PORT}`, store: STORE });

/** A message of the provider, with the id of the message that it quotes. It is sent again until it is answered with 200. */
async function received({ from, text, id, replyTo }) {
  const routed = await host.receive({ contact: from, text, id, replyTo });
  if (routed.accepted || routed.code === 'message/repeated') return 200;
  if (routed.code !== 'host/no-holder') return 503;
  const claim = `claim-${id}`;
  const { items } = await host.list({ contact: from, definition: 'claim', ended: false });
  const ids = items.map((each) => each.id).filter((each) => each !== claim);
  const others = await Promise.all(ids.map((each) => host.get(each)));
  // The conversation of a claim is about to begin, and takes the message when it is sent again.
  if (others.some(({ waits }) => waits.some((wait) => wait.for === 'call'))) return 503;
  // With "once", the same start may be repeated. The claim keeps its first message as its input.
  const input = { input: { first: text } };
  await host.start('claim', { id: claim, once: true, contact: from, input });
  return 200;
}

/** What was collected, and what became of it. */
async function report() {
  const { items } = await host.list({ definition: 'claim' }, { limit: 10_000 });
  const rows = items.map(async ({ id, contact, state }) => {
    const { output, waits } = await host.get(id);
    const { intake, payment } = output ?? {};
    const waitsFor = waits.map((wait) => wait.for);
    return { contact, state, waitsFor, ...intake?.deliverables, paid: payment?.paid };
  });
  return Promise.all(rows);
}

async function answer(request, response) {
  try {
    if (request.method === 'GET' && request.url === '/report')
      return void response.end(JSON.stringify(await report()));
    let body = '';
    for await (const part of request) body += part;
    response.writeHead(await received(JSON.parse(body))).end();
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    response.writeHead(error instanceof SyntaxError ? 400 : 503).end();
  }
}

const webhook = createServer((request, response) => void answer(request, response));
webhook.listen(Number(WEBHOOK_PORT), '127.0.0.1', () =>
  process.stdout.write(`Webhook and report on port ${WEBHOOK_PORT}, service on ${service.url}\n`),
);

process.once('SIGTERM', () => {
  webhook.close();
  service.close();
  void host
    .stop()
    .then(() => service.end())
    .then(() => process.exit());
});
