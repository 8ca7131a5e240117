import { isRecord, type Json } from '@dramaturg/compiler';
import { compileSchema } from '../data/json-schema.ts';
import { bounded, LinearPattern, type Match, personalData } from '../data/linear-pattern.ts';
import { SearchBudget } from '../data/pattern.ts';
import type { GuardrailRule, Guardrails, GuardrailSide } from '../definition/task-blocks.ts';

/** A violation of a rule. */
export interface Finding {
  /** Why the value breaks the rule. Never quotes the value. */
  readonly because: string;
  /** The value without the matches, for rules that match parts of strings. */
  readonly cleaned?: Json;
}

/** @returns undefined when the value keeps the rule */
type Check = (value: Json) => Finding | undefined;

/** The slice of the program that `Guardrails` owns: a check for each rule. */
export interface GuardrailsProgram {
  readonly checks: Readonly<Record<'Input' | 'Output', readonly Check[]>>;
}

/** The slice of the visit that `Guardrails` owns. */
export interface GuardrailsVisit {
  /** The violations in earlier answers of the agent. */
  readonly complaints: readonly string[];
  /** The agent has to answer again. */
  readonly isAgain: boolean;
}

export function compileGuardrails({ Input: input, Output: output }: Guardrails): GuardrailsProgram {
  const compiled = (side: GuardrailSide | undefined) => side?.rules.map(compileRule) ?? [];
  return { checks: { Input: compiled(input), Output: compiled(output) } };
}

/** Rules that need a judge pass here. Agent 5 §Rules */
function compileRule(rule: GuardrailRule): Check {
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
      return finding(rule, (text, budget) => pattern.matches(text, budget));
    }
    case 'pii':
      return finding(rule, (text, budget) => personalData(text, rule.kinds, budget));
    case 'semantic':
    case 'custom':
      return () => undefined;
  }
}

function occurrences(text: string, searched: readonly string[]): Match[] {
  const lower = text.toLowerCase();
  // Some letters change their length with their case. Then positions in one string do not fit the other.
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

/** Searches every string in a value, and removes or masks the matches. */
function finding(
  { action }: GuardrailRule,
  search: (text: string, budget: SearchBudget) => Match[],
): Check {
  return (value) => {
    const budget = new SearchBudget();
    let counts: Map<string, number> | undefined;
    const cleaned = mapTexts(value, 0, (text) => {
      const matches = search(text, budget);
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

/** Merges overlapping matches. A mask names the kind: `[EMAIL]`. */
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

/** Returns the value itself when no string changes. */
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

/** The verdict of a judge; undefined for an answer without one. */
type Verdict = 'allowed' | Finding | undefined;

const unexplained = 'The judge has not approved it.';

/** The verdict of an agent: `true` or `false`, or an object with `valid` (or `passed`, `ok`) and a `reason`. */
export function verdictOf(result: Json): Verdict {
  if (typeof result === 'boolean') return result ? 'allowed' : { because: unexplained };
  if (!isRecord(result)) return undefined;
  const { valid, passed, ok, reason } = result;
  const verdicts = [valid, passed, ok].filter((one) => typeof one === 'boolean');
  if (verdicts.length === 0) return undefined;
  if (verdicts.every(Boolean)) return 'allowed';
  return { because: typeof reason === 'string' ? reason : unexplained };
}

/** The verdict of a model, which has chosen one of the options `holds` and `broken`. */
export function verdictOfChoice({
  option,
  reason = unexplained,
}: {
  readonly option: string;
  readonly reason?: string;
}): Verdict {
  if (option === 'holds') return 'allowed';
  return option === 'broken' ? { because: reason } : undefined;
}
