import { readFileSync } from 'node:fs';
import { compile } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import {
  type AuthoredRow,
  conversationLifecycle,
  lifecycle,
  type LifecycleDefinition,
  workflowLifecycle,
} from '../src/index.ts';
import { actionWords, guardWords } from '../src/vocabulary.ts';

const page = readFileSync(
  new URL('../../../../docs/formats/lifecycle.md', import.meta.url),
  'utf8',
);

const built = (definition: object) => compile(JSON.stringify(definition), { formats: [lifecycle] });

describe.each([
  ['conversation', conversationLifecycle],
  ['workflow', workflowLifecycle],
])('the lifecycle of a %s', (name, definition) => {
  test('compiles without a finding, strict or not, and is distinguished from other formats', () => {
    const strict = { ...definition, policies: { ...definition.policies, strict: true } };
    for (const one of [definition, strict]) {
      const { format, diagnostics, machine } = built(one);
      expect({ format, diagnostics }).toEqual({ format: 'lifecycle', diagnostics: [] });
      expect(machine).toBeDefined();
    }
  });

  test('is the fixture of the transcripts', async () => {
    const file = `./fixtures/${name}/${name}.lifecycle.json`;
    await expect(`${JSON.stringify(definition, null, 2)}\n`).toMatchFileSnapshot(file);
  });

  test('has a description for every state', () => {
    const states = Object.values(definition.states);
    expect(states.every((state) => typeof state === 'object' && state.description)).toBe(true);
  });
});

test('the root of a chart says whether instances are notified of a restart', () => {
  const told = (restart_timer?: 'deadline' | 'remaining' | 'restart') =>
    built({ ...workflowLifecycle, policies: { heartbeat: { restart_timer } } }).chart?.meta;
  expect(told()).toMatchObject({ restart_timer: 'deadline' });
  expect(told('remaining')).toMatchObject({ restart_timer: 'remaining' });
  expect(told('restart')).toMatchObject({ restart_timer: 'restart' });
});

test('strict omits only the rows that are in no source', () => {
  const rowsOf = (strict: boolean) => {
    const { definition } = built({ ...conversationLifecycle, policies: { strict } });
    return (definition as { rows: { id: string; event?: string; from: unknown }[] }).rows;
  };
  const strict = new Set(
    rowsOf(true).map(({ id, event, from }) => JSON.stringify([id, event, from])),
  );
  const left = rowsOf(false).filter(
    ({ id, event, from }) => !strict.has(JSON.stringify([id, event, from])),
  );
  expect(left.map(({ id, event }) => id || event)).toEqual([
    'T24',
    'T25',
    'T26',
    'agent.ended',
    'agent.flagged',
    'turn.ended',
    'turn.failed',
    'turn.ended',
    'turn.failed',
    'turn.failed',
    'turn.failed',
    'conversation.ended',
    'conversation.flagged',
    'conversation.moved',
  ]);
});

describe('the page of the format', () => {
  /** The cells of every line of a table, without backticks. */
  const lines = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .replaceAll('`', '')
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

  const shown = ({ from, event = '', to = '' }: AuthoredRow, names: readonly string[]) => {
    const source = from === null ? 'nothing' : from === '*' ? 'any' : String(from);
    const target = to === '$previous' ? names[0]! : to;
    return [source, String(event), target];
  };

  test('has every row of a conversation that moves an instance on an event', () => {
    const moves = conversationLifecycle.transitions.filter(
      ({ id, event, to }) => id && event && to,
    );
    expect(moves.length).toBeGreaterThan(25);
    for (const row of moves)
      expect(lines.map((cells) => cells.slice(0, 4))).toContainEqual([
        row.id,
        ...shown(row, ['the state before']),
      ]);
  });

  test('numbers rows from T1 to T38, including all that the definition numbers', () => {
    const numbers = lines.map(([first]) => first!).filter((first) => /^T\d+$/.test(first));
    expect(numbers).toEqual(Array.from({ length: 38 }, (_, index) => `T${index + 1}`));
    const ids = conversationLifecycle.transitions.flatMap(({ id = '' }) => id.match(/T\d+/g) ?? []);
    expect(numbers).toEqual(expect.arrayContaining(ids));
  });

  test('has every row of a workflow that moves an instance', () => {
    const moves = workflowLifecycle.transitions.filter(
      ({ event, to }) => to && event !== 'instance.recovered',
    );
    for (const row of moves)
      expect(lines.map((cells) => cells.slice(0, 3))).toContainEqual(shown(row, ['RUNNING']));
  });

  test('has every state with its kind', () => {
    const states = (definition: LifecycleDefinition) => Object.entries(definition.states);
    for (const [name, state] of states(conversationLifecycle))
      expect(lines.map((cells) => cells.slice(0, 2))).toContainEqual([
        name,
        (state as { kind: string }).kind,
      ]);
  });

  test('names every guard, every action, and every limit that a policy sets', () => {
    const words = [...guardWords, ...Object.keys(actionWords)];
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
    const heartbeat = Object.entries(conversationLifecycle.policies!.heartbeat!);
    for (const [field, value] of heartbeat)
      expect(lines.map((cells) => cells.slice(0, 2))).toContainEqual([
        `heartbeat.${field}`,
        value?.toLocaleString('en'),
      ]);
  });

  test('begins with an example without findings', () => {
    const [, example = ''] = /```json\n([^]*?)```/.exec(page) ?? [];
    const { diagnostics } = compile(example, { formats: [lifecycle] });
    expect(diagnostics).toEqual([]);
  });
});
