import type { Json, PortInput, ToolSpec } from '@dramaturg/compiler';
import { isToolPattern, mayUseTool } from '@dramaturg/compiler/machine';
import { OfferedTools, parsed } from '../answer/tool-calls.ts';
import type { ClosedAnswers, ToolAnswers } from '../answer/closed-answers.ts';
import type { Asking } from '../model/asking.ts';
import type { Message } from '../model/chat-model.ts';
import { unusableAnswer } from '../model/model-errors.ts';
import type { Model } from '../model/model.ts';
import type { LangchainOptions } from '../options.ts';
import { type Fence, fenceOf, stance } from '../prompt/composer.ts';
import { plainTools } from '../tools/plain-tools.ts';

type AgentInput = PortInput<'runAgent'>;

/**
 * Lets the model do the work of an agent that is not implemented, from the agent's name and its call. It uses the model and the
 * options of the ports, not those of the definition. The calls of tools that the model makes are the result: the workflow
 * performs each as a call of its own, and asks again.
 */
export async function playAgent(
  { model, answers, closed, tools }: Player,
  call: AgentInput,
  asking: Asking,
): Promise<Json> {
  const specs = await toolsFor(call, tools);
  const offered = new OfferedTools(specs);
  const instructions = [stance, roleOf(call), formOf(call)];
  const text = JSON.stringify(call.input, undefined, 1);
  // The marks are the same for all tasks of a workflow, so that providers can cache the constant part of their inputs.
  const fence = fenceOf(asking.call.instance ?? call.key);
  const parts = [`The input:\n${fence(text, 'the workflow')}`, ...earlierAnswers(call, fence)];
  const messages: Message[] = [
    { role: 'system', content: instructions.join('\n\n') },
    { role: 'user', content: parts.join('\n\n') },
  ];
  const { schema, reasoning } = call;
  // Providers take the schema of an object only.
  if (schema?.['type'] === 'object' && reasoning === undefined) {
    const read = (answer: unknown) => ({ answer: answer as Json });
    const question = { messages, schema, strict: false, tools: specs, read };
    const given = await closed.ask(question, asking);
    if ('toolCalls' in given) return { toolCalls: given.toolCalls as unknown as Json };
    return 'answer' in given ? given.answer : ((given.value ?? null) as Json);
  }
  const completion = await answers.ask(
    // A text that was passed on in part is not asked for again, so only tasks that want parts stream.
    call.stream === undefined ? 'ask' : 'stream',
    messages,
    offered,
    asking,
  );
  const toolCalls = offered.calls(completion.toolCalls);
  if (toolCalls.length > 0) return { toolCalls: toolCalls as unknown as Json };
  const answer = unfenced(completion.text.trim());
  if (answer === '') throw unusableAnswer(model.contextOf(asking), 'it is empty');
  const value = parsed(answer);
  return value === undefined ? answer : (value as Json);
}

/** Who plays the agents: the model, how it answers with tools, and the tools that are known. */
export interface Player {
  readonly model: Model;
  readonly answers: ToolAnswers;
  /** For tasks whose result has a form. */
  readonly closed: ClosedAnswers;
  readonly tools: LangchainOptions['tools'];
}

function roleOf({ agent, quality }: AgentInput): string {
  const brief = quality === 'reduced' ? ' Be brief: less than your best will do.' : '';
  return `# Role\nYou are the agent ${JSON.stringify(agent)} of a workflow. Do what an agent of this name does with its input.${brief}`;
}

/** The tools that the definition allows by name, or all known tools, without the denied ones. */
async function toolsFor(
  { tools, toolResults }: AgentInput,
  knownTools: LangchainOptions['tools'],
): Promise<ToolSpec[]> {
  if (tools === undefined || toolResults === undefined) return [];
  const known = await plainTools(knownTools);
  const allowed = (tools.allowed ?? ['*']).flatMap((name) =>
    isToolPattern(name) ? [...known.keys()] : [name],
  );
  const names = [...new Set(allowed)].filter((name) => mayUseTool(tools, name));
  return names.map((name) => {
    const { description = '', parameters = {} } = known.get(name) ?? {};
    return { name, description, parameters };
  });
}

function formOf({ reasoning }: AgentInput): string {
  const plain = 'Answer with the result as JSON and nothing else: no explanation, no code fence.';
  if (reasoning === undefined) return `# The answer\n${plain}`;
  const { format, minSteps, maxSteps } = reasoning;
  const steps = [
    ...(minSteps === undefined ? [] : [`at least ${minSteps}`]),
    ...(maxSteps === undefined ? [] : [`at most ${maxSteps}`]),
  ].join(' and ');
  return [
    '# The answer',
    'Answer with the result and your reasoning as JSON and nothing else: no explanation, no code fence.',
    `The form is {"result": ..., "reasoning": {"steps": [{"step": 1, "thought": "..."}], "conclusion": "..."}}, the reasoning is of the kind ${JSON.stringify(format)}${steps === '' ? '' : `, with ${steps} steps`}.`,
  ].join('\n');
}

/** Models wrap JSON in ``` fences even when asked not to. */
function unfenced(text: string): string {
  return /^```(?:json)?\s*\n(.*)\n```$/s.exec(text)?.[1]?.trim() ?? text;
}

type EarlierAnswers = Pick<PortInput<'runAgent'>, 'complaints' | 'toolResults'>;

/** Describes the results of earlier answers in the same task, for the model. */
export function earlierAnswers(
  { complaints = [], toolResults = [] }: EarlierAnswers,
  fence: Fence,
): string[] {
  const results = fence(JSON.stringify(toolResults, undefined, 1), 'the tools');
  const wrong = fence(complaints.join('\n'), 'the workflow');
  return [
    ...(toolResults.length > 0
      ? [`What came of the tools that you have asked for so far:\n${results}`]
      : []),
    ...(complaints.length > 0
      ? [`What was wrong with your answers so far:\n${wrong}\nAnswer again, and put that right.`]
      : []),
  ];
}
