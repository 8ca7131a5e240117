import * as z from 'zod';
import { text } from './field.ts';

const event = z.object({ Type: text, Include: z.array(text).optional() });

/** Agent 9 §Events */
export const stateEvents = z.object({
  OnEnter: event.optional(),
  OnExit: event.optional(),
  OnError: event.optional(),
});
