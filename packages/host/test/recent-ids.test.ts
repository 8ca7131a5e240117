import { array, assert, asyncProperty, boolean, integer, record } from 'fast-check';
import { expect, test } from 'vitest';
import type { TranscriptLine } from '../src/instance/event.ts';
import { emptyInbox } from '../src/instance/inbox.ts';
import { RecentIds, type RecentMessages, withRecent } from '../src/instance/recent-ids.ts';
import { Transcript } from '../src/instance/transcript.ts';

const tenMinutes = 600_000;
/** How many messages a lifecycle recognises by itself. */
const seenByLifecycle = 32;

/** The stored transcript of an instance, and where its recent messages begin. */
class Conversation {
  readonly #lines: TranscriptLine[] = [];
  recent: RecentMessages | undefined;
  readCount = 0;

  hear(id: string, at: number): void {
    this.recent = withRecent(this.recent, this.#lines.length, at);
    this.#lines.push({ id, role: 'contact', text: 'Hello.', at });
  }

  say(id: string, at: number): void {
    this.#lines.push({ id, role: 'agent', text: 'Hello.', at });
  }

  /** Whether an instance that has just been restored recognises a message. */
  async recognises(id: string): Promise<boolean> {
    const transcript = new Transcript(this.#lines.length, async ({ from, limit }) => {
      this.readCount += 1;
      return this.#lines.slice(from, from + limit);
    });
    return new RecentIds(transcript).has(id, emptyInbox, this.recent);
  }
}

test('the transcript is not read for messages that the lifecycle recognises, however many lines they have', async () => {
  const conversation = new Conversation();
  for (let index = 0; index < seenByLifecycle; index += 1) {
    conversation.hear(`m${index}`, index);
    for (let reply = 0; reply < 10; reply += 1) conversation.say(`r${index}/${reply}`, index);
  }
  await conversation.recognises('m0');
  expect(conversation.readCount).toBe(0);
  conversation.hear('one more', seenByLifecycle);
  expect(await conversation.recognises('m0')).toBe(true);
  expect(conversation.readCount).toBe(1);
});

test('messages of the last ten minutes are recognised after a restart, whatever came between them', async () => {
  const arrivals = array(record({ pause: integer({ min: 0, max: 10_000 }), isReply: boolean() }), {
    minLength: 200,
    maxLength: 400,
  });
  await assert(
    asyncProperty(arrivals, boolean(), async (lines, wasCounted) => {
      const conversation = new Conversation();
      const heard: { id: string; at: number }[] = [];
      let at = 0;
      for (const [index, { pause, isReply }] of lines.entries()) {
        at += pause;
        const id = `${index}`;
        if (isReply) conversation.say(id, at);
        else {
          conversation.hear(id, at);
          heard.push({ id, at });
        }
        // A snapshot of an earlier release has no counts.
        if (!wasCounted && index === 100 && conversation.recent) {
          const { counts: _, ...rest } = conversation.recent;
          conversation.recent = rest;
        }
      }
      const notInLifecycle = heard.slice(0, -seenByLifecycle);
      for (const { id } of notInLifecycle.filter((message) => at - message.at < tenMinutes))
        expect(await conversation.recognises(id)).toBe(true);
    }),
    { numRuns: 50, endOnFailure: true },
  );
});

test('a message of long ago is not recognised', async () => {
  const conversation = new Conversation();
  conversation.hear('old', 0);
  for (const generation of [1, 2])
    for (let index = 0; index <= seenByLifecycle; index += 1)
      conversation.hear(`${generation}/${index}`, generation * tenMinutes);
  expect(await conversation.recognises('old')).toBe(false);
  expect(await conversation.recognises('1/0')).toBe(true);
});
