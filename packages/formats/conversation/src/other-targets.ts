import type { EventObject, Path } from '@dramaturg/compiler';
import type { problemsOf, Report } from '@dramaturg/compiler/format';

/** Targets that are not states. They are the same in every conversation format. Spec: docs/formats/plan.md#other-targets */

/** The end of the conversation, with an outcome. */
export const end = '__end__';
/** A person takes over. The flow stays in its state. */
export const human = '__human__';
/** The first state, with nothing known. */
export const restart = '__restart__';

/** The targets with their meanings, for the completion of an editor. */
export const otherTargets: Readonly<Record<string, string>> = {
  [end]: 'The end of the conversation.',
  [human]: 'A person takes over.',
  [restart]: 'Everything from the beginning.',
};

/** The fields of a transition that has such a target. */
export interface OtherTarget {
  /** With the target `__end__`. */
  readonly outcome?: string | undefined;
  /** With the target `__human__`: why a person is needed. */
  readonly reason?: string | undefined;
}

export function isOtherTarget(target: string): boolean {
  return Object.hasOwn(otherTargets, target);
}

/** The instructions for the reply that follows. */
export const announcements: Readonly<Record<'handOver' | 'end', { readonly text: string }>> = {
  handOver: { text: 'Tell them that a colleague takes over.' },
  end: { text: 'Say goodbye: the conversation ends here.' },
};

/** Asks for a person. On a host, the lifecycle goes to NEEDS_HUMAN_INTERVENTION. */
export function helpRequested(reason: string | undefined, state: string): EventObject {
  return { type: 'help.requested', ...(reason && { reason }), state };
}

/** Marks a transition without a target of its own in drawings. */
export const handOverMeta = { aside: 'A person takes over' };

type Problems = ReturnType<typeof problemsOf>;

/**
 * Reports an outcome or a reason of a transition with another target.
 *
 * @param field the name of the field with the target, in the format
 */
export function createOtherTargetCheck({ warning }: Pick<Problems, 'warning'>, field: string) {
  const fieldOfAnotherTarget = warning('field-of-another-target', (name: string, of: string) => ({
    message: `"${name}" has no effect here: it is for transitions to "${of}".`,
    hint: `Remove it, or write "${field}": "${of}".`,
  }));
  return (written: OtherTarget & { readonly at: Path }, target: string, report: Report): void => {
    for (const [name, of] of [
      ['outcome', end],
      ['reason', human],
    ] as const)
      if (written[name] !== undefined && target !== of)
        report(fieldOfAnotherTarget(name, of), [...written.at, name], { at: 'key' });
  };
}
