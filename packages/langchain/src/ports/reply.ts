import type { Port, PortInput } from '@dramaturg/compiler';
import { ToolAnswers } from '../answer/tool-answers.ts';
import { OfferedTools } from '../answer/tool-calls.ts';
import { paidPort } from '../model/asking.ts';
import type { Message, Model } from '../model/model.ts';
import { unusableAnswer } from '../model/model-errors.ts';
import type { Composer } from '../prompt/composer.ts';

/** Speaks to the person. Streams the text while it is generated, and collects the tool calls of the same turn. */
export function replyPort(model: Model, composer: Composer): Port<'reply'> {
  const toolAsking = new ToolAnswers(model);
  return paidPort('reply', async (input, asking) => {
    const offered = new OfferedTools(input.tools);
    const messages = await composer.speaking(input, asking.call, {
      form: answerForm,
      now: instructionsFor(input),
    });
    const completion = await toolAsking.ask('stream', messages, offered, asking);
    const toolCalls = offered.closedCalls(completion.toolCalls);
    if (completion.text.trim() !== '' || (toolCalls.length > 0 && !isSpokenWithCalls(input)))
      return { text: completion.text.trim(), toolCalls };
    // The model wrote no text. The second request has no tools, so that it writes one.
    const again = await model.stream([...messages, ...reminder(toolCalls)], asking);
    if (again.text.trim() === '') throw unusableAnswer(model.contextOf(asking), 'it is empty');
    return { text: again.text.trim(), toolCalls };
  });
}

/**
 * Whether the tool calls accompany the message: they record what it does. Other tools run before the message, and then
 * an answer without text is complete.
 */
function isSpokenWithCalls({ asks, directions }: PortInput<'reply'>): boolean {
  return asks.length > 0 || directions.some(({ done }) => done !== undefined);
}

function reminder(toolCalls: readonly { readonly name: string }[]): Message[] {
  const names = toolCalls.map(({ name }) => name).join(', ');
  const done = names === '' ? '' : `Your calls of ${names} are recorded. `;
  return [
    {
      role: 'user',
      content: `(${done}You have not written a message yet: write it now, as plain text.)`,
    },
  ];
}

const answerForm = [
  '# The answer',
  'Write the message to the person and nothing else, as they will read it.',
  'Call a tool only when the instructions give a reason to.',
].join('\n');

function instructionsFor({ asks, directions }: PortInput<'reply'>): string[] {
  const wanted = asks.map(({ name, question, required, schema, unconfirmed }) =>
    [
      `- ${name}${required ? '' : ' (optional)'}: ${question}`,
      hintFor(schema),
      unconfirmed === undefined ? '' : 'They have said it already: ask them to confirm it.',
    ]
      .filter((part) => part !== '')
      .join(' '),
  );
  const doing = directions.map(({ text, done }) =>
    done === undefined
      ? `- ${text}`
      : `- ${text}\n  Once your message does this, call ${done.name} with ${JSON.stringify(done.arguments)}.`,
  );
  return [
    ...(doing.length > 0 ? [`# What your message does\n${doing.join('\n')}`] : []),
    ...(wanted.length > 0
      ? [`# What to find out, the most urgent first\n${wanted.join('\n')}`]
      : []),
  ];
}

function hintFor({ enum: options }: PortInput<'reply'>['asks'][number]['schema']): string {
  return Array.isArray(options) ? `One of: ${options.slice(0, 30).map(String).join(', ')}.` : '';
}
