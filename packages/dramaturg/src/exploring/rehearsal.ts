import type { Chart } from '@dramaturg/compiler';
import { durable, isOwnEvent, type LoadedDefinitions } from '@dramaturg/host/engine';
import { behaviours, definitionOf, hosted, type HostedDefinition } from '../host.ts';
import { contactOf } from '../testing/stage-options.ts';
import { type UnitWatch, withGuardOrigins } from '../testing/coverage/unit-watch.ts';
import { BranchWorld } from './members.ts';
import { Branches } from './branches.ts';
import { acceptedIn, eventsOf, type Outside } from './happenings.ts';
import { Player } from './player.ts';
import { taskEndings } from './task-endings.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** A definition that can be played without a host, with the definitions that it calls. */
export interface Rehearsal {
  readonly chart: Chart;
  /** A lifecycle of its own whose rows are tried, too. */
  readonly lifecycle?: Chart;
  readonly branches: Branches;
  readonly player: Player;
  /** The vocabulary of the definition, and of those that it calls. */
  readonly vocabulary: Vocabulary;
  /** The inputs from outside that its instances wait for. */
  readonly outside: Outside;
  /** The contact that its instances begin with. */
  readonly contact?: string;
}

export interface RehearsalOptions {
  /** Definitions that it calls as agents, by name. */
  readonly others?: Readonly<Record<string, HostedDefinition>>;
  /** Receives the units that the machines of the definition reach; without it the machines are faster. */
  readonly watch?: UnitWatch;
  /** Receives the units that its own lifecycle reaches. */
  readonly lifecycleWatch?: UnitWatch;
  /** Whether time, operators and failures are also moves for a lifecycle of its own. */
  readonly triesLifecycle?: boolean;
}

export function rehearsalOf(
  definition: HostedDefinition,
  { others = {}, watch, lifecycleWatch, triesLifecycle = false }: RehearsalOptions = {},
): Rehearsal {
  const { chart, lifecycle } = hosted('explored', definition);
  const charts = new Map(
    Object.entries(others).map(([name, other]) => [name, hosted(name, other)] as const),
  );
  const world = new BranchWorld();
  const definitions = loaded({ chart, lifecycle }, world, watch, lifecycleWatch);
  const children = new Map<string, LoadedDefinitions>();
  const branches = new Branches({
    definitions,
    world,
    definitionOf: (agent) => {
      const name = definitionOf(agent);
      return name !== undefined && charts.has(name) ? name : undefined;
    },
    definitionsOfChild: (name) => {
      const known = children.get(name) ?? loaded(charts.get(name)!, world);
      children.set(name, known);
      return known;
    },
  });
  const isAlone = lifecycle === 'own';
  const triesRows = triesLifecycle && !isAlone;
  const lifecycleChart = isAlone ? chart : triesRows ? lifecycle : undefined;
  const vocabulary = vocabularyOf([
    chart,
    ...(triesRows ? [lifecycle] : []),
    ...Array.from(charts.values(), (each) => each.chart),
  ]);
  return {
    chart,
    ...(triesRows ? { lifecycle } : {}),
    branches,
    vocabulary,
    player: new Player(branches, triesRows),
    outside: {
      converses: definitions.flow?.machine.converses === true,
      ownsLifecycle: lifecycleChart !== undefined,
      triesRows,
      taskEndings: (moment) => taskEndings(branches.openTasks(moment), vocabulary),
      ...acceptedBy(lifecycleChart, isAlone),
      eventsOfChild: (name) => {
        const child = charts.get(name);
        return child?.lifecycle === 'own' ? eventsOf(child.chart) : undefined;
      },
    },
    ...contactOf(definition, others),
  };
}

/** The events of a lifecycle that people outside send, and the commands of operators. */
function acceptedBy(
  lifecycle: Chart | undefined,
  isAlone: boolean,
): Pick<Outside, 'accepts' | 'events' | 'commands'> {
  const events = lifecycle ? eventsOf(lifecycle) : [];
  if (isAlone) return { events, commands: [], accepts: acceptedIn(lifecycle!) };
  const types = new Set(events.map(({ type }) => type as string));
  return {
    events: events.filter(
      ({ type }) => !commandEvents.has(type as string) && !isOwnEvent(type as string),
    ),
    commands: [
      ...(['pause', 'resume', 'cancel'] as const).filter((command) => types.has(command)),
      ...(types.has('intervene') ? [{ intervene: 'One moment, please.' }] : []),
    ],
  };
}

/** Events that a test sends as a message or as a command of an operator. */
const commandEvents: ReadonlySet<string> = new Set([
  'message.received',
  'pause',
  'resume',
  'cancel',
  'intervene',
]);

/** Links the machines of a definition. */
function loaded(
  { chart, lifecycle }: { readonly chart: Chart; readonly lifecycle: Chart | 'own' },
  world: BranchWorld,
  watch?: UnitWatch,
  lifecycleWatch?: UnitWatch,
): LoadedDefinitions {
  const load = (each: Chart, watching?: UnitWatch) => {
    const behaviour = behaviours.get(each.format)!;
    return {
      ref: { name: each.id, version: 'explored' },
      chart: each,
      machine: watching
        ? durable(withGuardOrigins(each), watching.watched(behaviour), {
            world,
            inspect: watching.inspect,
          })
        : durable(each, behaviour, { world }),
    };
  };
  return lifecycle === 'own'
    ? { lifecycle: load(chart, watch) }
    : { flow: load(chart, watch), lifecycle: load(lifecycle, lifecycleWatch) };
}
