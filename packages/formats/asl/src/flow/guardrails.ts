import { isRecord, type Json } from '@dramaturg/compiler';
import { compileSchema } from '../data/json-schema.ts';
import { LinearPattern } from '../data/linear-pattern.ts';
import { bounded, type Match } from '../data/matches.ts';
import { personalData } from '../data/personal-data.ts';
import type { GuardrailRule } from '../definition/guardrails.ts';

/** What a rule finds in a value. */
export interface Finding {
  /** Why the rule is broken, without what was found itself. */
  readonly because: string;
  /** The value without what was found, for rules that find places in texts. */
  readonly cleaned?: Json;
}

/** @returns undefined when the value is as it should be */
export type Check = (value: Json) => Finding | undefined;

/** A rule that needs nobody's judgement. Agent 5 §Rules */
export function compileRule(rule: GuardrailRule): Check {
  switch (rule.type) {
    case 'length':
      return (value) => {
        const length = typeof value === 'string' ? value.length : JSON.stringify(value).length;
        if (length > rule.max)
          return { because: `It has ${length} characters, and may have ${rule.max}.` };
        if (length < rule.min)
          return { because: `It has ${length} characters, and needs ${rule.min}.` };
        return undefined;
      };
    case 'schema': {
      const judge = compileSchema(rule.schema);
      return (value) => {
        const because = judge(value);
        return because === undefined ? undefined : { because };
      };
    }
    case 'pattern': {
      const texts = rule.texts.map((text) => text.toLowerCase()).filter((text) => text !== '');
      return finding(rule, (text) => occurrences(text, texts));
    }
    case 'regex': {
      const pattern = new LinearPattern(rule.pattern);
      return finding(rule, (text) => pattern.matches(text));
    }
    case 'pii':
      return finding(rule, (text) => personalData(text, rule.kinds));
    case 'semantic':
    case 'custom':
      return () => undefined;
  }
}

function occurrences(text: string, searched: readonly string[]): Match[] {
  const lower = text.toLowerCase();
  // Some letters change their length with their case; then no place in one is a place in the other.
  if (lower.length !== text.length) {
    return searched.some((one) => lower.includes(one))
      ? [{ start: 0, end: text.length, kind: 'pattern' }]
      : [];
  }
  return searched.flatMap((one) => bounded(placesOf(lower, one), text));
}

function* placesOf(text: string, searched: string): Generator<Match> {
  const { length } = searched;
  for (let at = text.indexOf(searched); at >= 0; at = text.indexOf(searched, at + length)) {
    yield { start: at, end: at + length, kind: 'pattern' };
  }
}

/** Looks at every text in a value, and takes out or masks what is found. */
function finding({ action }: GuardrailRule, search: (text: string) => Match[]): Check {
  return (value) => {
    let counts: Map<string, number> | undefined;
    const cleaned = mapTexts(value, 0, (text) => {
      const matches = search(text);
      if (matches.length === 0) return text;
      counts ??= new Map();
      for (const { kind } of matches) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return without(text, matches, action === 'mask');
    });
    if (!counts) return undefined;
    const because = `It has ${Array.from(counts, ([kind, count]) => `${kind} (${count})`).join(', ')}.`;
    return { because, cleaned };
  };
}

/** Overlapping matches are one. A mask says what was there: `[EMAIL]`. */
function without(text: string, matches: readonly Match[], isMasked: boolean): string {
  let cleaned = '';
  let from = 0;
  for (const { start, end, kind } of matches.toSorted((a, b) => a.start - b.start)) {
    if (end <= from) continue;
    if (start >= from) {
      cleaned += text.slice(from, start);
      if (isMasked) cleaned += kind === 'pattern' ? '***' : `[${kind.toUpperCase()}]`;
    }
    from = end;
  }
  return cleaned + text.slice(from);
}

const deepest = 1_000;

/** A value in which nothing changes is the same one. */
function mapTexts(value: Json, depth: number, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null || depth === deepest) return value;
  if (Array.isArray(value)) {
    let items: Json[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const item = value[index] as Json;
      const mapped = mapTexts(item, depth + 1, map);
      if (mapped !== item) (items ??= [...(value as Json[])])[index] = mapped;
    }
    return items ?? value;
  }
  let changed: [string, Json][] | undefined;
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, Json>)[key]!;
    const mapped = mapTexts(item, depth + 1, map);
    if (mapped !== item) (changed ??= []).push([key, mapped]);
  }
  return changed ? { ...(value as object), ...Object.fromEntries(changed) } : value;
}

/**
 * What an agent has judged: `true` or `false`, or an object with `valid` (or `passed`, `ok`) and its `reason`. Anything
 * else is no approval.
 */
export function verdictOf(result: Json): Finding | undefined {
  if (result === true) return undefined;
  if (!isRecord(result)) return { because: 'The judge has not approved it.' };
  const { valid, passed, ok, reason } = result;
  if (valid === true || passed === true || ok === true) return undefined;
  return { because: typeof reason === 'string' ? reason : 'The judge has not approved it.' };
}
