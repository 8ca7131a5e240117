import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean, quotedChain } from '@dramaturg/compiler/text';
import { longestEvent } from '../limits.ts';
import { actionWords, guardWords, turnKinds } from '../vocabulary.ts';

const { error, warning } = problemsOf('lifecycle');

/** Problems of a row of the table. */

export const leavesTerminalState = error('leaves-terminal-state', (name: string) => ({
  message: `The state "${name}" is terminal, so no row can leave it.`,
  hint: 'Remove the row, or change the kind of the state.',
}));

export const misplacedReturn = error('misplaced-return', (from: string) => ({
  message: `Only a suspended state leads back to the previous state, and ${from}.`,
  hint: 'Write the name of a state in "to", or set "kind": "suspended" in the state that this row leaves.',
}));

export const badCreation = error(
  'bad-creation',
  (fault: 'target' | 'live' | 'effects' | 'guard') => ({
    message: {
      target: 'A row from null creates an instance, and this one names no state for it.',
      live: 'A row from null creates an instance, but no instance can begin in this state.',
      effects:
        'A row from null only chooses where an instance begins: it cannot have actions or raise events.',
      guard: 'A row from null can only have the guard "queued".',
    }[fault],
    hint: {
      target: 'Write "to": a state that is neither terminal nor leads back.',
      live: 'Write "to": a state that is neither terminal nor leads back.',
      effects: 'Move them to the "entry" of the state.',
      guard: 'Write the guard "queued", or remove the guard.',
    }[fault],
  }),
);

export const badEvent = error('bad-event', (name: string) => ({
  message:
    name.trim() === ''
      ? 'The name of this event is blank.'
      : name.length > longestEvent
        ? `The name of this event has ${name.length} characters. The limit is ${longestEvent}.`
        : `"${name}" cannot be the name of an event.`,
  hint: 'Write one or more words. "*", "__proto__" and names that begin with "xstate." are reserved.',
}));

export const noEvent = error('no-event', () => ({
  message: 'The row has neither an event nor a target state.',
  hint: 'Add "event": the name of the event it waits for.',
}));

export const eventAndAlways = error('event-and-always', () => ({
  message: 'The row has an event, but "always" means that it waits for no event.',
  hint: 'Remove "event", or "always".',
}));

export const endlessStay = error('endless-stay', () => ({
  message: 'The row waits for no event and stays in its state, so it would be taken endlessly.',
  hint: 'Add "to" with another state, or move the actions into the "entry" of the state. Only a row with the guard "no_turn" and the action "start_turn" may stay.',
}));

export const endlessLoop = error('endless-loop', (way: readonly string[]) => ({
  message: `These states can lead to each other endlessly without waiting for an event: ${quotedChain([...way, way[0]!])}.`,
  hint: 'Add an event from outside to one of the rows.',
}));

export const unknownGuard = error('unknown-guard', (word: string) => ({
  message: `There is no guard "${word}".`,
  hint: () =>
    didYouMean(word, guardWords) ??
    'Use a guard of docs/formats/lifecycle.md, or { "event": { "field": value } } to check the event.',
}));

export const unknownAction = error('unknown-action', (word: string) => ({
  message: `There is no action "${word}".`,
  hint: () =>
    didYouMean(word, Object.keys(actionWords)) ??
    'Use an action of docs/formats/lifecycle.md, or { "emit": "name" } to emit an event of your own.',
}));

export const badArgument = error(
  'bad-argument',
  (word: string, wanted: string, given: unknown) => ({
    message: `The action "${word}" ${wanted}.`,
    hint: () =>
      (typeof given === 'string' ? didYouMean(given, turnKinds) : undefined) ??
      'Write an action as its name, or as { "name": argument }.',
  }),
);

export const unheardEvent = warning(
  'unheard-event',
  (event: string, state: string, heard: readonly string[]) => ({
    message: `The event "${event}" is raised in the state "${state}", but no row there handles it.`,
    hint: () => didYouMean(event, heard) ?? 'Add a row for it, or do not raise it.',
  }),
);

export const badNumber = error(
  'bad-number',
  (what: string, value: number, least: number, most: number | undefined) => ({
    message: `The "${what}" is ${value}.`,
    hint:
      most === undefined
        ? `Write a whole number, ${least} or more.`
        : `Write a whole number from ${least} to ${most}.`,
  }),
);
