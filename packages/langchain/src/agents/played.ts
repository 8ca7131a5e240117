import type { Json } from '@dramaturg/compiler';
import { parsed } from '../answer/json-in-text.ts';
import type { Asking } from '../model/asking.ts';
import type { Model } from '../model/model.ts';
import { unusable } from '../model/trouble.ts';
import { fenced, stance } from '../prompt/fence.ts';

/** The model does the work of an agent that nobody has written yet, as far as its name and its input tell what that is. */
export async function playAgent(
  model: Model,
  name: string,
  input: Json,
  asking: Asking,
): Promise<Json> {
  const instructions = [
    stance,
    `# Role\nYou are the agent ${JSON.stringify(name)} of a workflow. Do what an agent of this name does with its input.`,
    '# The answer\nAnswer with the result as JSON and nothing else: no explanation, no code fence.',
  ].join('\n\n');
  const text = JSON.stringify(input, undefined, 1);
  const said = await model.ask(
    [
      { role: 'system', content: instructions },
      { role: 'user', content: `The input:\n${fenced(text, 'the workflow', asking.key)}` },
    ],
    asking,
  );
  const answer = unfenced(said.text.trim());
  if (answer === '') throw unusable(model.placeOf(asking), 'it is empty');
  const value = parsed(answer);
  return value === undefined ? answer : (value as Json);
}

/** Models put JSON between ``` marks, whatever they are told. */
function unfenced(text: string): string {
  return /^```(?:json)?\s*\n(.*)\n```$/s.exec(text)?.[1]?.trim() ?? text;
}
