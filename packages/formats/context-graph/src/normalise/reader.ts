import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { isOtherTarget } from '@dramaturg/conversation';
import type { ExitCondition, ResultPersistence, Target, ToolCallSpec } from '../definition.ts';
import { error } from '../problems.ts';

const blankText = error('blank-text', (what: string) => ({
  message: `This ${what} is blank.`,
  hint: 'Write a text, or remove it if it is optional.',
}));

/** Reads the fields of one object of a definition. A field of a wrong shape is left out: the shape check reports it. */
export class Reader {
  readonly #fields: Record<string, unknown>;
  readonly #at: Path;
  readonly #report: Report;

  constructor(fields: Record<string, unknown>, at: Path, report: Report) {
    this.#fields = fields;
    this.#at = at;
    this.#report = report;
  }

  /** A field of a state. */
  read(field: string): unknown {
    return readers[field]?.(this, field, this.#fields[field]);
  }

  /** A trimmed string that must not be blank. */
  text(field: string): string {
    return this.#trimmed(this.#fields[field], field, [...this.#at, field]) ?? '';
  }

  /** A trimmed string that may be absent or blank. */
  optional(field: string): string {
    const value = this.#fields[field];
    return typeof value === 'string' ? value.trim() : '';
  }

  texts(field: string): string[] {
    return this.#items(field).flatMap(({ value, at }) => this.#trimmed(value, 'text', at) ?? []);
  }

  /** Actions are strings; in the platform's dialect objects with a `description`. */
  actions(field: string): string[] {
    return this.#items(field).flatMap(({ value, at }) =>
      isRecord(value)
        ? (this.#trimmed(value['description'], 'description', [...at, 'description']) ?? [])
        : (this.#trimmed(value, 'action', at) ?? []),
    );
  }

  exits(field: string): ExitCondition[] {
    return this.#items(field).map(({ value, at }) => {
      const reader = new Reader(isRecord(value) ? value : {}, at, this.#report);
      return {
        description: reader.text('description'),
        next_state: reader.target('next_state'),
        at,
      };
    });
  }

  /** Spec: docs/formats/context-graph.md#targets */
  target(field: string): Target | undefined {
    const value = this.#fields[field];
    const at = [...this.#at, field];
    const fields = {
      at,
      outcome: this.optional('outcome') || undefined,
      reason: this.optional('reason') || undefined,
    };
    if (typeof value === 'string') {
      const target = value.trim();
      return isOtherTarget(target)
        ? { kind: 'other', target, ...fields }
        : { kind: 'state', state: target, ...fields };
    }
    if (!Array.isArray(value)) return undefined;
    const [entry, jumpback]: unknown[] = value;
    const named = typeof entry === 'string' ? /^(\w+)\.(\w+)$/.exec(entry.trim()) : null;
    if (value.length !== 2 || named === null || typeof jumpback !== 'string')
      return { kind: 'malformed', ...fields };
    const [, reference, state] = named as unknown as [string, string, string];
    return { kind: 'call', reference, state, jumpback: jumpback.trim(), ...fields };
  }

  tools(field: string): ToolCallSpec[] {
    return this.#items(field).flatMap(({ value, at }) => readTool(value, at) ?? []);
  }

  tool(field: string): ToolCallSpec | undefined {
    return readTool(this.#fields[field], [...this.#at, field]);
  }

  #items(field: string): { value: unknown; at: Path }[] {
    const list = this.#fields[field];
    if (!Array.isArray(list)) return [];
    return list.map((value: unknown, index) => ({ value, at: [...this.#at, field, index] }));
  }

  #trimmed(value: unknown, what: string, at: Path): string | undefined {
    if (typeof value !== 'string') return undefined;
    const trimmed = value.trim();
    if (trimmed === '') this.#report(blankText(what), at);
    return trimmed;
  }
}

type Read = (reader: Reader, field: string, value: unknown) => unknown;

const asText: Read = (reader, field) => reader.text(field);

const asTexts: Read = (reader, field) => reader.texts(field);

const asTools: Read = (reader, field) => reader.tools(field);

/** How each field of a state is read. */
export const readers: Readonly<Record<string, Read>> = {
  objective: asText,
  actions: (reader, field) => reader.actions(field),
  intra_state_navigation_guidelines: asTexts,
  action_guidelines: asTexts,
  boundary_constraints: asTexts,
  decision_guidelines: asTexts,
  exit_conditions: (reader, field) => reader.exits(field),
  action_tool_call_specs: asTools,
  exit_condition_tool_call_specs: asTools,
  tool_call_specs: asTools,
  skip_active_memory_retrieval: (_reader, _field, value) => value === true,
  problem: asText,
  word_limit: (_reader, _field, value) => (typeof value === 'number' ? value : undefined),
  queries: asTexts,
  requested_information: (reader, field) => reader.optional(field),
  inner_thought: asText,
  side_effect: (_reader, _field, value) => (isRecord(value) ? value : {}),
  designated_tool: (reader, field) => reader.tool(field),
  designated_tool_call_objective: asText,
  designated_tool_call_context: asText,
  designated_tool_call_guidances: asTexts,
  designated_tool_call_validations: asTexts,
  next_state: (reader, field) => reader.target(field),
};

function readTool(value: unknown, at: Path): ToolCallSpec | undefined {
  if (!isRecord(value) || typeof value['tool_id'] !== 'string') return undefined;
  const text = (field: string) => (typeof value[field] === 'string' ? value[field].trim() : '');
  return {
    tool_id: text('tool_id'),
    version_constraint: text('version_constraint'),
    additional_instruction: text('additional_instruction'),
    result_persistence: persistenceOf(value['result_persistence']),
    at,
  };
}

/** Graphs from before this field kept no tool results. */
function persistenceOf(value: unknown): ResultPersistence {
  return value === 'persisted' || value === 'persisted-preferred' ? value : 'ephemeral';
}
