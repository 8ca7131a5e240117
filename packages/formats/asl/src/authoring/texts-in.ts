/** A text or another single value of a definition. */
interface WrittenText {
  readonly text: string;
  /** The key that has it, or the key of the list around it. */
  readonly field: string;
  /** The key of the object around it. */
  readonly parent: string;
}

/** Every single value of a definition, in no order. */
export function textsIn(definition: unknown): readonly WrittenText[] {
  const found: WrittenText[] = [];
  const pending = [{ value: definition, field: '', parent: '' }];
  for (const { value, field, parent } of pending) {
    if (typeof value !== 'object' || value === null) {
      found.push({ text: String(value), field, parent });
      continue;
    }
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value))
      pending.push({
        value: item,
        field: isList ? field : key,
        parent: isList ? parent : field,
      });
  }
  return found;
}
