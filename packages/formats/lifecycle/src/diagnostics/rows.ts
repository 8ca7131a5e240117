import { didYouMean, problem, quotedChain } from '@dramaturg/compiler';
import { longestEvent } from '../limits.ts';
import { actionWords, guardWords, turnKinds } from '../vocabulary.ts';

/** What can be wrong with a row of the table. */

export const leavesTerminalState = problem(
  'lifecycle/leaves-terminal-state',
  'error',
  (name: string) => ({
    message: `The state "${name}" is terminal, so nothing can happen in it.`,
    hint: 'Remove the row, or make the state another kind.',
  }),
);

export const misplacedReturn = problem('lifecycle/misplaced-return', 'error', (from: string) => ({
  message: `Only a suspended state leads back to the previous one, and ${from}.`,
  hint: 'Name the state that this row leads to, or make the state it leaves "kind": "suspended".',
}));

export const badCreation = problem(
  'lifecycle/bad-creation',
  'error',
  (fault: 'target' | 'live' | 'effects' | 'guard') => ({
    message: {
      target: 'A row from nothing creates an instance, and this one names no state for it.',
      live: 'A row from nothing creates an instance, and no instance can begin in that state.',
      effects: 'A row from nothing only says where an instance begins: it can do nothing else.',
      guard: 'A row from nothing can only ask whether the instance has to wait its turn.',
    }[fault],
    hint: {
      target: 'Write "to": a state that is neither terminal nor leads back.',
      live: 'Write "to": a state that is neither terminal nor leads back.',
      effects:
        'Remove "actions" and "raise"; what is to happen belongs into the "entry" of the state.',
      guard: 'Write the guard "queued", or none.',
    }[fault],
  }),
);

export const badEvent = problem('lifecycle/bad-event', 'error', (name: string) => ({
  message:
    name.trim() === ''
      ? 'The name of this event is blank.'
      : name.length > longestEvent
        ? `The name of this event has ${name.length} characters, and it may have ${longestEvent}.`
        : `"${name}" cannot be the name of an event.`,
  hint: 'An event is a word or several; "*", "__proto__" and what begins with "xstate." mean something else.',
}));

export const noEvent = problem('lifecycle/no-event', 'error', () => ({
  message: 'The row names neither an event nor a state that it leads to.',
  hint: 'Write "event": what it waits for.',
}));

export const eventAndAlways = problem('lifecycle/event-and-always', 'error', () => ({
  message: 'The row names an event, and that it waits for none.',
  hint: 'Remove "event", or "always".',
}));

export const endlessStay = problem('lifecycle/endless-stay', 'error', () => ({
  message: 'The row waits for nothing and leads nowhere else, so it would be taken endlessly.',
  hint: 'Write "to" another state, or move its actions into the "entry" of the state; only a row with the guard "no_turn" that starts one may stay.',
}));

export const endlessLoop = problem('lifecycle/endless-loop', 'error', (way: readonly string[]) => ({
  message: `These states can lead to each other endlessly without waiting for an event: ${quotedChain([...way, way[0]!])}.`,
  hint: 'Let one of the rows wait for an event from outside.',
}));

export const unknownGuard = problem('lifecycle/unknown-guard', 'error', (word: string) => ({
  message: `There is no guard "${word}".`,
  hint: () =>
    didYouMean(word, guardWords) ??
    'The guards are listed in docs/formats/lifecycle.md; { "event": { "field": value } } looks at the event.',
}));

export const unknownAction = problem('lifecycle/unknown-action', 'error', (word: string) => ({
  message: `There is no action "${word}".`,
  hint: () =>
    didYouMean(word, Object.keys(actionWords)) ??
    'The actions are listed in docs/formats/lifecycle.md; { "emit": "name" } emits an event of your own.',
}));

export const badArgument = problem(
  'lifecycle/bad-argument',
  'error',
  (word: string, wanted: string, given: unknown) => ({
    message: `The action "${word}" ${wanted}.`,
    hint: () =>
      (typeof given === 'string' ? didYouMean(given, turnKinds) : undefined) ??
      'Write an action as its name, or as { "name": argument }.',
  }),
);

export const unheardEvent = problem(
  'lifecycle/unheard-event',
  'warning',
  (event: string, state: string, heard: readonly string[]) => ({
    message: `The event "${event}" is raised in the state "${state}", where no row takes it.`,
    hint: () => didYouMean(event, heard) ?? 'Add a row for it, or remove what raises it.',
  }),
);

export const badNumber = problem(
  'lifecycle/bad-number',
  'error',
  (what: string, value: number, least: number, most: number | undefined) => ({
    message: `The "${what}" is ${value}.`,
    hint:
      most === undefined
        ? `Write a whole number from ${least} on.`
        : `Write a whole number from ${least} to ${most}.`,
  }),
);
