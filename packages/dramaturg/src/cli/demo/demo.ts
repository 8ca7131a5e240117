import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Channel, lowdbStore } from '@dramaturg/host';
import type { Access, ServiceEnv } from '@dramaturg/service';
import { understudyPorts } from '@dramaturg/understudy';
import type { Hono } from 'hono';
import { compile } from '../../compile.ts';
import { createHost, type Host } from '../../host.ts';
import { localHost } from '../../service/local-host.ts';
import { type Command, command } from '../command.ts';
import { readWholeNumber } from '../host/host-options.ts';
import { StoreExhibit } from '../inspect/store-exhibit.ts';
import { interruptible } from '../interruptible.ts';
import { outputTo } from '../output.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';

interface DemoOptions {
  readonly port?: number;
  readonly open: boolean;
  readonly json?: true;
}

export function demoCommand(): Command {
  return command('demo')
    .json('print lines of JSON')
    .description(
      'Starts a service whose data is alive: people make claims, a workflow interviews them, and decisions wait for you. Opens a page where you are one of these people, and the inspector. It needs no key and no network. Everything is deleted at the end.',
    )
    .option('--port <number>', 'the port of the page; a free one when left out', readWholeNumber)
    .option('--no-open', 'print the addresses instead of opening the browser')
    .examples('dramaturg demo', 'dramaturg demo --port 8080 --no-open')
    .action(demo);
}

async function demo({ port = 0, open, json }: DemoOptions): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-demo-'));
    try {
      await serveDemo(join(folder, 'store'), { port, open, json }, signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return exitCodes.fine;
  });
}

async function serveDemo(
  store: string,
  {
    port,
    open,
    json,
  }: Required<Pick<DemoOptions, 'port' | 'open'>> & { readonly json: true | undefined },
  signal: AbortSignal,
): Promise<void> {
  const people = new DemoPeople(signal);
  const definition = (fileName: string) => compile(demoFile(fileName), { fileName });
  const host = await createHost({
    store: lowdbStore(store),
    definitions: {
      claim: definition('claim.asl.json'),
      interview: definition('claim.plan.json'),
      parcel: definition('parcel.lifecycle.json'),
    },
    ports: { ...understudyPorts(), runAgent: async ({ key }) => ({ result: { payment: key } }) },
    channels: { demo: people.channel },
  });
  // Loaded here because most commands do not need them.
  const { openInBrowser, serveInspector } = await import('@dramaturg/inspector/server');
  const { RunningService } = await import('../../service/running-service.ts');
  const inspector = await serveInspector(exhibitOf(store));
  const service = await RunningService.listen({
    http: `127.0.0.1:${port}`,
    desk: true,
    mount: (app, access) => mountPages(app, access, inspector.url),
  });
  await service.serve(localHost(host, { channels: ['demo'], store, inspector: inspector.url }));
  const url = service.url!;
  const output = outputTo(process.stdout);
  if (json)
    output.write(
      `${JSON.stringify({ type: 'ready', url, desk: `${url}/desk`, inspector: inspector.url, store })}\n`,
    );
  else
    output.write(
      `${output.paint('green', '✓')} The demo is on ${url}\n  desk       ${url}/desk\n  inspector  ${inspector.url}\n  commands   dramaturg ps ${url}\nCtrl+C ends it and deletes its data.\n`,
    );
  if (open && process.stdout.isTTY) openInBrowser(url);
  try {
    await people.play(host);
  } finally {
    service.close();
    await inspector.close();
    await host.stop({ within: 500 });
    await service.end();
  }
}

function exhibitOf(folder: string): StoreExhibit {
  const limits = {};
  return new StoreExhibit({
    folder,
    allowsSending: true,
    isAttached: true,
    settings: { limits, settleTimeoutMs: 0, agents: undefined, webhook: undefined },
  });
}

const folder = new URL('../../../demo/', import.meta.url);

