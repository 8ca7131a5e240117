import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { GivenTask } from '../testing/test-file.ts';
import { answersTo, type GivenAnswer } from './answers.ts';
import type { OpenTaskAt } from './branches.ts';
import type { Happening } from './player.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * The possible endings of waiting tasks: results and errors, as an agent gives them, and heartbeats. Of the items of a state,
 * only the first.
 */
export function taskEndings(
  open: readonly OpenTaskAt[],
  vocabulary: Vocabulary,
): readonly Happening[] {
  const seen = new Set<string>();
  return open.flatMap((task) => {
    const { state, items, resource, child, isBeating } = task;
    const name = JSON.stringify([child, state]);
    if (seen.has(name)) return [];
    seen.add(name);
    const isOneOfSeveral = open.filter((each) => each.state === state).length > 1;
    const [item] = items;
    const which = {
      state,
      ...(isOneOfSeveral && item !== undefined
        ? { item: items.length === 1 ? item : [...items] }
        : {}),
    };
    const asked = {
      port: 'runAgent' as const,
      input: { agent: resource },
      ...(child === undefined ? {} : { child }),
    };
    const endings: readonly GivenTask[] = [
      ...answersTo(asked, vocabulary).map(asEnding),
      ...(isBeating ? [{ heartbeat: true as const }] : []),
    ];
    return endings.map((ending) => ({
      task: { ...which, ...ending },
      ...(child === undefined ? {} : { child }),
    }));
  });
}

/** The answer of an agent as the end of a task. */
function asEnding(answer: GivenAnswer): GivenTask {
  const { runAgent: result = {}, fails } = answer ?? {};
  if (!isRecord(fails)) return { completes: result };
  const { error, message } = fails as { readonly error: string; readonly message?: string };
  return { fails: message === undefined ? error : { error, cause: message } };
}

/** The end of a task as the answer of an agent. */
export function asAnswer({ completes, fails, heartbeat }: GivenTask): JsonObject | undefined {
  if (heartbeat) return undefined;
  if (fails === undefined) return { runAgent: completes ?? null };
  const { error, cause } = typeof fails === 'string' ? { error: fails } : { ...fails };
  return {
    fails: { port: 'runAgent', error, ...(cause === undefined ? {} : { message: cause }) },
  };
}
