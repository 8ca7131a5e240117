import {
  type AnyFormat,
  type Chart,
  compile,
  type Json,
  type Ports,
  portSchemas,
} from '@dramaturg/compiler';
import { createHost, type Host, InstanceHistory, memoryStore } from '@dramaturg/host';
import { answerOf, type Fixture, fixturesIn, parseTranscript, type Step } from '@dramaturg/testing';
import { expect } from 'vitest';
import { formats } from '../../src/known-formats.ts';
import { lifecycles } from './lifecycles.ts';

/** Plays the transcripts of conversation formats on a host and compares the results. */

const id = 'conversation';

/** When a host is dropped: after a failure, or while the failed call is repeated. */
export type Drop = 'failed' | 'repeated';

interface Play {
  readonly fixture: Fixture;
  readonly format: AnyFormat;
  readonly name: string;
  readonly steps: readonly Step[];
}

/** The result of a play: the messages, the emitted events and the final state. */
export interface Ending {
  readonly said: readonly string[];
  readonly events: readonly Json[];
  readonly state: string;
  readonly flow: Json;
}

/** The transcripts that a host can play, by format. */
export const plays: Readonly<Record<string, readonly Play[]>> = Object.fromEntries(
  formats
    .filter(({ kind }) => kind === 'conversation')
    .map((format) => {
      const folder = new URL(`../../../formats/${format.name}/test/fixtures/`, import.meta.url);
      const all = fixturesIn(folder)
        .filter(({ fails }) => !fails)
        .flatMap((fixture) =>
          fixture.transcripts.map(({ name, text }): Play => {
            const steps = parseTranscript(text);
            return { fixture, format, name, steps };
          }),
        );
      return [format.name, all.filter(({ steps }) => isPlayable(steps))];
    }),
);

/** Lines that a host plays differently: failures, cancelling by an event, a person who takes over, and messages that come too early. */
function isPlayable(steps: readonly Step[]): boolean {
  let open = 0;
  for (const step of steps) {
    if (step.kind === 'failure') return false;
    if (step.kind === 'event' && step.event.type === 'cancel') return false;
    if (step.kind === 'expected' && step.line.startsWith('help: ')) return false;
    if (step.kind === 'expected' && step.line.startsWith('? ')) open += 1;
    if (step.kind === 'answer') open -= 1;
    if (step.kind === 'user' && (open > 0 || step.text.trim() === '')) return false;
  }
  return steps.some(({ kind }) => kind === 'answer');
}

/** The first message, if the person speaks first. */
function firstWords(steps: readonly Step[]): string | undefined {
  const first = steps.find(({ kind }) => kind !== 'expected');
  return first?.kind === 'user' ? first.text : undefined;
}

/** Answers calls with the answers of the transcript in order. A repeated call gets the same answer. */
class Actors {
  readonly made: string[] = [];
  readonly #answers = new Map<string, Json[]>();
  /** The answer of each call. */
  readonly given = new Map<string, Json>();
  readonly #failing: string | undefined;
  readonly #drops: readonly Drop[];
  /** Whether a call stays open, because the test drops the host next. */
  isHanging = false;
  hasFailed = false;
  #hasHung = false;

  constructor(steps: readonly Step[], failing?: string, drops: readonly Drop[] = []) {
    this.#failing = failing;
    this.#drops = drops;
    for (const step of steps) {
      if (step.kind !== 'answer') continue;
      const answers = this.#answers.get(step.port) ?? [];
      this.#answers.set(step.port, [...answers, answerOf(step)]);
    }
  }

  readonly ports = Object.fromEntries(
    Object.keys(portSchemas).map((port) => [
      port,
      ({ key }: { readonly key: string }) => this.#answer(port, key),
    ]),
  ) as unknown as Partial<Ports>;

  #answer(port: string, key: string): unknown {
    const call = `${port} ${key}`;
    this.made.push(call);
    if (call === this.#failing && !this.hasFailed) {
      this.hasFailed = true;
      throw new Error('an outage');
    }
    if (call === this.#failing && this.#drops.includes('repeated') && !this.#hasHung) {
      this.#hasHung = true;
      this.isHanging = true;
      return new Promise(() => {});
    }
    const given = this.given.get(call) ?? this.#answers.get(port)?.shift();
    if (given === undefined) throw new Error(`The transcript has no answer for ${call}.`);
    this.given.set(call, given);
    return given;
  }
}

