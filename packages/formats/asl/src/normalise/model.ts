import type { Generation, Model } from '../definition/model.ts';
import type { Part } from '../authored.ts';
import { optionalObject, optionalString } from './fields.ts';

export function readModel({ value: fields }: Part): Model | undefined {
  const model = optionalObject(fields['Model']);
  if (!model) return undefined;
  const on = model['FallbackOn'];
  return {
    preferred: optionalString(model['Preferred']),
    fallback: optionalString(model['Fallback']),
    fallbackOn: Array.isArray(on) ? on.filter((name) => typeof name === 'string') : undefined,
  };
}

export function readGeneration({ value: fields }: Part): Generation | undefined {
  return optionalObject(fields['Generation']);
}
