import { compile, type Json } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { createHost, type Host, InstanceHistory, memoryStore } from '@dramaturg/host';
import { fixturesIn, OpenCalls, parseTranscript, playTranscript, wordOf } from '@dramaturg/testing';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/known-formats.ts';
import { lifecycles } from './lifecycles.ts';

/**
 * Plays every transcript of a conversation format on a host that restarts after every line. The conversation must have
 * the same messages and events as an actor in memory.
 */

const id = 'conversation';

/**
 * Transcripts that only an actor in memory can play: a host escalates when a port fails or a person is asked, cancels in its own way, and does
 * not pass blank messages, and messages during a turn, to the conversation.
 */
function isForActorsOnly(transcript: string): boolean {
  let open = 0;
  let isFirst = true;
  for (const step of parseTranscript(transcript)) {
    if (step.kind === 'failure') return true;
    // On a host, a person takes over.
    if (step.kind === 'expected' && step.line.startsWith('help: ')) return true;
    if (step.kind === 'event' && step.event.type === 'cancel') return true;
    if (step.kind === 'expected' && step.line.startsWith('? ')) open += 1;
    if (step.kind === 'answer') open -= 1;
    if (step.kind === 'user' && (isFirst || open > 0 || step.text.trim() === '')) return true;
    isFirst &&= step.kind === 'expected';
  }
  return false;
}

const conversations = formats.filter(({ kind }) => kind === 'conversation');

describe.each(conversations.map((format) => [format.name, format] as const))(
  '%s',
  (formatName, format) => {
    const folder = `../../../formats/${formatName}/test/fixtures/`;
    const fixtures = fixturesIn(new URL(folder, import.meta.url)).filter(({ fails }) => !fails);
    const plays = fixtures.flatMap((fixture) =>
      fixture.transcripts.map(({ name, text }) => ({ fixture, name, text })),
    );
    const playable = plays.filter(({ text }) => !isForActorsOnly(text));

    test('some transcripts can be played on a host', () => {
      expect(playable.length).toBeGreaterThanOrEqual(1);
    });

    test.each(playable.map((play) => [`${play.fixture.name}: ${play.name}`, play] as const))(
      '%s',
      async (__, { fixture, text }) => {
        const { chart, machine } = compile(fixture.definition.text, {
          formats: [format],
          fileName: fixture.definition.fileName,
          options: fixture.setup.options,
        });
        const input = { ...(fixture.setup.input as object), conversation: id };
        const straight = await playTranscript(machine!, text, { input, word: wordOf });
        const lines: string[] = [];
        const calls = new OpenCalls(lines);
        const store = memoryStore();
        const behaviours = new Map([
          [format.name, format.behaviour],
          ['lifecycle', lifecycles.behaviour],
        ]);
        const open = () =>
          createHost({
            store,
            definitions: [{ name: 'it', chart: chart!, lifecycle: lifecycles.conversation }],
            behaviours,
            ports: calls.ports,
            channels: { main: { deliver: () => {} } },
          });
        expect(await played(open, input, text, calls, lines)).toEqual(straight);
        await requireHistory(open, behaviours);
      },
    );
  },
);

/** Repeats the steps of the journal and expects the stored state. */
async function requireHistory(
  open: () => Promise<Host>,
  behaviours: ReadonlyMap<string, Behaviour>,
): Promise<void> {
  const host = await open();
  const { state, ended, lifecycle, flow, timers } = await host.get(id);
  // Without an observer, runs of states are fused.
  for (const observer of [{}, { inspect: () => {} }]) {
    const transcript: Json[] = [];
    const history = new InstanceHistory({
      id,
      charts: await host.charts(id),
      behaviours,
      onLines: (lines) => void transcript.push(...lines.transcript),
      ...observer,
    });
    await history.take(await host.journal(id, { from: 0, limit: 10_000 }));
    expect(history.departures).toEqual([]);
    expect(transcript).toEqual(await host.transcript(id, { from: 0, limit: 10_000 }));
    expect(history.view()).toMatchObject({ state, ended, lifecycle, flow, timers });
  }
  await host.stop({ within: 0 });
}

async function played(
  open: () => Promise<Host>,
  input: Readonly<Record<string, unknown>>,
  transcript: string,
  calls: OpenCalls,
  lines: string[],
): Promise<string[]> {
  let host = await open();
  let length = 0;
  const readJournal = async () => {
    await quiet();
    const journal = (await host.journal(id, { from: length, limit: 10_000 })) as unknown as Entry[];
    length += journal.length;
    // Events are stored before the calls that they cause.
    const called = lines.splice(shown);
    for (const { source, event } of journal) if (source === 'flow') lines.push(wordOf(event));
    lines.push(...called);
    shown = lines.length;
  };
  let shown = 0;
  const steps = parseTranscript(transcript).filter(({ kind }) => kind !== 'expected');
  await host.start('it', { id, contact: 'somebody', input });
  await readJournal();
  for (const step of steps) {
    lines.push(step.line);
    shown = lines.length;
    if (step.kind === 'user') await host.send(id, { type: 'message.received', text: step.text });
    else if (step.kind === 'event') await host.send(id, step.event);
    else calls.feed(step);
    await readJournal();
    await host.stop({ within: 0 });
    host = await open();
    // Open calls are made again in the background.
    await quiet();
  }
  await host.stop({ within: 0 });
  return lines;
}

interface Entry {
  readonly source: string;
  readonly event: { readonly type: string } & Readonly<Record<string, Json>>;
}

/** Waits until all events are handled. A host in memory needs only the event loop. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
