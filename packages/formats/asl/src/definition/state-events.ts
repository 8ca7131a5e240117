import * as z from 'zod/mini';
import { text } from './field.ts';

export const stateEvent = z.object({
  Type: text.check(z.describe('The name of the event.')),
  Include: z.optional(z.array(text)).check(z.describe('Paths of data that the event carries.')),
});

/** Agent 9 §Events */
export const stateEvents = z.object({
  OnEnter: z.optional(stateEvent).check(z.describe('The event on entering the state.')),
  OnExit: z.optional(stateEvent).check(z.describe('The event on leaving the state.')),
  OnError: z.optional(stateEvent).check(z.describe('The event on an error of the state.')),
});
