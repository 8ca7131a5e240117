import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { withArticle } from '@dramaturg/compiler/text';
import { authoredPart, conditionsOf, type Part, partOf, partsOf } from '../authored.ts';
import type { Intrinsic } from '../data/intrinsic/function.ts';
import { formatFault, functionsOf } from '../data/intrinsic/functions.ts';
import { type Argument, type Call, isCall, parseCall } from '../data/intrinsic/parse.ts';
import { type DataPath, isFault, parsePath, type Step } from '../data/path/parse.ts';
import { hasHole, isAgentOnly, isExpression, isHole } from '../definition/field.ts';
import type { Dialect, State, Workflow } from '../definition/machine.ts';
import {
  badIntrinsic,
  badPath,
  badReferencePath,
  badTemplateValue,
  deadStep,
  duplicateTemplateKey,
  failingIntrinsic,
  type LiteralPlace,
  literalQuery,
  notEvaluated,
  unknownFunction,
} from '../diagnostics/expressions.ts';
import { barePlaceholder, unfilledHole } from '../diagnostics/fields.ts';
import { stateSchema } from '../document.ts';
import { statesOf } from '../walk.ts';
import { textsOf } from './expressions.ts';
import type { WorkflowRule } from './rule.ts';

/** Why a string is not a path; undefined for a path. The agent dialect has fewer kinds of steps. Agent 3 §JSONPath */
function pathFault(text: string, dialect: 'amazon' | 'agent'): string | undefined {
  const path = parsePath(text);
  if (isFault(path)) return path.fault;
  return dialect === 'amazon' ? undefined : unknownStep(path);
}

/** The step that Agent State Language lacks; undefined without one. */
function unknownStep({ steps }: DataPath): string | undefined {
  const step = steps.find(({ kind }) => stepNames[kind] !== undefined);
  return step && `Agent State Language has no ${stepNames[step.kind]}`;
}

/** The step that leads nowhere in AWS: a function, which is read as a name, or a negative index. */
function deadStepOf(text: string): string | undefined {
  const path = parsePath(text);
  if (isFault(path)) return undefined;
  for (const step of path.steps) {
    if (step.kind === 'name' && /^\w+\(.*\)$/.test(step.name)) return step.name;
    if (step.kind === 'index' && step.index < 0) return `[${step.index}]`;
  }
  return undefined;
}

const stepNames: Partial<Record<Step['kind'], string>> = {
  descent: 'search at any depth ("..")',
  filter: 'filters',
  fromEnd: 'scripts in paths',
  indexes: 'lists of indexes',
  names: 'lists of names',
};

/** Why a string does not name exactly one place of the data, or undefined. Amazon #ref-paths */
function referencePathFault(text: string): string | undefined {
  const path = parsePath(text);
  if (isFault(path)) return path.fault;
  if (path.root === '$$') return 'the context object cannot be written';
  if (path.root !== '$') return 'use "Assign" to set a variable';
  for (const step of path.steps) {
    if (step.kind !== 'name' && (step.kind !== 'index' || step.index < 0)) {
      return 'a step can lead to several places';
    }
  }
  return undefined;
}

/** Reports a hole outside of a template. All have one cause: the workflow declares no parameters. */
function reportHole(text: string, path: Path, report: Report): void {
  report(unfilledHole(text), path, { follows: [['Parameters']], topic: '' });
}

/** Fields that hold names. In other strings a hole can be text for people. */
const nameFields = ['Agent', 'Next', 'Default', 'WorkflowId', 'Template', 'ResultPath'];

const numberFields = ['TimeoutSeconds', 'HeartbeatSeconds', 'MaxConcurrency', 'Seconds', 'Rounds'];

const retryFields = ['IntervalSeconds', 'MaxAttempts', 'BackoffRate', 'MaxDelaySeconds'];

/** Reports holes outside of templates. A hole is filled when its template is included. Spec: Agent 10 §Templates */
export const unfilledHoles: WorkflowRule = ({ definition, report }) => {
  if (definition.isTemplate) return;
  const reportHoles = ({ value, at }: Part, fields: readonly string[]) => {
    for (const field of fields) {
      const text = value[field];
      if (!isHole(text)) continue;
      reportHole(text, [...at, field], report);
    }
  };
  for (const state of statesOf(definition)) {
    const part = authoredPart(state);
    reportHoles(part, [...nameFields, ...numberFields]);
    for (const retrier of partsOf(part, 'Retry')) reportHoles(retrier, retryFields);
    for (const catcher of partsOf(part, 'Catch')) reportHoles(catcher, ['Next']);
    for (const rule of partsOf(part, 'Choices')) reportHoles(rule, ['Next']);
  }
};

