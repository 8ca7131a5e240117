import type { PortInput, PortOutput } from '@dramaturg/compiler';
import { questionFor } from './question.ts';

const aside = '[understudy: not a language model; it asks what is pending and reads plain answers]';

/** A direction is an author's instruction to a model; its beginning is enough to see that it was taken up. */
const longestDirection = 280;

/**
 * The reply port: says why something was not recorded, voices each direction as a stage direction and asks the most
 * urgent question. A direction that is voiced counts as done.
 */
export function reply(
  { transcript, prompt, asks, directions, tools }: PortInput<'reply'>,
  { introduce }: { readonly introduce: boolean },
): PortOutput<'reply'> {
  const [ask] = asks;
  const refused = prompt
    .filter(({ title }) => title === 'Not recorded')
    .map(({ text }) => text.trim());
  const voiced = directions.map(({ text }) => `(${shortened(text)})`).join(' ');
  const lines = [
    introduce && transcript.length === 0 ? aside : '',
    ...refused.filter((text) => text !== '').map((text) => `Sorry, that is not recorded. ${text}`),
    voiced,
    ask === undefined ? '' : `${acknowledgement(prompt)}${questionFor(ask)}`,
    // Nothing to say and nothing to do is the end of the conversation as far as can be seen from here.
    ask === undefined && voiced === ''
      ? tools.length > 0
        ? 'Please go on.'
        : 'Thank you, that is all from me.'
      : '',
  ];
  return {
    text: lines.filter((line) => line !== '').join('\n'),
    toolCalls: directions.flatMap(({ done }) => (done === undefined ? [] : [done])),
  };
}

function acknowledgement(prompt: PortInput<'reply'>['prompt']): string {
  return prompt.some(({ title, text }) => title === 'Just collected' && text.trim() !== '')
    ? 'Thank you. '
    : '';
}

/** On one line, and cut between words. */
function shortened(text: string): string {
  const line = text
    .slice(0, 4 * longestDirection)
    .split(/\s+/u)
    .filter((word) => word !== '')
    .join(' ');
  if (line.length <= longestDirection) return line;
  const cut = line.slice(0, longestDirection);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), longestDirection / 2))} …`;
}
