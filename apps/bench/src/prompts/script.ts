import { isRecord, type Json, type JsonObject, type PortInput } from '@dramaturg/compiler';
import type { ModelAnswer } from '@dramaturg/langchain/testing';

/**
 * The answers of the model in a measured conversation. They do not depend on the prompt: the model moves on with every `pace`th
 * message of the person only, so that other programs can play the same conversation.
 */
export class Script {
  readonly #pace: number;
  #turn = 0;
  /** The turn in which the conversation last moved on: only one choice of a turn does it. */
  #movedIn = 0;

  constructor(pace: number) {
    this.#pace = pace;
  }

  /** The message of the person with which a turn begins. */
  personSays(turn: number): string {
    this.#turn = turn;
    return `Well, about point ${turn}: it began on a Monday, when I came home from work, and it has not been the same since then.`;
  }

  /** The answer of an agent of a workflow. */
  agent(): ModelAnswer {
    return {
      text: JSON.stringify(
        `Finding ${this.#turn}: the garden on the hill was sold in spring, and the people who worked there went to the coast.`,
      ),
    };
  }

  think(): ModelAnswer {
    return { text: 'They seem to be in a hurry.' };
  }

  /** Whether the conversation moves on in this turn. */
  get moves(): boolean {
    return this.#turn > 0 && this.#turn % this.#pace === 0;
  }

  reply({ directions }: Pick<PortInput<'reply'>, 'directions'>): ModelAnswer {
    const done = directions.flatMap((direction) => direction.done ?? []);
    return { text: this.#text, toolCalls: this.moves ? done : [] };
  }

  get #text(): string {
    return `Thank you, I have noted point ${this.#turn} for you. Before we go on, please tell me a little more about it: when did it begin, and what have you tried so far?`;
  }

  /** The message that comes with data. It asks for data that is then missing, in this state or in a possible next one. */
  written(
    { reply }: Pick<PortInput<'extract'>, 'reply'>,
    data: JsonObject,
    option?: string,
  ): JsonObject {
    const known = Object.keys(Object(data['deliverables']) as object);
    const { cases = [] } = reply ?? {};
    const open = cases.map(({ id, asks, directions }) => ({
      id,
      directions,
      asks: asks.filter(({ name }) => !known.includes(name)),
    }));
    const isOpen = ({ asks, directions }: (typeof open)[number]) =>
      asks.length > 0 || directions.some(({ done }) => done !== undefined);
    const isNothingNew = ({ id }: { readonly id: string }) => id.endsWith(', nothing new');
    const found =
      option === undefined
        ? ((known.length === 0 ? open.find(isNothingNew) : undefined) ??
          open.find((each) => isOpen(each) && !isNothingNew(each)) ??
          open[0])
        : open.find(({ id }) => id === option);
    const text = found === undefined ? '' : this.#text;
    const does = this.moves ? (found?.directions ?? []).map((_, index) => index + 1) : [];
    return { case: found?.id ?? '', asks: found?.asks[0]?.name ?? '', does, text };
  }

  choose({ options, fallback }: Pick<PortInput<'choose'>, 'options' | 'fallback'>) {
    const ids = options.map(({ id }) => id);
    const stays = ids.find((id) => id === 'redirect') ?? fallback ?? ids[0]!;
    const moves = ids.find((id) => /^(?:pass|E|exit)/.test(id)) ?? ids.find((id) => id !== stays);
    const isMove = this.moves && this.#movedIn !== this.#turn && moves !== undefined;
    if (isMove) this.#movedIn = this.#turn;
    return { option: isMove ? moves : stays, reason: 'So it seems.' };
  }

  extract({ schema, asked }: Pick<PortInput<'extract'>, 'schema' | 'asked'>): JsonObject {
    const value = required(schema);
    if (!this.moves || asked === undefined) return value;
    const [field, name] = asked.path;
    if (field === 'tasks') return { ...value, completed_tasks: [name!] };
    if (name === undefined) return { ...value, [field!]: true };
    const known = isRecord(schema['properties']) ? schema['properties'][field!] : undefined;
    const inner = isRecord(known) && isRecord(known['properties']) ? known['properties'][name] : {};
    return { ...value, [field!]: { [name]: sampleOf(inner) } };
  }
}

/** Fills the required properties of a schema. */
export function required(schema: JsonObject): JsonObject {
  const names = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const { properties } = schema;
  return Object.fromEntries(
    names.map((name) => [name, sampleOf(isRecord(properties) ? properties[name] : {})]),
  );
}

/** A value that fits a schema. */
function sampleOf(schema: unknown): Json {
  if (!isRecord(schema)) return null;
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values[0] as Json;
  switch (type) {
    case 'number':
    case 'integer':
      return 7;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return required(schema as JsonObject);
    default:
      return 'since Monday evening';
  }
}