async function endingOf(host: Host): Promise<Ending> {
  const lines = await host.transcript(id, { from: 0, limit: 10_000 });
  const journal = (await host.journal(id, { from: 0, limit: 10_000 })) as unknown as {
    readonly source: string;
    readonly event: { readonly type: string };
  }[];
  const { state, flow } = await host.get(id);
  return {
    said: lines.filter(({ role }) => role !== 'system').map(({ role, text }) => `${role}: ${text}`),
    events: journal
      .filter(({ source, event }) => source === 'flow' && event.type !== 'turn.failed')
      .map(({ event }) => event as unknown as Json),
    state,
    flow,
  };
}

/** The calls in order with their answers. */
export type Played = Ending & {
  readonly calls: readonly string[];
  readonly given: ReadonlyMap<string, Json>;
};

/** The definitions of the fixtures, each compiled once. */
const charts = new Map<Fixture, Chart>();

function chartOf({ fixture, format }: Play): Chart {
  const known = charts.get(fixture);
  if (known !== undefined) return known;
  const { text, fileName } = fixture.definition;
  const { options } = fixture.setup;
  const chart = compile(text, { formats: [format], fileName, options }).chart!;
  charts.set(fixture, chart);
  return chart;
}

/** Plays a transcript on a host that may be dropped around the first failure of a call. */
export async function play(
  each: Play,
  failing?: string,
  drops: readonly Drop[] = [],
): Promise<Played> {
  const { fixture, format, steps } = each;
  const behaviours = new Map([
    [format.name, format.behaviour],
    ['lifecycle', lifecycles.behaviour],
  ]);
  const actors = new Actors(steps, failing, drops);
  const store = memoryStore();
  const open = () =>
    createHost({
      store,
      definitions: [{ name: 'it', chart: chartOf(each), lifecycle: lifecycles.conversation }],
      behaviours,
      ports: actors.ports,
      channels: { main: { deliver: () => {} } },
    });
  let host = await open();
  const drop = async () => {
    await host.stop({ within: 0 });
    host = await open();
  };
  const settle = async () => {
    let isResumed = !failing;
    for (;;) {
      await quiet(host, actors);
      if (actors.isHanging) {
        actors.isHanging = false;
        await drop();
        continue;
      }
      if (isResumed || !actors.hasFailed) return;
      isResumed = true;
      const { state } = await host.get(id);
      if (state !== 'NEEDS_HUMAN_INTERVENTION') continue;
      if (drops.includes('failed')) await drop();
      await host.resume(id);
    }
  };
  const input = fixture.setup.input as Readonly<Record<string, unknown>> | undefined;
  const fed = steps.filter(({ kind }) => kind === 'user' || kind === 'event');
  const first = firstWords(steps);
  await host.start('it', {
    id,
    contact: 'somebody',
    ...(input ? { input } : {}),
    ...(first === undefined ? {} : { message: { text: first } }),
  });
  await settle();
  for (const step of first === undefined ? fed : fed.slice(1)) {
    if (step.kind === 'user') await host.send(id, { type: 'message.received', text: step.text });
    else if (step.kind === 'event') await host.send(id, step.event);
    await settle();
  }
  const ending = await endingOf(host);
  await requireHistory(host, behaviours);
  await host.stop({ within: 0 });
  return { ...ending, calls: actors.made, given: actors.given };
}

/** Waits until no work is open or a call hangs. */
async function quiet(host: Host, actors: Actors): Promise<void> {
  while (!actors.isHanging && !(await host.settle({ within: 0 })))
    await new Promise((resolve) => setImmediate(resolve));
}

/** Repeats the steps of the journal and expects the stored state. */
async function requireHistory(
  host: Host,
  behaviours: ConstructorParameters<typeof InstanceHistory>[0]['behaviours'],
): Promise<void> {
  const history = new InstanceHistory({ id, charts: await host.charts(id), behaviours });
  await history.take(await host.journal(id, { from: 0, limit: 10_000 }));
  expect(history.departures).toEqual([]);
  const { state, flow } = await host.get(id);
  expect(history.view()).toMatchObject({ state, flow });
}
