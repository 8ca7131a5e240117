import type { WorkflowEmitted } from '@dramaturg/asl';
import * as compiler from '@dramaturg/compiler';
import type { Chart, Compiled } from '@dramaturg/compiler';
import type { FormatKind } from '@dramaturg/compiler/format';
import type { UsageRecorded } from '@dramaturg/compiler/machine';
import { unknownFields } from '@dramaturg/compiler/shapes';
import { nearestName } from '@dramaturg/compiler/text';
import type { GraphEmitted } from '@dramaturg/context-graph';
import * as host from '@dramaturg/host/browser';
import type { LifecycleEmitted } from '@dramaturg/lifecycle';
import { conversationLifecycle, workflowLifecycle } from '@dramaturg/lifecycle/built-in';
import type { NpcEmitted } from '@dramaturg/npc';
import type { PlanEmitted } from '@dramaturg/plan';
import { formatNamed, formats } from './known-formats.ts';

/** A definition, with the lifecycle of its instances if it is not the built-in one. */
export type HostedDefinition =
  | Compiled
  | { readonly definition: Compiled; readonly lifecycle: Compiled };

export interface HostOptions extends Omit<host.HostOptions, 'definitions' | 'behaviours'> {
  /** Compiled definitions, by the names that start them. */
  readonly definitions?: Readonly<Record<string, HostedDefinition>>;
  /** Formats of your own that definitions of the host or of its store have. */
  readonly formats?: readonly compiler.AnyFormat[] | undefined;
}

/** An event of an instance, by its source. Spec: docs/events.md#a-host-emits */
export type InstanceEvent = {
  readonly instance: string;
  /** The instance that runs it as an agent, then the one that runs that instance, and so on. */
  readonly within?: readonly string[];
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** The position after the event in its stream, for `events({ after })`. Absent from events that are not stored. */
  readonly cursor?: string;
} & (
  | { readonly source: 'lifecycle'; readonly event: LifecycleEmitted }
  | {
      readonly source: 'flow';
      readonly event: PlanEmitted | NpcEmitted | GraphEmitted | WorkflowEmitted;
    }
  | { readonly source: 'host'; readonly event: host.DeliveryEvent | UsageRecorded }
);

export type Host = host.Host<InstanceEvent>;

/**
 * Opens a store and runs durable instances of definitions. See docs/host.md.
 *
 * @throws TypeError when a definition has errors; HostError `host/unknown-option`; StoreError `store/owned` when another host
 *   owns the store
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: lowdbStore('desk'),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * const { id } = await host.start('intake', { contact: '+56912345678' });
 * await host.settle();
 * const { accepted } = await host.send(id, { type: 'message.received', text: 'I am Maria' });
 * console.log(accepted); // → true
 * await host.stop();
 * ```
 */
export async function createHost({
  definitions = {},
  formats: own,
  ...options
}: HostOptions): Promise<Host> {
  return host.createHost<InstanceEvent>({
    definitionOf,
    ...options,
    behaviours: behavioursWith(own),
    definitions: Object.entries(definitions).map(([name, given]) =>
      hosted(name, given, options.channels),
    ),
  });
}

/**
 * Opens a store for reading: no timer fires, no call is made and no message is sent. See docs/host.md.
 *
 * @throws StoreError `store/owned` while a host owns the store
 *
 * @example
 * ```ts
 * const store = memoryStore();
 * const host = await createHost({ store, definitions: { intake }, ports: understudyPorts() });
 * await host.start('intake', { contact: 'ada' });
 * await host.stop();
 * const reader = await readStore(store);
 * for (const { definition, contact } of (await reader.list()).items)
 *   console.log(definition.name, contact); // → intake ada
 * await reader.stop();
 * ```
 */
export function readStore(
  place: host.StoreLocation,
  {
    formats: own,
    ...options
  }: Omit<host.ReadOptions, 'behaviours'> & Pick<HostOptions, 'formats'> = {},
): Promise<host.InstanceReader> {
  return host.readStore(place, { ...options, behaviours: behavioursWith(own) });
}

/** The implementations of the names in charts, by format: of the built-in formats, and of others. */
export function behavioursWith(own: readonly compiler.AnyFormat[] = []): host.Behaviours {
  const all = [...formats, ...own];
  return { get: (format) => all.findLast(({ name }) => name === format)?.behaviour };
}

