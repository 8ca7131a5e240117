import type { Compiled, JsonObject, Ports } from '@dramaturg/compiler';
import type { HostedDefinition } from '../host.ts';
import { PlayError } from './play-error.ts';
import { runTest } from './run-test.ts';
import { usualStart } from './stage-options.ts';
import type { TestStep } from './test-file.ts';

export interface PlayOptions {
  /** The input of the conversation or workflow. */
  readonly input?: JsonObject;
  readonly lifecycleInput?: JsonObject;
  /** Answers of agents, by name. */
  readonly agents?: JsonObject;
  /** Ports for calls that the steps do not answer, in place of the understudy: such as those of a model. */
  readonly ports?: Partial<Ports>;
  /** Definitions that it calls as agents, by name. */
  readonly others?: Readonly<Record<string, HostedDefinition>>;
  /** The start of the test, in milliseconds since 1970 UTC. Default: 1 January 2026, 9:00 UTC. */
  readonly startAt?: number;
}

/**
 * Plays a definition step by step, in memory, and checks what has to hold after each step.
 *
 * @param steps as in a test file
 * @throws PlayError when an expectation does not hold; TypeError when the definition has errors
 *
 * @example
 * ```ts
 * await play(intake, [
 *   { asks: ['customer_name'] },
 *   { person: 'Maria', collected: { customer_name: 'Maria' } },
 * ]);
 * ```
 */
export async function play(
  definition: Compiled | HostedDefinition,
  steps: readonly TestStep[],
  { input, lifecycleInput, ...options }: PlayOptions = {},
): Promise<void> {
  const test = {
    name: 'play',
    steps: [...steps],
    ...(input ? { input } : {}),
    ...(lifecycleInput ? { lifecycleInput } : {}),
  };
  const given = { startAt: usualStart, ...options, name: 'definition', definition };
  const { failures } = await runTest({ test, name: test.name }, given);
  if (failures.length === 0) return;
  const sentences = failures.map(
    ({ path, message, hint }) => `${pathOf(path)}: ${message}${hint ? ` ${hint}` : ''}`,
  );
  throw new PlayError(sentences.join('\n'));
}

function pathOf(path: readonly (string | number)[]): string {
  const [, index, field] = path;
  return `Step ${Number(index) + 1}${field === undefined ? '' : `, ${field}`}`;
}
