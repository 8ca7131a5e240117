import * as z from 'zod';
import { text } from './field.ts';

const event = z.object({
  Type: text.describe('The name of the event.'),
  Include: z.array(text).optional().describe('Paths of data that the event carries.'),
});

/** Agent 9 §Events */
export const stateEvents = z.object({
  OnEnter: event.optional().describe('The event on entering the state.'),
  OnExit: event.optional().describe('The event on leaving the state.'),
  OnError: event.optional().describe('The event on an error of the state.'),
});