/** A name in single braces: in an ARN, as a whole value, or as a path. Other text may have braces of its own. */
const bare = /(?<![${])\{(?:(?<name>[A-Za-z_][\w.:]*)|\$\.[\w.]+)\}(?!\})/;

/** Reports a placeholder of a deployment without its "$", and a path of a prompt in single braces. */
export const barePlaceholders: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const { Resource: resource } = state.authored;
    const texts = [...textsOf(state), { text: resource, at: [...state.at, 'Resource'] }];
    for (const { text, at } of texts) {
      if (typeof text !== 'string' || String(at.at(-1)).endsWith('.$')) continue;
      const [found, name] = bare.exec(text) ?? [];
      if (found === undefined) continue;
      const isOne = text.startsWith('arn:') || text === found;
      if (name !== undefined ? !isOne : at[state.at.length] !== 'Prompt') continue;
      // The key is known even if the rest of the text has placeholders without a value.
      const place = text.includes('${') ? ({ at: 'key' } as const) : undefined;
      report(barePlaceholder(found, name ? `$${found}` : `{${found}}`), at, place);
    }
  }
};

/**
 * Reports a call of a function that the dialect does not have, or with arguments that it does not take.
 * Spec: states-language.net/spec.html#intrinsic-functions, and the reference of Agent State Language
 *
 * @param wanted the type that the field of the call needs
 */
function checkCall(
  text: string,
  dialect: Dialect,
  at: Path,
  report: Report,
  wanted: 'any' | 'text' = 'any',
): void {
  const call = parseCall(text);
  if (isFault(call)) {
    report(badIntrinsic(text, call.fault), at);
    return;
  }
  const known = functionsOf(dialect);
  const given = Object.hasOwn(known, call.name) ? known[call.name] : undefined;
  if (wanted === 'text' && given && given.gives !== 'text') {
    report(badIntrinsic(text, `${call.name} does not return text`), at);
  }
  for (const one of callsIn(call)) checkArguments(one, text, dialect, at, report);
}

/** A call and the calls in its arguments, outermost first. */
function callsIn(call: Call): readonly Call[] {
  const calls = [call];
  for (const { args } of calls) {
    for (const argument of args) if (argument.kind === 'call') calls.push(argument.call);
  }
  return calls;
}

function checkArguments(
  call: Call,
  text: string,
  dialect: Dialect,
  at: Path,
  report: Report,
): void {
  const known = functionsOf(dialect);
  const signature = Object.hasOwn(known, call.name) ? known[call.name] : undefined;
  const complain = (because: string) => report(badIntrinsic(text, because), at);
  if (!signature) {
    report(unknownFunction(call.name, Object.keys(known)), at);
    return;
  }
  const { length } = call.args;
  if (length < signature.least || length > signature.most) {
    const because = `${call.name} takes ${takes(signature)} and has ${length}`;
    // Tutorials add more than two numbers, but their own engine refuses that at run time.
    if (dialect === 'agent' && length > signature.most) report(failingIntrinsic(because), at);
    else complain(because);
  }
  const [template, ...values] = call.args;
  if (dialect === 'amazon' && call.name === 'States.Format' && template?.kind === 'text') {
    const fault = formatFault(template.written, values.length);
    if (fault !== undefined) report(failingIntrinsic(`States.Format: ${fault}`), at);
  }
  call.args.forEach((argument, index) => {
    const fault = argumentFault(
      argument,
      signature.takes[index] ?? signature.takes.at(-1),
      dialect,
    );
    if (fault !== undefined) complain(`argument ${index + 1} of ${call.name} ${fault}`);
  });
}

function takes({ least, most }: Intrinsic): string {
  const times = (count: number) => `${count} argument${count === 1 ? '' : 's'}`;
  if (most === Infinity) return `${times(least)} or more`;
  return least === most ? times(least) : `${least} to ${times(most)}`;
}

function argumentFault(
  argument: Argument,
  wanted: Intrinsic['takes'][number] = 'any',
  dialect: Dialect,
): string | undefined {
  if (argument.kind === 'path') {
    const fault = dialect === 'amazon' ? undefined : unknownStep(argument.path);
    return fault === undefined ? undefined : `is not a path (${fault})`;
  }
  if (argument.kind === 'call' || wanted === 'any') return undefined;
  return argument.kind === wanted ? undefined : `must be ${withArticle(wanted)}`;
}

/** Fields that say where a value is written, so they must name exactly one place. */
const writtenFields = new Set(['ResultPath', 'InjectAt']);

/** Fields that take a path or a call of an intrinsic function. */
const callFields = new Set(['ErrorPath', 'CausePath']);

