import { check, compile, providePorts } from '@dramaturg/compiler';
import { createActor } from 'xstate';
import { describe, expect, test } from 'vitest';
import {
  type EventRefused,
  lifecycle,
  type LifecycleContext,
  type LifecycleEmitted,
  type LifecycleInput,
} from '../src/index.ts';

function codesOf(definition: object): string[] {
  const text = JSON.stringify({ format: 'lifecycle', ...definition });
  return check(text, { formats: [lifecycle] }).diagnostics.map(({ code }) => code);
}

/** An instance that writes down what it emits. */
function begin(definition: object, input: LifecycleInput = {}) {
  const text = JSON.stringify({ format: 'lifecycle', ...definition });
  const { machine, diagnostics } = compile(text, { formats: [lifecycle] });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const never = () => new Promise<never>(() => {});
  const actor = createActor(providePorts(machine!, { timer: never }), { input });
  const emitted: LifecycleEmitted[] = [];
  actor.on('*', (event) => emitted.push(event as LifecycleEmitted));
  actor.start();
  return {
    send: (type: string, fields: object = {}) => {
      actor.send({ type, ...fields });
      return (actor.getSnapshot().context as LifecycleContext).state;
    },
    get context() {
      return actor.getSnapshot().context as LifecycleContext;
    },
    get refusal() {
      return emitted.findLast((event): event is EventRefused => event.type === 'event.refused');
    },
    emitted,
  };
}

const door = { initial: 'SHUT', terminal: ['BRICKED_UP'], states: ['SHUT', 'OPEN', 'BRICKED_UP'] };

describe('layouts', () => {
  const rows = [
    { from: 'SHUT', event: 'open', to: 'OPEN' },
    { from: 'OPEN', event: 'shut', to: 'SHUT' },
    { from: ['SHUT', 'OPEN'], event: 'brick up', to: 'BRICKED_UP' },
  ];
  const map = {
    SHUT: { open: 'OPEN', 'brick up': 'BRICKED_UP' },
    OPEN: { shut: { to: 'SHUT' }, 'brick up': [{ to: 'BRICKED_UP' }] },
  };
  const states = { SHUT: 'initial', OPEN: { kind: 'normal' }, BRICKED_UP: 'final' };

  test.each([
    ['a list of states and a list of rows', { ...door, transitions: rows }],
    ['the rows under another name', { ...door, rows }],
    ['a map of events', { ...door, transitions: map }],
    ['a map of kinds and a map of events', { states, transitions: map }],
  ])('%s are one table', (_, definition) => {
    expect(codesOf(definition)).toEqual([]);
    const { send } = begin(definition);
    expect(['open', 'shut', 'open', 'brick up'].map((type) => send(type))).toEqual([
      'OPEN',
      'SHUT',
      'OPEN',
      'BRICKED_UP',
    ]);
  });

  test('of a list of rows, the first whose guard holds is taken', () => {
    const { send } = begin({
      ...door,
      transitions: {
        SHUT: {
          knock: [
            { to: 'OPEN', guard: { event: { times: 2, who: null } } },
            { to: 'BRICKED_UP', guard: { event: { times: 3 } } },
          ],
        },
        OPEN: { shut: 'SHUT', 'brick up': 'BRICKED_UP' },
      },
    });
    expect(send('knock')).toBe('SHUT');
    expect(send('knock', { times: 2 })).toBe('SHUT');
    expect(send('knock', { times: 2, who: null })).toBe('OPEN');
    expect(send('shut')).toBe('SHUT');
    expect(send('knock', { times: 3, who: null })).toBe('BRICKED_UP');
  });

  test('states without rows lead to each other by their names', () => {
    const definition = { states: { SHUT: 'initial', OPEN: 'normal', BRICKED_UP: 'terminal' } };
    expect(codesOf(definition)).toEqual(['lifecycle/assumed-transitions']);
    const { send } = begin(definition);
    expect(send('SHUT')).toBe('SHUT');
    expect([send('OPEN'), send('SHUT'), send('BRICKED_UP')]).toEqual([
      'OPEN',
      'SHUT',
      'BRICKED_UP',
    ]);
  });
});

