import type { PortInput } from '@dramaturg/compiler';

/**
 * What the agent is asked for when the contact has been silent. The flow waits for the contact and is not disturbed, so
 * it is the host that asks; whatever the format, a reminder is a reply in which nothing new is wanted.
 */
export function followUpCall(
  conversation: string,
  turn: string,
  length: number,
): PortInput<'reply'> {
  return {
    key: `${turn}/follow-up`,
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
