import * as z from 'zod/mini';
import { inEnglish } from '../words.ts';
import { isRecord, type Json, type JsonObject } from '../json.ts';
import {
  type Port,
  type PortCall,
  type PortInput,
  type PortName,
  type PortOutput,
  portSchemas,
} from './contract.ts';
import { isTemporary, PortError } from './errors.ts';
import { requirePermitted } from './tool-names.ts';
import { wholeAnswer, withoutStreamedThoughts } from './whole-reply.ts';

/**
 * Calls a port, and checks input and output against the port's schemas. An extracted value must also have the form of the
 * requested schema.
 *
 * @throws PortError `port/bad-input`, `port/bad-output`, or `port/failed` with the port's error as its cause
 */
export async function askPort(
  name: PortName,
  port: Port<PortName>,
  input: unknown,
  call: PortCall,
): Promise<unknown> {
  return answerOf(name, port, checkedInput(name, input), call);
}

export function checkedInput(name: PortName, input: unknown): PortInput<PortName> {
  const given = inputCheckOf(name).schemaFor(input).safeParse(input, inEnglish);
  if (given.success) return given.data;
  throw new PortError(
    'port/bad-input',
    name,
    `The port "${name}" was called with a wrong input: ${z.prettifyError(given.error)}`,
  );
}

/** Whether a person waits for the reply. The agent need not answer an early message. */
function isAwaited(name: PortName, input: PortInput<PortName>): boolean {
  const { message, early } = input as Partial<PortInput<'reply'>>;
  return name === 'reply' && message !== undefined && !early;
}

export async function answerOf(
  name: PortName,
  port: Port<PortName>,
  input: PortInput<PortName>,
  call: PortCall,
): Promise<unknown> {
  let answer: unknown;
  if (name === 'callTool') {
    const { tool, within, name: alias } = input as PortInput<'callTool'>;
    requirePermitted(tool, within, alias);
  }
  try {
    answer = await port(input, streaming.has(name) ? withoutStreamedThoughts(call) : call);
  } catch (cause) {
    if (cause instanceof PortError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const code = isTemporary(cause) ? 'port/temporary' : 'port/failed';
    throw new PortError(code, name, `The port "${name}" failed: ${reason}`, { cause });
  }
  const checkedAnswer = portSchemas[name].output.safeParse(answer, inEnglish);
  const problem = checkedAnswer.success
    ? problemOf(name, input, checkedAnswer.data)
    : z.prettifyError(checkedAnswer.error);
  if (problem === undefined)
    return name === 'reply' || name === 'think'
      ? wholeAnswer(name, checkedAnswer.data as PortOutput<'reply'>, isAwaited(name, input))
      : checkedAnswer.data;
  throw new PortError(
    'port/bad-output',
    name,
    `The port "${name}" gave a wrong answer: ${problem}`,
    {
      usage:
        checkedAnswer.success && 'usage' in checkedAnswer.data
          ? checkedAnswer.data.usage
          : undefined,
    },
  );
}

/** Ports whose text is shown while it is made. */
const streaming: ReadonlySet<PortName> = new Set<PortName>(['reply', 'runAgent']);

/** Checks conditions that depend on the input, which the port's schema cannot express. */
function problemOf(
  name: PortName,
  input: PortInput<PortName>,
  answer: unknown,
): string | undefined {
  if (name !== 'extract') return undefined;
  const { schema } = input as PortInput<'extract'>;
  return formMismatch((answer as { value: JsonObject }).value, schema);
}

type InputSchema = z.ZodMiniType<PortInput<PortName>>;

/**
 * Checks inputs of a port by a schema that has only the fields that are present. zod also spends time on absent optional fields.
 * An agent call can have a dozen and usually has few, so this saves a tenth of the call.
 */
class InputCheck {
  readonly #schema: z.ZodMiniObject;
  /** A bit for each optional field. */
  readonly #bits = new Map<string, number>();
  /** By the bits of the fields that are present. */
  readonly #schemas = new Map<number, InputSchema>();

  constructor(schema: z.ZodMiniObject) {
    this.#schema = schema;
    for (const [field, { _zod }] of Object.entries(schema.shape))
      if (_zod.optin === 'optional') this.#bits.set(field, 1 << this.#bits.size);
  }

  schemaFor(input: unknown): InputSchema {
    let fields = 0;
    if (isRecord(input)) for (const field in input) fields |= this.#bits.get(field) ?? 0;
    const known = this.#schemas.get(fields);
    if (known) return known;
    const absent = [...this.#bits].filter(([, bit]) => (bit & fields) === 0);
    const mask = Object.fromEntries(absent.map(([field]) => [field, true]));
    const schema = z.omit(this.#schema, mask as never) as unknown as InputSchema;
    this.#schemas.set(fields, schema);
    return schema;
  }
}

const inputChecks = new Map<PortName, InputCheck>();

function inputCheckOf(name: PortName): InputCheck {
  const known = inputChecks.get(name);
  if (known) return known;
  const check = new InputCheck(portSchemas[name].input);
  inputChecks.set(name, check);
  return check;
}

/**
 * Compares the form of an extracted value with the requested schema: which fields are objects, lists, truth values or single
 * values. The content of a field is left to the format, which may convert it. Null counts as absent.
 *
 * @returns a sentence about the fields of a wrong form, or undefined when all fit
 */
function formMismatch(value: JsonObject, schema: JsonObject): string | undefined {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const problems = Object.entries(value).flatMap(([name, part]) => {
    const asked = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (part === null || !isRecord(asked)) return [];
    const wanted = expectedForm(part, asked);
    return wanted === undefined ? [] : [`"${name}" must be ${wanted}, but is ${inWords(part)}`];
  });
  return problems.length === 0 ? undefined : `${problems.join('; ')}.`;
}

function expectedForm(part: Json, { type, items }: Record<string, unknown>): string | undefined {
  switch (type) {
    case 'object':
      return isRecord(part) ? undefined : 'an object';
    case 'array': {
      const isOfTexts = isRecord(items) && items['type'] === 'string';
      if (!isOfTexts) return Array.isArray(part) ? undefined : 'a list';
      const fits = Array.isArray(part) && part.every((item) => typeof item === 'string');
      return fits ? undefined : 'a list of texts';
    }
    case 'boolean':
      return typeof part === 'boolean' ? undefined : 'true or false';
    case 'string':
    case 'number':
    case 'integer':
      return typeof part === 'object' ? 'a single value' : undefined;
    default:
      return undefined;
  }
}

function inWords(part: Json): string {
  if (Array.isArray(part)) return 'a list';
  if (isRecord(part)) return 'an object';
  return { string: 'a text', number: 'a number' }[typeof part as string] ?? 'a truth value';
}
