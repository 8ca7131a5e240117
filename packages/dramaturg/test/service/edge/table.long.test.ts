/* oxlint-disable vitest/expect-expect, vitest/no-standalone-expect -- The checks of a cell are in its row and column. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webChannel } from '@dramaturg/channel-web';
import { postgresStore } from '@dramaturg/postgres';
import { sharedPostgres, TcpProxy, whyNoPostgres } from '@dramaturg/test-servers';
import { memoryStore, sqliteStore, type StoreLocation } from 'dramaturg';
import { mcpRoute } from 'dramaturg/mcp';
import { expect, onTestFinished, test } from 'vitest';
import { withoutRepeating } from '../../host/without-repeating.ts';
import { example, served } from '../stage.ts';
import {
  agUiClient,
  aiSdkClient,
  type Client,
  eventsClient,
  type MakeClient,
  mcpClient,
  webChatClient,
} from './clients.ts';
import { heldPorts } from './held-ports.ts';

/** A client, and its words for why a conversation rests. */
interface Row {
  readonly make: MakeClient;
  readonly words?: Readonly<Record<string, string>>;
  /** Shows a reply while it is made. */
  readonly streams?: false;
  /** Its stream ends with the answer to its message, also when others wait. */
  readonly endsByMessage?: true;
  /** Its own code leaves a rejection without a handler when a connection is reset. */
  readonly mayNotBeCut?: true;
  /** Shows what is said in other clients of the contact. */
  readonly showsAll?: true;
  /** Refuses another text under a known id. */
  readonly edits?: false;
}

const clients: Readonly<Record<string, Row>> = {
  'AG-UI': {
    make: agUiClient,
    endsByMessage: true,
    mayNotBeCut: true,
    words: { failed: 'port/failed', stopped: 'host/stopped' },
  },
  'the AI SDK': { make: aiSdkClient, endsByMessage: true, words: { stopped: 'failed' } },
  'web chat': {
    make: webChatClient,
    showsAll: true,
    words: {
      answered: 'idle',
      failed: 'person',
      paused: 'person',
      taken_over: 'person',
      stopped: 'cut',
    },
  },
  EventSource: { make: eventsClient, showsAll: true, edits: false },
  MCP: {
    make: mcpClient,
    streams: false,
    edits: false,
    words: {
      answered: 'WAITING_FOR_REPLY',
      failed: 'NEEDS_HUMAN_INTERVENTION',
      paused: 'PAUSED',
      taken_over: 'PAUSED',
    },
  },
};

const stores: Readonly<Record<string, () => Promise<StoreLocation>>> = {
  memory: async () => memoryStore(),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return sqliteStore(join(folder, 'data.db'));
  },
  Postgres: async () => {
    return postgresStore((await sharedPostgres()).createDatabase().url);
  },
};

/** A host whose replies wait for the test, behind a network that the test can cut. */
class Stage {
  readonly row: Row;
  readonly #name: string;
  readonly #ports = heldPorts();
  readonly #store: StoreLocation;
  #served!: Awaited<ReturnType<typeof served>>;
  network!: TcpProxy;
  client!: Client;

  private constructor(name: string, row: Row, store: StoreLocation) {
    this.#name = name;
    this.row = row;
    this.#store = store;
  }

