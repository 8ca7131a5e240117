import type { Port, PortInput } from '@dramaturg/compiler';
import { ToolAnswers } from '../answer/closed-answers.ts';
import { OfferedTools, toolsOnOffer } from '../answer/tool-calls.ts';
import { paidPort } from '../model/asking.ts';
import type { Message } from '../model/chat-model.ts';
import { unusableAnswer } from '../model/model-errors.ts';
import type { Model } from '../model/model.ts';
import { type Composer, isInConstantPart } from '../prompt/composer.ts';
import type { ReplyStore } from '../written/judge.ts';

/**
 * Speaks to the person. Streams the text while it is generated, and collects the tool calls of the same turn.
 *
 * @param replies messages that were written before; a fitting one is the answer, and no model is asked
 */
export function replyPort(
  model: Model,
  composer: Composer,
  replies: ReplyStore | undefined,
): Port<'reply'> {
  const toolAsking = new ToolAnswers(model);
  return paidPort('reply', async (input, asking) => {
    const written = replies?.take(input, asking.call);
    if (written !== undefined) {
      asking.call.onText(written.text);
      return written;
    }
    const offered = new OfferedTools(input.tools, { constant: input.constantTools });
    const messages = await composer.speaking(input, asking.call, {
      form: offered.isEmpty ? answerForm : `${answerForm}\n${toolForm}`,
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
 * Whether the tool calls come with the message, because they record what it does. Other tools run before the message: then an
 * answer without text is complete.
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
].join('\n');
const toolForm = 'Call a tool only when the instructions give a reason to.';

function instructionsFor(input: PortInput<'reply'>): string[] {
  const { asks, directions } = input;
  const [first, ...others] = asks;
  const wanted = [
    ...(first ? [questionFor(first)] : []),
    // The outline of a plan already has its questions, so only the next one is repeated.
    ...others.map((ask) =>
      ask.unconfirmed === undefined &&
      isInConstantPart(input, ask.name) &&
      isInConstantPart(input, ask.question)
        ? `- ${nameOf(ask)}`
        : questionFor(ask),
    ),
  ];
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
    ...toolsOnOffer(input),
  ];
}

type Ask = PortInput<'reply'>['asks'][number];

function nameOf({ name, required }: Ask): string {
  return `${name}${required ? '' : ' (optional)'}`;
}

function questionFor(ask: Ask): string {
  const { question, schema, unconfirmed } = ask;
  const confirming =
    unconfirmed === undefined ? '' : 'They have said it already: ask them to confirm it.';
  return [`- ${nameOf(ask)}: ${question}`, hintFor(schema), confirming]
    .filter((part) => part !== '')
    .join(' ');
}

function hintFor({ enum: options }: Ask['schema']): string {
  return Array.isArray(options) ? `One of: ${options.slice(0, 30).map(String).join(', ')}.` : '';
}
