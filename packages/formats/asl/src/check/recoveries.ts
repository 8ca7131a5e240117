import { authoredPart, type Part, partsOf } from '../authored.ts';

interface Recovery {
  readonly field: 'Retry' | 'Catch';
  readonly list: readonly Part[];
}

export function recoveries(state: Parameters<typeof authoredPart>[0]): readonly Recovery[] {
  const part = authoredPart(state);
  return (['Retry', 'Catch'] as const).map((field) => ({ field, list: partsOf(part, field) }));
}
