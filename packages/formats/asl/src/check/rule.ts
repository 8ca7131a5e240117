import type { Report, Rule } from '@dramaturg/compiler/format';
import type { StateBase, Workflow, WorkflowOptions } from '../definition/index.ts';
import { conflictingFields, missingField } from '../diagnostics/fields.ts';
import { EnginesNotLoadedError } from '../engines/engines-not-loaded-error.ts';
import type { Part } from '../authored.ts';

/** A rule of meaning for workflows. */
export type WorkflowRule = Rule<Workflow, WorkflowOptions>;

/** A rule of meaning for the states of one type. */
export type StateRule<State extends StateBase> = (
  state: State,
  subject: Parameters<WorkflowRule>[0],
) => void;

/** Reports every field of a group after the first: they mean the same. */
export function atMostOne({ value, at }: Part, group: readonly string[], report: Report): void {
  const [first, ...others] = group.filter((field) => Object.hasOwn(value, field));
  for (const other of others) {
    report(conflictingFields(other, first!), [...at, other], { at: 'key' });
  }
}

/**
 * Reports a part that has no field of a group, or more than one.
 *
 * @param others fields that belong to the group in the other dialect
 */
export function exactlyOne(
  owner: string,
  part: Part,
  group: readonly string[],
  report: Report,
  others: readonly string[] = [],
): void {
  if (!group.some((field) => Object.hasOwn(part.value, field))) {
    const about = [...group, ...others].map((field) => [...part.at, field]);
    report(missingField(owner, group), part.at, { about, follows: about });
  }
  atMostOne(part, group, report);
}

/** The message of the error that an attempt throws. @throws EnginesNotLoadedError */
export function faultOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof EnginesNotLoadedError) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
