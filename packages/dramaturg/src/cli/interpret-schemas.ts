import { config } from 'zod/v4/core';

/**
 * Keeps Zod from compiling a parser for each schema, which takes longer than the few values of one command. A schema keeps the
 * setting of the time when it was created, so call this before all modules that have schemas.
 */
export function interpretSchemas(): void {
  config({ jitless: true });
}
