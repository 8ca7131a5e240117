import { expect, test } from 'vitest';
import type { Chart } from '../src/chart/chart.ts';
import { toMermaid } from '../src/export/mermaid.ts';

/** Two authored states within nodes that an author has never heard of. */
const chart: Chart = {
  chart: 1,
  format: 'test',
  id: 'test',
  context: { type: 'none' },
  output: { type: 'none' },
  initial: 'conversation',
  meta: { origin: [] },
  states: {
    conversation: {
      type: 'parallel',
      states: {
        story: {
          initial: 'first',
          states: {
            first: {
              meta: { origin: ['states', 0], title: 'First' },
              type: 'parallel',
              on: {
                go: [
                  {
                    target: 'second',
                    description: 'when ready',
                    meta: { origin: ['states', 0, 'next'] },
                  },
                ],
                cancel: [{ target: 'end' }],
              },
              states: {
                left: {
                  meta: { origin: ['states', 0, 'parts', 0], title: 'Left' },
                  initial: 'open',
                  states: { open: {} },
                },
                right: { meta: { origin: ['states', 0, 'parts', 1], title: 'Right' } },
              },
            },
            second: {
              meta: { origin: ['states', 1], title: 'Second' },
              on: { go: [{ target: 'end', meta: { origin: ['states', 1] } }] },
            },
            end: { type: 'final', meta: { title: 'End' } },
          },
        },
        turn: { initial: 'waiting', states: { waiting: {} } },
      },
    },
  },
};

test('an overview shows what the author wrote, and where its transitions lead', () => {
  expect(toMermaid(chart)).toBe(`stateDiagram-v2
  [*] --> s1_n3
  state "First" as s1_n3 {
    state "Left" as s2_n4
    --
    state "Right" as s3_n6
  }
  state "Second" as s4_n7
  state "End" as s5_n8
  s5_n8 --> [*]
  s1_n3 --> s4_n7 : when ready
  s4_n7 --> s5_n8
`);
});

test('a transition of what is left out belongs to the node around it, and leads to whole nodes', () => {
  const nested: Chart = {
    ...chart,
    initial: 'first',
    states: {
      first: {
        meta: { origin: ['first'], title: 'First' },
        initial: 'choosing',
        states: {
          choosing: {
            on: {
              chosen: [
                { target: '#waiting', meta: { origin: ['first', 'exit'] }, description: 'done' },
              ],
            },
          },
        },
      },
      second: {
        meta: { origin: ['second'], title: 'Second' },
        initial: 'waiting',
        states: { waiting: { id: 'waiting' } },
      },
    },
  };
  expect(toMermaid(nested)).toBe(`stateDiagram-v2
  [*] --> s1_n1
  state "First" as s1_n1
  state "Second" as s2_n3
  s1_n1 --> s2_n3 : done
`);
});

test('all of the chart is shown on demand', () => {
  const full = toMermaid(chart, { detail: 'full' });
  for (const name of ['conversation', 'waiting', 'open']) expect(full).toContain(`"${name}"`);
});

test('what an author wrote of the work on an item is part of the overview', () => {
  const inner: Chart = {
    chart: 1,
    format: 'test',
    id: 'items',
    context: { type: 'none' },
    output: { type: 'none' },
    initial: 'start',
    states: {
      start: {
        initial: 'first',
        states: { first: { meta: { origin: ['items', 0], title: 'First' } } },
      },
    },
  };
  const call = { id: 'each', input: { type: 'none' }, onDone: [], onError: [] };
  const outer: Chart = {
    ...inner,
    initial: 'map',
    states: {
      map: {
        meta: { origin: ['states', 0], title: 'For each' },
        initial: 'running',
        states: { running: { invoke: [{ ...call, src: 'each', chart: inner }] } },
      },
    },
  };
  expect(toMermaid(outer)).toBe(`stateDiagram-v2
  [*] --> s1_n1
  state "For each" as s1_n1 {
    [*] --> s2_n4
    state "First" as s2_n4
  }
`);
});

test('what is entered at once by a node that is left out is drawn as entered at once', () => {
  const branches: Chart = {
    ...chart,
    initial: 'prepare',
    states: {
      prepare: {
        meta: { origin: ['States', 'Prepare'], title: 'Prepare' },
        initial: 'working',
        states: {
          working: {
            type: 'parallel',
            states: {
              one: { meta: { origin: ['Branches', 0], title: 'One' } },
              other: { meta: { origin: ['Branches', 1], title: 'Other' } },
            },
          },
        },
      },
    },
  };
  expect(toMermaid(branches)).toBe(`stateDiagram-v2
  [*] --> s1_n1
  state "Prepare" as s1_n1 {
    state "One" as s2_n3
    --
    state "Other" as s3_n4
  }
`);
});