export const behaviours = behavioursWith();

/**
 * Converts a definition to the form that a host takes.
 *
 * @param channels the channels of the host, which may have a quiet window
 *
 * @example
 * ```ts
 * const definition = hosted('intake', intake);
 * const host = await createHost({ store: memoryStore(), ports: understudyPorts() });
 * await host.define(definition);
 * console.log((await host.start('intake', { contact: 'ada' })).id !== ''); // → true
 * await host.stop();
 * ```
 */
export function hosted(
  name: string,
  given: HostedDefinition,
  channels: Readonly<Record<string, host.Channel>> = {},
): host.Definition {
  requireHosted(name, given);
  const [definition, ownLifecycle] =
    'definition' in given && 'lifecycle' in given
      ? [given.definition, given.lifecycle]
      : [given, undefined];
  const chart = chartOf(definition, name);
  return {
    name,
    chart,
    lifecycle: ownLifecycle
      ? chartOf(ownLifecycle, `the lifecycle of ${name}`)
      : builtInLifecycleOf(definition.kind, channels),
    source: { text: definition.source.text },
  };
}

/** A compiled definition has a field `definition` too; `diagnostics` tells the two apart. */
function requireHosted(name: string, given: object): void {
  if ('diagnostics' in given) return;
  const problems = unknownFields(given, ['definition', 'lifecycle'], `definitions.${name}`);
  if (problems.length > 0) throw new host.HostError('host/unknown-option', problems.join(' '));
}

/** @throws TypeError that lists the errors of the definition */
export function chartOf({ chart, diagnostics }: Compiled, name: string): Chart {
  if (chart) return chart;
  const errors = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ message, hint, range: { start } }) =>
      [`${start.line}:${start.column}`, message, ...(hint ? [hint] : [])].join(' '),
    );
  throw new TypeError(`"${name}" has errors:\n${errors.join('\n')}`);
}

/** The built-in lifecycle of a conversation or a workflow. A lifecycle definition is its own lifecycle. */
function builtInLifecycleOf(
  kind: FormatKind | undefined,
  channels: Readonly<Record<string, host.Channel>>,
): Chart | 'own' {
  if (kind === 'lifecycle') return 'own';
  if (kind === 'workflow') return builtIn(workflowLifecycle);
  const { settle } = Object.values(channels).find((channel) => channel.settle) ?? {};
  const { policies } = conversationLifecycle;
  return builtIn(
    settle
      ? { ...conversationLifecycle, policies: { ...policies, settle } }
      : conversationLifecycle,
  );
}

const charts = new Map<string, Chart>();

function builtIn(definition: object): Chart {
  const text = JSON.stringify(definition);
  const known = charts.get(text);
  if (known) return known;
  const { chart } = compiler.compile(text, { formats: [formatNamed('lifecycle')!] });
  charts.set(text, chart!);
  return chart!;
}

/** The words before the colon that say that an agent is a definition, such as `plan` in `plan:intake`. */
const definitionWords = [
  ...formats.map(({ name }) => name),
  'workflow',
  'scenario',
  'graph',
  'definition',
];

/** The name of the definition in the name of an agent: `intake` for `plan:intake`. The word need not match its format. */
export function definitionOf(agent: string): string | undefined {
  const [word, name] = parts(agent);
  return definitionWords.includes(word) ? name : undefined;
}

/**
 * The correct spelling of an agent whose kind of definition is misspelt: `plan:intake` for `paln:intake`. Undefined for all
 * other names, such as `Summarise` or an ARN.
 */
export function meantDefinition(agent: string): string | undefined {
  const [word, name] = parts(agent);
  if (name === undefined || definitionWords.includes(word)) return undefined;
  // A short word is similar to almost any other word.
  const nearest = nearestName(word, definitionWords);
  const isMeant = nearest && (nearest.length > 3 || nearest === word.toLowerCase());
  return isMeant ? `${nearest}:${name}` : undefined;
}

function parts(agent: string): readonly [word: string, name?: string] {
  const colon = agent.indexOf(':');
  return colon < 0 ? [agent] : [agent.slice(0, colon), agent.slice(colon + 1)];
}
