import type { Authenticate, Scope } from 'dramaturg/service';
import { expect, test } from 'vitest';
import { served } from './stage.ts';

/** Tokens such as `ana.read+operate`: a name and scopes. */
const tokens: Authenticate = (token) => {
  const [name = '', scopes = ''] = token.split('.');
  return { name, scopes: scopes.split('+') as Scope[], roles: ['night shift'] };
};

const as = (token: string) => ({ authorization: `Bearer ${token}` });

test('a token tells its name, its roles, and what it may do', async () => {
  const { ask } = await served({ tokens });
  expect((await ask('GET', '/me')).status).toBe(401);
  expect((await ask('GET', '/me', undefined, as('ana.operate+read'))).body).toEqual({
    name: 'ana',
    roles: ['night shift'],
    scopes: ['read', 'operate'],
  });
  const { scopes } = (await ask('GET', '/me', undefined, as('root.admin'))).body as never;
  expect(scopes).toEqual(['read', 'converse', 'operate', 'define', 'admin']);
});

test('without tokens nobody has a name, and everything is allowed', async () => {
  const { ask } = await served();
  expect((await ask('GET', '/me')).body).toEqual({
    name: null,
    roles: [],
    scopes: ['read', 'converse', 'operate', 'define', 'admin'],
  });
});

test('queues are counted: an instance is in one queue or in none', async () => {
  const { ask, host } = await served();
  const none = { needsPerson: 0, decisions: 0, failed: 0, paused: 0, setAside: 0, all: 0 };
  expect((await ask('GET', '/queues')).body).toEqual(none);
  await host.start('intake', { id: 'a', contact: 'ada', channel: 'main' });
  await host.start('intake', { id: 'b', contact: 'ben', channel: 'main' });
  await host.settle();
  await host.pause('a');
  expect((await ask('GET', '/queues')).body).toEqual({ ...none, paused: 1, all: 2 });
  const { items } = (await ask('GET', '/instances?queue=paused')).body;
  expect(items).toMatchObject([{ id: 'a', queue: 'paused', waitingSince: expect.any(Number) }]);
  await host.resume('a');
  await host.cancel('b');
  expect((await ask('GET', '/queues')).body).toEqual({ ...none, all: 1 });
});

const minutes = 60_000;

test('one of two operators takes a conversation over, and the other is told who has it', async () => {
  const { ask, host } = await served({ tokens });
  await host.start('intake', { id: 'a', contact: 'ada', channel: 'main' });
  await host.settle();
  const takeOver = (token: string, body: object = {}) =>
    ask('POST', '/instances/a/take-over', body, as(token));
  const answers = await Promise.all([takeOver('ana.operate'), takeOver('ben.operate')]);
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
  const winner = answers.find(({ status }) => status === 200)!.body as never as {
    owner: { by: string; until: number };
  };
  const loser = answers.find(({ status }) => status === 409)!.body as never;
  expect(winner).toMatchObject({ accepted: true, state: 'PAUSED' });
  expect(winner.owner.until - Date.now()).toBeGreaterThan(14 * minutes);
  const { by } = winner.owner;
  expect(loser).toMatchObject({
    code: 'host/claimed',
    detail: expect.stringContaining(`"${by}" has this conversation until `) as string,
  });
  const other = `${by === 'ana' ? 'ben' : 'ana'}.operate`;
  for (const act of ['resume', 'cancel', 'hand-back'])
    expect((await ask('POST', `/instances/a/${act}`, {}, as(other))).body.code).toBe(
      'host/claimed',
    );
  const write = (token: string) =>
    ask('POST', '/instances/a/intervene', { text: `I am ${token}.` }, as(token));
  expect((await write(other)).body.code).toBe('host/claimed');
  expect((await write(`${by}.operate`)).status).toBe(200);
  expect((await host.transcript('a', { from: 0, limit: 99 })).at(-1)).toMatchObject({
    role: 'manual',
    by,
    text: `I am ${by}.operate.`,
  });
  const forced = await takeOver(other, { force: true });
  expect([forced.status, forced.body.code]).toEqual([403, 'access/scope']);
  expect((await takeOver('eve.admin', { force: true })).body).toMatchObject({
    owner: { by: 'eve' },
  });
  const back = () => ask('POST', '/instances/a/hand-back', {}, as('eve.admin'));
  expect((await back()).body).toMatchObject({ accepted: true });
  expect([(await back()).status, (await back()).body.code]).toEqual([409, 'host/not-claimed']);
});

test('the token says who acts, and without tokens the request does', async () => {
  const { ask, host } = await served();
  await host.start('intake', { id: 'a', contact: 'ada', channel: 'main' });
  await host.settle();
  const nobody = await ask('POST', '/instances/a/take-over', {});
  expect([nobody.status, nobody.body.errors]).toMatchObject([400, [{ path: '/by' }]]);
  for (const by of ['', ' Ana', 'A\nna', 'x'.repeat(129), 'A\u202ena'])
    expect((await ask('POST', '/instances/a/take-over', { by })).status).toBe(400);
  const hostile = `<img src=x onerror="alert(1)">'; DROP TABLE records; --`;
  const taken = await ask('POST', '/instances/a/take-over', { by: hostile });
  expect(taken.body).toMatchObject({ owner: { by: hostile } });
  const withTokens = await served({ tokens });
  const forged = await withTokens.ask(
    'POST',
    '/instances/a/take-over',
    { by: 'ben' },
    as('ana.operate'),
  );
  expect([forged.status, forged.body.code]).toEqual([400, 'request/identity']);
  const sent = { event: { type: 'operator.take_over', by: 'ben' } };
  expect((await ask('POST', '/instances/a/send', sent)).status).toBe(400);
});

