import type { Compiled } from '@dramaturg/compiler';
import type { HostedDefinition } from '../host.ts';
import { kindOf } from '../known-formats.ts';

/** The contact of the instances of tests. */
export const contact = 'person';

/** The contact that a test starts its instance with: for a workflow only if it runs a conversation as an agent. */
export function contactOf(
  definition: HostedDefinition,
  others: Readonly<Record<string, HostedDefinition>>,
): { readonly contact?: string } {
  const isHeld =
    kindIn(definition) !== 'workflow' ||
    Object.values(others).some((other) => kindIn(other) === 'conversation');
  return isHeld ? { contact } : {};
}

/** The definition without its lifecycle. */
export function flowOf(given: HostedDefinition): Compiled {
  return 'lifecycle' in given ? given.definition : given;
}

function kindIn(given: HostedDefinition) {
  return kindOf(flowOf(given).chart?.format);
}
