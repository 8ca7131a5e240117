import { hash } from 'node:crypto';
import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { answering, type Asked, type Brain, optionsIn } from './stage.ts';

/** A number from 0 to 1 that depends on its arguments alone. */
function chance(...of: readonly unknown[]): number {
  return parseInt(hash('sha256', JSON.stringify(of)).slice(0, 8), 16) / 0xffffffff;
}

/**
 * A model whose data depends on the message alone, also when it writes the next message with it. It often writes that for the
 * wrong case.
 */
export const erratic =
  (seed: number): Brain =>
  (asked) => {
    const { said, schema, prompt } = asked;
    const turn = said === '' ? lastTurn(prompt) : said;
    const doesAll = chance(seed, turn, 'does') < 0.6;
    if (schema === undefined) {
      const calls = Array.from(
        prompt.matchAll(/call complete_task with (\{.*\})/g),
        ([, given]) => ({
          name: 'complete_task',
          arguments: JSON.parse(given!) as object,
        }),
      );
      return { text: 'Asked for.', toolCalls: doesAll ? calls : [] };
    }
    const whole = propertiesOf(schema);
    const data = dataFor(whole['data'] ?? (schema as JsonObject), prompt, [seed, turn]);
    if (whole['data'] === undefined) return answering(asked, data);
    const reply = { ...messageFor(asked, data, [seed, turn]), does: doesAll ? [1, 2, 3, 4] : [] };
    return answering(asked, { data, reply });
  };

/** A model that picks options by the message and the state alone, and writes the message for its option, or for another. */
export const roaming =
  (seed: number): Brain =>
  (asked) => {
    const { said, schema, prompt } = asked;
    if (schema === undefined) return { text: 'Asked for.' };
    const [, where] = /# Where we are\n(.*)/.exec(prompt) ?? [];
    const options = optionsIn(prompt);
    const at = (what: string) =>
      options[Math.floor(chance(seed, said, where, what) ** 3 * options.length * 0.999)];
    const data = { option: at('option'), reason: 'So it seems.' };
    if (propertiesOf(schema)['data'] === undefined) return answering(asked, data);
    const isFor = chance(seed, said, where, 'right') < 0.7 ? data.option : at('case');
    const reply = { case: isFor, asks: '', does: [], text: 'Written before.' };
    return answering(asked, { data, reply });
  };

/** The latest message, when the model speaks: its own lines are not marked. */
function lastTurn(prompt: string): string {
  const said = Array.from(
    prompt.matchAll(/<(data-[0-9a-f]{8})>\n(Message \d+)/g),
    ([, , it]) => it!,
  );
  return said.at(-1) ?? '';
}

function propertiesOf(schema: unknown): Record<string, JsonObject> {
  const { properties } = Object(schema) as { readonly properties?: unknown };
  return isRecord(properties) ? (properties as Record<string, JsonObject>) : {};
}

function dataFor(schema: JsonObject, prompt: string, of: readonly unknown[]): JsonObject {
  const { deliverables } = propertiesOf(schema);
  const values = Object.entries(propertiesOf(deliverables)).flatMap(([key, each]) =>
    chance(of, key) < 0.35 ? [[key, sampleOf(each, chance(of, key, 'value'))]] : [],
  );
  const tasks = Array.from(prompt.matchAll(/^- \[([^\]\n]+)\]/gm), ([, id]) => id!);
  const picked = (what: string) => tasks.filter((id) => chance(of, what, id) < 0.15);
  return {
    deliverables: Object.fromEntries(values) as JsonObject,
    completed_tasks: picked('completed'),
    skipped_tasks: picked('skipped'),
    skip_state: chance(of, 'skip') < 0.05,
  };
}

function sampleOf({ type, enum: values }: JsonObject, which: number): Json {
  if (Array.isArray(values)) return values[Math.floor(which * values.length * 0.999)] as Json;
  if (type === 'boolean') return which < 0.5;
  if (type === 'number' || type === 'integer') return Math.floor(which * 100);
  return which < 0.5 ? 'yes' : 'something';
}

/** Mostly the case and the question that the data leads to, and else any. */
function messageFor({ prompt }: Asked, { deliverables }: JsonObject, of: readonly unknown[]) {
  const [, ...parts] = prompt.split('\n## Case ');
  const cases = parts.map((part) => ({
    id: JSON.parse(part.split('\n', 1)[0]!) as string,
    asks: Array.from(
      (/^Questions: (.*)/m.exec(part)?.[1] ?? '').matchAll(/(?:^|, )(\w+)/g),
      ([, name]) => name!,
    ),
  }));
  const known = Object.keys(deliverables as object);
  const open = cases.map(({ id, asks }) => ({
    id,
    asks: asks.filter((name) => !known.includes(name)),
  }));
  const isIdle = known.length === 0;
  const sensible = open.find(
    ({ id, asks }) => asks.length > 0 && id.endsWith('nothing new') === isIdle,
  );
  const any = cases[Math.floor(chance(of, 'case') * cases.length * 0.999)];
  const chosen = chance(of, 'sensible') < 0.7 ? (sensible ?? open[0]) : any;
  return { case: chosen?.id ?? '', asks: chosen?.asks[0] ?? '', text: 'Written before.' };
}
