import type { PortInput } from '@dramaturg/compiler';
import type { InstanceState } from './state.ts';

/** The key of the call for a reminder, and the id of its message. */
export function followUpKey(turn: string): string {
  return `${turn}/follow-up`;
}

/**
 * The call for a reminder when the contact has been silent. The host makes it, because the flow waits for the contact and must
 * not change. In every format, a reminder is a reply without a new question.
 */
export function followUpCall(
  conversation: string,
  turn: string,
  length: number,
): PortInput<'reply'> {
  return {
    key: followUpKey(turn),
    transcript: { conversation, length },
    prompt: [
      {
        title: 'Follow-up',
        text: 'The person has not answered your last message. Write one short and friendly reminder. Ask nothing new.',
      },
    ],
    asks: [],
    directions: [{ text: 'Remind the person of what you asked last.' }],
    tools: [],
  };
}

/** Whether the current turn only reminds the contact, who has not written since. */
export function onlyReminds({ turn, inbox }: Pick<InstanceState, 'turn' | 'inbox'>): boolean {
  return Boolean(turn?.followUp) && inbox.count === 0;
}
