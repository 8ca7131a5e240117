import { compile, providePorts } from '@dramaturg/compiler';
import fc from 'fast-check';
import { createActor } from 'xstate';
import { describe, expect, test } from 'vitest';
import {
  conversationLifecycle,
  lifecycle,
  type LifecycleContext,
  type LifecycleEmitted,
} from '../src/index.ts';
import { actionWords, guardWords } from '../src/vocabulary.ts';
import { runsAll, scaled } from '../../../../.config/scaled.ts';

const compiled = (definition: unknown) =>
  compile(JSON.stringify(definition), { formats: [lifecycle], format: 'lifecycle' });

/** Names that JavaScript, XState or this format reserve, and ordinary ones. */
const names = [
  'A',
  'B',
  'a.b',
  '#A',
  '.',
  ' ',
  '1',
  '007',
  '__proto__',
  'constructor',
  'toString',
  'live',
  'history',
  'created',
  '*',
  '$previous',
  '%2E',
  'xstate.stop',
  'state:A',
  '🙂',
];
const oddName = fc.constantFrom(...names);
const odd = fc.oneof(oddName, fc.string(), fc.jsonValue());
const word = fc.constantFrom(...Object.keys(actionWords), ...guardWords, 'valueOf', '');

const anyAction = fc.oneof(word, fc.dictionary(word, odd, { maxKeys: 2 }), odd);

const anyState = fc.oneof(
  oddName,
  fc.record(
    {
      name: oddName,
      kind: fc.constantFrom('initial', 'waiting', 'suspended', 'terminal', 'final', 'valueOf', 7),
      timer: fc.oneof(odd, fc.record({ event: oddName, after_ms: fc.double() })),
      entry: fc.array(anyAction, { maxLength: 3 }),
      holds_contact: fc.constantFrom(true, false, 'no'),
    },
    { requiredKeys: ['name'] },
  ),
);

const anyRow = fc.record(
  {
    from: fc.oneof(oddName, fc.constant(null), fc.array(oddName, { maxLength: 3 }), odd),
    event: fc.oneof(oddName, fc.array(oddName, { maxLength: 3 }), odd),
    always: fc.boolean(),
    to: fc.oneof(oddName, odd),
    guard: fc.oneof(word, fc.record({ event: fc.dictionary(oddName, odd, { maxKeys: 2 }) }), odd),
    actions: fc.array(anyAction, { maxLength: 3 }),
    raise: oddName,
    additive: fc.boolean(),
  },
  { requiredKeys: ['from'] },
);

const anyLifecycle = fc.oneof(
  fc.record(
    {
      initial: fc.oneof(oddName, odd),
      terminal: fc.oneof(fc.array(oddName, { maxLength: 3 }), odd),
      states: fc.oneof(
        fc.array(anyState, { maxLength: 6 }),
        fc.dictionary(oddName, fc.oneof(anyState, odd), { maxKeys: 6 }),
        odd,
      ),
      transitions: fc.oneof(
        fc.array(anyRow, { maxLength: 8 }),
        fc.dictionary(oddName, fc.dictionary(oddName, fc.oneof(oddName, anyRow, odd)), {
          maxKeys: 4,
        }),
        odd,
      ),
      policies: fc.oneof(
        odd,
        fc.record({ heartbeat: odd, pick_up: odd, strict: fc.boolean() }, { requiredKeys: [] }),
      ),
    },
    { requiredKeys: ['states'] },
  ),
  fc.jsonValue(),
);

test('compile never throws, whatever the definition', () => {
  fc.assert(
    fc.property(anyLifecycle, (definition) => {
      const { chart, diagnostics } = compiled(definition);
      const failed = diagnostics.some(({ severity }) => severity === 'error');
      expect(chart === undefined).toBe(failed);
    }),
    { numRuns: scaled(700) },
  );
});

const states = ['A', 'B', 'a.b', '__proto__', '007'];
const events = ['go', 'back', 'constructor', 'a.b', '1', 'agent.available', 'turn.ended'];
const soundName = fc.constantFrom(...states, 'END');

