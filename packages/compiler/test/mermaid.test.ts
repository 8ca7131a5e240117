import DOMPurify from 'dompurify';
import { beforeAll, expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import type { Chart, ChartInvoke, ChartNode } from '../src/chart/chart.ts';
import { type MermaidOptions, toMermaid as draw } from '../src/export/mermaid.ts';

const reference = { type: 'none' };

/** Every node and every transition. */
function toMermaid(chart: Chart, options: MermaidOptions = {}): string {
  return draw(chart, { detail: 'full', ...options });
}

function chartOf(node: ChartNode): Chart {
  return {
    chart: 1,
    format: 'test',
    id: 'test',
    context: reference,
    output: reference,
    ...node,
  };
}

/** What Mermaid understands of a drawing. */
interface Drawing {
  readonly nodes: readonly {
    readonly id: string;
    readonly label: string;
    readonly parentId?: string;
  }[];
  readonly edges: readonly {
    readonly start: string;
    readonly end: string;
    readonly label: string;
  }[];
}

type Parser = (text: string) => Promise<Drawing>;
let parse: Parser;

// Mermaid cleans labels with DOMPurify, which does nothing without a browser's document; parsing needs neither.
beforeAll(async () => {
  Object.assign(DOMPurify, { addHook: () => undefined, sanitize: (text: string) => text });
  const { default: mermaid } = await import('mermaid');
  parse = async (text) => {
    await mermaid.parse(text);
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    return (diagram.db as unknown as { getData(): Drawing }).getData();
  };
});

/** What a reader sees: Mermaid keeps entities in a notation of its own until it draws. */
function seen(label: string): string {
  return label.replace(/ﬂ°°(\d+)¶ß/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

async function drawn(node: ChartNode): Promise<{ nodes: string[]; arrows: string[] }> {
  const { nodes, edges } = await parse(toMermaid(chartOf(node)));
  return {
    nodes: nodes.map(
      ({ id, label, parentId }) =>
        `${parentId === undefined ? '' : `${parentId} / `}${id} "${seen(label)}"`,
    ),
    arrows: edges.map(({ start, end, label }) => `${start} > ${end} ${seen(label)}`.trim()),
  };
}

const booking: ChartNode = {
  initial: 'ask',
  on: { cancel: [{ target: '#end' }] },
  states: {
    ask: {
      meta: { title: 'Ask for the date' },
      invoke: [
        {
          id: 'reply',
          src: 'reply',
          input: reference,
          onDone: [
            { target: 'check', guard: { type: 'hasAll', params: { names: ['date'], min: 1 } } },
          ],
          onError: [{ target: '#end' }],
        },
      ],
      on: { pause: [{ actions: [reference] }] },
    },
    check: {
      initial: 'free',
      states: { free: { always: [{ target: 'taken' }] }, taken: { type: 'final' } },
      onDone: [{ target: '#end' }],
    },
    end: { id: 'end', type: 'final' },
  },
};

test('a chart is drawn with composite states, initials, finals and labelled arrows', async () => {
  expect(toMermaid(chartOf(booking), { direction: 'LR' })).toBe(`stateDiagram-v2
  direction LR
  [*] --> s1_ask
  state "Ask for the date" as s1_ask
  state "check" as s2_check {
    [*] --> s3_free
    state "free" as s3_free
    state "taken" as s4_taken
    s4_taken --> [*]
  }
  state "end" as s5_end
  s5_end --> [*]
  state "anywhere" as s0_anywhere
  s0_anywhere --> s5_end : cancel
  s1_ask --> s2_check : reply answered [hasAll names#58;[date],min#58;1]
  s1_ask --> s5_end : reply failed
  s2_check --> s5_end : done
  s3_free --> s4_taken
`);
  expect(await drawn(booking)).toEqual({
    nodes: [
      'root_start "root_start"',
      's1_ask "Ask for the date"',
      's2_check "check"',
      's2_check / s2_check_start "s2_check_start"',
      's2_check / s3_free "free"',
      's2_check / s4_taken "taken"',
      's2_check / s2_check_end "s2_check_end"',
      's5_end "end"',
      'root_end "root_end"',
      's0_anywhere "anywhere"',
    ],
    arrows: [
      'root_start > s1_ask',
      's2_check_start > s3_free',
      's4_taken > s2_check_end',
      's5_end > root_end',
      's0_anywhere > s5_end cancel',
      's1_ask > s2_check reply answered [hasAll names:[date],min:1]',
      's1_ask > s5_end reply failed',
      's2_check > s5_end done',
      's3_free > s4_taken',
    ],
  });
});

function each(id: string, chart: Chart): ChartInvoke {
  return { id, src: 'each', chart, input: reference, onDone: [{ target: '#end' }], onError: [] };
}

test('the chart of items is drawn inside of the node that runs it', async () => {
  const mapping: ChartNode = {
    initial: 'map',
    states: {
      map: { meta: { title: 'For each table' }, invoke: [each('tables', chartOf(booking))] },
      end: { id: 'end', type: 'final' },
    },
  };
  expect(toMermaid(chartOf(mapping))).toBe(`stateDiagram-v2
  [*] --> s1_map
  state "For each table" as s1_map {
    [*] --> s3_ask
    state "Ask for the date" as s3_ask
    state "check" as s4_check {
      [*] --> s5_free
      state "free" as s5_free
      state "taken" as s6_taken
      s6_taken --> [*]
    }
    state "end" as s7_end
    s7_end --> [*]
  }
  state "end" as s2_end
  s2_end --> [*]
  s1_map --> s2_end : tables answered
  s1_map --> s7_end : cancel
  s3_ask --> s4_check : reply answered [hasAll names#58;[date],min#58;1]
  s3_ask --> s7_end : reply failed
  s4_check --> s7_end : done
  s5_free --> s6_taken
`);
  expect((await drawn(mapping)).nodes).toContain('s1_map / s4_check "check"');
});

test('beside others the chart of items is drawn as a box of its own', async () => {
  const inner = chartOf({ meta: { title: 'An item' }, initial: 'a', states: { a: {} } });
  const { nodes } = await drawn({
    initial: 'map',
    states: {
      map: { invoke: [each('one', inner), each('two', { ...inner, meta: { title: 'Another' } })] },
      end: { id: 'end', type: 'final' },
    },
  });
  expect(nodes).toEqual([
    'root_start "root_start"',
    's1_map "map"',
    's1_map / s3 "An item"',
    's3 / s3_start "s3_start"',
    's3 / s4_a "a"',
    's1_map / s5 "Another"',
    's5 / s5_start "s5_start"',
    's5 / s6_a "a"',
    's2_end "end"',
    'root_end "root_end"',
  ]);
});

test('regions are drawn side by side, and arrows to a composite inside of one are tied to what it enters', async () => {
  const regions: ChartNode = {
    type: 'parallel',
    states: {
      p: {
        initial: 'c',
        states: {
          c: {
            initial: 'd',
            states: { d: {}, h: { type: 'history' } },
            on: { go: [{ target: 'e' }] },
          },
          e: { on: { back: [{ target: 'c' }] } },
        },
      },
      q: {},
    },
    onDone: [{ target: '#test.q' }],
  };
  expect(toMermaid(chartOf(regions))).toBe(`stateDiagram-v2
  [*] --> s0
  state "test" as s0 {
    state "p" as s1_p {
      [*] --> s3_d
      state "c" as s2_c {
        [*] --> s3_d
        state "d" as s3_d
        state "history" as s4_h
      }
      state "e" as s5_e
    }
    --
    state "q" as s6_q
  }
  s0 --> s6_q : done
  s3_d --> s5_e : c#58; go
  s5_e --> s3_d : back
`);
  const { nodes, arrows } = await drawn(regions);
  expect(nodes).toContain('s2_c / s3_d "d"');
  expect(arrows).toContain('s3_d > s5_e c: go');
});

test.each([
  'Say "hi": now; then',
  '<<fork>> [[join]] <script>alert(1)</script>',
  'direction LR and Direction  tb',
  '%% comment #35; &amp; {x} } state {',
  'note right of x',
  '`code` *bold* ~tilde~ \\n',
  '1. First',
  '- item',
  'style a:#f00;',
  '漢字 é 😀 مرحبا',
  'end note --> [*] -- [*]',
  'line one\nline two',
  '__proto__',
])('the title %j is drawn as it is, on a node and on an arrow', async (title) => {
  const shown = title.replace(/\s+/g, ' ');
  const { nodes, arrows } = await drawn({
    initial: 'a',
    states: {
      a: { meta: { title }, on: { [title]: [{ target: 'b', guard: { type: title } }] } },
      b: { initial: 'c', meta: { title }, states: { c: { meta: { title } } } },
    },
  });
  expect(nodes).toEqual([
    'root_start "root_start"',
    `s1_a "${shown}"`,
    `s2_b "${shown}"`,
    's2_b / s2_b_start "s2_b_start"',
    `s2_b / s3_c "${shown}"`,
  ]);
  expect(arrows).toEqual([
    'root_start > s1_a',
    's2_b_start > s3_c',
    `s1_a > s2_b ${shown} [${shown}]`,
  ]);
});

test('keys of any kind give ids that are safe and differ', async () => {
  const keys = ['a b', 'a-b', 'end', 'state', '漢字', '%', 'constructor', '%5F_proto__'];
  const { nodes } = await drawn({
    initial: 'a b',
    states: Object.fromEntries(keys.map((key) => [key, {}])),
  });
  expect(nodes.slice(1)).toEqual([
    's1_a_b "a b"',
    's2_a_b "a-b"',
    's3_end "end"',
    's4_state "state"',
    's5 "漢字"',
    's6 "%"',
    's7_constructor "constructor"',
    's8__5F_proto_ "__proto__"',
  ]);
});

test('long names and guards are cut', async () => {
  const long = 'x'.repeat(200);
  const { nodes, arrows } = await drawn({
    initial: 'a',
    states: {
      a: {
        meta: { title: long },
        on: { [long]: [{ target: 'a', guard: { type: 'has', params: { long } } }] },
      },
    },
  });
  const event = `${'x'.repeat(79)}…`;
  expect(nodes[1]).toBe(`s1_a "${event}"`);
  expect(arrows[1]).toBe(`s1_a > s1_a ${event} [has long:${'x'.repeat(50)}…]`);
});

test('nodes tagged as hidden are left out with what touches them', async () => {
  expect(
    await drawn({
      initial: 'a',
      states: {
        a: { on: { go: [{ target: 'b' }], pause: [{ target: '#c' }] } },
        b: {
          initial: 'x',
          states: { x: { tags: ['hidden-in-drawings'], on: { go: [{ target: '#test.a' }] } } },
        },
        c: {
          id: 'c',
          tags: ['hidden-in-drawings'],
          initial: 'y',
          states: { y: { on: { go: [{ target: '#test.a' }] } } },
        },
      },
    }),
  ).toEqual({
    nodes: ['root_start "root_start"', 's1_a "a"', 's2_b "b"'],
    arrows: ['root_start > s1_a', 's1_a > s2_b go'],
  });
});

test('a beginning besides the initial state is another arrow from the start', async () => {
  const text = toMermaid(
    chartOf({
      initial: 'a',
      meta: { entries: [{ name: 'returning user', target: 'second' }] },
      states: {
        a: { meta: { origin: ['a'] } },
        b: { id: 'second', meta: { origin: ['b'] } },
      },
    }),
    { detail: 'overview' },
  );
  await parse(text);
  expect(text).toContain('[*] --> s1_n1');
  expect(text).toContain('[*] --> s2_n2 : returning user');
});

test('a chart of three hundred states is drawn whole', async ({ skip }) => {
  skip(!runsAll);
  const states = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `s${index}`,
      { on: { go: [{ target: `s${(index + 1) % 300}` }] } },
    ]),
  );
  const { nodes, arrows } = await drawn({ initial: 's0', states });
  expect([nodes.length, arrows.length]).toEqual([301, 301]);
});