/**
 * Reports paths that cannot be read, and paths to write to that name several places.
 * Spec: states-language.net/spec.html#path, states-language.net/spec.html#ref-paths
 */
export const malformedPaths: WorkflowRule = ({ definition, report }) => {
  for (const { part, field } of pathFields(definition)) {
    const text = part.value[field];
    if (typeof text !== 'string') continue;
    const path = [...part.at, field];
    if (hasHole(text)) {
      if (!definition.isTemplate) reportHole(text, path, report);
      continue;
    }
    if (writtenFields.has(field)) {
      const fault = referencePathFault(text);
      if (fault !== undefined) report(badReferencePath(field, text, fault), path);
    } else if (callFields.has(field) && isCall(text)) {
      checkCall(text, definition.dialect, path, report, 'text');
    } else checkPath(field, text, definition.dialect, path, report);
  }
};

interface PathField {
  readonly part: Part;
  readonly field: string;
}

/** Finds the fields by name: a field that holds a path ends in `Path`, except `Variable` of a comparison and `InjectAt` of a memory. */
function* pathFields(workflow: Workflow): Generator<PathField> {
  for (const state of statesOf(workflow)) {
    if (state.QueryLanguage === 'JSONata') continue;
    const part = authoredPart(state);
    const reader = partOf(part, 'ItemReader');
    const memory = partOf(part, 'Memory');
    const parts = [
      part,
      ...partsOf(part, 'Catch'),
      ...partsOf(part, 'Choices').flatMap(conditionsOf),
      partOf(part, 'ItemBatcher'),
      reader && partOf(reader, 'ReaderConfig'),
      partOf(part, 'Editable'),
      memory && partOf(memory, 'Read'),
    ];
    for (const one of parts) {
      if (!one) continue;
      for (const field of Object.keys(one.value)) {
        if (field.endsWith('Path') || field === 'Variable' || field === 'InjectAt')
          yield { part: one, field };
      }
    }
  }
}

/** Reports a string that is not a path of the dialect, or a path that leads nowhere in any data. */
function checkPath(
  field: string,
  text: string,
  dialect: Dialect,
  path: readonly (string | number)[],
  report: Report,
): void {
  const fault = pathFault(text, dialect);
  if (fault !== undefined) report(badPath(field, text, fault), path);
  const step = dialect === 'amazon' ? deadStepOf(text) : undefined;
  if (step !== undefined) report(deadStep(step), path);
}

/** Reports paths of `Audit.Redact` that cannot be read: their data would be shown. Spec: Agent 5 §Audit */
export const malformedRedactions: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const audit = partOf(authoredPart(state), 'Audit');
    const paths = audit?.value['Redact'];
    if (!audit || !Array.isArray(paths)) continue;
    paths.forEach((path: unknown, index) => {
      if (typeof path !== 'string') return;
      const at = [...audit.at, 'Redact', index];
      const isOfData = path === '$' || /^\s*\$[.[]/.test(path);
      // Both dialects may redact at any depth.
      const fault = isOfData ? pathFault(path, 'amazon') : 'it does not begin with "$."';
      if (fault !== undefined) report(badPath('Redact', path, fault), at);
    });
  }
};

/**
 * Reports keys ending in `.$` whose value is neither a path nor a call of an intrinsic function, keys that become the
 * same, and JSONata in a JSONPath state. Spec: states-language.net/spec.html#payload-template, Agent 3
 */
export const malformedTemplates: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage === 'JSONata') continue;
    for (const { value: fields, at } of objectsIn(templatesOf(state))) {
      for (const [key, value] of Object.entries(fields)) {
        const path = [...at, key];
        if (isExpression(value)) report(notEvaluated('"{% %}"', 'JSONPath'), path);
        if (!key.endsWith('.$')) continue;
        const plain = key.slice(0, -2);
        if (Object.hasOwn(fields, plain)) report(duplicateTemplateKey(plain), path, { at: 'key' });
        if (definition.isTemplate && hasHole(value)) continue;
        if (typeof value !== 'string') report(badTemplateValue(key), path);
        else if (isCall(value)) checkCall(value, definition.dialect, path, report);
        else checkPath(key, value, definition.dialect, path, report);
      }
    }
  }
};

const templateFields = [
  'Parameters',
  'ResultSelector',
  'ItemSelector',
  'Assign',
  'Credentials',
  'Input',
  'Prompt',
  'ItemReader',
  'ItemBatcher',
  'ResultWriter',
];