/** A table without errors, except that it may loop. */
const soundLifecycle = fc
  .record({
    entries: fc.array(fc.subarray(['call_agent', 'start_turn', 'count_follow_up'] as const), {
      minLength: states.length,
      maxLength: states.length,
    }),
    rows: fc.array(
      fc.record(
        {
          from: fc.oneof(fc.constantFrom(...states, 'PAUSED', '*'), fc.subarray(states)),
          event: fc.constantFrom(...events),
          to: fc.option(soundName, { nil: undefined }),
          guard: fc.constantFrom(undefined, 'no_turn', 'current_turn', 'messages_wait'),
          actions: fc.subarray([
            'close_turn',
            'record_message',
            'clear_inbox',
            'ask_help',
          ] as const),
          raise: fc.constantFrom(undefined, undefined, undefined, ...events),
        },
        { requiredKeys: ['from', 'event'] },
      ),
      { maxLength: 14 },
    ),
    always: fc.array(fc.record({ from: fc.constantFrom(...states), to: soundName }), {
      maxLength: 2,
    }),
  })
  .map(({ entries, rows, always }) => ({
    initial: 'A',
    terminal: ['END'],
    states: [
      ...states.map((name, index) => ({ name, entry: entries[index] })),
      { name: 'PAUSED', kind: 'suspended' },
      'END',
    ],
    transitions: [
      ...rows,
      ...always
        .filter(({ from, to }) => from !== to)
        .map((row) => ({ ...row, always: true, guard: 'no_turn' })),
      { from: '*', event: 'pause', to: 'PAUSED' },
      { from: 'PAUSED', event: 'resume', to: '$previous' },
      { from: '*', event: 'cancel', to: 'END' },
    ],
  }));

const step = fc.record({
  type: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...events, 'pause', 'resume', 'message.received') },
    fc.constantFrom('cancel', 'toString', ''),
  ),
  turn: fc.constantFrom('instance/turn-1', 'instance/turn-2', 7),
  text: fc.constantFrom('Hm.', ' ', undefined),
});

test('an instance is in a state of its table, a refusal changes nothing, and it can be restored', () => {
  let played = 0;
  fc.assert(
    fc.property(soundLifecycle, fc.array(step, { maxLength: 14 }), (definition, steps) => {
      const { machine, diagnostics } = compiled(definition);
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      // A loop is the only possible error in these random tables.
      const others = errors.filter(({ code }) => code !== 'lifecycle/endless-loop');
      expect(others).toEqual([]);
      if (!machine) return;
      played += 1;
      const provided = providePorts(machine, { timer: () => new Promise<never>(() => {}) });
      let refused = 0;
      const spawn = (snapshot?: unknown) => {
        const actor = createActor(provided, snapshot ? { snapshot: snapshot as never } : {});
        actor.on('*', (event) => {
          if ((event as LifecycleEmitted).type === 'event.refused') refused += 1;
        });
        return actor.start();
      };
      let actor = spawn();
      for (const event of steps) {
        const { status } = actor.getSnapshot();
        expect(['active', 'done']).toContain(status);
        if (status === 'done') break;
        const before = JSON.stringify(actor.getPersistedSnapshot());
        const count = refused;
        actor.send(event);
        const { context, value } = actor.getSnapshot() as {
          context: LifecycleContext;
          value: string | Record<string, string>;
        };
        const after = JSON.stringify(actor.getPersistedSnapshot());
        expect([...states, 'PAUSED', 'END']).toContain(context.state);
        const node = typeof value === 'string' ? value : value['live']!;
        expect(decodeURIComponent(node)).toBe(context.state);
        expect(context.previous_state !== null).toBe(context.state === 'PAUSED');
        expect(refused > count && after !== before).toBe(false);
        actor.stop();
        actor = spawn(JSON.parse(after));
        expect(JSON.stringify(actor.getPersistedSnapshot())).toBe(after);
      }
      expect(actor.getSnapshot().status).not.toBe('error');
      actor.stop();
    }),
    { numRuns: scaled(250) },
  );
  // Most tables must come to rest, or the property would prove little.
  expect(played).toBeGreaterThan(scaled(100));
});