test('kinds of states have a look of their own, and tasks in order have arrows between them', async () => {
  const chart = chartOf({
    initial: 'intake',
    states: {
      intake: {
        meta: { origin: ['intake'], type: 'strict' },
        initial: 'name',
        states: {
          name: { meta: { origin: ['name'], type: 'task' } },
          age: { meta: { origin: ['age'], type: 'task' } },
        },
        onDone: [{ target: 'think', meta: { origin: ['next'] } }],
      },
      think: { meta: { origin: ['think'], state: { Type: 'Think' } } },
    },
  });
  const text = draw(chart, {
    lookOf: ({ sort }) =>
      sort === undefined
        ? undefined
        : {
            name: `kind_${sort}`,
            style: 'fill:#ffffff,stroke:#5b6472,stroke-dasharray:5 4',
            isOrdered: sort === 'strict',
          },
  });
  expect(text.split('\n').slice(-7)).toEqual([
    '  s1_n1 --> s4_n4',
    '  s2_n2 --> s3_n3',
    '  classDef kind_task fill:#ffffff,stroke:#5b6472,stroke-dasharray:5 4',
    '  class s2_n2,s3_n3 kind_task',
    '  classDef kind_Think fill:#ffffff,stroke:#5b6472,stroke-dasharray:5 4',
    '  class s4_n4 kind_Think',
    '',
  ]);
  const { nodes } = await parse(text);
  const classOf = (id: string) =>
    (nodes.find((node) => node.id === id) as unknown as { cssClasses: string }).cssClasses;
  expect(['s2_n2', 's4_n4'].map(classOf)).toEqual([
    expect.stringContaining('kind_task'),
    expect.stringContaining('kind_Think'),
  ]);
});

