import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '@dramaturg/host';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  compile,
  createHost,
  type JsonObject,
  PortError,
  type PortInput,
  understudyPorts,
} from '../src/index.ts';
import { places } from './host/stage.ts';

/** Summaries of long conversations. Spec: docs/formats/plan.md#options */

const formats = join(import.meta.dirname, '../../formats');
const read = (path: string, format: 'plan' | 'context-graph' | 'npc') =>
  compile(readFileSync(join(formats, path), 'utf8'), {
    fileName: path,
    format,
    options: { summariseAfter: 4 },
  });

type Call = PortInput<'think' | 'reply'>;

describe.each([
  ['plan', read('plan/test/fixtures/summary/diary.plan.yaml', 'plan')],
  [
    'context-graph',
    read('context-graph/test/fixtures/summary/diary.context-graph.yaml', 'context-graph'),
  ],
  ['npc', read('npc/test/fixtures/summary/archive.npc.json', 'npc')],
])('a long conversation of the format %s', (_, definition) => {
  const hold = async (store: string, fails: readonly boolean[] = []) => {
    const thoughts: Call[] = [];
    const replies: Call[] = [];
    const failures = [...fails];
    const host = await createHost({
      store: places[store]!(),
      clock: manualClock({ startAt: 1_800_000_000_000 }),
      definitions: { definition },
      ports: {
        ...understudyPorts(),
        extract: () => ({ value: {} }),
        choose: ({ options }) => ({
          option: (options.find(({ id }) => id === 'redirect') ?? options[0]!).id,
        }),
        reply: (input) => {
          replies.push(input);
          return { text: `Reply ${replies.length}.` };
        },
        think: (input) => {
          thoughts.push(input);
          if (failures.shift()) throw new PortError('port/refused', 'think', 'A wrong key.');
          return { text: `Summary ${thoughts.length}.` };
        },
      },
      channels: { main: { deliver: () => {} } },
      onError: () => {},
    });
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start('definition', { id: 'a', contact: 'ada' });
    await host.settle();
    const say = async (count: number) => {
      for (let said = 0; said < count; said += 1) {
        await host.receive({ contact: 'ada', text: 'Hm.' });
        await host.settle();
      }
    };
    return { host, thoughts, replies, say };
  };
  const bounds = (calls: readonly Call[]) =>
    calls.map(({ transcript: { from, length } }) => [from, length]);
  const summaries = ({ prompt }: Call) =>
    prompt.filter(({ title }) => title.startsWith('Summary')).map(({ text }) => text);

  test.each(Object.keys(places))('is summarised over the store %s', async (store) => {
    const { host, thoughts, replies, say } = await hold(store);
    await say(4);
    // The opening line, and two messages for each turn.
    expect(bounds(thoughts)).toEqual([
      [undefined, 5],
      [3, 7],
      [5, 9],
    ]);
    expect(thoughts.map(summaries)).toEqual([[], ['Summary 1.'], ['Summary 2.']]);
    expect(bounds(replies).at(-1)).toEqual([5, 8]);
    expect(summaries(replies.at(-1)!)).toEqual(['Summary 2.']);
    const events = await host.journal('a', { from: 0, limit: 1_000 });
    const written = events.flatMap((line) => {
      const { event } = line as unknown as { event?: JsonObject };
      return event?.['type'] === 'summary.written' ? [event['text']] : [];
    });
    expect(written).toEqual(['Summary 1.', 'Summary 2.', 'Summary 3.']);
  });

  test('goes on when a summary fails, and is summarised after the next turn', async () => {
    const { host, thoughts, replies, say } = await hold('memory', [true]);
    await say(3);
    expect(bounds(thoughts)).toEqual([
      [undefined, 5],
      [undefined, 7],
    ]);
    expect(await host.get('a')).toMatchObject({ state: 'WAITING_FOR_REPLY' });
    await say(1);
    expect(bounds(replies).at(-1)).toEqual([5, 8]);
  });
});
