import type { Compiled } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import { isConversation } from '../../simulating/simulate.ts';
import { nameOf, readDefinition } from '../definition-file.ts';
import { UsageError } from '../usage-error.ts';

/** The name of the lifecycle that is built in. */
const builtIn = 'built-in';

/** The lifecycle of simulated conversations. */
export interface ReadLifecycle {
  /** Its file, or `built-in`. */
  readonly name: string;
  readonly compiled: Compiled | 'built-in';
}

/**
 * Reads the lifecycle that is named for a conversation; undefined when none is.
 *
 * @throws UsageError when the definition is not a conversation, or the lifecycle never starts it
 */
export async function readLifecycle(
  { lifecycle }: { readonly lifecycle?: string | true },
  definition: Compiled,
): Promise<ReadLifecycle | undefined> {
  if (lifecycle === undefined) return undefined;
  if (!isConversation(definition))
    throw new UsageError(
      'Only conversations take --lifecycle, and this definition is not one.',
      'Leave it out: time passes in workflows and lifecycles in any case.',
    );
  if (lifecycle === true || lifecycle === builtIn) return { name: builtIn, compiled: builtIn };
  return { name: lifecycle, compiled: await readOwnLifecycle(lifecycle, definition) };
}

/**
 * Reads the file of a lifecycle for a definition.
 *
 * @throws UsageError when it is not a lifecycle, or never starts a conversation
 */
export async function readOwnLifecycle(lifecycle: string, definition: Compiled): Promise<Compiled> {
  const { compiled } = await readDefinition(lifecycle, nameOf(lifecycle), {});
  const file = visible(lifecycle);
  if (compiled.kind !== 'lifecycle')
    throw new UsageError(
      `"${file}" is not a lifecycle.`,
      'Name a file such as desk.lifecycle.json, or leave out the name for the built-in lifecycle.',
    );
  if (isConversation(definition) && !JSON.stringify(compiled.chart).includes('"startTurn"'))
    throw new UsageError(
      `The lifecycle "${file}" never starts a turn, so the conversation would not begin.`,
      'Add the action "start_turn" to a row or to the entry of a state, or give the lifecycle alone.',
    );
  return compiled;
}