test('the ends of regions, and of states inside of them, are ends and no arrows back', async () => {
  const origin = ['there'];
  const to = (target: string) => ({ target, meta: { origin } });
  const inner: ChartNode = {
    initial: 'one',
    meta: { origin },
    states: {
      one: { meta: { origin }, always: [to('two')] },
      two: { meta: { origin }, always: [to('end')] },
      end: { type: 'final' },
    },
  };
  const text = draw(
    chartOf({
      initial: 'both',
      states: {
        both: {
          type: 'parallel',
          meta: { origin },
          states: {
            left: {
              initial: 'each',
              meta: { origin },
              states: { each: { ...inner, onDone: [to('done')] }, done: { type: 'final' } },
            },
            right: {
              initial: 'wait',
              meta: { origin },
              states: {
                wait: { meta: { origin }, always: [to('done')] },
                done: { type: 'final' },
              },
            },
          },
        },
      },
    }),
  );
  expect(text.match(/(?<=^ *)\S+ -->.*$/gm)).toEqual([
    '[*] --> s1_n1',
    '[*] --> s4_n4',
    '[*] --> s4_n4',
    's5_n5 --> [*]',
    '[*] --> s7_n9',
    's7_n9 --> [*]',
    's4_n4 --> s5_n5',
  ]);
  await parse(text);
});
