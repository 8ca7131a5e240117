import type { Port } from '@dramaturg/compiler';
import { OfferedTools } from '../answer/tool-calls.ts';
import { paidPort } from '../model/asking.ts';
import { unusableAnswer } from '../model/model-errors.ts';
import type { Model } from '../model/model.ts';
import type { Composer } from '../prompt/composer.ts';
import { ToolAnswers } from '../answer/tool-answers.ts';

/** Writes a text that only the chart sees. */
export function thinkPort(model: Model, composer: Composer): Port<'think'> {
  const toolAsking = new ToolAnswers(model);
  return paidPort('think', async (input, asking) => {
    const offered = new OfferedTools(input.tools ?? []);
    const messages = await composer.judging(input, asking.call, {
      form: '# The answer\nWrite the result as plain text. The person does not see it.',
      now: [],
    });
    const completion = await toolAsking.ask('ask', messages, offered, asking);
    const toolCalls = offered.closedCalls(completion.toolCalls);
    if (completion.text.trim() === '' && toolCalls.length === 0)
      throw unusableAnswer(model.contextOf(asking), 'it is empty');
    return { text: completion.text.trim(), toolCalls };
  });
}
