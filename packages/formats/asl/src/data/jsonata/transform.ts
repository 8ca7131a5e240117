import type { Evaluating } from './evaluating.ts';
import type { Frame } from './frame.ts';
import type { SyntaxNode } from './syntax.ts';
import { type Callable, CodedError, isCallable, partsOf, setField } from './values.ts';

/** `|pattern|update, delete|`: a function that changes a copy. */
export function transform(
  evaluator: Evaluating,
  { pattern, update, delete: deletion }: SyntaxNode,
  frame: Frame,
): Callable {
  const call = ([given]: readonly unknown[]): unknown => {
    if (given === undefined) return undefined;
    if (typeof given !== 'object' || given === null)
      throw new CodedError('T0410', { value: given, index: 1, token: 'transform' });
    const parts = new Set<unknown>();
    const copy = copyOf(given, evaluator, parts);
    const found = evaluator.evaluate(pattern, copy, frame);
    for (const match of Array.isArray(found) ? (found as unknown[]) : [found]) {
      const changes = match === undefined ? undefined : evaluator.evaluate(update, match, frame);
      if (changes !== undefined) {
        if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
          throw new CodedError('T2011', { value: changes });
      }
      // Data outside of the copy is not changed.
      if (!parts.has(match)) continue;
      for (const [name, value] of Object.entries(changes ?? {}))
        setField(match as object, name, value);
      if (!deletion) continue;
      const names = evaluator.evaluate(deletion, match, frame);
      for (const name of Array.isArray(names) ? (names as unknown[]) : [names]) {
        if (name === undefined) continue;
        if (typeof name !== 'string') throw new CodedError('T2012', { value: names });
        delete (match as Record<string, unknown>)[name];
      }
    }
    return copy;
  };
  return Object.assign(call, { arity: 1 });
}

/** A copy at all depths. @param parts receives its objects and lists */
export function copyOf(value: unknown, evaluator: Evaluating, parts?: Set<unknown>): unknown {
  if (isCallable(value)) return '';
  if (typeof value !== 'object' || value === null) return value;
  evaluator.work.enter();
  const [isList, names] = [Array.isArray(value), Object.keys(value)];
  const copy: object = isList ? [] : {};
  for (const [at, part] of partsOf(value).entries()) {
    evaluator.work.spend(1);
    setField(copy, isList ? String(at) : names[at]!, copyOf(part, evaluator, parts));
  }
  evaluator.work.leave();
  parts?.add(copy);
  return copy;
}