describe('wildcards', () => {
  const table = {
    ...door,
    states: [...door.states, { name: 'STUCK', kind: 'suspended' }],
    transitions: [
      { from: 'SHUT', event: 'open', to: 'OPEN' },
      { from: 'OPEN', event: 'brick up', to: 'SHUT' },
      { from: '*', event: 'brick up', to: 'BRICKED_UP' },
      { from: '*', event: 'jam', to: 'STUCK' },
      { from: 'STUCK', event: 'pull', to: '$previous' },
    ],
  };

  test('a row that names the state takes precedence over a wildcard row', () => {
    const { send } = begin(table);
    send('open');
    expect(send('brick up')).toBe('SHUT');
    expect(send('brick up')).toBe('BRICKED_UP');
  });

  test('a wildcard row does not lead to the current state', () => {
    const instance = begin(table);
    instance.send('open');
    expect(instance.send('jam')).toBe('STUCK');
    instance.send('jam');
    expect(instance.refusal?.accepts).toEqual(['pull', 'brick up']);
    expect(instance.context.previous_state).toBe('OPEN');
    expect(instance.send('pull')).toBe('OPEN');
  });

  test('an event of another state is refused, and the answer lists the events of this state', () => {
    const instance = begin(table);
    instance.send('pull');
    expect(instance.refusal).toEqual({
      type: 'event.refused',
      event: 'pull',
      state: 'SHUT',
      code: 'event/not-accepted',
      because: 'An instance in "SHUT" does not accept "pull". It accepts open, brick up, jam.',
      accepts: ['open', 'brick up', 'jam'],
    });
  });
});

describe('creation', () => {
  const table = {
    ...door,
    transitions: [
      { from: null, event: 'create', guard: 'queued', to: 'OPEN' },
      { from: null, event: ['import', 'copy'], to: 'OPEN' },
      { from: '*', event: 'brick up', to: 'BRICKED_UP' },
      { from: 'SHUT', event: 'open', to: 'OPEN' },
    ],
  };

  test.each([
    [{}, 'SHUT'],
    [{ queued: true }, 'OPEN'],
    [{ event: 'import' }, 'OPEN'],
    [{ event: 'copy' }, 'OPEN'],
    [{ event: 'unknown', queued: true }, 'SHUT'],
  ])('the input %j begins in its state', (input, state) => {
    expect(begin(table, input).context.state).toBe(state);
  });

  test('an invalid input is refused, and the error lists every problem', () => {
    const { machine } = compile(JSON.stringify(table), { formats: [lifecycle] });
    const input = {
      instance: '',
      event: 7,
      heartbeat_config: { interval_ms: 0.5, max_followups: -1 },
      todos: [
        { id: 'a', text: ' ' },
        { id: 'a', text: 'x', status: 'lost' },
      ],
    };
    const { error } = createActor(machine!, { input }).getSnapshot();
    expect(error).toMatchObject({
      name: 'InputError',
      problems: [
        '"instance" must be a text of 1 to 1000 characters',
        '"event" must be a text of 1 to 200 characters',
        '"heartbeat_config.interval_ms" must be a whole number from 1 to 2147483647',
        '"heartbeat_config.max_followups" must be a whole number from 0 on',
        '"todos[0].text" must be a text of 1 to 500 characters',
        '"todos[1].status" must be one of pending, in_progress, completed, skipped',
        'two items of "todos" have the same "id"',
      ],
    });
  });

  test.each([
    5,
    { time_zone: 'Mars/Olympus' },
    { quiet_hours: { from: 21, to: '08:00' } },
    { calendar: { from: '09:00', to: '17:00', working_days: 'mon', holidays: [] } },
    { calendar: null },
    { words: [{ text: 'stop', means: 'explode' }] },
    { words: [{ text: 5, means: 'help', says: {} }] },
    { reminders: [{ after: 5 }] },
    { language: ['en'] },
  ])('the input %j as the policies of a caller is refused', (caller) => {
    const { machine } = compile(JSON.stringify(table), { formats: [lifecycle] });
    const { error } = createActor(machine!, { input: { caller } }).getSnapshot();
    expect(error).toMatchObject({
      problems: ['"caller" must have the policies of a lifecycle'],
    });
  });
});

describe('turns in a custom table', () => {
  const table = {
    initial: 'IDLE',
    terminal: ['DONE'],
    states: [
      { name: 'IDLE', kind: 'waiting' },
      { name: 'BUSY', kind: 'working', entry: ['start_turn'] },
      { name: 'AGAIN', kind: 'working', entry: [{ start_turn: { BUSY: 'reply' } }] },
      'DONE',
    ],
    transitions: {
      IDLE: { go: 'BUSY', finish: 'DONE' },
      BUSY: { go: 'AGAIN', rest: 'IDLE' },
      AGAIN: { rest: 'IDLE' },
    },
  };

  test('a turn is "resumed" unless it is the first, or the table gives its kind', () => {
    const fresh = begin({ ...table, initial: 'BUSY' });
    for (const type of ['rest', 'go', 'go', 'rest', 'finish']) fresh.send(type);
    const kinds = fresh.emitted.flatMap((event) =>
      event.type === 'turn.started' ? [event.kind] : [],
    );
    expect(kinds).toEqual(['first', 'resumed', 'reply']);
    expect(fresh.emitted.filter(({ type }) => type === 'turn.aborted')).toHaveLength(3);
  });
});