/** The templates of a state, including the blocks for agents, which use such keys as well. */
function templatesOf(state: State): readonly { value: unknown; at: Path }[] {
  const part = authoredPart(state);
  const shape = stateSchema(state.authored['Type'])?.shape ?? {};
  const blocks = Object.keys(part.value).filter(
    (field) => Object.hasOwn(shape, field) && isAgentOnly(shape[field]!),
  );
  const inner = [...partsOf(part, 'Catch'), ...partsOf(part, 'Choices')];
  return [
    // Only keys such as `Cause.$` and `Prompt.$` of the state itself.
    { value: dynamicFields(part), at: part.at },
    ...partsOf(part, 'Choices')
      .flatMap(conditionsOf)
      .map((one) => ({ value: dynamicFields(one), at: one.at })),
    ...[...templateFields, ...blocks].map((field) => ({
      value: part.value[field],
      at: [...part.at, field],
    })),
    ...inner.map(({ value, at }) => ({ value: value['Assign'], at: [...at, 'Assign'] })),
  ];
}

function dynamicFields({ value }: Part): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([field]) => field.endsWith('.$')));
}

/** Every object in some values, at any depth. */
function* objectsIn(values: readonly { value: unknown; at: Path }[]): Generator<Part> {
  const open = [...values];
  for (const { value, at } of open) {
    if (Array.isArray(value)) {
      value.forEach((item, index) => open.push({ value: item, at: [...at, index] }));
    } else if (isRecord(value)) {
      yield { value, at };
      for (const [key, child] of Object.entries(value))
        open.push({ value: child, at: [...at, key] });
    }
  }
}

/**
 * Reports strings that look like queries but are literal, as in `"Payload": "$.order"`: the key does not end in `.$`, or
 * `{% %}` is missing.
 * Spec: states-language.net/spec.html#payload-template, states-language.net/spec.html#jsonata-strings
 */
export const literalQueries: WorkflowRule = ({ definition, report }) => {
  if (definition.dialect === 'agent') return;
  for (const state of statesOf(definition)) {
    const isJsonata = state.QueryLanguage === 'JSONata';
    for (const { text, at, place } of isJsonata ? jsonataTextsOf(state) : plainTextsOf(state)) {
      if (!looksLikeQuery(text, isJsonata, definition.dialect) || isMeantAsPath(at, state))
        continue;
      const field = at.findLast((step) => typeof step === 'string') ?? '';
      report(literalQuery(field, text, place), at);
    }
  }
};

interface Literal {
  readonly text: string;
  readonly at: Path;
  readonly place: LiteralPlace;
}

function* jsonataTextsOf(state: State): Generator<Literal> {
  for (const { text, at } of textsOf(state)) {
    // Other rules report these two.
    const isReported = String(at.at(-1)).endsWith('.$') || at.at(-1) === 'Condition';
    if (!isExpression(text) && !isReported) yield { text, at, place: 'jsonata' };
  }
}

const textFields = ['Parameters', 'ResultSelector', 'ItemSelector', 'Assign', 'ItemBatcher'];

/** The literal strings of a state's templates, and the strings in the result of a Pass with a key that ends in `.$`. */
function* plainTextsOf(state: State): Generator<Literal> {
  const { value, at: place } = authoredPart(state);
  const inField = (field: string) => ({ value: value[field], at: [...place, field] });
  for (const { value: fields, at } of objectsIn(textFields.map(inField))) {
    for (const [key, part] of Object.entries(fields)) {
      const path = [...at, key];
      if (typeof part === 'string' && !key.endsWith('.$'))
        yield { text: part, at: path, place: 'key' };
      for (const [index, one] of Array.isArray(part) ? (part as unknown[]).entries() : []) {
        if (typeof one === 'string') yield { text: one, at: [...path, index], place: 'item' };
      }
    }
  }
  for (const { value: fields, at } of objectsIn([inField('Result')])) {
    for (const [key, text] of Object.entries(fields)) {
      if (typeof text === 'string' && key.endsWith('.$'))
        yield { text, at: [...at, key], place: 'result' };
    }
  }
}

/** Strings such as "$" and "$5" are not queries: they may be patterns and prices. */
function looksLikeQuery(text: string, isJsonata: boolean, dialect: Dialect): boolean {
  if (isJsonata && /^\$states\.\w/.test(text)) return true;
  if (/^\$\$?[.[]/.test(text)) {
    const path = parsePath(text);
    return !isFault(path) && path.steps.length > 0;
  }
  if (!isCall(text)) return false;
  const call = parseCall(text);
  return !isFault(call) && Object.hasOwn(functionsOf(dialect), call.name);
}

/** Some services take paths as strings, in fields such as `InputPath` or `JsonPath`. */
function isMeantAsPath(at: Path, state: State): boolean {
  return at.slice(state.at.length).some((step) => typeof step === 'string' && /path/i.test(step));
}