  static async open(name: string, row: Row, store: StoreLocation): Promise<Stage> {
    const stage = new Stage(name, row, store);
    await stage.#serve(0);
    stage.network = await TcpProxy.start({ port: stage.#port });
    onTestFinished(() => stage.network.stop());
    stage.client = await stage.another();
    return stage;
  }

  get #port(): number {
    return Number(new URL(this.#served.url).port);
  }

  async #serve(port: number): Promise<void> {
    const channels = { web: webChannel({ secret: 'a secret of the tests with 32 characters' }) };
    const definitions = { intake: withoutRepeating(await example('customer-intake.plan')) };
    this.#served = await served(
      { channels, orStart: { definition: 'intake' }, http: `127.0.0.1:${port}`, mount: mcpRoute() },
      { channels, definitions, ports: this.#ports.ports, store: this.#store },
    );
  }

  async restart(): Promise<void> {
    const port = this.#port;
    await this.host.stop({ within: 0 });
    await this.#served.service.end();
    await this.#serve(port);
  }

  get host() {
    return this.#served.host;
  }

  get next() {
    return this.#ports.next;
  }

  /** Another client of the same contact, such as another tab. */
  async another(): Promise<Client> {
    return this.row.make(`http://127.0.0.1:${this.network.port}`, this.#name);
  }

  word(rest: string): string | undefined {
    return { ...(rest !== 'stopped' && { [rest]: rest }), ...this.row.words }[rest];
  }

  async id(): Promise<string> {
    const { items } = await this.host.list({ contact: this.client.contact }, { limit: 10 });
    return items.at(-1)!.id;
  }

  /** The lines of the conversation, without those of the host. */
  async lines() {
    const { items } = await this.host.list({ contact: this.client.contact }, { limit: 10 });
    const all = await Promise.all(
      items.map(({ id }) => this.host.transcript(id, { from: 0, limit: 1_000 })),
    );
    return all.flat().filter(({ role }) => role !== 'system');
  }

  async written(): Promise<readonly string[]> {
    return (await this.lines()).filter(({ role }) => role === 'contact').map(({ text }) => text);
  }

  /** A conversation that waits for the second message of its contact. */
  async greet(): Promise<void> {
    const first = this.client.say('Hello', 'm-1');
    (await this.next()).say(question);
    expect(await first).toBe(this.word('answered'));
  }

  /** A text may be shown in two parts, each once. */
  async shows(...texts: readonly string[]): Promise<void> {
    await expect.poll(() => this.client.shown().join('')).toBe(texts.join(''));
  }
}

const question = 'What is your name?';
const half = 'Half of it.';
const whole = 'Half of it. The other half.';

/** A second message while an act interrupts the turn of the first. Both end with the reason, and a later one too. */
async function interrupted(
  stage: Stage,
  rest: string,
  act: (reply: Awaited<ReturnType<Stage['next']>>) => unknown,
): Promise<void> {
  await stage.greet();
  const first = stage.client.say('Ada', 'm-2');
  const reply = await stage.next();
  const other = await stage.another();
  const second = other.say('Ada Byron', 'm-3');
  await expect.poll(() => stage.written()).toHaveLength(3);
  await act(reply);
  const word = stage.word(rest);
  expect([await first, await second]).toEqual([word, word]);
  if (rest === 'ended') return;
  expect(await stage.client.say('Still there?', 'm-4')).toBe(word);
  expect(await stage.written()).toEqual(['Hello', 'Ada', 'Ada Byron', 'Still there?']);
}

/** Replies to all that waits. Then the client shows what is stored. */
async function replied(stage: Stage): Promise<void> {
  const resumed = stage.client.resume();
  const over = resumed.then(() => undefined);
  for (let count = 1; ; count += 1) {
    const reply = await Promise.race([stage.next(), over]);
    if (reply === undefined) break;
    reply.say(`Reply ${count}.`);
  }
  expect(await resumed).toBe(stage.word('answered'));
  const lines = (await stage.lines()).filter(({ role }) => role !== 'contact');
  expect(lines.at(-1)!.text).toMatch(/^Reply/);
  await stage.shows(...lines.map(({ text }) => text));
}

const cases: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  cut: async (stage) => {
    const { client, network, row } = stage;
    const first = client.say('Hello', 'm-1');
    const reply = await stage.next();
    reply.begin(half);
    if (row.streams !== false) await stage.shows(half);
    if (row.mayNotBeCut) await client.stop();
    else network.cut();
    const answered = stage.word('answered');
    const resumed = first.then((ending) => (ending === answered ? ending : client.resume()));
    reply.say(whole);
    expect(await resumed).toBe(stage.word('answered'));
    await stage.shows(whole);
    expect(client.bubbles?.() ?? ['m-1/answer']).toEqual(['m-1/answer']);
    expect(await stage.written()).toEqual(['Hello']);
  },
  abort: async (stage) => {
    const { client, row } = stage;
    const first = client.say('Hello', 'm-1');
    const reply = await stage.next();
    reply.begin(half);
    if (row.streams !== false) await stage.shows(half);
    await client.stop();
    await first;
    const second = client.say('Ada', 'm-2');
    reply.say(whole);
    (await stage.next()).say('Hello Ada.');
    expect(await second).toBe(stage.word('answered'));
    await stage.shows(whole, 'Hello Ada.');
    expect(await stage.written()).toEqual(['Hello', 'Ada']);
  },
  repeat: async (stage) => {
    const all = await Promise.all([1, 2, 3].map(() => stage.another()));
    const said = [stage.client, ...all].map((each) => each.say('Hello', 'm-1'));
    (await stage.next()).say(question);
    for (const each of said) expect(await each).toBe(stage.word('answered'));
    for (const each of all) await expect.poll(() => each.shown()).toEqual([question]);
    expect(await stage.client.again()).toBe(stage.word('answered'));
    await stage.shows(question);
    expect(await stage.written()).toEqual(['Hello']);
  },
  edit: async (stage) => {
    await stage.greet();
    if (stage.row.edits === false) {
      expect(await stage.client.edit('Good evening', 'm-1')).toBe('message/other-content');
      expect(await stage.written()).toEqual(['Hello']);
      return;
    }
    const edited = stage.client.edit('Good evening', 'm-1');
    (await stage.next()).say('Good evening. Your name?');
    expect(await edited).toBe(stage.word('answered'));
    expect(await stage.client.edit('Good evening', 'm-1')).toBe(stage.word('answered'));
    const own = (await stage.lines()).filter(({ role }) => role === 'contact');
    expect(own.map(({ text, data }) => [text, data?.['replaces']])).toEqual([
      ['Hello', undefined],
      ['Good evening', own[0]!.id],
    ]);
    const backAgain = stage.client.edit('Hello', 'm-1');
    (await stage.next()).say('Hello. Your name?');
    expect(await backAgain).toBe(stage.word('answered'));
    expect(await stage.written()).toEqual(['Hello', 'Good evening', 'Hello']);
  },
  'two messages': async (stage) => {
    await stage.greet();
    const { client } = stage;
    const first = client.say('Ada', 'm-2');
    const reply = await stage.next();
    const other = await stage.another();
    const second = other.say('Ada Byron', 'm-3');
    await expect.poll(() => stage.written()).toHaveLength(3);
    reply.say('One.');
    if (stage.row.endsByMessage) expect(await first).toBe(stage.word('answered'));
    (await stage.next()).say('Two.');
    for (const each of [first, second]) expect(await each).toBe(stage.word('answered'));
    if (stage.row.showsAll) await stage.shows(question, 'One.', 'Two.');
    else {
      await stage.shows(question, 'One.');
      expect(other.shown()).toEqual(['Two.']);
    }
  },
  pause: async (stage) => {
    await interrupted(stage, 'paused', async () => stage.host.pause(await stage.id()));
    await stage.host.resume(await stage.id());
    await replied(stage);
  },
  'take-over': async (stage) => {
    const by = { by: 'ana' };
    await interrupted(stage, 'taken_over', async () => stage.host.takeOver(await stage.id(), by));
    for (const id of ['m-5', 'm-6']) {
      await stage.host.intervene(await stage.id(), 'One moment.', by);
      expect(await stage.client.say('Well?', id)).toBe(stage.word('taken_over'));
    }
    await stage.host.handBack(await stage.id(), by);
    await replied(stage);
  },
  failure: async (stage) => {
    await interrupted(stage, 'failed', ({ fail }) => fail());
    await stage.host.resume(await stage.id());
    await replied(stage);
  },
  restart: async (stage) => {
    const { client } = stage;
    const first = client.say('Hello', 'm-1');
    (await stage.next()).begin(half);
    const restarted = stage.restart();
    if (stage.word('stopped') !== undefined) expect(await first).toBe(stage.word('stopped'));
    await restarted;
    const again = client.again();
    (await stage.next()).say(whole);
    expect(await again).toBe(stage.word('answered'));
    await stage.shows(whole);
    expect(await stage.written()).toEqual(['Hello']);
  },
  end: async (stage) => {
    await interrupted(stage, 'ended', async () => stage.host.cancel(await stage.id()));
    const next = stage.client.say('Hello again', 'm-4');
    (await stage.next()).say('Welcome back.');
    expect(await next).toBe(stage.word('answered'));
    await stage.shows(question, 'Welcome back.');
    expect(await stage.written()).toEqual(['Hello', 'Ada', 'Ada Byron', 'Hello again']);
  },
};

interface Cell {
  readonly client: string;
  readonly act: string;
  readonly store: string;
}

const cells: readonly Cell[] = Object.keys(clients).flatMap((client, row) =>
  Object.keys(cases).flatMap((act, column) =>
    Object.keys(stores).flatMap((store, depth) => {
      // The store seldom matters: every cell is played in memory, and a diagonal on each of the others.
      const onDiagonal = (row + column) % 5 === 0;
      const isChosen = depth === 0 || onDiagonal;
      return isChosen ? { client, act, store } : [];
    }),
  ),
);

test.each(cells)(
  '$client, $act, $store: texts come once and whole, and streams end',
  async (cell) => {
    const { client, act, store } = cell;
    if (store === 'Postgres' && whyNoPostgres() !== undefined) return;
    const name = `${client} ${act} ${store}`.replaceAll(/\W+/g, '-');
    const stage = await Stage.open(name, clients[client]!, await stores[store]!());
    await cases[act]!(stage);
  },
);