test('the inbox lists a queue with what an operator has to know, the longest waiting first', async () => {
  const { ask, host } = await served({ tokens });
  for (const id of ['ada', 'ben', 'carla'])
    await host.start('intake', { id, contact: `+56 9 ${id.length} ${id}`, channel: 'main' });
  await host.settle();
  await host.receive({ contact: '+56 9 3 ben', text: 'I want a REFUND now' });
  await host.settle();
  await host.pause('ben');
  await ask('POST', '/instances/ada/take-over', {}, as('ana.operate'));
  const inbox = async (query: string) =>
    (await ask('GET', `/inbox?${query}`, undefined, as('ana.read'))).body;
  const { items } = await inbox('queue=paused');
  expect(items.map(({ id }) => id)).toEqual(['ben', 'ada']);
  expect(items[0]).toMatchObject({
    definition: { name: 'intake' },
    state: 'PAUSED',
    ended: false,
    place: expect.stringMatching(/./) as string,
    lastLine: { role: 'contact', text: 'I want a REFUND now' },
    queue: 'paused',
    waitingSince: expect.any(Number) as number,
    decisionsOpen: 0,
  });
  expect(items[1]).toMatchObject({ owner: { by: 'ana', until: expect.any(Number) as number } });
  const ids = async (query: string) => (await inbox(query)).items.map(({ id }) => id);
  expect(await ids('')).toEqual(['ada', 'ben', 'carla']);
  expect(await ids('q=refund')).toEqual(['ben']);
  expect(await ids('q=CARLA')).toEqual(['carla']);
  expect(await ids('owner=ana')).toEqual(['ada']);
  expect(await ids('state=PAUSED&definition=intake')).toEqual(['ada', 'ben']);
  expect(await ids('q=%25')).toEqual([]);
  await host.start('intake', { id: 'dora', contact: '+56 9 1111 0002', channel: 'main' });
  for (const part of ['1111 0002', '11110002', '+56 9 1111'])
    expect(await ids(`q=${encodeURIComponent(part)}`)).toEqual(['dora']);
  const first = (await inbox('queue=paused&limit=1')) as never as { next: string };
  expect(await ids(`queue=paused&limit=1&after=${encodeURIComponent(first.next)}`)).toEqual([
    'ada',
  ]);
  expect((await ask('GET', '/inbox?queue=none', undefined, as('ana.read'))).status).toBe(400);
});

test('what people did is listed, and exported as CSV that no spreadsheet runs', async () => {
  const { ask, host, url } = await served();
  await host.start('intake', { id: 'a', contact: '+5691234', channel: 'main' });
  await host.settle();
  const post = (act: string, body: object) => ask('POST', `/instances/a/${act}`, body);
  const by = '=Ana';
  await post('take-over', { by });
  await post('claim', { by });
  await post('notes', { by, text: '=HYPERLINK("http://evil","x"), "quoted"\nnext' });
  await post('intervene', { by, text: 'Hello, I am a person.' });
  await post('hand-back', { by });
  await host.settle();
  await post('pause', {});
  await post('resume', { by: 'Ben' });
  await post('resume', { by: 'Ben' });
  const acts = async (query: string) => (await ask('GET', `/acts?${query}`)).body.items;
  const all = await acts('');
  expect(all.map((act) => [act['act'], act['by']])).toEqual([
    ['take-over', by],
    ['note', by],
    ['intervene', by],
    ['hand-back', by],
    ['pause', null],
    ['resume', 'Ben'],
  ]);
  expect(all[2]).toMatchObject({
    instance: 'a',
    contact: '+5691234',
    text: 'Hello, I am a person.',
    at: expect.any(Number) as number,
  });
  expect(await acts('by=Ben')).toHaveLength(1);
  expect(await acts('contact=%2B5691234&by=%3DAna')).toHaveLength(4);
  expect(await acts(`from=${Date.now() + 1_000}`)).toEqual([]);
  expect(await acts('to=2001-01-01')).toEqual([]);
  expect((await ask('GET', '/acts?from=yesterday')).status).toBe(400);
  const page = (await ask('GET', '/acts?limit=4')).body as never as { items: []; next: string };
  expect(page.items).toHaveLength(4);
  expect(await acts(`after=${encodeURIComponent(page.next)}`)).toEqual(all.slice(4));
  const response = await fetch(`${url}/acts?format=csv`);
  expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
  const csv = await response.text();
  expect(csv.split('\r\n')[0]).toBe('at,by,act,instance,contact,decision,option,text');
  expect(csv).toContain(
    `,'=Ana,note,a,'+5691234,,,"'=HYPERLINK(""http://evil"",""x""), ""quoted""\nnext"`,
  );
});

test('notes are listed in the instance, and neither the contact nor the agent gets them', async () => {
  const { ask, host } = await served();
  await host.start('intake', { id: 'a', contact: 'ada', channel: 'main' });
  await host.settle();
  const note = (body: object) => ask('POST', '/instances/a/notes', body);
  const longest = '😀'.repeat(4_000);
  expect((await note({ by: 'Ana', text: 'Speaks Spanish.' })).status).toBe(200);
  expect((await note({ by: 'Ana', text: longest })).status).toBe(200);
  for (const text of [' ', 'x'.repeat(4_001), `${longest}😀`])
    expect((await note({ by: 'Ana', text })).status).toBe(400);
  const view = (await ask('GET', '/instances/a')).body as never as { notes: [] };
  expect(view.notes).toEqual([
    { by: 'Ana', at: expect.any(Number), text: 'Speaks Spanish.' },
    { by: 'Ana', at: expect.any(Number), text: longest },
  ]);
  const transcript = await host.transcript('a', { from: 0, limit: 99 });
  expect(JSON.stringify(transcript)).not.toContain('Spanish');
});
