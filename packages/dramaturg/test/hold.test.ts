import { compile, type Ports } from '@dramaturg/compiler';
import { readRecording, record, type Recording, replay, unrecorded } from '@dramaturg/host';
import { plan } from '@dramaturg/plan';
import { describe, expect, test } from 'vitest';
import { prepare } from '../src/cli/conversation/hold.ts';
import { personOfLines } from '../src/cli/conversation/person.ts';
import type { Output } from '../src/cli/output.ts';
import { stageView } from '../src/cli/view/stage-view.ts';

const stateOf = (id: string, next?: string) => ({
  id,
  title: id,
  tasks: [{ id, description: `Ask for the ${id}`, deliverables: [{ key: id }] }],
  transitions: next === undefined ? [] : [{ target_state_id: next }],
});
const { chart, machine } = compile(
  JSON.stringify({
    id: 'three',
    title: 'Three questions',
    states: [stateOf('name', 'city'), stateOf('city', 'colour'), stateOf('colour')],
  }),
  { formats: [plan] },
);

/** Ports of which one fails when "Maria" is first answered, and an extractor that takes any line for what is asked. */
function portsFailingIn(failing: 'reply' | 'extract') {
  const transcripts: string[][] = [];
  let isDown = true;
  const work = (port: 'reply' | 'extract', message: string | undefined) => {
    if (!isDown || port !== failing || message !== 'Maria') return;
    isDown = false;
    throw new Error('No network.');
  };
  const ports: Pick<Ports, 'reply' | 'extract'> = {
    reply: async ({ message }, { transcript }) => {
      work('reply', message);
      transcripts.push(((await transcript?.(10)) ?? []).map(({ text }) => text));
      return { text: `Question ${transcripts.length}` };
    },
    extract: ({ message = '', asked }) => {
      work('extract', message);
      return { value: { deliverables: { [asked?.path.at(-1) ?? 'x']: message } } };
    },
  };
  return { ports, transcripts };
}

async function held(
  recording: Recording,
  ports: Pick<Ports, 'reply' | 'extract'>,
  lines: readonly string[],
) {
  let text = '';
  const output: Output = {
    write: (part) => void (text += part),
    paint: (_style, part) => part,
    colour: false,
    isTerminal: true,
    width: () => 80,
  };
  const { deliverables } = await prepare({
    machine: machine!,
    input: {},
    view: stageView(output),
    ports,
    recording,
    limits: {},
  }).hold(personOfLines(lines), new AbortController().signal);
  return { deliverables, text };
}

const ways = [
  ['an empty line', ['Maria', '', 'Lisbon', 'green']],
  ['the same line', ['Maria', 'Maria', 'Lisbon', 'green']],
  // It is older than the question that it would answer, so it is said once more.
  ['the next line', ['Maria', 'Lisbon', 'Lisbon', 'green']],
] as const;

describe.each(['extract', 'reply'] as const)('after a failed %s', (failing) => {
  test.each(ways)('%s retries, and no line is taken twice', async (_, lines) => {
    const { ports, transcripts } = portsFailingIn(failing);
    const { deliverables, text } = await held(unrecorded, ports, lines);
    expect(text).toContain(`the port "${failing}" failed (port/failed): `);
    expect(text).toContain('Your message is kept. Press Enter to try again.');
    expect(deliverables).toEqual({ name: 'Maria', city: 'Lisbon', colour: 'green' });
    expect(transcripts.at(-1)!.filter((line) => line === 'Maria')).toHaveLength(1);
  });

  test.each(ways)(
    '%s is recorded and replayed, with the key of the failed call',
    async (_, lines) => {
      let written = '';
      const write = (text: string) => void (written += text);
      const recording = record({ write, chart: chart!, input: {} });
      const recorded = await held(recording, portsFailingIn(failing).ports, lines);
      const taken = readRecording(written, 'talk');
      const keys = taken.entries.flatMap((entry) =>
        entry.type === 'call' && entry.port === failing ? [entry.key] : [],
      );
      expect(keys.filter((key) => key === `conversation/1/${failing}`)).toHaveLength(2);
      const nobody = {
        reply: () => Promise.reject(new Error('Nobody is asked.')),
        extract: () => Promise.reject(new Error('Nobody is asked.')),
      };
      expect(await held(replay({ recorded: taken, chart: chart! }), nobody, [])).toEqual(recorded);
    },
  );
});

test('an opening line that failed is retried', async () => {
  let isDown = true;
  const { ports } = portsFailingIn('extract');
  const reply: Ports['reply'] = (question, call) => {
    if (isDown) {
      isDown = false;
      throw new Error('No network.');
    }
    return ports.reply(question, call);
  };
  const { text } = await held(unrecorded, { ...ports, reply }, ['']);
  expect(text).toContain('     · Press Enter to try again.');
  expect(text).toContain('agent  Question 1');
});
