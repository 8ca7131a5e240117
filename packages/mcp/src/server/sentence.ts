import { withoutSecrets } from '@dramaturg/compiler/secrets';
import * as z from 'zod';

/** An error as a sentence, with the next thing to do. */
export function sentenceOf(error: unknown): string {
  if (error instanceof z.ZodError) return `The arguments do not fit. ${z.prettifyError(error)}`;
  const { message, hint } = error as { message?: unknown; hint?: unknown };
  const text = typeof message === 'string' ? message : String(error);
  return withoutSecrets(typeof hint === 'string' ? `${text} ${hint}` : text);
}
