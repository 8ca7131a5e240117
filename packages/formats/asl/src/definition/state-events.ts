import * as z from 'zod/mini';
import { required, optional, text } from './field.ts';

export const stateEvent = z.object({
  Type: required(text, 'The name of the event.'),
  Include: optional(z.array(text), 'Paths of data that the event carries.'),
});

/** Agent 9 §Events */
export const stateEvents = z.object({
  OnEnter: optional(stateEvent, 'The event on entering the state.'),
  OnExit: optional(stateEvent, 'The event on leaving the state.'),
  OnError: optional(stateEvent, 'The event on an error of the state.'),
});
