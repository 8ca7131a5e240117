import { type JsonObject, type Port, PortError } from '@dramaturg/compiler';
import { isTemporary } from '@dramaturg/compiler/machine';
import { didYouMean } from '@dramaturg/compiler/text';
import { asJson } from './as-json.ts';
import { closed } from './closed.ts';
import { misfit } from './fit.ts';
import type { PlainTool, ToolLimits } from './tool.ts';

const defaultTime = 30_000;
const defaultSize = 100_000;

interface ToolOptions {
  /** The tools by the names that definitions use. */
  readonly tools: ReadonlyMap<string, PlainTool> | Readonly<Record<string, PlainTool>>;
  readonly toolLimits?: ToolLimits | undefined;
}

/**
 * Runs the allowed tools. Checks their arguments, and limits their time and the size of their results. Any failure is a
 * PortError `port/failed`, or `port/temporary` when the tool may be called again; a result that is not JSON is `port/bad-output`.
 *
 * @example
 * ```ts
 * const callTool = callToolPort({
 *   tools: { stock: { run: ({ item }) => (item === 'lamp' ? 7 : 0) } },
 * });
 * const ports = { callTool, runAgent: clerk };
 * console.log(
 *   (await toPromise(createActor(providePorts(stocktaking.machine!, ports)).start())).output,
 * ); // → { stock: 7 }
 * ```
 */
export function callToolPort({ tools, toolLimits: limits = {} }: ToolOptions): Port<'callTool'> {
  const known = tools instanceof Map ? tools : new Map(Object.entries(tools));
  const { time = defaultTime, resultSize = defaultSize } = limits;

  const mayBeCalled = (name: string) =>
    (limits.allow?.includes(name) ?? true) && !(limits.deny?.includes(name) ?? false);

  return async ({ tool: name, arguments: input, key }, { signal }) => {
    const tool = known.get(name);
    if (tool === undefined) throw unknown(name, [...known.keys()]);
    if (!mayBeCalled(name))
      throw failed(`The tool "${name}" is not allowed. To allow it, change toolLimits.`);
    const checked = checkedArguments(name, tool, input);
    const timeUp = AbortSignal.timeout(time);
    const use = { tool: name, key, signal: AbortSignal.any([signal, timeUp]) };
    const result = await Promise.race([
      (async () => tool.run(checked, use))(),
      whenAborted(use.signal),
    ]).catch((cause: unknown) => {
      if (timeUp.aborted && !signal.aborted)
        throw failed(
          `The tool "${name}" did not answer within ${time} milliseconds. Make it faster, or raise toolLimits.time.`,
          cause,
          tool.idempotent === true,
        );
      throw failed(`The tool "${name}" failed: ${messageOf(cause)}`, cause, isTemporary(cause));
    });
    const { value, size } = asJson(result, `The result of the tool "${name}"`, 'callTool');
    if (size <= resultSize) return { result: value };
    throw failed(
      `The result of the tool "${name}" has ${size} characters; the limit is ${resultSize}. Return less, or raise toolLimits.resultSize.`,
    );
  };
}

function checkedArguments(name: string, tool: PlainTool, input: JsonObject): JsonObject {
  const { parameters } = tool;
  if (parameters === undefined) return input;
  const known = closed(input, parameters) as JsonObject;
  const problem = misfit(known, parameters);
  if (problem === undefined) return known;
  throw failed(`The arguments of the tool "${name}" do not fit its schema. ${problem}`);
}

/** Rejects when the signal aborts. A tool that ignores its signal continues, but its result is not used. */
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
    (names.length > 0 ? `Known tools: ${names.join(', ')}.` : 'Pass it in tools.');
  return failed(`There is no tool "${name}". ${hint}`);
}

function failed(message: string, cause?: unknown, mayPass = false): PortError {
  return new PortError(mayPass ? 'port/temporary' : 'port/failed', 'callTool', message, { cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
