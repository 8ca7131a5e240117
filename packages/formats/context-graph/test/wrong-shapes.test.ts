import type { Json } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { action, exit, graphOf, recall, toolCall } from './build.ts';
import { Conversation } from './conversation.ts';

const recalling = graphOf(
  action('hub', ['Talk'], [exit('look')]),
  recall('look', 'end', { requested_information: 'What is known?' }),
  action('end', ['Part']),
);
const calling = graphOf(
  action('hub', ['Talk'], [exit('book')]),
  toolCall('book', 'end', 'ephemeral', { designated_tool_call_validations: ['It is free'] }),
  action('end', ['Part']),
);

/** What was refused or failed. */
function complaints({ emitted }: Conversation): string[] {
  return emitted.flatMap((event) => {
    if (event.type === 'turn.failed') return [`${event.code}: ${event.message}`];
    return event.type === 'update.refused' ? [event.because] : [];
  });
}

test('queries of a wrong shape fail the turn', async () => {
  for (const queries of ['lamps', [7], {}] as Json[]) {
    const conversation = Conversation.start(recalling);
    await conversation.say('Hm.', ['select', 'E1'], ['queries', queries]);
    expect(complaints(conversation)).toEqual([
      expect.stringContaining('"queries" must be a list of texts'),
    ]);
  }
});

test('arguments and failed validations of a wrong shape fail the turn', async () => {
  for (const answer of [
    { arguments: 'tomorrow' },
    { arguments: ['tomorrow'] },
    { arguments: {}, failed_validations: 'It is free' },
  ] as Json[]) {
    const conversation = Conversation.start(calling);
    await conversation.say('Hm.', ['select', 'E1'], ['prepare', answer]);
    expect(complaints(conversation)).toEqual([
      expect.stringMatching(/^port\/bad-output: .* must be /),
    ]);
  }
});

test('unknown fields of an answer are refused by name', async () => {
  const conversation = Conversation.start(calling);
  await conversation.say(
    'Hm.',
    ['select', 'E1'],
    ['prepare', { arguments: {}, when: 'tomorrow' }],
    ['select', 'A1'],
  );
  expect(complaints(conversation)).toEqual([
    '"when" was not asked for; there are the fields "arguments", "failed_validations".',
  ]);
});
