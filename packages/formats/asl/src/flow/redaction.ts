import { isRecord, type Json } from '@dramaturg/compiler';
import { parsePath } from '../data/path/parse.ts';
import { isFault, type Step } from '../data/path/path.ts';

/** The replacement for data that an event may not show. */
const redacted = '[REDACTED]';

/** Deeper values are replaced as a whole. */
const deepest = 1_000;

/**
 * Compiles the paths of data that no event may show. A path that cannot be followed to single values replaces everything
 * from there on.
 *
 * @returns a function that replaces the data at all of the paths, in a copy
 */
export function compileRedaction(paths: readonly string[]): (value: Json) => Json {
  const compiled = paths.flatMap((text) => {
    const path = parsePath(text);
    return isFault(path) || path.root !== '$' ? [] : [path.steps];
  });
  return (value) => compiled.reduce((rest, steps) => redact(rest, steps, 0, 0), value);
}

function redact(value: Json, steps: readonly Step[], at: number, depth: number): Json {
  const step = steps[at];
  if (step === undefined || depth > deepest) return redacted;
  const inside = (item: Json) => redact(item, steps, at + 1, depth + 1);
  switch (step.kind) {
    case 'name':
      return changed(value, (key) => key === step.name, inside);
    case 'index': {
      const length = Array.isArray(value) ? value.length : 0;
      const index = step.index < 0 ? length + step.index : step.index;
      return changed(value, (key) => key === index, inside);
    }
    case 'names':
      return changed(value, (key) => step.names.includes(String(key)), inside);
    case 'indexes':
      return changed(value, (key) => step.indexes.includes(Number(key)), inside);
    case 'wildcard':
      return changed(value, () => true, inside);
    case 'descent': {
      const here = redact(value, steps, at + 1, depth + 1);
      return changed(
        here,
        () => true,
        (item) => (typeof item === 'object' ? redact(item, steps, at, depth + 1) : item),
      );
    }
    case 'fromEnd':
    case 'slice':
    case 'filter':
      return typeof value === 'object' && value !== null ? redacted : value;
  }
}

/** A copy in which some fields or items are changed. */
function changed(
  value: Json,
  isChosen: (key: string | number) => boolean,
  change: (item: Json) => Json,
): Json {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item, index) => (isChosen(index) ? change(item) : item));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isChosen(key) ? change(item) : item]),
  );
}
