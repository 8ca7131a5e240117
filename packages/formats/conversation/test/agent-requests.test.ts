import { expect, test } from 'vitest';
import { agentRequests } from '../src/index.ts';

test('a reply without calls asks for nothing', () => {
  expect(agentRequests([], [], 'a')).toEqual({ ending: undefined, events: [] });
});

test('a reply may end the conversation, with a reason or without one', () => {
  const end = (given: Record<string, never> | { reason: string | number }) =>
    agentRequests([{ name: 'end_conversation', arguments: given }], [], 'a');
  expect(end({ reason: 'settled' })).toEqual({ ending: { reason: 'settled' }, events: [] });
  for (const given of [{}, { reason: '' }, { reason: 7 }])
    expect(end(given)).toEqual({ ending: {}, events: [] });
});

test('a reply may ask for a person, and what is not on offer is refused', () => {
  const toolCalls = [
    { name: 'request_human_intervention', arguments: { reason: 'angry' } },
    { name: 'complete_task', arguments: {} },
    { name: 'launch', arguments: {} },
  ];
  expect(agentRequests(toolCalls, ['complete_task'], 'a')).toEqual({
    ending: undefined,
    events: [
      { type: 'help.requested', reason: 'angry', state: 'a' },
      {
        type: 'update.refused',
        what: 'launch',
        because: 'The tool "launch" is not on offer.',
        state: 'a',
      },
    ],
  });
});
