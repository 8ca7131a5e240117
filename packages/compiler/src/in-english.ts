import type * as z from 'zod/mini';
import { en } from 'zod/locales';

/** For `safeParse` when zod's own messages reach a person: `zod/mini` is small and loads no language itself. */
export const inEnglish: z.core.ParseContext<z.core.$ZodIssue> = { error: en().localeError };
