import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { compile, createHost, type Host, memoryStore, understudyPorts } from 'dramaturg';
import { type Authenticate, type Scope, serveHost } from 'dramaturg/service';
import { expect, onTestFinished, test } from 'vitest';
import { runCampaign } from './fuzz/campaign.ts';
import type { Complain } from './fuzz/complaints.ts';
import { type FuzzedRequest, fuzzedRoutes } from './fuzz/requests.ts';
import { served } from './stage.ts';
import { scaled } from '../../../../.config/scaled.ts';

/** Requests of both tests together: `npm run load -- --fuzz 10000 --seed 7` sets them. */
const count = Number(process.env['FUZZ_REQUESTS'] ?? scaled(600));
const seed = Number(process.env['FUZZ_SEED'] ?? process.env['TEST_SEED'] ?? 1);

const examples = new URL('../../../../docs/examples/', import.meta.url);

const fileNames = {
  intake: 'customer-intake.plan.json',
  order: 'order.asl.json',
  refund: 'refund.asl.json',
  parcel: 'parcel.lifecycle.json',
  'check-in': 'check-in.context-graph.yaml',
  lighthouse: '../../packages/formats/npc/test/fixtures/lighthouse/lighthouse.npc.json',
};

async function known() {
  const texts: string[] = [];
  const definitions: Record<string, ReturnType<typeof compile>> = {};
  for (const [name, fileName] of Object.entries(fileNames)) {
    const text = await readFile(new URL(fileName, examples), 'utf8');
    texts.push(text);
    definitions[name] = compile(text, { fileName });
  }
  return { definitions, texts };
}

/** Everything that is wrong, with the seed that makes the same requests again. */
async function faultsOf(
  options: Omit<Parameters<typeof runCampaign>[0], 'seed' | 'definitions'>,
): Promise<readonly string[]> {
  const rejections: unknown[] = [];
  const onRejection = (error: unknown) => void rejections.push(error);
  process.on('unhandledRejection', onRejection);
  const definitions = Object.keys(fileNames);
  const { complaints, statuses } = await runCampaign({ ...options, seed, definitions });
  process.off('unhandledRejection', onRejection);
  const faults = [
    ...complaints,
    ...rejections.map((reason) => `unhandled rejection: ${String(reason)}`),
  ];
  const accepted = (statuses[200] ?? 0) + (statuses[201] ?? 0);
  if (accepted < options.count / 32) faults.push(`only ${accepted} requests were right`);
  if (faults.length === 0) return [];
  return [`FUZZ_SEED=${seed} FUZZ_REQUESTS=${count} ${JSON.stringify(statuses)}`, ...faults];
}

/** The host still talks to people, and has damaged nothing. */
async function expectHealthy(host: Host): Promise<void> {
  const orStart = { definition: 'intake' as const };
  const { instance } = await host.receive({ contact: 'last', text: 'Hi', id: 'last', orStart });
  await host.settle();
  const lines = await host.transcript(instance!, { from: 0, limit: 10 });
  expect(lines.map(({ role }) => role)).toContain('agent');
  expect(await host.damaged()).toEqual([]);
}

test('no request makes the service fail', async () => {
  const { definitions, texts } = await known();
  const { host, url, store } = await served({}, { definitions });
  const own = Math.ceil((count * 2) / 3);
  const folder = dirname(store);
  expect(await faultsOf({ url, hosts: [host], folder, texts, count: own })).toEqual([]);
  await expectHealthy(host);
});

const scopes: readonly Scope[] = ['read', 'converse', 'operate', 'define', 'admin'];

/** Tokens of the one tenant: one that may do everything, one for each scope, and one for its people. */
const scopesOf: Readonly<Record<string, readonly Scope[]>> = {
  all: ['admin'],
  app: ['read', 'converse'],
  ...Object.fromEntries(scopes.map((scope) => [scope, [scope]])),
};

const authenticate: Authenticate = (token) =>
  Object.hasOwn(scopesOf, token)
    ? { name: token, scopes: [...scopesOf[token]!], roles: [], tenant: 'one' }
    : undefined;

const headers: readonly Readonly<Record<string, string>>[] = [
  ...Object.keys(scopesOf).map((token) => ({ authorization: `Bearer ${token}` })),
  ...Array.from({ length: 14 }).map(() => ({ authorization: 'Bearer all' })),
  { authorization: 'Bearer all', 'dramaturg-tenant': 'other' },
  { authorization: 'Bearer all', 'dramaturg-tenant': '__proto__' },
  { authorization: 'Bearer __proto__' },
  { authorization: 'Bearer ' },
  { authorization: 'Basic YTpi' },
  { authorization: 'Bearer all', origin: 'https://foreign.example' },
  { authorization: 'Bearer all', host: 'foreign.example' },
  {},
];

function headersOf({ token }: FuzzedRequest) {
  return headers[token % headers.length]!;
}

const secret = 'secret-of-another-tenant';

/** A token does what its scope allows, and nothing about another tenant is in an answer. */
const complain: Complain = (request, { status, text }) => {
  if (text.includes(secret)) return `text of another tenant: ${text.slice(0, 200)}`;
  if (!request.isRouted || status >= 400) return undefined;
  const { scope } = fuzzedRoutes[request.route];
  const allowed =
    scopesOf[/^Bearer (.*)$/.exec(headersOf(request)['authorization'] ?? '')?.[1] ?? ''];
  const mayDo = allowed?.some((each) => each === scope || each === 'admin') === true;
  return mayDo ? undefined : `answered with ${status} without the scope ${scope}`;
};

test('no request crosses tenants or exceeds its scopes', async () => {
  const { definitions, texts } = await known();
  const { host: one, store } = await served({}, { definitions });
  const other = await createHost({
    store: memoryStore(),
    definitions,
    ports: understudyPorts(),
    channels: { main: { deliver: async () => {} } },
  });
  for (const id of [1, 2, 3, 4].map((number) => `other-${number}`)) {
    await other.start('intake', { id, contact: `contact-${secret}-${id}` });
    await other.send(id, { type: 'message.received', text: secret, id: `m-${id}` });
    await other.start('refund', { id: `refund-${id}`, input: { input: { customer: secret } } });
  }
  await other.settle();
  const before = await everythingOf(other);
  const limits = { failuresPerMinute: 1e9, requestsPerMinute: 1e9, streams: 1e6 };
  const tenants = new Map([
    ['one', one],
    ['other', other],
  ]);
  const service = await serveHost(tenants, { http: '127.0.0.1:0', tokens: authenticate, limits });
  onTestFinished(async () => {
    await service.end();
    await other.stop({ within: 1_000 });
  });
  const faults = await faultsOf({
    url: service.url!,
    hosts: [one, other],
    folder: dirname(store),
    texts,
    count: Math.floor(count / 3),
    headersOf,
    complain,
  });
  expect(faults).toEqual([]);
  expect(await everythingOf(other)).toEqual(before);
  await expectHealthy(one);
});

async function everythingOf(host: Host) {
  const { items } = await host.list({}, { limit: 1_000 });
  const ids = items.map(({ id }) => id);
  const range = { from: 0, limit: 1_000 };
  return {
    items,
    views: await Promise.all(ids.map((id) => host.get(id))),
    journals: await Promise.all(ids.map((id) => host.journal(id, range))),
    definitions: host.definitions,
  };
}
