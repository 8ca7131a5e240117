import * as z from 'zod/mini';
import { text } from './field.ts';

const event = z.object({
  Type: text.check(z.describe('The name of the event.')),
  Include: z.optional(z.array(text)).check(z.describe('Paths of data that the event carries.')),
});

/** Agent 9 §Events */
export const stateEvents = z.object({
  OnEnter: z.optional(event).check(z.describe('The event on entering the state.')),
  OnExit: z.optional(event).check(z.describe('The event on leaving the state.')),
  OnError: z.optional(event).check(z.describe('The event on an error of the state.')),
});