describe('a timer of a state', () => {
  test('continues after a pause only in the state that it belongs to', () => {
    const table = {
      states: {
        A: { kind: 'initial', timer: { event: 'late', after_ms: 1_000 } },
        B: { timer: { event: 'late', after_ms: 2_000 } },
        HOLD: 'suspended',
        WAIT: 'suspended',
        END: 'terminal',
      },
      transitions: {
        '*': { hold: 'HOLD', wait: 'WAIT', late: 'END' },
        HOLD: { resume: null, skip: 'B' },
        WAIT: { resume: null },
      },
    };
    expect(codesOf(table)).toEqual([]);
    const instance = begin(table);
    const { due_at } = instance.context.timer!;
    instance.send('hold');
    instance.send('wait');
    expect(instance.context).toMatchObject({ state: 'WAIT', previous_state: 'A', timer: null });
    expect(instance.context.frozen?.timer).toMatchObject({ due_at, delay_ms: 1_000 });
    expect(instance.send('resume')).toBe('A');
    expect(instance.context.timer?.delay_ms).toBe(1_000);
    instance.send('hold');
    expect(instance.send('skip')).toBe('B');
    expect(instance.context).toMatchObject({ timer: { delay_ms: 2_000 }, frozen: null });
  });

  test('cannot exceed the longest possible timer', () => {
    const table = (after_ms: number) => ({
      states: [{ name: 'A', kind: 'initial', timer: { event: 'late', after_ms } }, 'B'],
      terminal: ['B'],
      transitions: { A: { late: 'B' } },
    });
    expect(codesOf(table(2_147_483_647))).toEqual([]);
    for (const length of [2_147_483_648, 0, 1.5, -1])
      expect(codesOf(table(length))).toEqual(['lifecycle/bad-number']);
  });
});

describe('a loop without an event from outside is reported', () => {
  const base = { initial: 'A', terminal: ['Z'], states: ['A', 'B', 'Z'] };
  const out = { from: '*', event: 'end', to: 'Z' };
  const loop = ['lifecycle/endless-loop'];

  test('when its rows wait for nothing, whatever their guards', () => {
    const transitions = [
      { from: 'A', always: true, guard: 'queued', to: 'B' },
      { from: 'B', always: true, guard: 'no_turn', to: 'A' },
      out,
    ];
    expect(codesOf({ ...base, transitions })).toEqual(loop);
  });

  test('when rows raise its events', () => {
    const transitions = [
      { from: 'A', event: 'x', to: 'B', raise: 'y' },
      { from: 'B', event: 'y', to: 'A', raise: 'x' },
      out,
    ];
    expect(codesOf({ ...base, transitions })).toEqual(loop);
  });

  test('when an event waits while another is handled', () => {
    const transitions = [
      { from: 'A', event: 'x', to: 'B' },
      { from: 'A', event: 'agent.available' },
      { from: 'B', event: 'agent.available', to: 'A', raise: 'x' },
      out,
    ];
    const states = [{ name: 'A', entry: ['call_agent'] }, 'B', 'Z'];
    expect(codesOf({ ...base, states, transitions })).toEqual(loop);
    const policies = { pick_up: 'when_available' };
    expect(codesOf({ ...base, states, transitions, policies })).toEqual([]);
  });

  test('when it pauses without a command', () => {
    const states = ['A', { name: 'B', kind: 'suspended' }, 'Z'];
    const transitions = [
      { from: 'A', always: true, to: 'B' },
      { from: 'B', always: true, to: '$previous' },
      out,
    ];
    expect(codesOf({ ...base, states, transitions })).toEqual(loop);
  });

  test('when it starts a turn again and again', () => {
    const transitions = [
      { from: 'A', always: true, guard: 'no_turn', actions: ['start_turn'], raise: 'x' },
      { from: 'A', event: 'x', to: 'A' },
      out,
    ];
    expect(codesOf({ ...base, transitions })).toEqual(loop);
  });

  test('unless it leads to an end', () => {
    const transitions = [
      { from: '*', always: true, to: 'Z' },
      { from: 'A', event: 'x', to: 'B' },
    ];
    expect(codesOf({ ...base, transitions })).toEqual([]);
    expect(begin({ ...base, transitions }).context.state).toBe('Z');
  });
});
