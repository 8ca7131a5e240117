import { array, assert, asyncProperty, boolean } from 'fast-check';
import { expect, test } from 'vitest';
import type { TranscriptLine } from '../src/instance/event.ts';
import { ReceivedIds } from '../src/instance/working-state.ts';
import { Transcript } from '../src/instance/transcript.ts';

/** How many messages a lifecycle recognises by itself. */
const seenByLifecycle = 32;

/** The stored transcript of an instance. */
class Conversation {
  readonly #lines: TranscriptLine[] = [];
  readCount = 0;
  #count = 0;

  hear(id: string): void {
    this.#count += 1;
    this.#lines.push({ id, role: 'contact', text: 'Hello.', at: 0 });
  }

  say(id: string): void {
    this.#lines.push({ id, role: 'agent', text: 'Hello.', at: 0 });
  }

  /** Whether an instance that has just been restored recognises a message. */
  async recognises(id: string): Promise<boolean> {
    const transcript = new Transcript(this.#lines.length, async ({ from, limit }) => {
      this.readCount += 1;
      return this.#lines.slice(from, from + limit);
    });
    return new ReceivedIds(transcript).has(id, this.#count);
  }
}

test('the transcript is not read for messages that the lifecycle recognises, however many lines they have', async () => {
  const conversation = new Conversation();
  for (let index = 0; index < seenByLifecycle; index += 1) {
    conversation.hear(`m${index}`);
    for (let reply = 0; reply < 2; reply += 1) conversation.say(`r${index}/${reply}`);
  }
  await conversation.recognises('m0');
  expect(conversation.readCount).toBe(0);
  conversation.hear('one more');
  expect(await conversation.recognises('m0')).toBe(true);
  expect(conversation.readCount).toBe(1);
});

test('all messages are recognised after a restart, and no replies', async () => {
  await assert(
    asyncProperty(array(boolean(), { minLength: 200, maxLength: 400 }), async (lines) => {
      const conversation = new Conversation();
      for (const [index, isReply] of lines.entries())
        if (isReply) conversation.say(`${index}`);
        else conversation.hear(`${index}`);
      if (lines.filter((isReply) => !isReply).length <= seenByLifecycle) return;
      for (const [index, isReply] of lines.entries())
        expect(await conversation.recognises(`${index}`)).toBe(!isReply);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