const policy =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A file of the demonstration. */
function demoFile(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

/** Adds the page of the demonstration to its service. */
function mountPages(app: Hono<ServiceEnv>, access: Access, inspector: string): void {
  const allowed = access.permit('read', 'page');
  const pages = { '/': ['page.html', 'text/html'], '/page.js': ['page.js', 'text/javascript'] };
  for (const [path, [name, type]] of Object.entries(pages))
    app.get(path, allowed, (c) =>
      c.body(demoFile(name!), 200, {
        'content-type': `${type}; charset=utf-8`,
        'content-security-policy': policy,
      }),
    );
  app.get('/demo.json', allowed, (c) => c.json({ inspector }));
}

const names = ['Ada Byron', 'Bruno Costa', 'Chioma Eze', 'Dara Singh', 'Elif Demir', 'Farah Aziz'];
const stories = ['My bike was stolen', 'A pipe has burst', 'The screen broke', 'Hail on the car'];
/** The next event of the carrier, by the state of a parcel. */
const parcelEvents: Readonly<Record<string, string>> = {
  ORDERED: 'pack',
  PACKED: 'collect',
  ON_THE_WAY: 'ring',
  AT_THE_DOOR: 'hand over',
};

/** The most conversations at the same time. */
const contactsMax = 6;

/** Decisions that wait for the person at the page. */
const decisionsMax = 3;

/** Conversations that wait for a person at the desk. */
const helpMax = 2;

/** The contacts of people that the demonstration plays; others are visitors of its page. */
const prefix = 'demo-';

/** Plays people who make claims and answer questions, and a carrier who moves parcels. */
class DemoPeople {
  readonly #signal: AbortSignal;
  #host: Host | undefined;
  #claims = 0;
  #parcels = 0;
  /** The contacts that have asked for a person: each does so once. */
  readonly #askedForPerson = new Set<string>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Delivers the messages of the host to people. */
  readonly channel: Channel = {
    deliver: ({ contact, text, id }) => {
      if (contact?.startsWith(prefix)) void this.#answer(contact, text, id).catch(() => {});
      return Promise.resolve();
    },
  };

  /** Starts claims and parcels until the demonstration ends. */
  async play(host: Host): Promise<void> {
    this.#host = host;
    while (!this.#signal.aborted) {
      const { items } = await host.list({ definition: 'claim', ended: false }, { limit: 100 });
      const waiting = items.filter(({ contact }) => contact?.startsWith(prefix));
      if (waiting.length < contactsMax) await this.#claim(host);
      await this.#moveParcel(host);
      await this.#approve(host);
      await this.#help(host);
      await this.#wait(2_500);
    }
  }

  async #claim(host: Host): Promise<void> {
    this.#claims += 1;
    const contact = `${prefix}${this.#claims}`;
    await host.start('claim', { id: `claim-${this.#claims}`, contact });
  }

  /** Somebody at the desk takes the oldest decision when many wait. */
  async #approve(host: Host): Promise<void> {
    const { items } = await host.decisions({}, { limit: 100 });
    const [oldest] = items;
    if (oldest && items.length > decisionsMax)
      await host.decide(oldest.decision, { decision: 'approve', by: 'desk' });
  }

  /** Somebody at the desk returns the oldest conversation to the agent when many wait. */
  async #help(host: Host): Promise<void> {
    const { items } = await host.list({ queue: 'needsPerson' }, { limit: 100 });
    const [oldest] = items;
    if (oldest && items.length > helpMax) await host.resume(oldest.id, { by: 'desk' });
  }

  async #moveParcel(host: Host): Promise<void> {
    const { items } = await host.list({ definition: 'parcel', ended: false }, { limit: 10 });
    const [parcel] = items;
    if (!parcel) {
      this.#parcels += 1;
      await host.start('parcel', { id: `parcel-${this.#parcels}` });
      return;
    }
    await host.send(parcel.id, { type: parcelEvents[parcel.state] ?? 'cancel' });
  }

  /** Answers like somebody who thinks and types. */
  async #answer(contact: string, question: string, id: string): Promise<void> {
    await this.#wait(1_500 + Math.random() * 3_000);
    const index = Number(contact.slice(prefix.length)) || 0;
    const text = this.#wantsPerson(contact, question, index)
      ? 'I want to talk to a human'
      : answerTo(question, index);
    if (text !== undefined) await this.#host?.receive({ contact, text, id: `answer to ${id}` });
  }

  /** Every third contact asks for a person before it names an amount. */
  #wantsPerson(contact: string, question: string, index: number): boolean {
    if (index % 3 !== 2 || !question.includes('euros') || this.#askedForPerson.has(contact))
      return false;
    this.#askedForPerson.add(contact);
    return true;
  }

  async #wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#signal, ref: false }).catch(() => {});
  }
}

function answerTo(question: string, index: number): string | undefined {
  const among = (texts: readonly string[]) => texts[index % texts.length]!;
  if (question.includes('name')) return among(names);
  if (question.includes('happened')) return among(stories);
  if (question.includes('euros')) return String(40 + ((index * 37) % 400));
  return undefined;
}