describe('large definitions and inputs', () => {
  const table = (count: number, each: number) => {
    const all = Array.from({ length: count }, (_, index) => `s${index}`);
    return {
      initial: 's0',
      terminal: [all.at(-1)],
      states: all,
      transitions: all.slice(0, -1).flatMap((from, index) =>
        Array.from({ length: each }, (_, row) => ({
          from,
          event: `e${row}`,
          to: all[(index * 7 + row + 1) % count],
        })),
      ),
    };
  };
  const checkedWhole = (definition: unknown) => {
    const { diagnostics, machine } = compiled(definition);
    return { codes: [...new Set(diagnostics.map(({ code }) => code))], machine };
  };

  test('a thousand states with twenty rows each compile and run', ({ skip }) => {
    skip(!runsAll);
    const { codes, machine } = checkedWhole(table(1_000, 20));
    expect(codes).toEqual([]);
    const actor = createActor(machine!).start();
    actor.send({ type: 'e0' });
    expect((actor.getSnapshot().context as LifecycleContext).state).toBe('s1');
  });

  test('more states or more rows than that are refused', ({ skip }) => {
    skip(!runsAll);
    expect(checkedWhole(table(1_001, 1)).codes).toContain('lifecycle/too-many');
    expect(checkedWhole(table(1_000, 21)).codes).toContain('lifecycle/too-many');
    expect(checkedWhole(table(10_000, 1)).codes).toContain('lifecycle/too-many');
    const all = Array.from({ length: 300 }, (_, index) => `s${index}`);
    const raising = { from: '*', event: all, to: 's1', raise: 'x' };
    expect(checkedWhole({ initial: 's0', states: all, transitions: [raising] }).codes).toContain(
      'lifecycle/too-many',
    );
  });

  test('a shared part counts once for each use', () => {
    const eventNames = Array.from({ length: 10_000 }, (_, index) => `e${index}`);
    const long = 'x'.repeat(100_000);
    for (const fields of [
      { description: long },
      { id: long },
      { actions: Array.from({ length: 10_000 }, () => 'clear_inbox') },
      { actions: [{ record_end: long }] },
      { guard: { event: { [long]: 1 } } },
    ]) {
      const row = { from: 'A', event: eventNames, to: 'B', ...fields };
      const base = { initial: 'A', states: ['A', 'B'], terminal: ['B'] };
      expect(checkedWhole({ ...base, transitions: [row] }).codes).toContain('lifecycle/too-many');
      const once = { ...row, event: 'go' };
      expect(checkedWhole({ ...base, transitions: [once] }).codes).toEqual([]);
    }
    const named = { initial: long, states: [long, 'B'], terminal: ['B'] };
    expect(
      checkedWhole({ ...named, transitions: [{ from: long, event: 'go', to: 'B' }] }).codes,
    ).toEqual(['lifecycle/bad-state-name']);
  });

  test('a wildcard row counts once for each state that uses it', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => `s${index}`);
    const base = { initial: 's0', states: [...all.slice(1), 's0'], terminal: ['s999'] };
    const eventNames = Array.from({ length: 15_000 }, (_, index) => `e${index}`);
    const back = { from: all.slice(2, 998), event: 'back', to: '$previous' };
    const many = [{ from: '*', event: eventNames, to: 's1' }, back];
    expect(checkedWhole({ ...base, transitions: many }).codes).toContain('lifecycle/too-many');
    const same = all.map((to) => ({ from: '*', event: 'go', guard: 'queued', to }));
    expect(checkedWhole({ ...base, transitions: same }).codes).toContain('lifecycle/too-many');
    const few = [{ from: '*', event: ['go', 'end'], to: 's999' }, back];
    expect(checkedWhole({ ...base, transitions: few }).codes).not.toContain('lifecycle/too-many');
  });

  test('a table in which every row raises every event is checked in time', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => `s${index}`);
    const transitions = Array.from({ length: 19_000 }, (_, index) => ({
      from: all[index % 1_000],
      event: `e${index % 7}`,
      to: all[(index * 7 + 1) % 1_000],
      raise: `e${(index + 3) % 11}`,
    }));
    const calling = all.map((name) => ({ name, entry: ['call_agent'] }));
    expect(checkedWhole({ initial: 's0', states: calling, transitions }).codes).toContain(
      'lifecycle/endless-loop',
    );
  });

  test('texts of a megabyte are cut or refused, and never stored in full', () => {
    const long = 'x'.repeat(1_000_000);
    expect(checkedWhole({ ...table(3, 1), id: long, title: long }).codes).toEqual([]);
    expect(
      checkedWhole({
        initial: 'A',
        states: ['A', 'B'],
        terminal: ['B'],
        transitions: { A: { [long]: 'B' } },
      }).codes,
    ).toEqual(['lifecycle/bad-event']);

    const { machine } = compiled(conversationLifecycle);
    const actor = createActor(machine!);
    const emitted: LifecycleEmitted[] = [];
    actor.on('*', (event) => emitted.push(event as LifecycleEmitted));
    actor.start();
    const turn = 'instance/turn-1';
    for (const event of [
      { type: long },
      { type: 'message.received', text: long },
      { type: 'message.received', id: long },
      { type: 'agent.replied', turn, text: long },
      { type: 'agent.replied', turn: long, text: 'Hello.' },
      { type: 'todo.marked', turn, todo_id: long },
      { type: 'agent.flagged', turn, reason: long },
      { type: 'turn.ended', turn },
      { type: 'cancel', reason: long },
    ])
      actor.send(event);
    expect(actor.getSnapshot().status).toBe('done');
    expect(JSON.stringify(actor.getPersistedSnapshot()).length).toBeLessThan(10_000);
    expect(JSON.stringify(emitted).length).toBeLessThan(10_000);
  });

  test('the context does not grow with the messages that wait', () => {
    const { machine } = compiled(conversationLifecycle);
    const actor = createActor(machine!).start();
    const sizeAfter = (from: number, to: number): number => {
      for (let index = from; index < to; index += 1)
        actor.send({ type: 'message.received', id: `message-${100_000 + index}` });
      return JSON.stringify(actor.getPersistedSnapshot()).length;
    };
    const few = sizeAfter(0, 1_000);
    const many = sizeAfter(1_000, 9_000);
    expect((actor.getSnapshot().context as LifecycleContext).inbox_count).toBe(9_000);
    expect(many).toBe(few);
    actor.stop();
  });
});
