import { manualClock } from '@dramaturg/host';
import { createActor, type EventObject, waitFor } from 'xstate';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createHost,
  type HostOptions,
  listen,
  type Ports,
  providePorts,
  understudyPorts,
} from '../../src/index.ts';
import { conversationsOfFormats } from './conversations-of-formats.ts';
import { places } from './stage.ts';

const thought = '<think>The secret is 7.</think>';
const formats = Object.keys(conversationsOfFormats) as (keyof typeof conversationsOfFormats)[];

/** Each reply is cut off the first time; then it begins with a thought. */
function thinkingPorts(): Partial<Ports> {
  const ports = understudyPorts();
  const asked = new Set<string>();
  return {
    ...ports,
    recall: () => ({ memories: [] }),
    reply: (input, { onText }) => {
      const isCutOff = !asked.has(input.key);
      asked.add(input.key);
      const text = isCutOff ? `${thought}It costs` : `${thought}Good day.`;
      for (const part of text.split(/(?<=[ >])/)) onText(part);
      return isCutOff ? { text, finishReason: 'length' } : { text };
    },
  };
}

type Told = EventObject & Readonly<Record<string, unknown>>;

/** What a subscriber shows after each event. */
async function shownBy(events: AsyncIterable<{ readonly event: object }>): Promise<string[]> {
  const shown = [''];
  for await (const { event } of events as AsyncIterable<{ readonly event: Told }>)
    if (event.type === 'message.part')
      shown.push(shown.at(-1)!.slice(0, Number(event['offset'])) + String(event['text']));
  return shown;
}

describe.each(formats)('a %s', (name) => {
  test('says whole replies without thoughts, in memory', async () => {
    const { machine } = conversationsOfFormats[name];
    const [shown, happened]: [string[], Told[]] = [[], []];
    const actor = createActor(
      providePorts(machine!, thinkingPorts(), { onText: (part) => void shown.push(part) }),
      listen((event) => void happened.push(event)),
    );
    actor.start();
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    expect(happened.at(-1)).toMatchObject({ type: 'turn.failed', code: 'port/failed' });
    actor.send({ type: 'turn.retry' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('waiting') && !snapshot.hasTag('failed'));
    const said = happened.filter(({ type }) => type === 'message.sent');
    expect(said.map(({ text }) => text)).toEqual(['Good day.']);
    expect(shown.join('')).toBe('It costsGood day.');
    expect(JSON.stringify([happened, actor.getPersistedSnapshot()])).not.toContain('secret');
  });

  test.each(Object.keys(places))('says them on a host, over the store %s', async (store) => {
    const clock = manualClock({ startAt: 1_800_000_000_000 });
    const sent: string[] = [];
    const options: HostOptions = {
      store: places[store]!(),
      clock,
      definitions: conversationsOfFormats,
      ports: thinkingPorts(),
      channels: { main: { deliver: ({ text }) => void sent.push(text) } },
    };
    const host = await createHost(options);
    onTestFinished(() => host.stop({ within: 0 }));
    const events = host.events({ instance: 'a', parts: true });
    const shown = shownBy(events);
    await host.start(name, { id: 'a', contact: 'ada' });
    await host.settle();
    expect((await host.get('a')).waits).toContainEqual(expect.objectContaining({ for: 'retry' }));
    clock.set(clock.now() + 60_000);
    await host.settle();
    expect(sent).toEqual(['Good day.']);
    await events.return?.();
    // What was shown of the first attempt is taken back.
    expect(await shown).toEqual(['', 'It ', 'It costs', '', 'Good ', 'Good day.']);
    const journal = await host.journal('a', { from: 0, limit: 1_000 });
    expect(JSON.stringify([journal, await host.get('a')])).not.toContain('secret');
  });
});
