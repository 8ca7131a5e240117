import type { Compiled } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import { resourcesIn } from '../../exploring/resources-in.ts';
import { isConversation } from '../../simulating/simulate.ts';
import { UsageError } from '../usage-error.ts';

/** The models of a simulation, as the command names them. */
interface Models {
  readonly model?: string | undefined;
  readonly personModel?: string | undefined;
}

/**
 * Refuses a definition in which no person and no model takes part.
 *
 * @param all the definition, and those that it calls
 */
export function requirePersons(file: string, all: readonly Compiled[], models: Models): void {
  const [compiled] = all;
  if (isConversation(compiled!)) return;
  if (compiled!.kind === 'lifecycle') {
    if (models.model === undefined && models.personModel === undefined) return;
    throw new UsageError(
      'A model plays agents and the persons of conversations and workflows, and this definition is a lifecycle.',
      'Leave out --model and --person-model: rules send its events.',
    );
  }
  if (models.model !== undefined || all.some(hasPersons)) return;
  throw new UsageError(
    `Nobody takes part in "${visible(file)}": it is a workflow without an approval, a task with a token, a debate or a conversation.`,
    'Test it with "dramaturg test", let "dramaturg explore" write tests, or let a model play its agents with --model.',
  );
}

function hasPersons(compiled: Compiled): boolean {
  if (isConversation(compiled)) return true;
  const { chart } = compiled;
  const text = JSON.stringify(chart);
  return (
    text.includes('"requestDecision"') ||
    text.includes('"Type":"Debate"') ||
    [...resourcesIn(chart!).values()].some((resource) => isHandedOver.test(resource))
  );
}

/** Resources whose tasks people outside complete. Spec: docs/formats/asl.md#tasks */
const isHandedOver = /\.waitForTaskToken$|:activity:/;
