import { expect, test } from 'vitest';
import type { Chart } from '../src/chart/chart.ts';
import { fromJson, toJson } from '../src/export/artifact.ts';

const reference = { type: 'none' };

const chart: Chart = {
  chart: 1,
  format: 'test',
  id: 'booking',
  context: { type: 'empty', params: { guests: 2, names: [], more: {} } },
  output: { type: 'nothing' },
  initial: 'ask',
  states: {
    ask: {
      meta: {
        title: 'Ask for the date and for how many people there will be, and for their names',
        origin: ['states', 0],
      },
      invoke: [
        {
          id: 'compose',
          src: 'reply',
          input: { type: 'prompt', params: { text: 'When?' } },
          onDone: [{ target: '#end', guard: { type: 'has', params: { names: ['date'] } } }],
          onError: [{ target: ['#end'], reenter: true, actions: [reference] }],
        },
      ],
      on: { cancel: [{ target: '#end' }] },
    },
    back: { type: 'history', history: 'deep' },
    end: { id: 'end', type: 'final', tags: ['ended'] },
  },
};

const text = `{
  "chart": 1,
  "format": "test",
  "id": "booking",
  "context": { "type": "empty", "params": { "guests": 2, "names": [], "more": {} } },
  "output": { "type": "nothing" },
  "initial": "ask",
  "states": {
    "ask": {
      "meta": {
        "title": "Ask for the date and for how many people there will be, and for their names",
        "origin": ["states", 0]
      },
      "invoke": [
        {
          "id": "compose",
          "src": "reply",
          "input": { "type": "prompt", "params": { "text": "When?" } },
          "onDone": [
            { "target": "#end", "guard": { "type": "has", "params": { "names": ["date"] } } }
          ],
          "onError": [{ "target": ["#end"], "reenter": true, "actions": [{ "type": "none" }] }]
        }
      ],
      "on": { "cancel": [{ "target": "#end" }] }
    },
    "back": { "type": "history", "history": "deep" },
    "end": { "id": "end", "type": "final", "tags": ["ended"] }
  }
}
`;

const smallest = { chart: 1, format: 'test', id: 'm', context: reference, output: reference };

const lastLines = (length: number) =>
  toJson({ ...chart, states: {}, entry: [{ type: 'x'.repeat(length) }] })
    .split('\n')
    .slice(-5);

const deeply = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);

test('a chart is written with what fits on one line on one line', () => {
  expect(toJson(chart)).toBe(text);
});

test('a line is filled up to a hundred columns, its comma included', () => {
  expect(lastLines(72)).toContain(`  "entry": [{ "type": "${'x'.repeat(72)}" }]`);
  expect(lastLines(73)).toEqual([
    '  "entry": [',
    `    { "type": "${'x'.repeat(73)}" }`,
    '  ]',
    '}',
    '',
  ]);
});

test('a written chart is read back as it was, down to the order of its keys', () => {
  expect(fromJson(text)).toEqual(chart);
  expect(toJson(fromJson(text))).toBe(text);
});

test('the chart of items is stored within the node that runs it', () => {
  const each = {
    id: 'each',
    src: 'each',
    chart,
    input: reference,
    onDone: [],
    onError: [],
  } as const;
  const nesting: Chart = { ...chart, states: { each: { invoke: [each] } } };
  expect(fromJson(toJson(nesting))).toEqual(nesting);

  const { chart: _, ...without } = each;
  const wrong: [object, RegExp][] = [
    [without, /The call "each" has a chart, and no other call has one\./],
    [{ ...each, src: 'timer' }, /The call "each" has a chart, and no other call has one\./],
    [{ ...each, chart: { ...chart, chart: 2 } }, /→ at states\.each\.invoke\[0\]\.chart\.chart$/],
  ];
  for (const [call, message] of wrong) {
    const broken = JSON.stringify({ ...nesting, states: { each: { invoke: [call] } } });
    expect(() => fromJson(broken)).toThrow(
      expect.objectContaining({
        code: 'chart/bad-layout',
        message: expect.stringMatching(message),
      }),
    );
  }
});

test('a chart of another version is refused with its own code', () => {
  expect(() => fromJson('{ "chart": 2, "something": "else" }')).toThrow(
    expect.objectContaining({
      code: 'chart/unknown-version',
      message:
        'This chart has the version 2, and this release reads version 1. Compile the definition again.',
    }),
  );
});

test.each([
  ['no JSON', '{', /^This is not a chart as the compiler writes it: Expected property name/],
  ['no object', '[]', /expected object, received array/],
  ['without a version', '{}', /expected 1\n {2}→ at chart/],
  [
    'with an unknown field',
    JSON.stringify({ ...smallest, after: {} }),
    /Unrecognized key: "after"$/,
  ],
  [
    'with a wrong node deep inside',
    JSON.stringify({
      ...smallest,
      states: { a: { states: { b: { on: { go: [{ target: 1 }] } } } } },
    }),
    /→ at states\.a\.states\.b\.on\.go\[0\]\.target$/,
  ],
  [
    'with a prototype',
    `${JSON.stringify(smallest).slice(0, -1)},"meta":{"__proto__":{}}}`,
    /it has a key "__proto__"\.$/,
  ],
])('a text that is %s is refused', (_, wrong, message) => {
  expect(() => fromJson(wrong)).toThrow(
    expect.objectContaining({
      name: 'ChartError',
      code: 'chart/bad-layout',
      message: expect.stringMatching(message),
    }),
  );
});

test('a text that nests without bound is refused, whatever it nests', () => {
  const message = expect.stringMatching(/nests more than 200 levels deep/);
  for (const hostile of [
    deeply('[', ']'),
    `${'{"states":'.repeat(100_000)}{}${'}'.repeat(100_000)}`,
  ]) {
    expect(() => fromJson(hostile)).toThrow(
      expect.objectContaining({ code: 'chart/bad-layout', message }),
    );
  }
});

test('ninety nodes inside of each other are read', () => {
  let node: object = {};
  for (let depth = 0; depth < 90; depth += 1) node = { initial: 'in', states: { in: node } };
  const nested = { ...smallest, ...node };
  expect(fromJson(JSON.stringify(nested))).toEqual(nested);
});
