import { didYouMean, type JsonObject, type Port, PortError } from '@dramaturg/compiler';
import { closed } from '../answer/closed.ts';
import { misfit } from '../answer/fit.ts';
import type { LangchainOptions } from '../options.ts';
import { asJson } from './as-json.ts';
import { byName, parametersOf, type Tool, type ToolUse } from './tool.ts';

const usualTime = 30_000;
const usualSize = 100_000;

/** Runs tools: those that may be called, with arguments that fit, for a limited time, with a result of limited size. */
export function callToolPort({
  tools,
  toolLimits: limits = {},
}: Pick<LangchainOptions, 'tools' | 'toolLimits'>): Port<'callTool'> {
  const known = byName(tools);
  const { time = usualTime, resultSize = usualSize } = limits;

  const mayBeCalled = (name: string) =>
    (limits.allow?.includes(name) ?? true) && !(limits.deny?.includes(name) ?? false);

  return async ({ tool: name, arguments: given, key }, { signal }) => {
    const tool = known.get(name);
    if (tool === undefined) throw unknown(name, [...known.keys()]);
    if (!mayBeCalled(name))
      throw failed(`The tool "${name}" may not be called: change toolLimits if it should be.`);
    const taken = await fitting(name, tool, given);
    const timeUp = AbortSignal.timeout(time);
    const use = { tool: name, key, signal: AbortSignal.any([signal, timeUp]) };
    const result = await Promise.race([run(tool, taken, use), whenAborted(use.signal)]).catch(
      (cause: unknown) => {
        if (timeUp.aborted && !signal.aborted)
          throw failed(
            `The tool "${name}" did not answer within ${time} milliseconds: make it faster, or raise toolLimits.time.`,
            cause,
          );
        throw failed(`The tool "${name}" failed: ${messageOf(cause)}`, cause);
      },
    );
    const { value, size } = asJson(result, `The result of the tool "${name}"`, 'callTool');
    if (size <= resultSize) return { result: value };
    throw failed(
      `The result of the tool "${name}" has ${size} characters and may have ${resultSize}: let it return less, or raise toolLimits.resultSize.`,
    );
  };
}

async function fitting(name: string, tool: Tool, given: JsonObject): Promise<JsonObject> {
  const parameters = await parametersOf(tool);
  if (parameters === undefined) return given;
  const taken = closed(given, parameters) as JsonObject;
  const problem = misfit(taken, parameters);
  if (problem === undefined) return taken;
  throw failed(`The arguments of the tool "${name}" do not fit its schema. ${problem}`);
}

async function run(tool: Tool, given: JsonObject, use: ToolUse): Promise<unknown> {
  if ('run' in tool) return tool.run(given, use);
  const { signal, key } = use;
  return tool.invoke(given, { signal, metadata: { idempotencyKey: key } });
}

/** A tool that does not listen to its signal goes on, but nobody waits for it. */
async function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
  });
}

function unknown(name: string, names: readonly string[]): PortError {
  const hint =
    didYouMean(name, names) ??
    (names.length > 0 ? `There are: ${names.join(', ')}.` : 'Pass it in tools.');
  return failed(`There is no tool "${name}". ${hint}`);
}

function failed(message: string, cause?: unknown): PortError {
  return new PortError('port/failed', 'callTool', message, { cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
