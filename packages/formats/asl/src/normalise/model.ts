import type { Generation, Model } from '../definition/model.ts';
import { objectOf, type Placed, textOf } from './fields.ts';

export function readModel({ value: fields }: Placed): Model | undefined {
  const model = objectOf(fields['Model']);
  if (!model) return undefined;
  const on = model['FallbackOn'];
  return {
    preferred: textOf(model['Preferred']),
    fallback: textOf(model['Fallback']),
    fallbackOn: Array.isArray(on) ? on.filter((name) => typeof name === 'string') : undefined,
  };
}

export function readGeneration({ value: fields }: Placed): Generation | undefined {
  return objectOf(fields['Generation']);
}
