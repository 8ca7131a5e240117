import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, hasErrors, providePorts } from '@dramaturg/compiler';
import { conversationLifecycle, lifecycle, type LifecycleContext } from '@dramaturg/lifecycle';
import { type AnyActor, createActor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { formats } from '../src/known-formats.ts';

/**
 * Lifecycle tables from a folder next to the project. Each is compiled unchanged, and every row is tried as an event in
 * its source state and in all other states.
 */
const corpus = join(import.meta.dirname, '../../../../shared/corpus/lifecycle');
const isThere = existsSync(corpus);

function definitionIn(name: string) {
  const text = isThere ? readFileSync(join(corpus, `${name}.json`), 'utf8') : '{}';
  return { text, value: JSON.parse(text) as Table };
}

interface Table {
  readonly initial: string;
  readonly terminal: readonly string[];
  readonly states: readonly string[] | Readonly<Record<string, string>>;
  readonly transitions?: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  readonly rows?: readonly {
    readonly from: string | null;
    readonly event: string | null;
    readonly to: string;
  }[];
}

const never = () => new Promise<never>(() => {});

function machineOf(text: string) {
  const compiled = compile(text, { formats });
  expect(compiled.format).toBe('lifecycle');
  expect(hasErrors(compiled.diagnostics)).toBe(false);
  return { machine: providePorts(compiled.machine!, { timer: never }), ...compiled };
}

const stateOf = (actor: AnyActor) => (actor.getSnapshot().context as LifecycleContext).state;

/** The state after an event, for an instance that the shortest events brought to the source state. */
function follow(machine: Parameters<typeof createActor>[0], way: readonly string[], event: string) {
  const actor: AnyActor = createActor(machine);
  const refused: string[] = [];
  actor.on('event.refused', (refusal) => refused.push(refusal.type));
  actor.start();
  for (const type of way) actor.send({ type });
  const from = stateOf(actor);
  expect(refused).toEqual([]);
  actor.send({ type: event });
  const result = { from, to: stateOf(actor), refused: refused.length > 0 };
  actor.stop();
  return result;
}

/** The shortest events that lead to each state of a table, computed from its rows. */
function waysIn({ initial, transitions = {} }: Table): Map<string, string[]> {
  const ways = new Map<string, string[]>([[initial, []]]);
  for (const [state, way] of ways)
    for (const [event, to] of Object.entries(transitions[state] ?? {}))
      if (to !== null && !ways.has(to)) ways.set(to, [...way, event]);
  return ways;
}

describe.skipIf(!isThere)('the tables of relay', () => {
  const tables = ['relay.transition-table.head', 'relay.transition-table.design'] as const;

  test.each([
    [tables[0], 34],
    [tables[1], 32],
  ])(
    '%s: each of its %i rows leads where it says, and no other event does anything',
    (name, count) => {
      const { text, value } = definitionIn(name);
      const { machine, diagnostics } = machineOf(text);
      expect(diagnostics).toEqual([]);
      const ways = waysIn(value);
      const events = new Set(Object.values(value.transitions!).flatMap(Object.keys));
      let rows = 0;
      for (const [from, way] of ways) {
        if (value.terminal.includes(from)) continue;
        for (const event of events) {
          const to = value.transitions![from]![event];
          if (to !== undefined) rows += 1;
          // A pause returns to the state in which it began.
          const target = to === null ? stateBefore(way, value) : (to ?? from);
          expect({ event, ...follow(machine, way, event) }).toEqual({
            event,
            from,
            to: target,
            refused: to === undefined,
          });
        }
      }
      expect(rows).toBe(count);
    },
  );

  test('the lifecycle of a conversation accepts all 34 rows with the same target', () => {
    const { value } = definitionIn(tables[0]);
    const { machine } = machineOf(
      JSON.stringify({ ...conversationLifecycle, policies: { pick_up: 'when_available' } }),
    );
    let rows = 0;
    for (const [from, way] of waysIn(value)) {
      for (const [event, to] of Object.entries(value.transitions![from] ?? {})) {
        rows += 1;
        const target = to ?? stateBefore(way, value);
        expect({ event, ...follow(machine, way, event) }).toEqual({
          event,
          from,
          to: target,
          refused: false,
        });
      }
    }
    expect(rows).toBe(34);
  });

  test('its defaults equal those of the lifecycle of a conversation', () => {
    const { heartbeat_config } = JSON.parse(definitionIn('relay.defaults').text) as {
      heartbeat_config: object;
    };
    expect(conversationLifecycle.policies?.heartbeat).toMatchObject(heartbeat_config);
  });

  test('the request bodies that create its instances are valid inputs', () => {
    const { requests } = JSON.parse(definitionIn('relay.create-requests').text) as {
      requests: { body: object }[];
    };
    const { machine } = machineOf(JSON.stringify(conversationLifecycle));
    expect(requests).toHaveLength(3);
    for (const { body } of requests)
      expect(createActor(machine, { input: body }).getSnapshot().status).toBe('active');
  });
});

/** The state before the last one of a path. */
function stateBefore(way: readonly string[], { initial, transitions = {} }: Table): string {
  return way.slice(0, -1).reduce((state, event) => transitions[state]![event]!, initial);
}

describe.skipIf(!isThere)('the table of the page that the lifecycle is from', () => {
  const { text, value } = definitionIn('seed-page.transitions');
  const live = isThere
    ? (value.states as readonly string[]).filter((state) => !value.terminal.includes(state))
    : [];

  test('compiles, and a row without an event uses the name of its target', () => {
    const { diagnostics } = machineOf(text);
    expect([...new Set(diagnostics.map(({ code }) => code))]).toEqual(['lifecycle/unnamed-event']);
    const unnamed = value.rows!.filter(({ from, event }) => from !== null && event === null);
    expect(diagnostics).toHaveLength(unnamed.length);
  });

  test('each of its rows leads to its target from all its source states', () => {
    const { machine } = machineOf(text);
    const ways: Readonly<Record<string, readonly string[]>> = {
      CREATED: [],
      QUEUED: [],
      ACTIVE: ['ACTIVE'],
      WAITING_FOR_REPLY: ['ACTIVE', 'WAITING_FOR_REPLY'],
      WAITING_FOR_AGENT: ['ACTIVE', 'WAITING_FOR_REPLY', 'WAITING_FOR_AGENT'],
      HEARTBEAT_SCHEDULED: ['ACTIVE', 'WAITING_FOR_REPLY', 'heartbeat fires'],
      NEEDS_HUMAN_INTERVENTION: ['ACTIVE', 'agent flags for human review'],
      PAUSED: ['ACTIVE', 'pause'],
    };
    expect(Object.keys(ways).toSorted()).toEqual(live.toSorted());
    const queue = value.rows!.find(({ from }) => from === null)!;
    let tried = 0;
    for (const { from, event, to } of value.rows!) {
      if (from === null) continue;
      for (const state of from === '*' ? live : [from]) {
        // A paused instance cannot be paused again.
        if (state === to) continue;
        const actor: AnyActor = createActor(machine, {
          input: state === 'QUEUED' ? { event: queue.event } : {},
        });
        actor.start();
        for (const type of ways[state]!) actor.send({ type });
        expect(stateOf(actor)).toBe(state);
        actor.send({ type: event ?? to });
        expect({ state, event, to: stateOf(actor) }).toEqual({
          state,
          event,
          to: to === '$previous' ? 'ACTIVE' : to,
        });
        tried += 1;
        actor.stop();
      }
    }
    expect(tried).toBe(value.rows!.length - 3 + live.length - 1 + live.length);
  });

  test('an instance that is created while another holds the contact begins in the queue', () => {
    const { machine } = machineOf(text);
    const { event, to } = value.rows!.find(({ from }) => from === null)!;
    expect(stateOf(createActor(machine, { input: { event } }))).toBe(to);
  });
});

describe.skipIf(!isThere)('the states of a task of A2A', () => {
  const { text, value } = definitionIn('a2a.task-states');

  test('refer to one another by name until a terminal state', () => {
    const { machine, diagnostics } = machineOf(text);
    expect(diagnostics.map(({ code }) => code)).toEqual(['lifecycle/assumed-transitions']);
    const states = Object.keys(value.states);
    const terminal = states.filter((state) =>
      Object.entries(value.states).some(([name, kind]) => name === state && kind === 'terminal'),
    );
    expect(terminal).toHaveLength(4);
    let tried = 0;
    for (const from of states) {
      if (terminal.includes(from)) continue;
      const way = from === 'SUBMITTED' ? [] : [from];
      for (const to of states) {
        tried += 1;
        expect(follow(machine, way, to)).toEqual({ from, to, refused: from === to });
      }
    }
    expect(tried).toBe(4 * 8);
  });
});

test(`there is ${isThere ? 'a corpus of lifecycles next to the project' : 'no corpus of lifecycles next to the project: its tests are skipped'}`, () => {
  expect(existsSync(join(corpus, 'README.md'))).toBe(isThere);
});

describe.skipIf(!isThere)('of all formats', () => {
  test.each(['relay.transition-table.head', 'seed-page.transitions', 'a2a.task-states'])(
    'only this one recognises %s',
    (name) => {
      const { value } = definitionIn(name);
      expect(formats.filter((format) => format.recognise(value).matches)).toEqual([lifecycle]);
    },
  );
});
