import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { compile, type Json, type JsonObject } from '@dramaturg/compiler';
import { asl } from '@dramaturg/asl';
import { plan } from '@dramaturg/plan';
import type { Host } from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import type { Prepare } from '../measure.ts';
import { planOfSmall, planWith } from '../cases/check-plan.ts';
import { messageText, Stage } from './stage.ts';
import { onStores, quantile, storeAt, type StoreSettings, timed } from './stores.ts';

const steps = 30_000;
const waiting = 10_000;

/** The fewest turns of another contact during an input; a short input is repeated. */
const leastTurns = 100;

/**
 * Measures the longest time that each text, message and request blocks the event loop of a service, in milliseconds, and how much
 * longer the turns of another contact, and of another tenant of the service, take in the meantime.
 */
export const prepare: Prepare<StoreSettings> = async (settings, onProgress) => {
  const options = {
    inbox: { messages: waiting },
    behaviours: new Map([
      ...Stage.options.behaviours,
      ...[asl, plan].map(({ name, behaviour }) => [name, behaviour] as const),
    ]),
  };
  const stage = await Stage.open(storeAt(settings, 'never'), options);
  const host = stage.host as unknown as Host;
  const other = await Stage.open(storeAt(settings, 'never', 'other'));
  const tenants = { hostile: stage, other };
  const service = await serveHost(
    new Map(Object.entries(tenants).map(([name, each]) => [name, each.host as unknown as Host])),
    {
      http: '127.0.0.1:0',
      tokens: (token) => ({ name: token, tenant: token, scopes: ['admin'] }),
    },
  );
  let count = 0;
  const ask = async (method: string, path: string, body: string, tenant = 'hostile') => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${tenant}` };
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers,
      ...(method !== 'GET' && { body }),
    });
    const answer = await response.text();
    if (!response.ok) onProgress(`${response.status} ${answer.slice(0, 300)}`);
    return answer;
  };
  let spoken: Promise<void> | undefined;
  /** Makes a conversation with a long transcript. */
  const speak = async (id: string) => {
    await stage.begin(id);
    await host.pause(id);
    const text = 'A "word".\n'.repeat(6_000);
    for (let line = 0; line < 300; line += 1)
      await host.receive({ contact: id, id: `line-${line}`, text });
  };
  /** Runs a workflow to its end. */
  const running = (text: string, input: JsonObject = {}) => {
    const definition = { name: `flow-${(count += 1)}`, text, format: 'asl' };
    const body = JSON.stringify({ definition, input });
    return async () => {
      const { id } = JSON.parse(await ask('POST', '/instances', body)) as { readonly id: string };
      while (!(await host.get(id)).ended) await pause(5);
      onProgress(JSON.stringify((await host.get(id)).failure ?? (await host.get(id)).state));
    };
  };
  const putting = (format: string, text: string) => {
    const body = JSON.stringify({ text, format });
    onProgress(`${body.length} characters`);
    return () => ask('PUT', `/definitions/${format}-${(count += 1)}`, body);
  };
  const entries: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
    maps: async () => running(nestedMaps(40)),
    largeMaps: async () => running(nestedMaps(80)),
    paths: async () => running(manyPaths(20_000), { list: Array.from({ length: 180 }, () => 'x') }),
    plan: async () => putting('plan', planWith(480)),
    states: async () => putting('plan', planOfSmall(2_600)),
    passes: async () => running(passes(5_000)),
    mostPasses: async () => running(passes(10_000)),
    restart: async () => {
      const store = storeAt(settings, 'never', 'restarted');
      const texts = { large: planWith(480), long: planOfSmall(2_600) };
      const first = await Stage.open(store, options);
      count += 1;
      for (const [name, text] of Object.entries(texts)) {
        const { chart } = compile(text, { formats: [plan] });
        await first.host.define({ ...Stage.definitions[0]!, name, chart: chart! });
        const id = `${name}-${count}`;
        await first.host.start(name, { id, contact: id });
      }
      await first.stop();
      return async () => {
        const second = await Stage.open(store, options);
        for (const name of Object.keys(texts)) await second.say(`${name}-${count}`, 1);
        await second.stop();
      };
    },
    evaluations: async () => running(evaluations(500)),
    keys: async () => {
      const body = JSON.stringify({ definition: 'chat', input: manyKeys(80_000) });
      return () => ask('POST', '/instances', body);
    },
    mostKeys: async () => {
      const body = JSON.stringify({ definition: 'chat', input: manyKeys(19_900) });
      return () => ask('POST', '/instances', body);
    },
    unknownKeys: async () => {
      const body = JSON.stringify(manyKeys(19_900));
      return () => ask('POST', '/instances', body);
    },
    data: async () => running(passes(500), manyKeys(19_000)),
    levels: async () => {
      const input = { lists: Array.from({ length: 40 }, () => nested(480)) };
      const body = JSON.stringify({ definition: 'chat', input });
      return () => ask('POST', '/instances', body);
    },
    needs: async () => {
      const needs = Array.from({ length: 300 }, (_, index) => {
        const text = passes(20, { Comment: `${(count += 1)}` });
        return { name: `need-${index}`, text, format: 'asl' };
      });
      const body = JSON.stringify({ definition: 'chat', needs });
      return () => ask('POST', '/instances', body);
    },
    answer: async () => {
      await (spoken ??= speak('lines'));
      return () => ask('GET', '/instances/lines/transcript?limit=10000', '');
    },
    fork: async () => () => host.fork('long', { step: steps, id: `fork-${(count += 1)}` }),
    inbox: async () => {
      const id = `inbox-${(count += 1)}`;
      await stage.begin(id);
      await host.pause(id);
      const all = Array.from({ length: waiting }, (_, turn) => stage.say(id, turn));
      await Promise.all(all);
      const answered = stage.receiptOf(id);
      return async () => {
        await host.resume(id);
        await answered;
      };
    },
  };
  let turns = 0;
  /** Makes a turn of a contact of another tenant through the service. */
  const tenantTurn = async (turn: number) => {
    const answered = other.receiptOf('neighbour');
    const message = { contact: 'neighbour', id: `message-${turn}`, text: messageText(turn) };
    await ask('POST', '/messages', JSON.stringify(message), 'other');
    await answered;
  };
  /** Milliseconds of the turns of another contact and another tenant, one after another, until the work is over. */
  const turnsDuring = async (work: Promise<unknown>) => {
    const times: { readonly contact: number; readonly tenant: number }[] = [];
    const over = new AbortController();
    const working = work.finally(() => over.abort());
    while (!over.signal.aborted) {
      turns += 1;
      const contact = await timed(() => stage.turn('neighbour', turns));
      const tenant = await timed(() => tenantTurn(turns));
      times.push({ contact, tenant });
      await pause(1);
    }
    await working;
    return times;
  };
  return {
    sample: async (what) => {
      const names = typeof what === 'string' ? [what] : Object.keys(entries);
      if (names.includes('fork')) {
        await stage.begin('long');
        for (let turn = 1; turn <= steps / 2; turn += 1) await stage.turn('long', turn);
      }
      // A first run loads the modules.
      await running(nestedMaps(2))();
      await ask('POST', '/check', JSON.stringify({ name: 'small', text: planWith(2) }));
      for (const each of [stage, other]) await each.begin('neighbour');
      const p99 = (times: Awaited<ReturnType<typeof turnsDuring>>, of: 'contact' | 'tenant') =>
        quantile(
          times.map((each) => each[of]),
          0.99,
        );
      const alone = await turnsDuring(pause(3_000));
      const readings: Record<string, number> = {};
      for (const name of names) {
        onProgress(name);
        const startedAt = performance.now();
        const times: typeof alone = [];
        while (times.length < leastTurns) {
          const work = await entries[name]!();
          const holding = longestHold(work);
          times.push(...(await turnsDuring(holding)));
          readings[name] = Math.max(readings[name] ?? 0, await holding);
        }
        readings[`${name}Beside`] = p99(times, 'contact') / p99(alone, 'contact');
        readings[`${name}Tenant`] = p99(times, 'tenant') / p99(alone, 'tenant');
        onProgress(`${name}: ${Math.round(performance.now() - startedAt)} ms in all`);
      }
      return readings;
    },
    close: async () => {
      service.close();
      for (const each of [stage, other]) await each.stop();
      await service.end();
    },
  };
};

/** A definition of 0.4 kB that runs the cube of `size` states. */
function nestedMaps(size: number, depth = 3): string {
  const state =
    depth === 0
      ? { Type: 'Pass', End: true }
      : {
          Type: 'Map',
          Items: `{% [1..${size}] %}`,
          ItemProcessor: JSON.parse(nestedMaps(size, depth - 1)) as JsonObject,
          End: true,
        };
  return JSON.stringify({
    ...(depth === 3 && { QueryLanguage: 'JSONata' }),
    StartAt: `S${depth}`,
    States: { [`S${depth}`]: state },
  });
}

/** Pass states that follow each other. */
function passes(count: number, fields: JsonObject = {}): string {
  const states = Array.from({ length: count }, (_, index) => [
    `S${index}`,
    {
      Type: 'Pass',
      ...fields,
      ...(index === count - 1 ? { End: true } : { Next: `S${index + 1}` }),
    },
  ]);
  return JSON.stringify({
    ...(fields['Output'] !== undefined && { QueryLanguage: 'JSONata' }),
    StartAt: 'S0',
    States: Object.fromEntries(states) as JsonObject,
  });
}

/** Expressions of about 10 ms each in one step. */
function evaluations(count: number): string {
  return passes(count, { Output: '{% $sum([1..10000].($ * 2)) %}' });
}

function manyPaths(count: number): string {
  const fields = Array.from({ length: count }, (_, index) => [`p${index}.$`, '$..*']);
  const state = { Type: 'Pass', Parameters: Object.fromEntries(fields) as JsonObject, End: true };
  return JSON.stringify({ StartAt: 'A', States: { A: state } });
}

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

function manyKeys(length: number): JsonObject {
  return Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, 1]));
}

/** Only time of the main thread counts. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const before = mainThreadMs();
      await pause(1);
      longest = Math.max(longest, mainThreadMs() - before);
    }
  })();
  await work();
  over.abort();
  await watching;
  return longest;
}

/** Linux knows how long each thread has run. Elsewhere, time in which the system ran other processes counts, too. */
function mainThreadMs(): number {
  if (process.platform !== 'linux') return performance.now();
  const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(ns) / 1e6;
}

const inputs = {
  maps: 'Maps in a Map in a Map, with 40 items each',
  largeMaps: 'Maps in a Map in a Map, with 80 items each',
  paths: 'a state with 20,000 paths `$..*`',
  plan: 'a plan of 780 kB',
  states: 'a plan of 2,600 states',
  passes: 'a workflow of 5,000 Pass states',
  mostPasses: 'a workflow of 10,000 Pass states',
  restart: 'messages for plans of 780 kB and 2,600 states after a restart',
  evaluations: 'a step with 500 long expressions',
  keys: 'an input with 80,000 keys',
  mostKeys: 'an input with 19,900 keys',
  unknownKeys: 'a body with 19,900 unknown fields',
  data: 'a workflow of 500 states with an input of 19,000 keys',
  levels: 'an input of 40 lists with 480 levels',
  needs: 'a start with 300 other definitions',
  answer: 'a transcript of 300 messages with 60 kB each',
  fork: 'a fork at step 30,000',
  inbox: 'an inbox of 10,000 messages that is resumed',
};

/** The longest time that input from outside blocks the event loop of a service. */
export const longestHolds = onStores(
  import.meta.filename,
  (kind) =>
    Object.fromEntries(
      Object.entries(inputs).flatMap(([name, what]) => [
        [name, [`longest hold on ${kind}: ${what}`, 'ms', 50]],
        [
          `${name}Beside`,
          [`p99 of another contact's turns on ${kind}, compared with alone: ${what}`, 'times', 2],
        ],
        [
          `${name}Tenant`,
          [`p99 of another tenant's turns on ${kind}, compared with alone: ${what}`, 'times', 2],
        ],
      ]),
    ),
  { rounds: 1 },
);
